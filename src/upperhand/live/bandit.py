"""A live bandit in memory: ask which arm to use, tell what came of it.

It runs the very functions of the simulation, interpreted, so a live run makes the same choices as a
simulated one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns.
"""

import copy
import math
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Reversible, Set
from threading import Lock
from typing import Any, NamedTuple, Self

from .. import checks
from ..errors import FitWarning, ParameterError, RewardError, UnknownNameError
from ..policies import Policy, as_policy
from ..text import text_table
from .player import Player

SHOWN = 50  # arms in a repr
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them
NEVER = -1, -1  # nobody asked


class Interval(NamedTuple):
    """A prediction interval for an arm's next reward."""

    lower: float
    upper: float


class Bandit:
    """Choose between named arms, one at a time, and learn.

    Threads can share a bandit. An interrupt (Ctrl-C) leaves no half: what was being told was told
    or it was not, and ``len(bandit)`` says which. After one, the next call learns all anew from
    what was told. Copies and pickles continue on their own, with the same choices.

    A policy that does not fit the rewards told, such as one whose exploration coefficient is far
    from their spread, gives a `FitWarning`, once.

    Parameters
    ----------
    arms
        Different names, such as those of backends or prompts.
    policy
        How to choose.
    seed
        For policies that draw random numbers.
    minimize
        What is told are costs, such as latencies: smaller is better. ``ACPUCB1(alpha=0.1)`` then
        finds the arm with the lowest p95, that is of the smallest cost x with F̂(x) ≥ 0.95: the
        interval is that of the costs as told, and ACP-UCB1 and Quantile-UCB choose by its ends.
        Other policies learn negated costs, mirrored. The quantile of Quantile-IMED, which is not
        shown, is then the next larger cost if level × pulls is a whole number.

    Examples
    --------
    >>> import upperhand as uh
    >>> bandit = uh.Bandit(["eu", "us"], uh.ACPUCB1(alpha=0.1), seed=0)
    >>> for reward in (0.31, 0.25, 0.35, 0.27):
    ...     bandit.tell(bandit.ask(), reward)
    >>> bandit.ask()
    'eu'
    >>> bandit.interval("eu")
    Interval(lower=0.31, upper=0.35)
    """

    def __init__(
        self,
        arms: Iterable[str],
        policy: Policy,
        seed: int | None = None,
        *,
        minimize: bool = False,
    ) -> None:
        self.arms = _names(arms)
        self.policy = as_policy(policy)
        self.seed = checks.seed(seed)
        self.minimize = checks.flag("minimize", minimize)
        self._position = {name: arm for arm, name in enumerate(self.arms)}
        self._lock = Lock()
        # What was told, in order: position, or ~position if nobody had asked, and reward. A reward
        # counts from when its position stands there. Asks and tells replayed make the same player.
        self._positions, self._rewards = array("i"), array("d")
        self._asked = NEVER  # (how many were told by then, arm): holds until the next is told
        self._changing = False  # still True at the next call: that change was cut short
        self._next_look: float = FIRST_LOOK * len(self.arms)
        self._player = self._replayed()

    def ask(self) -> str:
        """Return the arm to use next. Until something is told, the answer stays the same."""
        with self._lock:
            player, told = self._whole(), len(self)
            if self._asked[0] != told:
                self._changing = True
                self._asked = told, player.select(told + 1)
                self._changing = False
            return self.arms[self._asked[1]]

    def tell(self, arm: str, reward: float) -> None:
        """Learn that `arm` paid `reward` (or cost it); it need not be the arm that was asked."""
        position = self._known(arm)
        value = _finite(arm, reward)
        with self._lock:
            self._learn(position, value)
            advice = self._due_advice()
        if advice is not None:  # said without the lock: a filter may look at the bandit
            warnings.warn(f"{self.policy.name}: {advice}", FitWarning, stacklevel=2)

    def interval(self, arm: str) -> Interval:
        """Return the prediction interval for the arm's next reward (or cost)."""
        position = self._known(arm)
        with self._lock:
            player = self._whole()
            if player.has_interval:
                return Interval(*player.interval(position))
        raise ParameterError(
            f"{self.policy.name} keeps no prediction intervals; a Bandit with ACPUCB1 does."
        )

    def pulls(self, arm: str) -> int:
        """Return how many rewards of the arm were told."""
        return int(self.state.pulls[self._known(arm)])

    @property
    def state(self) -> Any:
        """The policy's state, as in a simulated trajectory, to be read only: `tell` changes it.

        With `minimize` it is of negated costs; of the costs for ACP-UCB1 and Quantile-UCB.
        """
        with self._lock:
            return self._whole().state

    def __len__(self) -> int:
        return len(self._positions)

    def __repr__(self) -> str:
        with self._lock:
            head = f"Bandit of {len(self.arms)} arms, {len(self)} told, {self.policy!r}"
            table = self._table(self._whole())
        more = len(self.arms) - SHOWN
        return "\n".join([head, table, *([f"… and {more} more arms"] if more > 0 else [])])

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._whole()
            parts = {name: part for name, part in vars(self).items() if name != "_lock"}
            return copy.deepcopy(parts)

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, _lock=Lock())

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _learn(self, position: int, value: float) -> None:
        """Write down what was told, then learn it: cut short, it is learned at the next call."""
        player, told = self._whole(), len(self)
        self._changing = True
        self._rewards.append(value)
        self._positions.append(position if self._asked[0] == told else ~position)
        try:
            player.learn(position, value)
        except Exception:  # the policy's own; an interrupt is none
            self._positions.pop()
            raise
        self._changing = False

    def _whole(self) -> Player:
        """Return the player; if a change of it was cut short, one that learned all anew."""
        if self._changing:
            del self._rewards[len(self) :]
            self._player = self._replayed()
            self._changing = False
        return self._player

    def _replayed(self) -> Player:
        """Return the player that was asked and told all of this."""
        player = Player(self.policy, len(self.arms), self.seed, minimize=self.minimize)
        for t, (move, reward) in enumerate(zip(self._positions, self._rewards, strict=True), 1):
            if move >= 0:
                player.select(t)
            player.learn(move if move >= 0 else ~move, reward)
        if self._asked[0] == len(self):
            player.select(len(self) + 1)
        return player

    def _due_advice(self) -> str | None:
        """Look now and then whether the policy fits the rewards, until there is advice, once."""
        if len(self) < self._next_look:
            return None
        advice = self._player.advice()
        self._next_look = self._next_look * 2 if advice is None else math.inf
        return advice

    def _table(self, player: Player) -> str:
        """Return an arm a row, the one that was asked for marked by an arrow."""
        asked = self._asked[1] if self._asked[0] == len(self) else None
        rows = []
        for position, name in enumerate(self.arms[:SHOWN]):
            ends = player.interval(position) if player.has_interval else ()
            pulls = str(int(player.state.pulls[position]))
            mark = "→" if position == asked else ""
            rows.append([mark, name, pulls, *(f"{end:.6g}" for end in ends)])
        heads = ["", "arm", "pulls", *(["lower", "upper"] if player.has_interval else [])]
        return text_table(heads, rows, left=2)

    def _known(self, arm: str) -> int:
        try:
            return self._position[arm]
        except (KeyError, TypeError):
            raise UnknownNameError.among("arm", arm, self.arms) from None


def _names(arms: Iterable[str]) -> tuple[str, ...]:
    """Return the arms' names: at least one, all strings, all different, in an order."""
    if isinstance(arms, Set) and not isinstance(arms, Reversible):
        raise ParameterError(
            f"arms must have an order, which ties are broken by, and a {type(arms).__name__} has "
            "none: it may change from run to run. Give a list, such as sorted(arms)."
        )
    several = isinstance(arms, Iterable) and not isinstance(arms, str)
    names = tuple(arms) if several else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"arms must be at least one name (a list of strings); got {arms!r}.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ParameterError(f"Every arm needs a name of its own; given twice: {', '.join(twice)}.")
    return names


def _finite(arm: str, reward: float) -> float:
    """Return the reward as a float, or refuse it before anything is learned."""
    value = checks.as_float(reward)
    if math.isfinite(value):
        return value
    raise RewardError(
        f"A reward must be a finite number; got {reward!r} for arm {arm!r}. Nothing was learned: "
        "tell a number, or leave this one out."
    )
