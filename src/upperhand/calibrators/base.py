"""The interface of a calibrator, its work on one stream, and the scores that calibrators share.

A calibrator corrects a forecast of what comes next so that it covers as often as it says. The
forecast is an interval [low, high], or a point, which has no width. The correction comes from the
errors of past forecasts. A calibrator's file reads like its paper's section: the class with the
parameters, the `State` that it keeps, then its functions:

    start(calibrator, rows, capacity)                         the state of so many streams
    interval(calibrator, state, past, row, low, high)         the corrected forecast
    update(calibrator, state, past, row, low, high, y)        learn the outcome y, in place
    full(calibrator, state, row)                              for states with sorted samples

A row is a stream: that of a forecaster, or an arm of a bandit. The functions get
``calibrator.parameters`` as `calibrator`, a named tuple that compiles. `past` holds the outcomes so
far, sorted, without y; only a method that `rescores` them may use it. `interval` may be called for
any forecast, any number of times, and changes no later result. `update` comes after `interval` of
the same forecast, and may use what that found. The whole line is (−∞, ∞), the empty interval
(∞, −∞); `ClippedACI` alone, as published, gives ends that cross instead. The last line registers
the functions: ``ACI.functions = CalibratorFunctions(…)``.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.compiler import compiled_body_of, dispatched_kernel, give_unique_name, kernel
from .._kernels.moments import add, no_sums
from .._kernels.samples import Samples, never_full, rank, value_at
from .._kernels.sorted_samples import SortedSamples, span
from .._kernels.states import grow
from ..errors import ParameterError, RewardError
from ..parameters import Declared, parameter
from ..parsing import typed_name
from ..text import counted

LEFT, RIGHT = 2, 3  # the cursors of the two ends of a window
NEAR = 8  # windows that compiled code compares at once; at n = 10⁴, 99 % are found among them

Array = NDArray[np.float64]
Forecast = float | tuple[float, float]


class Interval(NamedTuple):
    """A prediction interval, for an arm's next reward or the next value; of arrays, two arrays."""

    lower: float
    upper: float


@dataclass(frozen=True)
class CalibratorFunctions:
    """The functions of one calibrator."""

    start: Callable[[Any, int, int], Any]
    interval: Callable[..., tuple[float, float]]
    update: Callable[..., None]
    full: Callable[[Any, Any, int], bool] = never_full

    def __post_init__(self) -> None:
        give_unique_name(self.start)


class Calibrator(Declared):
    """The base of every calibrator: its name, its functions, its parameters, one stream.

    A calibrator inherits from this, without a decorator, and declares its parameters by
    `parameter`. As an object it also works on a stream of its own: `predict` for a forecast, then
    `update` with the outcome. A copy goes on from the same past, on its own; one made by `replace`
    starts afresh. One thread uses a calibrator at a time.
    """

    functions: ClassVar[CalibratorFunctions]
    rescores: ClassVar[bool] = False  # whether it uses past outcomes, not scores alone

    alpha: float = parameter(
        "Miscoverage α: the share of values that the intervals may miss.",
        default=0.1, above=0, below=1, kw_only=False,
    )  # fmt: skip

    @property
    def spec(self) -> str:
        """The calibrator as `as_calibrator` reads it."""
        settings = "/".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{typed_name(type(self))}:{settings}"

    @checks.our_keywords
    def fit(self, y: ArrayLike, forecast: Any) -> Self:
        """Start afresh and learn past outcomes in their order, each with its forecast."""
        values, stream = series("y", y), self.replace().stream
        for value, *ends in zip(values, *forecasts(forecast, len(values)), strict=True):
            stream.predict(*ends)
            stream.update(value)
        self.__dict__["stream"] = stream
        return self

    @overload
    def predict(self, forecast: Forecast) -> Interval: ...
    @overload
    def predict(self, forecast: Any) -> Any: ...
    @checks.our_keywords
    def predict(self, forecast: Any) -> Any:
        """Return the interval, (lower, upper), for the value to come, given a forecast of it.

        The forecast is a number, or a tuple of two, the lower and the upper end. The whole line,
        (−∞, ∞), says that too little is known; (∞, −∞) is the empty interval. An array of
        forecasts, or a tuple of two arrays, gives two arrays: all use the outcomes so far.
        """
        low, high = forecasts(forecast)
        found = [self.stream.predict(*ends) for ends in zip(low.flat, high.flat, strict=True)]
        if len(found) > 1:
            self.stream.waiting = ()  # an outcome does not say which of them it is about
        return Interval(*np.array(found).T) if low.ndim else found[0]

    @checks.our_keywords
    def update(self, y: float, *, forecast: Forecast | None = None) -> None:
        """Learn the outcome of the last `predict`, or that of the forecast given."""
        if forecast is not None:
            self.predict(forecast)
        self.stream.update(y)

    @property
    def coverage(self) -> float:
        """The share of values that their intervals covered, NaN before the first."""
        return self.stream.coverage

    @property
    def width(self) -> float:
        """The mean width of the finite intervals so far, the empty one's being 0; NaN if none."""
        return self.stream.width

    def __len__(self) -> int:
        return len(self.stream)

    def __bool__(self) -> bool:
        return True  # also before the first value

    @cached_property
    def stream(self) -> "Stream":
        """The stream of this object, with all that it has learned."""
        return Stream(self.parameters, self.functions, rescores=self.rescores)

    def __reduce__(self) -> tuple[Any, ...]:
        return *super().__reduce__(), {"stream": self.stream}

    def __copy__(self) -> Self:
        return deepcopy(self)  # each has a stream of its own from now on


CalibratorLike = Calibrator | type[Calibrator] | str  # a calibrator as users give it


class Stream:
    """A calibrator's state on one stream of forecasts and outcomes, and its running coverage."""

    def __init__(self, parameters: Any, functions: Any, *, rescores: bool) -> None:
        self._parameters, self._functions, self._rescores = parameters, functions, rescores
        self._past = sorted_samples.empty(1)
        self.state: Any = functions.start(parameters, 1, 0)
        self.waiting: tuple[float, ...] = ()  # a forecast without outcome, and its interval
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

    def predict(self, low: float, high: float) -> Interval:
        """Return the corrected forecast, which then waits for its outcome."""
        low, high = float(low), float(high)
        ends = self._functions.interval(self._parameters, self.state, self._past, 0, low, high)
        found = Interval(*map(float, ends))
        self.waiting = low, high, *found
        return found

    def update(self, y: float) -> None:
        """Compare the forecast that waits with the outcome, then let the calibrator learn it."""
        if not self.waiting:
            raise ParameterError(
                "An outcome needs one forecast: call predict(f) before each update(y), or write "
                "update(y, forecast=f), where f is a number or a tuple (lower, upper)."
            )
        value = checks.as_float(y)
        if not checks.is_reward(value):
            raise RewardError(
                f"A value must be {checks.A_REWARD}; got {y!r}. Nothing was learned: leave it out, "
                "with its forecast."
            )
        value += 0.0  # −0.0 becomes 0.0
        low, high, lower, upper = self.waiting
        functions, parameters = self._functions, self._parameters
        if functions.full(parameters, self.state, 0):
            self.state = grow(self.state)
        functions.update(parameters, self.state, self._past, 0, low, high, value)
        if self._rescores:
            if sorted_samples.full(self._past, 0):
                self._past = sorted_samples.grown(self._past)
            sorted_samples.insert(self._past, 0, value)
        self._count, self.waiting = self._count + 1, ()
        self.covered += lower <= value <= upper
        self.empty += lower > upper
        if math.isinf(upper - lower) and lower < upper:
            self.infinite += 1
        else:
            add(self._widths, 0, max(upper - lower, 0.0), 0.0)


def series(name: str, given: ArrayLike, length: int | None = None, single: bool = False) -> Array:
    """Return numbers in a series, as many as there are values, or a single one."""
    bound = checks.LARGEST_REWARD
    values = checks.reals(name, given, least=-bound, most=bound)
    if values.ndim != 1 - (single and not values.ndim) or not values.size:
        columns = " Give its columns as ends: (x[:, 0], x[:, 1])." if values.ndim == 2 else ""
        raise ParameterError(
            f"{name} must be a series of numbers; got the shape {values.shape}.{columns}"
        )
    if length is not None and len(values) != length:
        raise ParameterError(
            f"{name} must have a number for each of the {length} values; got {len(values)}."
        )
    return values + 0.0  # −0.0 becomes 0.0


def forecasts(given: Any, length: int | None = None) -> tuple[Array, Array]:
    """Return the lower and the upper ends of forecasts, equal ones for points; see `predict`."""
    pair = given if isinstance(given, tuple) else (given,)
    names = ("lower", "upper") if isinstance(given, tuple) else ("forecast",)
    if len(pair) != len(names):
        raise ParameterError(f"A forecast is a number or (lower, upper); got {len(pair)} parts.")
    found = [series(*each, length, length is None) for each in zip(names, pair, strict=True)]
    low, high = found[0], found[-1]
    if low.shape != high.shape:
        raise ParameterError(f"lower and upper must fit; got shapes {low.shape}, {high.shape}.")
    if (crossed := low > high).any():
        place = int(np.argmax(crossed))
        raise ParameterError(
            f"lower must be at most upper; got {low.flat[place]:g} and {high.flat[place]:g} at "
            f"place {place}, counted from 0. Sort ends that cross."
        )
    return low, high


@dispatched_kernel
def interval(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    """Return the corrected forecast of a row, by the function of the calibrator's class."""
    ends: tuple[float, float] = calibrator.owner.functions.interval(
        calibrator, state, past, row, low, high
    )
    return ends


@dispatched_kernel
def update(
    calibrator: Any, state: Any, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Let the calibrator learn that y came, for which the forecast of a row was [low, high]."""
    calibrator.owner.functions.update(calibrator, state, past, row, low, high, y)


@dispatched_kernel
def full(calibrator: Any, state: Any, row: int) -> bool:
    """Tell whether the row's next score may exceed the capacity."""
    return bool(calibrator.owner.functions.full(calibrator, state, row))


@kernel
def score(y: float, low: float, high: float) -> float:
    """Return s(y; ℓ, u) = max{ℓ − y, y − u}: how far [ℓ, u] must widen to cover y (section 2.2)."""
    return max(low - y, y - high)


@kernel
def widened(low: float, high: float, correction: float) -> tuple[float, float]:
    """Return {y: s(y; ℓ, u) ≤ ĉ} = [ℓ − ĉ, u + ĉ], which may be empty."""
    return ordered(low - correction, high + correction)


@kernel
def ordered(lower: float, upper: float) -> tuple[float, float]:
    """Return the interval as it is, or (∞, −∞), the empty one, if its ends cross."""
    return (lower, upper) if lower <= upper else (math.inf, -math.inf)


@kernel
def outside(y: float, lower: float, upper: float) -> bool:
    """Tell whether an interval misses y; the empty one always does."""
    return not lower <= y <= upper


@kernel
def pinball(error: float, level: float) -> float:
    """Return the loss of a quantile forecast that is `error` below what came."""
    return level * error - min(0.0, error)


@kernel
def covering_score(scores: SortedSamples, row: int, level: float) -> float:
    """Return the score of rank ⌈level (m + 1)⌉ among m, or +∞ if that is m + 1.

    The next of m + 1 exchangeable scores is at most this with probability at least `level`.
    """
    m = int(scores.size[row])
    k = rank(level, m + 1)
    return value_at(scores, row, 0, k) if k <= m else math.inf


@kernel
def scores_full(calibrator: Any, state: Any, row: int) -> bool:
    return sorted_samples.full(state.scores, row)


@kernel
def score_quantile(
    samples: Samples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    """Return the k-th smallest score (eq. conf_quantile), and the window where it was found.

    A score is a V in y, so the k smallest scores always fill a window x_(i), …, x_(i+k−1) of the
    sorted rewards, and the largest score in a window is at one of its ends:

        ĉ = min_i max{ℓ − x_(i), x_(i+k−1) − u},    i = 1, …, m − k + 1.

    The first term falls in i and the second rises, so ĉ is at the first window that leans right
    (the term of its right end is at least as large), or one before. Rounding keeps both terms
    monotone, so this is the k-th smallest computed score to the bit. The search gallops away from
    `guess`.
    """
    return _gallop(samples, arm, low, high, k, guess)


@compiled_body_of(score_quantile, first=SortedSamples)
def _score_quantile_compiled(
    samples: SortedSamples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    last = int(samples.size[arm]) - k + 1
    guess = min(max(guess, 1), last)
    value_at(samples, arm, LEFT, guess)
    value_at(samples, arm, RIGHT, guess + k - 1)
    # The windows begin + 1, … have both ends in the two blocks where the cursors are now.
    at, until_left = span(samples, arm, LEFT)
    behind, until_right = span(samples, arm, RIGHT)
    begin, end = max(at, behind - k + 1), min(until_left, until_right - k + 1, last)
    if end - begin >= NEAR:
        begin = min(max(guess - NEAR // 2, begin), end - NEAR)
        lefts = samples.values[samples.cursor_block[arm, LEFT], begin - at :]
        rights = samples.values[samples.cursor_block[arm, RIGHT], begin + k - 1 - behind :]
        leaning = 0  # to the left, before all that lean right
        for i in range(NEAR):
            leaning += 1 if rights[i] - high < low - lefts[i] else 0
        if (leaning > 0 or begin == 0) and (leaning < NEAR or begin + NEAR == last):
            correction = rights[leaning] - high if leaning < NEAR else math.inf
            if leaning > 0:
                correction = min(correction, low - lefts[leaning - 1])
            return correction, min(begin + leaning + 1, last)
    return _gallop(samples, arm, low, high, k, guess)


@kernel
def _gallop(
    samples: Samples, arm: int, low: float, high: float, k: int, guess: int
) -> tuple[float, int]:
    """Return what `score_quantile` does, window by window."""
    last = int(samples.size[arm]) - k + 1
    before, until = 0, last  # the first window that leans right is in (before, until], or is `last`
    correction, step = math.inf, 1
    i = min(max(guess, 1), last - 1)
    while until - before > 1:
        left = low - value_at(samples, arm, LEFT, i)
        right = value_at(samples, arm, RIGHT, i + k - 1) - high
        correction = min(correction, max(left, right))
        if right >= left:
            until = i
            i = max(until - step, (before + until) // 2)
        else:
            before = i
            i = min(before + step, (before + until) // 2)
        step *= 2
    if until == last:  # the search may end on this window without its terms
        left = low - value_at(samples, arm, LEFT, last)
        right = value_at(samples, arm, RIGHT, last + k - 1) - high
        correction = min(correction, max(left, right))
    return correction, until
