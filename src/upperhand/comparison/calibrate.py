"""Calibrators on one series with its forecasts: coverage overall and locally, widths, losses."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.compiler import compile_closure
from .._kernels.loop import make_calibration
from .._kernels.states import grow
from ..calibrators import ACI, CALIBRATORS, CQR, Calibrator, DecayingSteps, parse_calibrator
from ..errors import ParameterError, UnknownNameError
from ..results import Result
from ..simulation.statistics import wilson_interval
from ..simulation.workers import progress_bar
from ..text import counted, short

Array = NDArray[np.float64]
HEADS = (
    "method", "coverage", "95 % interval", "in windows", "width", "infinite", "empty", "loss below",
    "loss above",
)  # fmt: skip


class Calibrated(NamedTuple):
    """A method, and its intervals for the values of a series."""

    calibrator: Calibrator
    lower: Array  # (n,) −∞ for the whole line, ∞ for the empty interval
    upper: Array  # (n,) ∞ and −∞


class Score(NamedTuple):
    """How one method did; NaN where there was nothing to count."""

    coverage: float  # the share of values within their intervals
    coverage_low: float  # a 95 % interval of it, as if misses were independent
    coverage_high: float
    local_lowest: float  # coverage in the window with the lowest
    local_highest: float
    width: float  # mean of the finite intervals, an empty one's being 0
    infinite: int  # intervals with an infinite end: not in `width` and the losses
    empty: int  # empty intervals: not in the losses
    pinball_lower: float  # mean pinball loss of the lower end at α/2
    pinball_upper: float  # mean pinball loss of the upper end at 1 − α/2


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationStudy(Result):
    """Methods on one series: their intervals, and how they did."""

    summary_by: ClassVar[str] = "reports.summaries:calibration_summary"
    plot_by: ClassVar[str] = "figures.results:plot_calibration"

    y: Array  # (n,) the values that were evaluated
    forecast_low: Array  # (n,) what was forecast
    forecast_high: Array  # (n,)
    forecast: str  # what kind of forecast it is
    alpha: float
    window: int
    intervals: Mapping[str, Calibrated]
    notes: tuple[str, ...] = ()  # what the reader should know of the methods

    @property
    def title(self) -> str:
        """What was evaluated, in a line."""
        methods, values = counted(len(self.intervals), "method"), counted(len(self.y), "value")
        wanted = f"{100 * (1 - self.alpha):.4g} % wanted"
        return f"{methods} on {values}, {wanted}, forecast: {self.forecast}"

    @cached_property
    def scores(self) -> dict[str, Score]:
        """How each method did."""
        return {name: self._score(name) for name in self.intervals}

    def covered(self, method: str) -> NDArray[np.bool_]:
        """Return for each value whether it is within the method's interval."""
        each = self._known(method)
        return (each.lower <= self.y) & (self.y <= each.upper)

    def local_coverage(self, method: str) -> Array:
        """Return the coverage over each `window` values in a row, the first ones first."""
        return _moving_mean(self.covered(method), self.window)

    def local_width(self, method: str) -> Array:
        """Return the mean width of the finite intervals in each window, NaN where there is none.

        An empty interval counts as 0.
        """
        width, finite = self._widths(method)
        share = _moving_mean(finite, self.window)
        windows = np.lib.stride_tricks.sliding_window_view(width, self.window)
        total = windows.sum(axis=1) / self.window
        unknown = np.full(len(total), np.nan)
        return np.asarray(np.divide(total, share, out=unknown, where=share > 0))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table's rows under `HEADS`, as text."""
        return [
            (
                name,
                f"{score.coverage:.3f}",
                f"{score.coverage_low:.3f}–{score.coverage_high:.3f}",
                f"{score.local_lowest:.3f}–{score.local_highest:.3f}",
                short(_plain(score.width)),
                f"{score.infinite:,}",
                f"{score.empty:,}",
                short(_plain(score.pinball_lower)),
                short(_plain(score.pinball_upper)),
            )
            for name, score in self.scores.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the intervals as JSON-able values; None is not known."""
        return {
            "values": len(self.y),
            "alpha": self.alpha,
            "window": self.window,
            "forecast": self.forecast,
            "methods": [self._method(name) for name in self.intervals],
            "notes": list(self.notes),
        }

    def _method(self, name: str) -> dict[str, Any]:
        calibrator = self.intervals[name].calibrator
        plain = {k: _plain(v) for k, v in self.scores[name]._asdict().items()}
        local = self.local_coverage(name).tolist()
        about = {"name": name, "method": calibrator.name, "settings": calibrator.settings}
        return {**about, **plain, "local_coverage": local}

    def _score(self, name: str) -> Score:
        each, hits, local = self.intervals[name], self.covered(name), self.local_coverage(name)
        width, finite = self._widths(name)
        empty = each.lower > each.upper
        plain = finite & ~empty
        return Score(
            float(hits.mean()),
            *wilson_interval(int(hits.sum()), len(hits)),
            float(local.min()),
            float(local.max()),
            _mean(width[finite]),
            int((~finite).sum()),
            int(empty.sum()),
            _mean(_pinball((self.y - each.lower)[plain], self.alpha / 2)),
            _mean(_pinball((self.y - each.upper)[plain], 1 - self.alpha / 2)),
        )

    def _widths(self, method: str) -> tuple[Array, NDArray[np.bool_]]:
        """Return the widths, 0 where they are not finite or the interval is empty, and which are.

        The empty interval counts as finite.
        """
        each = self._known(method)
        empty = each.lower > each.upper
        width = np.where(empty, 0.0, each.upper - each.lower)
        finite = np.isfinite(width)
        return np.where(finite, width, 0.0), finite

    def _known(self, method: str) -> Calibrated:
        if method not in self.intervals:
            raise UnknownNameError.among("method", method, self.intervals)
        return self.intervals[method]


def _moving_mean(flags: NDArray[np.bool_], length: int) -> Array:
    counts = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray((counts[length:] - counts[:-length]) / length)


def _mean(values: Array) -> float:
    return math.fsum(values.data) / len(values) if len(values) else math.nan


def _pinball(errors: Array, level: float) -> Array:
    """Return the losses of quantile forecasts that are `errors` below what came."""
    return level * errors - np.minimum(0.0, errors)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Methods = str | Calibrator | Iterable[str | Calibrator] | Mapping[str, Calibrator]
WINDOW = 100  # outcomes of a window by default
FAR = 20  # times a step that differs more from the typical score gets a note
POINT, ENDS, PAST = "a point", "an interval", "quantiles of the values before"
COMPILE = 25_000  # values from which on loading the compiler pays
STEP = 2_000  # values between two moves of the progress bar


def calibrate(
    y: ArrayLike,
    forecast: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    methods: Methods | None = None,
    alpha: float = 0.1,
    window: int | None = None,
    progress: bool | None = None,
) -> CalibrationStudy:
    """Run calibrators over a series and its forecasts, and evaluate their intervals.

    Parameters
    ----------
    y
        The values, in the order in which they came.
    forecast
        A number for each value, said before it came.
    lower, upper
        Instead of that, the two ends of an interval for each value. Without any forecast, it is the
        α/2 and 1 − α/2 quantiles of the values before, as ACP-UCB1's of an arm; the first value has
        none and is not evaluated.
    methods
        Calibrators, or their text, such as ``"aci:gamma=0.01"``. By default every method that needs
        no setting; Rescored only without forecasts, since it compares old values with new ones.
    alpha
        The share of values that the intervals may miss.
    window
        Over how many values in a row coverage is also counted; 100 by default, or all of fewer.
    progress
        Whether to show a progress bar; by default on a terminal only.

    Examples
    --------
    >>> import numpy as np, upperhand as uh
    >>> y = np.random.default_rng(0).normal(size=400).cumsum()
    >>> study = uh.calibrate(y[1:], forecast=y[:-1], methods=["aci", "split-conformal"])
    >>> round(study.scores["ACI"].coverage, 3)
    0.9
    """
    alpha = checks.real("alpha", alpha, above=0, below=1)
    values = _series("y", y)
    if len(values) < 1 / alpha:
        raise ParameterError(
            f"At least 1/alpha = {1 / alpha:.4g} values must be given; got {len(values)}. With "
            "fewer, intervals are the whole line. Give more values or a larger alpha."
        )
    kind, low, high = _forecasts(values, forecast, lower, upper, alpha)
    first = int(kind == PAST)  # the first value has no forecast then, so it is not evaluated
    most = len(values) - first
    span = min(WINDOW, most) if window is None else window
    span = checks.integer("window", span, least=1, most=most)
    absent = _left_out(kind) if methods is None else {}
    if methods is None:
        chosen = {name: cls(alpha) for name, cls in CALIBRATORS.items() if name not in absent}
    else:
        chosen = _named(methods, alpha, most)
    runs = {}
    with progress_bar("Calibrating", most * len(chosen), progress) as advance:
        for name, each in chosen.items():
            since = 0 if each.rescores else first  # that value is scored too
            ends = intervals(each, low[since:], high[since:], values[since:], advance)
            runs[name] = Calibrated(each, *ends[:, first - since :])
    low, high, y = low[first:], high[first:], values[first:]
    notes = _steps_notes(chosen, float(np.median(abs(np.maximum(low - y, y - high)))))
    if absent:
        why = ", ".join(f"{name} ({reason})" for name, reason in absent.items())
        notes.append(f"Left out: {why}. Name them to have them.")
    return CalibrationStudy(y, low, high, kind, alpha, span, runs, tuple(notes))


def _left_out(kind: str) -> dict[str, str]:
    """Return the methods that do not take part by default, and why."""
    reasons = {}
    for name, cls in CALIBRATORS.items():
        if cls is CQR:
            reasons[name] = "here the same as split conformal"
        elif needed := cls.required_names():
            reasons[name] = f"needs a {' and a '.join(needed)}"
        elif cls.rescores and kind != PAST:
            reasons[name] = "holds old values against new forecasts"
    return reasons


def _steps_notes(chosen: Mapping[str, Calibrator], typical: float) -> list[str]:
    """Say which decaying steps are far from the typical score, the unit that they should have."""
    wanted = short(float(f"{typical:.2g}"))
    return [
        f"{name}: eta = {each.eta:g} is {short(float(f'{100 * each.eta / typical:.2g}'))} % of the "
        f"typical score, {wanted}. Set decaying-steps:eta={float(f'{typical:.2g}'):g}."
        for name, each in chosen.items()
        if isinstance(each, DecayingSteps)
        and typical > 0
        and not typical / FAR <= each.eta <= typical * FAR
    ]


def _named(methods: Methods, alpha: float, horizon: int) -> dict[str, Calibrator]:
    """Return the calibrators by name, each at α; texts get α and the number of values."""
    if isinstance(methods, Mapping):
        found = dict(methods)
    else:
        one = isinstance(methods, str | Calibrator)
        given = [cast("str | Calibrator", methods)] if one else cast("Iterable[str]", methods)
        listed = [
            parse_calibrator(each, alpha=alpha, horizon=horizon) if isinstance(each, str) else each
            for each in given
        ]
        found = {}
        for each in listed:
            name = _label(each) if isinstance(each, Calibrator) else repr(each)
            if name in found:
                raise ParameterError(f"Each method can take part once; got {name} twice.")
            found[name] = each
    for name, each in found.items():
        if not isinstance(each, Calibrator):
            raise ParameterError(f"A method must be a calibrator or its text; got {each!r}.")
        if each.alpha != alpha:
            raise ParameterError(
                f"All methods must have the alpha of the study, {alpha:g}; {name} has "
                f"{each.alpha:g}. Leave one of the two out."
            )
    if not found:
        raise ParameterError(f"At least one method must be given: {', '.join(CALIBRATORS)}.")
    return found


def _label(calibrator: Calibrator) -> str:
    """Return the name, with the settings that are not the default ones."""
    usual = {name: getattr(type(calibrator), name, None) for name in calibrator.settings}
    other = {k: v for k, v in calibrator.settings.items() if v != usual[k]}
    texts = {k: f"{v:g}" if isinstance(v, float) else str(v) for k, v in other.items()}
    shown = (f"{k}={text}" for k, text in texts.items() if k not in ("alpha", "horizon"))
    return " ".join([calibrator.name, *shown])


def _series(name: str, given: ArrayLike, length: int | None = None) -> Array:
    bound = checks.LARGEST_REWARD
    values = checks.reals(name, given, least=-bound, most=bound)
    if values.ndim != 1 or not len(values):
        raise ParameterError(f"{name} must be a series of numbers; got the shape {values.shape}.")
    if length is not None and len(values) != length:
        raise ParameterError(
            f"{name} must have a number for each of the {length} values; got {len(values)}."
        )
    return values + 0.0  # −0.0 becomes 0.0


def _forecasts(
    y: Array,
    forecast: ArrayLike | None,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    alpha: float,
) -> tuple[str, Array, Array]:
    """Return what kind of forecasts there are, and their ends; refuse what does not fit y."""
    if (lower is None) != (upper is None) or (lower is not None and forecast is not None):
        raise ParameterError(
            "Forecasts are points, `forecast`, or intervals, `lower` and `upper`. Give one kind, "
            "or none for the quantiles of the values before."
        )
    if forecast is not None:
        point = _series("forecast", forecast, len(y))
        return POINT, point, point
    if lower is None or upper is None:
        return PAST, *_past_quantiles(y, alpha)
    low, high = _series("lower", lower, len(y)), _series("upper", upper, len(y))
    if (crossed := low > high).any():
        place = int(np.argmax(crossed))
        raise ParameterError(
            f"lower must be at most upper; got {low[place]:g} and {high[place]:g} at place {place}"
            ", counted from 0. Sort ends that cross."
        )
    return ENDS, low, high


def _past_quantiles(y: Array, alpha: float) -> tuple[Array, Array]:
    """Return the α/2 and 1 − α/2 quantiles of the values before each; the first is its own.

    They are what ACI adds to 0 at a fixed level where the scores are the values themselves, as
    they are against the forecast (−∞, 0].
    """
    low, high = np.full(len(y), -np.inf), np.zeros(len(y))
    levels = 1 - alpha / 2, alpha / 2
    ends = [intervals(ACI(each, gamma=0.0), low, high, y)[1].copy() for each in levels]
    ends[0][0] = ends[1][0] = y[0]
    return ends[0], ends[1]


def intervals(
    calibrator: Calibrator,
    low: Array,
    high: Array,
    y: Array,
    advance: Callable[[int], object] = lambda _steps: None,
) -> Array:
    """Return the ends, (2, n), of the intervals of a fresh copy, each from before its value."""
    functions, parameters = calibrator.functions, calibrator.parameters
    make = (functions.interval, functions.update, functions.full, calibrator.rescores)
    state, past = functions.start(parameters, 1, 0), sorted_samples.empty(1)
    ends, done = np.empty((2, len(y))), 0
    calibration = make_calibration(*make)
    if len(y) >= COMPILE and find_spec("numba") is not None:
        calibration = compile_closure(make_calibration, *make, user=type(calibrator))
    while done < len(y):
        before, last = done, min(done + STEP, len(y))
        done = calibration(parameters, state, past, (low, high, y), ends, done, last)
        if functions.full(parameters, state, 0):
            state = grow(state)
        if sorted_samples.full(past, 0):
            past = sorted_samples.grown(past)
        advance(done - before)
    return ends
