"""The asks and tells of a bandit, event by event: the machine chooses, learns and counts."""

import math
import time

from .choosing import next_arm
from .journal import Journal, next_trial, take_reward
from .machine import Machine


class Direct:
    """Asks and tells of a machine that a journal is kept of."""

    steps = None  # nothing is compiled

    def __init__(self, machine: Machine, journal: Journal) -> None:
        self._machine, self._journal = machine, journal
        self._player, self._timed = machine.players[0], journal.timed
        self._look: float = math.inf

    def ask(self) -> int:
        """Return the arm to use next, and note it."""
        machine, now = self._machine, time.time() if self._timed else 0.0
        if self._timed:
            machine.tick(now)
        trial = next_trial(machine)
        arm = next_arm(self._player, machine.streams, trial)
        machine.take_ask(trial, 0, arm)
        self._journal.asked(arm, now)
        return arm

    def tell(self, arm: int, told: float) -> bool:
        """Learn what was told, and note it; say whether it is time to look."""
        now = time.time() if self._timed else 0.0
        take_reward(self._machine, arm, told, now)
        self._journal.told(arm, told, now)
        return self._player.outcomes >= self._look

    @property
    def outcomes(self) -> int:
        """How many outcomes were told."""
        return self._machine.counts["outcomes"]

    def look_at(self, outcomes: float) -> None:
        """Let `tell` say so when there are so many outcomes."""
        self._look = outcomes

    def catch_up(self) -> Machine:
        """Return the machine, which knows all."""
        return self._machine
