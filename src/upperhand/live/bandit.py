"""A live bandit in memory: ask which arm to use, tell what came of it.

It runs the very functions of the simulation, interpreted, so a live run makes the same choices as a
simulated one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..errors import FitWarning, ParameterError, RewardError, UnknownNameError
from ..policies import Policy, as_policy
from ..text import text_table

SHOWN = 50  # arms in a repr
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them


class Interval(NamedTuple):
    """A prediction interval for an arm's next reward."""

    lower: float
    upper: float


class Bandit:
    """Choose between named arms, one at a time, and learn.

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
        finds the arm with the lowest p95. (Inside, costs are negated and the policy mirrored.)

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
        arms: Sequence[str],
        policy: Policy,
        seed: int | None = None,
        *,
        minimize: bool = False,
    ) -> None:
        self.arms = _names(arms)
        self.policy = as_policy(policy)
        self.seed = checks.seed(seed)
        self.minimize = checks.flag("minimize", minimize)
        self._playing = self.policy.mirrored() if self.minimize else self.policy
        self._parameters = self._playing.parameters
        self._position = {name: arm for arm, name in enumerate(self.arms)}
        self._rng = np.random.default_rng(self.seed)
        self._state = policy.functions.start(self._parameters, len(self.arms), 0)
        self._told = 0
        self._next_look = FIRST_LOOK * len(self.arms)
        self._asked: int | None = None

    def ask(self) -> str:
        """Return the arm to use next. Until something is told, the answer stays the same."""
        if self._asked is None:
            choose = self.policy.functions.choose
            self._asked = choose(self._parameters, self._state, self._told + 1, self._rng)
        return self.arms[self._asked]

    def tell(self, arm: str, reward: float) -> None:
        """Learn that `arm` paid `reward` (or cost it); it need not be the arm that was asked."""
        position = self._known(arm)
        value = _finite(arm, reward)
        signed = (-value if self.minimize else value) + 0.0  # −0.0 becomes 0.0
        functions = self.policy.functions
        functions.update(self._parameters, self._state, position, signed)
        if functions.full(self._state, position):
            self._state = functions.grow(self._state)
        self._told += 1
        self._asked = None
        if self._told == self._next_look:
            self._look()

    def interval(self, arm: str) -> Interval:
        """Return the prediction interval for the arm's next reward (or cost)."""
        interval = self.policy.functions.interval
        if interval is None:
            raise ParameterError(
                f"{self.policy.name} keeps no prediction intervals; a Bandit with ACPUCB1 does."
            )
        lower, upper = interval(self._state, self._known(arm))
        return Interval(-upper, -lower) if self.minimize else Interval(lower, upper)

    def pulls(self, arm: str) -> int:
        """Return how many rewards of the arm were told."""
        return int(self._state.pulls[self._known(arm)])

    @property
    def state(self) -> Any:
        """The policy's state, as in a simulated trajectory; with `minimize`, of negated costs."""
        return self._state

    def __len__(self) -> int:
        return self._told

    def __repr__(self) -> str:
        head = f"Bandit of {len(self.arms)} arms, {self._told} told, {self.policy!r}"
        more = len(self.arms) - SHOWN
        return "\n".join([head, self._table(), *([f"… and {more} more arms"] if more > 0 else [])])

    def _look(self) -> None:
        """Warn, once, if the policy does not fit the rewards; if it does, look again later."""
        advice = self._playing.advice(self._state)
        if advice is None:
            self._next_look *= 2
        else:
            warnings.warn(f"{self.policy.name}: {advice}", FitWarning, stacklevel=3)

    def _table(self) -> str:
        """Return an arm a row, the one that was asked for marked by an arrow."""
        shows_interval = self.policy.functions.interval is not None
        rows = []
        for position, name in enumerate(self.arms[:SHOWN]):
            ends = self.interval(name) if shows_interval else ()
            mark = "→" if position == self._asked else ""
            rows.append([mark, name, str(self.pulls(name)), *(f"{end:.6g}" for end in ends)])
        heads = ["", "arm", "pulls", *(["lower", "upper"] if shows_interval else [])]
        return text_table(heads, rows, left=2)

    def _known(self, arm: str) -> int:
        try:
            return self._position[arm]
        except (KeyError, TypeError):
            raise UnknownNameError.among("arm", arm, self.arms) from None


def _names(arms: Sequence[str]) -> tuple[str, ...]:
    """Return the arms' names: at least one, all strings, all different."""
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
    if checks.is_reward(value):
        return value
    raise RewardError(
        f"A reward must be {checks.A_REWARD}; got {reward!r} for arm {arm!r}. Nothing was "
        "learned: tell such a number, or leave this one out."
    )
