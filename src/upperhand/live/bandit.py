"""A live bandit in memory: ask which arm to use, then report its reward or cost.

It runs the very functions of the simulation, so a live run makes the same choices as a simulated
one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns. Where Numba is
there, long runs are compiled.
"""

import copy
import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, ClassVar, Self
from weakref import WeakSet

from .. import checks
from ..errors import FitWarning, ParameterError, UnknownNameError
from ..objectives import DIRECTIONS, Direction, is_of_costs
from ..policies.parsing import PolicyLike, policy_entry, policy_from
from ..policies.plain import PlainPolicy
from ..results import Classes, Named, Parts, Saved, frame
from .compiling import AFTER, Steps, installed, steps_now, steps_soon
from .direct import Direct
from .journal import Journal
from .log.event import Columns
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
from .shortcut import Shortcut
from .state import ExperimentState
from .views import Views

_all: "WeakSet[Bandit]" = WeakSet()  # whose locks a fork renews
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them
PATIENCE = 100  # tells between looks for compiled functions that are being made
ALONE = ("_lock", "_way")  # what a copy has of its own


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
    lease
        Seconds after which an ask without an outcome is no longer under way; None: never.
    rounds
        How many asks are expected in all, if that is known: the policy then explores less towards
        the end.
    compiled
        Whether to ask and tell by compiled functions, which make the same choices in a tenth of the
        time or less. None: if Numba is installed, a process of its own compiles them after 10,000
        outcomes, and they are used once they are ready; they stay on the disk for the next time.
        True: at once, and Numba must be there. False: never. With a lease they are not used.

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
        lease: float | None = None,
        rounds: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        self.arms = listed_arms(arms)
        minimize = is_of_costs(direction)
        level = wanted_level(quantile, best_of, minimize=minimize)
        self.policy = live_policy(policy, level, rounds)
        self.seed = checks.seed(seed)
        if isinstance(self.policy, PlainPolicy):
            self.policy = PlainPolicy(self.policy.original, self.seed)
        self.settings = Settings(
            self.arms,
            self.policy,
            self.seed,
            getattr(self.policy.objective, "tau", None) if level is None else level,
            minimize,
            None if lease is None else checks.real("lease", lease, above=0),
        )
        self._numbers = numbered(self.arms)
        self._journal = Journal(timed=lease is not None)
        self._known = ExperimentState(self.settings, follows=False)
        self.compiled = None if compiled is None else checks.flag("compiled", compiled)
        self._changing = False  # found set, the last call was cut short: all is learned anew
        self._lock = Lock()  # around every use of the two
        self._next_advice: float = FIRST_LOOK * len(self.arms)
        self._begin()
        if compiled and lease is None:
            self._use(steps_now(self.policy, self._known.learners[0].parameters))
        _all.add(self)

    def ask(self) -> Any:
        """Return the arm to use next."""
        with self._lock:
            if self._changing:
                self._settled()
            self._changing = True
            arm = self._way.ask()
            self._changing = False
        return self.arms[arm]

    def tell(self, arm: Any, reward_or_cost: float) -> None:
        """Learn that `arm` paid a reward, or cost so much.

        It is the outcome of the arm's oldest ask under way, if there is one; it need not have been
        asked for.
        """
        position = place_of(self.arms, self._numbers, arm)
        if position is None:
            raise UnknownNameError.among("arm", arm, self.arms)
        value, advice = reward(arm, reward_or_cost), None
        with self._lock:
            if self._changing:
                self._settled()
            self._changing = True  # what a policy fails on is undone: it is not in the journal
            if self._way.tell(position, value):
                advice = self._due()
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
        with self._lock:  # a journal that is looked at cannot grow
            return len(self._journal) if self._changing else self._way.outcomes

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._settled()
            parts = {part: each for part, each in vars(self).items() if part not in ALONE}
            return copy.deepcopy(parts)

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, _lock=Lock(), _numbers=numbered(parts["arms"]))
        self._begin()
        _all.add(self)

    def parts(self) -> Parts:
        """Return the settings, and all asks and outcomes in their order."""
        bad = [arm for arm in self.arms if type(arm) not in (str, int, float, bool)]
        if bad:
            raise ParameterError(
                "A file keeps arms that are strings, numbers or truth values; got "
                f"{bad[0]!r:.80}. Use names as arms, and look up what they stand for."
            )
        with self._lock:
            self._settled()
            settings = {**self.settings.to_json(), "policy": policy_entry(self.policy)}
            return settings, self._journal.arrays()

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the bandit that replays what was saved."""
        policy = policy_from(settings["policy"], own)
        kept = {key: settings[key] for key in settings if key != "format"}
        stored = from_json({**kept, "policy": written(policy)}, policy)
        direction, lease = DIRECTIONS[stored.minimize], stored.lease
        what = stored.arms, stored.policy, stored.seed
        bandit = cls(*what, quantile=stored.quantile, direction=direction, lease=lease)
        timed = lease is not None
        bandit._journal = Journal.from_arrays(arrays, len(bandit.arms), timed=timed)
        bandit._changing = True  # so that looking makes the state from the journal
        with bandit._look():
            return bandit

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @contextmanager
    def _look(self) -> Iterator[ExperimentState]:
        with self._lock:
            yield self._settled()

    def _settled(self) -> ExperimentState:
        """Return the state, which knows all; if the last call was cut short, made anew."""
        if self._changing:
            self._journal.mend()
            state, steps = ExperimentState(self.settings, follows=False), self._way.steps
            if steps is None or not Shortcut(steps, state, self._journal).replay():
                state, steps = ExperimentState(self.settings, follows=False), None
                self._journal.replay(state)
            self._known = state
            self._begin()
            self._use(steps)
            self._changing = False
        self._changing = True  # cut short while it counts, the state is made anew
        state = self._way.catch_up()
        self._changing = False
        return state

    def to_frame(self) -> Any:
        """Return the outcomes in their order as a DataFrame. Columns: arm, value."""
        with self._look():
            told = self._events()
        return frame({"arm": [self.arms[arm] for arm in told.arm.tolist()], "value": told.value})

    def _events(self) -> Columns:
        return self._journal.outcomes()

    def _begin(self) -> None:
        """Ask and tell event by event; look for compiled functions when there is enough to do."""
        self._way: Direct | Shortcut = Direct(self._known, self._journal)
        wanted = self.compiled is not False and not self._journal.timed
        self._next_compiled: float = (0 if self.compiled else AFTER) if wanted else math.inf
        self._way.look_at(min(self._next_advice, self._next_compiled))

    def _due(self) -> str | None:
        """Look whether the policy fits the rewards, and for compiled functions, if it is time.

        Return advice, once, if it does not fit; if it does, look later.
        """
        outcomes, advice = self._way.outcomes, None
        learner = self._known.learners[0]
        if outcomes >= self._next_advice:
            advice = self.policy.advice(learner.state)
            self._next_advice = self._next_advice * 2 if advice is None else math.inf
        if outcomes >= self._next_compiled:
            self._next_compiled = outcomes + PATIENCE if installed() else math.inf
            self._use(steps_soon(self.policy, learner.parameters) if installed() else None)
        if isinstance(self._way, Shortcut) and not self._way.fits:
            self._way.catch_up()
            self._begin()
            self._next_compiled = math.inf
        self._way.look_at(min(self._next_advice, self._next_compiled))
        return advice

    def _use(self, steps: Steps | None) -> None:
        """Ask and tell by compiled functions from now on, if they are there and do all it takes."""
        if steps is not None:
            self._next_compiled = math.inf
            if self._known.learners[0].own is None:
                way = Shortcut(steps, self._known, self._journal)
                self._way = way if way.fits else self._way
            self._way.look_at(self._next_advice)


def _renew_locks() -> None:
    """Renew the locks after a fork: threads that held them are not in the child."""
    for bandit in _all:
        bandit._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
