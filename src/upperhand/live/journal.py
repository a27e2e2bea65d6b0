"""Written down, then learned: a player that an interrupt cannot leave half-changed."""

from array import array
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .player import Player

NEVER = -1, -1  # nobody asked


class Journal:
    """What was asked and told, in order (12 bytes a reward), and the player that learned it.

    The same asks and tells make the same player, random numbers included. So a change is marked
    while it goes on, and where the mark is still found at the next call, all is replayed.
    """

    def __init__(self, new_player: Callable[[], Player]) -> None:
        self._new_player = new_player
        # A reward counts from when its arm stands here: as ~arm if it was told without an ask.
        self._arms, self._rewards = array("i"), array("d")
        self._asked = NEVER  # (how many were told by then, arm): holds until the next is told
        self._changing = False
        self._player = new_player()

    def __len__(self) -> int:
        return len(self._arms)

    @property
    def asked(self) -> int | None:
        """The arm that was asked for since the last was told."""
        return self._asked[1] if self._asked[0] == len(self) else None

    @property
    def player(self) -> Player:
        """The player, which has learned all that was told."""
        if self._changing:
            del self._rewards[len(self) :]
            self._player = self._replayed()
            self._changing = False
        return self._player

    def told(self, arms: int) -> list[NDArray[np.float64]]:
        """Return what was told of each arm, in order."""
        if self._changing:
            _ = self.player  # mends it
        names, rewards = np.array(self._arms), np.array(self._rewards)
        names = np.where(names < 0, ~names, names)
        return [rewards[names == arm] for arm in range(arms)]

    def ask(self) -> int:
        """Return the arm to use next: the same one until something is told."""
        player, told = self.player, len(self._arms)
        if self._asked[0] != told:
            self._changing = True
            self._asked = told, player.select(told + 1)
            self._changing = False
        return self._asked[1]

    def tell(self, arm: int, reward: float) -> int:
        """Write down, then learn; return how many were told. What the policy fails on is undone."""
        player, told = self.player, len(self._arms)
        self._changing = True
        self._rewards.append(reward)
        self._arms.append(arm if self._asked[0] == told else ~arm)
        try:
            player.learn(arm, reward)
        except Exception:  # an interrupt is none of these
            self._arms.pop()
            raise
        self._changing = False
        return told + 1

    def _replayed(self) -> Player:
        player = self._new_player()
        for t, (arm, reward) in enumerate(zip(self._arms, self._rewards, strict=True), 1):
            if arm >= 0:
                player.select(t)
            try:
                player.learn(arm if arm >= 0 else ~arm, reward)
            except Exception:
                if t < len(self):
                    raise
                self._arms.pop()  # an interrupt came while it was taken back
                self._rewards.pop()
                return self._replayed()
        if self.asked is not None:
            player.select(len(self) + 1)
        return player
