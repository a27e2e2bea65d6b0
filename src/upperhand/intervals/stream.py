"""A calibrator at work on one stream of forecasts and outcomes, with its running coverage."""

import math
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from .._kernels import sorted_samples
from .._kernels.compensated_sums import add, no_sums
from .._kernels.ordered import grow
from ..errors import ParameterError, RewardError
from ..text import counted

Prediction = float | tuple[float, float]


class Interval(NamedTuple):
    """A prediction interval: for an arm's next reward, or for the next value of a series."""

    lower: float
    upper: float


class Stream:
    """What a calibrator remembers of one stream, and how its intervals did."""

    def __init__(self, parameters: Any, functions: Any, *, rescores: bool) -> None:
        self._parameters, self._functions, self._rescores = parameters, functions, rescores
        self._past = sorted_samples.empty(1)
        self.state: Any = functions.start(parameters, 1, 0)
        self.covered = self.infinite = self.empty = self._count = 0
        self._widths = no_sums(1)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        counts = f"{self.infinite:,} infinite, {self.empty:,} empty"
        return f"<Stream: {counted(self._count, 'value')}, coverage {self.coverage:.4g}, {counts}>"

    @property
    def coverage(self) -> float:
        """The share of outcomes that their intervals covered, NaN before the first."""
        return self.covered / self._count if self._count else math.nan

    @property
    def width(self) -> float:
        """The mean width of the finite intervals, the empty one's being 0; NaN if there is none."""
        finite = self._count - self.infinite
        return float(self._widths.rounded[0]) / finite if finite else math.nan

    def interval(self, prediction: Prediction) -> Interval:
        """Return the corrected forecast."""
        low, high = forecast(prediction)
        return self._corrected(low, high)

    def update(self, prediction: Prediction, y: float) -> None:
        """Judge the corrected forecast by the outcome, then let the calibrator learn it."""
        low, high = forecast(prediction)
        value = checks.as_float(y)
        if not checks.is_reward(value):
            raise RewardError(
                f"A value must be {checks.A_REWARD}; got {y!r}. Nothing was learned: leave it out, "
                "with its forecast."
            )
        value += 0.0  # −0.0 becomes 0.0
        lower, upper = self._corrected(low, high)
        functions, parameters = self._functions, self._parameters
        if functions.full(parameters, self.state, 0):
            self.state = grow(self.state)
        functions.update(parameters, self.state, self._past, 0, low, high, value)
        if self._rescores:
            if sorted_samples.full(self._past, 0):
                self._past = sorted_samples.grown(self._past)
            sorted_samples.insert(self._past, 0, value)
        self._count += 1
        self.covered += lower <= value <= upper
        self.empty += lower > upper
        if math.isinf(upper - lower) and lower < upper:
            self.infinite += 1
        else:
            add(self._widths, 0, max(upper - lower, 0.0), 0.0)

    def _corrected(self, low: float, high: float) -> Interval:
        ends = self._functions.interval(self._parameters, self.state, self._past, 0, low, high)
        return Interval(*map(float, ends))


def forecast(prediction: Prediction) -> tuple[float, float]:
    """Return the two ends of a forecast, equal ones for a point; refuse what is no forecast."""
    try:
        pair = prediction if np.ndim(prediction) else (prediction, prediction)
        low, high = (checks.as_float(end) for end in pair)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        low = high = math.nan
    if not (checks.is_reward(low) and checks.is_reward(high) and low <= high):
        raise ParameterError(
            f"A forecast must be {checks.A_REWARD}, or a pair of them, the lower end first; got "
            f"{prediction!r}. {_advice(prediction, low, high)}"
        )
    return low + 0.0, high + 0.0


def _advice(prediction: object, low: float, high: float) -> str:
    """Say what to do with what is no forecast."""
    if low > high:
        return "Its ends cross: sort them."
    try:
        ends = np.asarray(prediction)
    except ValueError:  # parts of unequal lengths
        ends = np.asarray(None)
    if ends.shape == (1,):
        return "That is an array of one: give its element, forecast[0]."
    unknown = ends.dtype.kind == "f" and np.isnan(ends).any()
    given = "NaN is no number" if unknown else "Give one number or two"
    return f"{given}; leave out values without a forecast."
