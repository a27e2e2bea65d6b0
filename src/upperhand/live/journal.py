"""What a bandit in memory was asked and told, in order, in few bytes: 4 an ask, 12 a reward."""

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import is_reward
from ..errors import ParameterError
from .log.event import Columns, Kind
from .state import ExperimentState
from .trial import ASKS


class Journal:
    """A log for one process: enough to make the state anew after an interrupt."""

    def __init__(self, *, timed: bool) -> None:
        # An event counts from when its arm stands here: as ~arm if it was told.
        self.arms, self.values = array("i"), array("d")
        self._times = array("d") if timed else None  # only where times make a difference

    @property
    def timed(self) -> bool:
        """Whether times are noted."""
        return self._times is not None

    def asked(self, arm: int, at: float) -> None:
        """Note an ask."""
        if self._times is not None:
            self._times.append(at)
        self.arms.append(arm)

    def told(self, arm: int, value: float, at: float) -> None:
        """Note a reward."""
        self.values.append(value)
        if self._times is not None:
            self._times.append(at)
        self.arms.append(~arm)

    def __len__(self) -> int:
        """Return how many rewards were told."""
        return int((np.array(self.arms) < 0).sum())

    def mend(self) -> None:
        """Cut off what an interrupt left behind."""
        del self.values[len(self) :]
        if self._times is not None:
            del self._times[len(self.arms) :]

    def replay(self, state: ExperimentState) -> None:
        """Let a state take in all that was asked and told."""
        values = iter(self.values)
        times = self._times or array("d", bytes(8 * len(self.arms)))
        for arm, at in zip(self.arms, times, strict=True):
            if arm >= 0:
                state.tick(at)
                state.take_ask(next_trial(state), 0, arm)
            else:
                take_reward(state, ~arm, next(values), at)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all asks and outcomes as arrays."""
        times = {} if self._times is None else {"times": np.array(self._times)}
        return {"arms": np.array(self.arms), "values": np.array(self.values)} | times

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], arms: int, *, timed: bool) -> "Journal":
        """Return the journal of such arrays; refuse what no bandit with so many arms writes."""
        journal, codes, values = cls(timed=timed), arrays["arms"], arrays["values"]
        told = codes[codes < 0]
        times = arrays["times"] if timed else np.zeros(len(codes))
        known = len(values) == len(told) and len(times) == len(codes)
        if not (
            known and (codes < arms).all() and (~told < arms).all() and is_reward(values).all()
        ):
            raise ParameterError("its asks and outcomes do not fit its arms")
        journal.arms.extend(codes.tolist())
        journal.values.extend(values.tolist())
        if journal._times is not None:
            journal._times.extend(times.tolist())
        return journal

    def outcomes(self) -> Columns:
        """Return the outcomes as events of no trial."""
        codes, values = np.array(self.arms), np.array(self.values)
        told, none = codes < 0, np.zeros(len(values), np.int64)
        at = np.zeros(len(values)) if self._times is None else np.array(self._times)[told]
        n, kinds = np.arange(1, len(values) + 1), np.full(len(values), Kind.TOLD, np.uint8)
        return Columns(n, kinds, none, none.astype(np.int32), ~codes[told], values, at, {})


def next_trial(state: ExperimentState) -> int:
    """Return the number of the next ask: of the first and only opening."""
    return ASKS + state.counts["asked"] + 1


def take_reward(state: ExperimentState, arm: int, value: float, at: float) -> None:
    """Let a state take in a reward: the outcome of the arm's oldest ask, or of none."""
    trial = _oldest(state, arm)
    if at:  # 0.0 where time makes no difference
        state.tick(at)
    state.take_outcome(trial, 0, arm, value)


def _oldest(state: ExperimentState, arm: int) -> int:
    for trial, asked in state.pending.items():
        if asked.arm == arm:
            return trial
    return 0
