"""The asks and tells of a bandit, event by event: the state chooses, learns and counts."""

import math
import time

from .choosing import next_arm
from .journal import Journal, next_trial, take_reward
from .state import ExperimentState


class Direct:
    """Asks and tells of a state that a journal is kept of."""

    steps = None  # nothing is compiled

    def __init__(self, state: ExperimentState, journal: Journal) -> None:
        self._state, self._journal = state, journal
        self._learner, self._timed = state.learners[0], journal.timed
        self._look: float = math.inf

    def ask(self) -> int:
        """Return the arm to use next, and note it."""
        state, now = self._state, time.time() if self._timed else 0.0
        if self._timed:
            state.tick(now)
        trial = next_trial(state)
        arm = next_arm(self._learner, state.streams, trial)
        state.take_ask(trial, 0, arm)
        self._journal.asked(arm, now)
        return arm

    def tell(self, arm: int, told: float) -> bool:
        """Learn what was told, and note it; say whether it is time to look."""
        now = time.time() if self._timed else 0.0
        take_reward(self._state, arm, told, now)
        self._journal.told(arm, told, now)
        return self._learner.outcomes >= self._look

    @property
    def outcomes(self) -> int:
        """How many outcomes were told."""
        return self._state.counts["outcomes"]

    def look_at(self, outcomes: float) -> None:
        """Let `tell` say so when there are so many outcomes."""
        self._look = outcomes

    def catch_up(self) -> ExperimentState:
        """Return the state, which knows all."""
        return self._state
