"""The asks and tells of a bandit, compiled: about a microsecond each.

Compiled code chooses and learns at once, on the arrays of the learner. What the state counts
besides follows from the journal, and is caught up when somebody looks. A state that is caught up
is the one that took in the same events one by one.
"""

import math

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kinds_of
from .._kernels.loop import ELSEWHERE, LOOK, TOLD, UNDER_WAY, live_record
from .choosing import CHOICE, next_arm
from .compiling import Steps
from .journal import Journal, next_trial
from .state import ExperimentState, Pending
from .trial import ASKS

NEVER = 2**62


class Shortcut:
    """Asks and tells of a state that a journal without times is kept of."""

    def __init__(self, steps: Steps, state: ExperimentState, journal: Journal) -> None:
        self._state, self._learner = state, state.learners[0]
        self.steps = steps
        self._ask, self._tell, self._kinds = steps
        self._arms, self._values = journal.arms, journal.values
        self._draws, self._negates = self._learner.draws, self._learner.negates
        self._counted = state.n  # events of the journal that the state knows of
        self._clock = np.zeros(3, np.int64)
        self.fits = True  # the state has the types that were compiled for
        self.look_at(math.inf)
        self._resume()
        self._bind()

    def ask(self) -> int:
        """Return the arm to use next, and note it."""
        if self._draws:
            asked = len(self._arms) - len(self._values)
            self._state.streams.at(ASKS + asked + 1, CHOICE)
        asks = len(self._arms) - len(self._values)
        known = not self._learner.end or asks == self._clock[TOLD] + self._clock[UNDER_WAY]
        arm = self._ask(self._address) if known else ELSEWHERE
        if arm < 0:
            arm = self._ask_state()
        self._arms.append(arm)
        return arm

    def tell(self, arm: int, told: float) -> bool:
        """Learn what was told, and note it; say whether it is time to look."""
        look = self._tell(self._address, arm, (-told if self._negates else told) + 0.0)
        self._values.append(told)
        self._arms.append(~arm)
        return look and self._made_room(arm)

    @property
    def outcomes(self) -> int:
        """How many outcomes were told."""
        return len(self._values)

    def look_at(self, outcomes: float) -> None:
        """Let `tell` say so when there are so many outcomes."""
        self._clock[LOOK] = min(outcomes, NEVER)

    def replay(self) -> bool:
        """Let a new state take in all that the journal has; say whether it fits to the end."""
        values = iter(self._values)
        for code in self._arms:
            if code >= 0:
                self._learner.asked(code)
                self._clock[UNDER_WAY] += 1
            else:
                told = next(values)
                if self._tell(self._address, ~code, (-told if self._negates else told) + 0.0):
                    self._made_room(~code)
            if not self.fits:
                return False
        self.catch_up()
        return True

    def catch_up(self) -> ExperimentState:
        """Let the state count what it did not see; return it."""
        if self._counted < len(self._arms):
            count_events(self._state, np.array(self._arms[self._counted :]))
            self._counted = len(self._arms)
        return self._state

    def _ask_state(self) -> int:
        """Return what the state answers where something is unusual."""
        state = self.catch_up()
        trial = next_trial(state)
        arm = next_arm(self._learner, state.streams, trial)
        state.take_ask(trial, 0, arm)
        self._counted += 1
        self._resume()
        return arm

    def _made_room(self, arm: int) -> bool:
        """Make room for the arm's next reward if need be; say whether it is time to look."""
        learner = self._learner
        if learner.functions.full(learner.parameters, learner.lean, arm):
            learner.state = learner.functions.grow(learner.state)
            self._bind()
        return bool(self._clock[TOLD] >= self._clock[LOOK]) or not self.fits

    def _resume(self) -> None:
        """Set the clock by the state, which is caught up."""
        self._clock[TOLD], self._clock[UNDER_WAY] = (
            self._learner.remembered,
            self._learner.under_way,
        )

    def _bind(self) -> None:
        """Note where the arrays are."""
        learner = self._learner
        counts = (learner.pending, learner.judged, learner.covered, self._clock)
        rng = self._state.streams.generator
        self._record = live_record(learner.parameters, learner.state, counts, rng)
        self._address = self._record.address
        self.fits = kinds_of(self._record.contents) == self._kinds


def count_events(state: ExperimentState, codes: NDArray[np.intc]) -> None:
    """Count asks and rewards that the learner's arrays have: arm, or ~arm if it was told."""
    learner, arms, told = state.learners[0], codes[codes >= 0], ~codes[codes < 0]
    trials = ASKS + state.counts["asked"] + 1 + np.arange(len(arms))
    state.n += len(codes)
    state.counts["asked"] += len(arms)
    state.counts["outcomes"] += len(told)
    learner.asks += len(arms)
    if len(arms):
        state.epochs[1] = state.counts["asked"]
    k = len(learner.pending)
    learner.count_many(np.bincount(told, minlength=k), np.zeros(k, np.int64))
    learner.under_way = int(learner.pending.sum())
    before = list(state.pending)
    asked = np.append([state.pending[trial].arm for trial in before], arms).astype(np.int64)
    newest = _newest(asked, learner.pending)
    trials = np.append(before, trials).astype(np.int64)[newest]
    state.pending = {
        trial: Pending(0, arm, state.at)
        for trial, arm in zip(trials.tolist(), asked[newest].tolist(), strict=True)
    }


def _newest(arms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the places of the last counts[j] asks of each arm j, in order.

    These are still under way, as a reward is that of the arm's oldest ask.
    """
    order = np.argsort(arms, kind="stable")
    ends = np.cumsum(np.bincount(arms, minlength=len(counts)))
    behind = ends[arms[order]] - 1 - np.arange(len(arms))
    return np.sort(order[behind < counts[arms[order]]])
