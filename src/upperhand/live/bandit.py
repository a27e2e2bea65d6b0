"""A live bandit in memory: ask which arm to use, tell what came of it.

It runs the very functions of the simulation, interpreted, so a live run makes the same choices as a
simulated one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns.
"""

import copy
import math
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import partial
from threading import Lock
from typing import Any, Self

from .. import checks
from ..errors import FitWarning, ParameterError, RewardError, UnknownNameError
from ..intervals import Interval
from ..policies import Policy, as_policy
from ..policies.contract import refuse_search
from ..text import text_table
from .best import Best, best_of
from .journal import Journal
from .player import Player

SHOWN = 50  # arms in a repr
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them


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
        Other policies learn negated costs, mirrored. The quantile that Quantile-IMED chooses by,
        shown nowhere, is then the next larger cost if level × pulls is a whole number.

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
        refuse_search(self.policy, "a Bandit")
        self.seed = checks.seed(seed)
        self.minimize = checks.flag("minimize", minimize)
        self._position = {name: arm for arm, name in enumerate(self.arms)}
        player = partial(Player, self.policy, len(self.arms), self.seed, minimize=self.minimize)
        self._journal = Journal(player)
        self._lock = Lock()  # around every use of the journal
        self._next_look: float = FIRST_LOOK * len(self.arms)

    def ask(self) -> str:
        """Return the arm to use next. Until something is told, the answer stays the same."""
        with self._lock:
            return self.arms[self._journal.ask()]

    def tell(self, arm: str, reward: float) -> None:
        """Learn that `arm` paid `reward` (or cost it); it need not be the arm that was asked."""
        position = self._known(arm)
        value = _finite(arm, reward)
        with self._lock:
            told = self._journal.tell(position, value)
            advice = self._due_advice() if told >= self._next_look else None
        if advice is not None:  # said without the lock: a filter of warnings may use the bandit
            warnings.warn(f"{self.policy.name}: {advice}", FitWarning, stacklevel=2)

    def interval(self, arm: str) -> Interval:
        """Return the prediction interval for the arm's next reward (or cost)."""
        position = self._known(arm)
        with self._lock:
            ends = self._journal.player.interval(position)
        if ends is None:
            raise ParameterError(
                f"{self.policy.name} keeps no prediction intervals; a Bandit with ACPUCB1 does."
            )
        return Interval(*ends)

    def best(self, tau: float | None = None) -> Best:
        """Return the arm with the best τ-quantile so far (or the lowest, of costs), and how sure.

        Look as often as you like: for a δ and a τ fixed beforehand, the chance that a wrong arm
        ever gets a confidence of 1 − δ is at most δ, if arms are chosen by what was told before.
        Slow answers that are told late, as they are slow, break that. A policy for small regret
        seldom pulls the losers, so it may take far more rewards until `best` is sure than arms used
        in turn would. τ is by default what the policy plays for.

        >>> import upperhand as uh
        >>> bandit = uh.Bandit(["eu", "us"], uh.KLQUCB(tau=0.5))
        >>> for i in range(60):
        ...     bandit.tell("eu", i % 7)
        ...     bandit.tell("us", i % 7 + 3)
        >>> found = bandit.best()
        >>> found.arm, round(found.confidence, 3)
        ('us', 0.968)
        """
        level = self._level(tau)
        with self._lock:
            told = self._journal.told(len(self.arms))
        return best_of(self.arms, told, level, minimize=self.minimize)

    def pulls(self, arm: str) -> int:
        """Return how many rewards of the arm were told."""
        return int(self.state.pulls[self._known(arm)])

    @property
    def state(self) -> Any:
        """The policy's state, as in a simulated trajectory, to be read only: `tell` changes it.

        With `minimize` it is of negated costs; of the costs for ACP-UCB1 and Quantile-UCB.
        """
        with self._lock:
            return self._journal.player.state

    def __len__(self) -> int:
        return len(self._journal)

    def __repr__(self) -> str:
        with self._lock:
            head = f"Bandit of {len(self.arms)} arms, {len(self)} told, {self.policy!r}"
            table = self._table()
        more = len(self.arms) - SHOWN
        return "\n".join([head, table, *([f"… and {more} more arms"] if more > 0 else [])])

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return copy.deepcopy({part: vars(self)[part] for part in vars(self) if part != "_lock"})

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, _lock=Lock())

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _due_advice(self) -> str | None:
        """Return advice, once, if the policy does not fit the rewards; if it does, look later."""
        advice = self._journal.player.advice()
        self._next_look = self._next_look * 2 if advice is None else math.inf
        return advice

    def _table(self) -> str:
        """Return an arm a row, the one that was asked for marked by an arrow."""
        player, asked = self._journal.player, self._journal.asked
        rows = []
        for position, name in enumerate(self.arms[:SHOWN]):
            pulls, ends = int(player.state.pulls[position]), player.interval(position) or ()
            mark = "→" if position == asked else ""
            rows.append([mark, name, str(pulls), *(f"{end:.6g}" for end in ends)])
        heads = ["", "arm", "pulls", "lower", "upper"]
        return text_table(heads[: len(rows[0])], rows, left=2)

    def _level(self, tau: float | None) -> float:
        """Return the level that is given, or else that of what the policy plays for."""
        if tau is None:
            tau = getattr(self.policy.objective, "tau", None)
        if tau is None:
            raise ParameterError(
                f"{self.policy.name} plays for no quantile, so best() must be told by which one to "
                "compare arms: best(tau=0.5) for the median, best(tau=0.95) for the p95."
            )
        return checks.real("tau", tau, above=0, below=1)

    def _known(self, arm: str) -> int:
        try:
            return self._position[arm]
        except (KeyError, TypeError):
            raise UnknownNameError.among("arm", arm, self.arms) from None


def _names(arms: Iterable[str]) -> tuple[str, ...]:
    """Return the arms' names: at least one, all strings, all different, in an order."""
    checks.ordered("arms", arms)
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
