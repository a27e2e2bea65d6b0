"""A live bandit in memory: ask which arm to use, then report its reward or cost.

It runs the very functions of the simulation, so a live run makes the same choices as a simulated
one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns.

A journal keeps all asks and outcomes in order, in 4 bytes an ask and 12 bytes an outcome. What an
interrupt leaves half done is recomputed from it, and it is what `save` writes.
"""

import copy
import math
import os
import warnings
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, ClassVar, Self
from weakref import WeakSet

import numpy as np

from .. import checks
from ..errors import FitWarning, ParameterError, UnknownNameError
from ..objectives import DIRECTIONS, Direction, is_of_costs
from ..policies.parsing import PolicyLike, policy_entry, policy_from
from ..policies.plain import PlainPolicy
from ..results import Classes, Named, Parts, Saved, frame
from .choosing import next_arm
from .log.event import Columns, Kind
from .opening import wanted_level
from .outcomes import reward
from .settings import (
    Settings,
    from_json,
    listed_arms,
    live_policy,
    numbered,
    place_of,
    written,
)
from .state import ExperimentState
from .trial import ASKS
from .views import Views

_all: "WeakSet[Bandit]" = WeakSet()  # whose locks a fork renews
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them


class Bandit(Views, Saved):
    """Choose between arms, one at a time, and learn.

    Ask as often as you like before you tell: asks that are under way count, so that a burst of them
    spreads over the arms. Threads can share a bandit. After an interrupt (Ctrl-C) an outcome is
    recorded or it is not, and ``len(bandit)`` says which; the next call recomputes the rest. Copies
    and pickles continue on their own, with the same choices, and so does what `save` wrote. What
    must survive a crash is an `Experiment`.

    A policy that does not fit the rewards, such as one whose exploration coefficient is far from
    their spread, gives a `FitWarning`, once.

    Parameters
    ----------
    arms
        Any different values, such as names of backends or configurations; or their number K.
    policy
        How to choose: a policy, its class, or its name, such as "acp-ucb1:scale=auto". By default
        frugal KL-QUCB+, which needs no scale.
    seed
        For policies that draw random numbers.
    quantile, best_of
        Which quantile of its outcomes an arm is worth, or the best of N of them, by its median. By
        default the quantile that the policy plays for; a name or a class plays for the
        0.95-quantile.
    direction
        "minimize" if outcomes are costs, such as latencies. ``ACPUCB1(alpha=0.1)`` then finds the
        arm with the lowest p95, the smallest cost x with F̂(x) ≥ 0.95. ACP-UCB1 and Quantile-UCB
        choose by the ends of intervals of the costs; other policies learn negated costs. The
        quantile that Quantile-IMED uses, which nothing shows, is then the next larger cost if
        level × pulls is a whole number.
    rounds
        How many asks are expected in all, if that is known: the policy then explores less towards
        the end.

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

    >>> bandit = uh.Bandit(["eu", "us"], quantile=0.5)
    >>> for i in range(60):
    ...     bandit.tell("eu", i % 7)
    ...     bandit.tell("us", i % 7 + 3)
    >>> found = bandit.best()
    >>> found.arm, round(found.confidence, 3)
    ('us', 0.968)
    """

    format: ClassVar[str] = "upperhand-bandit-1"
    _title = "Bandit"

    @checks.our_keywords
    def __init__(
        self,
        arms: Any,
        policy: PolicyLike | None = None,
        seed: int | None = None,
        *,
        quantile: float | None = None,
        best_of: int | None = None,
        direction: Direction = "maximize",
        rounds: int | None = None,
    ) -> None:
        self.arms = listed_arms(arms)
        minimize = is_of_costs(direction)
        level = wanted_level(quantile, best_of, minimize=minimize)
        self.policy = live_policy(policy, level, rounds)
        self.seed = checks.seed(seed)
        if isinstance(self.policy, PlainPolicy):
            self.policy = PlainPolicy(self.policy.original, self.seed)
        played = getattr(self.policy.objective, "tau", None) if level is None else level
        self.settings = Settings(self.arms, self.policy, self.seed, played, minimize)
        self._numbers = numbered(self.arms)
        # The journal: an arm for its ask, ~arm for its outcome, whose value is put there first.
        self._journal, self._values = array("i"), array("d")
        self._known = ExperimentState(self.settings, follows=False)
        self._changing = False  # found set, the last call was cut short: all is recomputed
        self._lock = Lock()  # around every use of what is above
        self._next_advice: float = FIRST_LOOK * len(self.arms)
        _all.add(self)

    def ask(self) -> Any:
        """Return the arm to use next."""
        with self._lock:
            state = self._settled()
            self._changing = True
            trial = _next_trial(state)
            arm = next_arm(state.learners[0], state.streams, trial)
            state.take_ask(trial, 0, arm)
            self._journal.append(arm)
            self._changing = False
        return self.arms[arm]

    def tell(self, arm: Any, reward_or_cost: float) -> None:
        """Learn that `arm` paid a reward, or cost so much.

        It is the outcome of the arm's oldest ask under way, if there is one; it need not have been
        asked for.
        """
        place = place_of(self.arms, self._numbers, arm)
        if place is None:
            raise UnknownNameError.among("arm", arm, self.arms)
        value, advice = reward(arm, reward_or_cost), None
        with self._lock:
            state = self._settled()
            self._changing = True  # what a policy fails on is undone: it is not in the journal
            _take_outcome(state, place, value)
            self._values.append(value)
            self._journal.append(~place)
            if state.counts["outcomes"] >= self._next_advice:
                advice = self.policy.advice(state.learners[0].state)
                self._next_advice = self._next_advice * 2 if advice is None else math.inf
            self._changing = False
        if advice is not None:  # said without the lock: a filter of warnings may use the bandit
            warnings.warn(f"{self.policy.name}: {advice}", FitWarning, stacklevel=2)

    @property
    def state(self) -> Any:
        """The policy's state, as in a simulated trajectory, to be read only: `tell` changes it.

        To minimize it is of negated costs; of the costs for ACP-UCB1 and Quantile-UCB.
        """
        with self._look() as state:
            return state.learners[0].state

    def __len__(self) -> int:
        with self._lock:
            return self._outcomes() if self._changing else len(self._values)

    def to_frame(self) -> Any:
        """Return the outcomes in their order as a DataFrame. Columns: arm, value."""
        with self._look():
            told = self._events()
        return frame({"arm": [self.arms[arm] for arm in told.arm.tolist()], "value": told.value})

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        with self._look():
            return copy.deepcopy({k: part for k, part in vars(self).items() if k != "_lock"})

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, _lock=Lock(), _numbers=numbered(parts["arms"]))
        _all.add(self)

    def parts(self) -> Parts:
        """Return the settings, and all asks and outcomes in their order."""
        bad = [arm for arm in self.arms if type(arm) not in (str, int, float, bool)]
        if bad:
            raise ParameterError(
                "A file keeps arms that are strings, numbers or truth values; got "
                f"{bad[0]!r:.80}. Use names as arms, and look up what they stand for."
            )
        settings = {**self.settings.to_json(), "policy": policy_entry(self.policy)}
        with self._look():
            return settings, {"arms": np.array(self._journal), "values": np.array(self._values)}

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the bandit that replays what was saved."""
        policy = policy_from(settings["policy"], own)
        kept = {key: settings[key] for key in settings if key != "format"}
        stored = from_json({**kept, "policy": written(policy)}, policy)
        what, direction = (stored.arms, stored.policy, stored.seed), DIRECTIONS[stored.minimize]
        bandit = cls(*what, quantile=stored.quantile, direction=direction)
        codes, values = arrays["arms"], arrays["values"]
        known = (np.where(codes < 0, ~codes, codes) < len(stored.arms)).all()
        if not known or len(values) != (codes < 0).sum() or not checks.is_reward(values).all():
            raise ParameterError("its asks and outcomes do not fit its arms")
        bandit._journal.extend(codes.tolist())
        bandit._values.extend(values.tolist())
        bandit._changing = True  # so that looking makes the state from the journal
        with bandit._look():
            return bandit

    @contextmanager
    def _look(self) -> Iterator[ExperimentState]:
        with self._lock:
            yield self._settled()

    def _settled(self) -> ExperimentState:
        """Return the state; if the last call was cut short, recompute it from the journal."""
        if self._changing:
            del self._values[self._outcomes() :]
            state, values = ExperimentState(self.settings, follows=False), iter(self._values)
            for code in self._journal:
                if code >= 0:
                    state.take_ask(_next_trial(state), 0, code)
                else:
                    _take_outcome(state, ~code, next(values))
            self._known, self._changing = state, False
        return self._known

    def _outcomes(self) -> int:
        """Return how many outcomes are in the journal; an interrupt may leave a value more."""
        return int((np.array(self._journal) < 0).sum())

    def _events(self) -> Columns:
        """Return the outcomes as events of no trial and no time."""
        codes, values = np.array(self._journal), np.array(self._values)
        arms, numbers = ~codes[codes < 0], np.arange(1, len(values) + 1)
        kinds, none = np.full(len(values), Kind.TOLD, np.uint8), np.zeros(len(values), np.int64)
        times = np.zeros(len(values))
        return Columns(numbers, kinds, none, none.astype(np.int32), arms, values, times, {})


def _next_trial(state: ExperimentState) -> int:
    """Return the number of the next ask: of the first and only opening."""
    return ASKS + state.counts["asked"] + 1


def _take_outcome(state: ExperimentState, arm: int, value: float) -> None:
    """Let a state take in the outcome of the arm's oldest ask under way, or of none."""
    trial = next((trial for trial, asked in state.pending.items() if asked.arm == arm), 0)
    state.take_outcome(trial, 0, arm, value)


def _renew_locks() -> None:
    """Renew the locks after a fork: threads that held them are not in the child."""
    for bandit in _all:
        bandit._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
