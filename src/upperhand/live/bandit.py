"""A live bandit in memory: ask which arm to use, tell what came of it.

It runs the very functions of the simulation, interpreted, so a live run makes the same choices as a
simulated one on the same rewards. It needs neither Numba nor SciPy, and grows as it learns.
"""

import copy
import math
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Self
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FitWarning, UnknownNameError
from ..policies import Policy, as_policy
from ..policies.contract import refuse_search
from .decisions import choose
from .journal import Journal, next_trial, told_event
from .log.event import Event, Kind
from .machine import Machine
from .settings import Settings, arm_names
from .telling import reward
from .views import Views

_all: "WeakSet[Bandit]" = WeakSet()  # whose locks a fork renews
FIRST_LOOK = 10  # rewards an arm, on average, before the policy is asked if it fits them


class Bandit(Views):
    """Choose between named arms, one at a time, and learn.

    Ask as often as you like before you tell: asks that are under way count, so that a burst of them
    spreads over the arms. Threads can share a bandit. An interrupt (Ctrl-C) leaves no half: what
    was being told was told or it was not, and ``len(bandit)`` says which. After one, the next call
    learns all anew from what was told. Copies and pickles continue on their own, with the same
    choices. What must survive the process is an `Experiment`.

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
    lease
        Seconds after which an ask that nobody told of is no longer under way; None: never.

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

    >>> bandit = uh.Bandit(["eu", "us"], uh.KLQUCB(tau=0.5))
    >>> for i in range(60):
    ...     bandit.tell("eu", i % 7)
    ...     bandit.tell("us", i % 7 + 3)
    >>> found = bandit.best()
    >>> found.arm, round(found.confidence, 3)
    ('us', 0.968)
    """

    def __init__(
        self,
        arms: Iterable[str],
        policy: Policy,
        seed: int | None = None,
        *,
        minimize: bool = False,
        lease: float | None = None,
    ) -> None:
        self.arms = arm_names(arms)
        self.policy = as_policy(policy)
        refuse_search(self.policy, "a Bandit")
        self.seed = checks.seed(seed)
        self.minimize = checks.flag("minimize", minimize)
        self.settings = Settings(
            self.arms,
            self.policy,
            self.seed,
            getattr(self.policy.objective, "tau", None),
            self.minimize,
            None if lease is None else checks.real("lease", lease, above=0),
        )
        self._position = {name: arm for arm, name in enumerate(self.arms)}
        self._journal = Journal(timed=lease is not None)
        self._machine = Machine(self.settings)
        self._changing = False  # found set, the last call was cut short: all is learned anew
        self._lock = Lock()  # around every use of the two
        self._next_look: float = FIRST_LOOK * len(self.arms)
        _all.add(self)

    def ask(self) -> str:
        """Return the arm to use next."""
        with self._lock:
            machine, now = self._settled(), self._now()
            self._changing = True
            machine.tick(now)
            trial = next_trial(machine)
            arm = choose(machine, 0, None, trial, now).arm
            machine.apply(Event(Kind.ASKED, trial, 0, arm, 1.0, now))
            self._journal.asked(arm, now)
            self._changing = False
        return self.arms[arm]

    def tell(self, arm: str, reward_or_cost: float) -> None:
        """Learn that `arm` paid a reward, or cost so much.

        It is the outcome of the arm's oldest ask under way, if there is one; it need not have been
        asked for.
        """
        position = self._known(arm)
        value = reward(arm, reward_or_cost)
        with self._lock:
            machine, now = self._settled(), self._now()
            self._changing = True  # what a policy fails on is undone: it is not in the journal
            machine.apply(told_event(machine, position, value, now))
            self._journal.told(position, value, now)
            self._changing = False
            due = machine.counts["outcomes"] >= self._next_look
            advice = self._due_advice() if due else None
        if advice is not None:  # said without the lock: a filter of warnings may use the bandit
            warnings.warn(f"{self.policy.name}: {advice}", FitWarning, stacklevel=2)

    @property
    def state(self) -> Any:
        """The policy's state, as in a simulated trajectory, to be read only: `tell` changes it.

        With `minimize` it is of negated costs; of the costs for ACP-UCB1 and Quantile-UCB.
        """
        with self._look() as machine:
            return machine.players[0].state

    def __len__(self) -> int:
        with self._lock:  # a journal that is looked at cannot grow
            return len(self._journal) if self._changing else self._machine.counts["outcomes"]

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return copy.deepcopy({part: vars(self)[part] for part in vars(self) if part != "_lock"})

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, _lock=Lock())
        _all.add(self)

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @contextmanager
    def _look(self) -> Iterator[Machine]:
        with self._lock:
            yield self._settled()

    def _settled(self) -> Machine:
        """Return the machine; if the last call was cut short, made anew from the journal."""
        if self._changing:
            self._journal.mend()
            machine = Machine(self.settings)
            self._journal.replay(machine)
            self._machine, self._changing = machine, False
        return self._machine

    def _now(self) -> float:
        return 0.0 if self.settings.lease is None else time.time()

    def _told(self) -> list[NDArray[np.float64]]:
        return self._journal.told_values(len(self.arms))

    def _head(self, machine: Machine) -> str:
        told = machine.counts["outcomes"]
        return f"Bandit of {len(self.arms)} arms, {told} told, {self.policy!r}"

    def _due_advice(self) -> str | None:
        """Return advice, once, if the policy does not fit the rewards; if it does, look later."""
        advice = self.policy.advice(self._machine.players[0].state)
        self._next_look = self._next_look * 2 if advice is None else math.inf
        return advice

    def _known(self, arm: str) -> int:
        try:
            return self._position[arm]
        except (KeyError, TypeError):
            raise UnknownNameError.among("arm", arm, self.arms) from None


def _renew_locks() -> None:
    """Renew the locks after a fork: threads that held them are not in the child."""
    for bandit in _all:
        bandit._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
