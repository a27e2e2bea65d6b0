"""Calibrators on one series with its forecasts: coverage overall and locally, widths, losses."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.compiler import compile_closure
from .._kernels.loop import make_calibration
from .._kernels.states import grow
from ..calibrators import ACI, CALIBRATORS, CQR, Calibrator, DecayingSteps, as_calibrator
from ..calibrators.base import Array, CalibratorLike, forecasts, series
from ..errors import ParameterError, UnknownNameError
from ..files import replacing
from ..results import Classes, Named, Parts, Saved, finite, frame
from ..simulation.statistics import wilson_interval
from ..simulation.workers import progress_bar
from ..text import counted, csv_lines, short

COLUMNS = ("row", "y", "method", "lower", "upper")


class Calibrated(NamedTuple):
    """A method, and its intervals for the values of a series, those to come included."""

    calibrator: Calibrator
    lower: Array  # (rows,) −∞ for the whole line, ∞ for the empty interval
    upper: Array  # (rows,) ∞ and −∞


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
class CalibrationStudy(Saved):
    """Methods on one series: their intervals, and how they did."""

    summary_by: ClassVar[str] = "reports.summaries:calibration_summary"
    plot_by: ClassVar[str] = "figures.results:plot_calibration"
    format: ClassVar[str] = "upperhand-calibration-1"

    y: Array  # (rows,) the values, NaN for those to come
    forecast_low: Array  # (rows,) what was forecast
    forecast_high: Array  # (rows,)
    forecast: str  # what kind of forecast it is
    alpha: float
    window: int
    intervals: Mapping[str, Calibrated]
    notes: tuple[str, ...] = ()  # what the reader should know of the methods

    @cached_property
    def known(self) -> Array:
        """The values that came, (n,): all but those to come, which are the last rows."""
        return self.y[~np.isnan(self.y)]

    @cached_property
    def scores(self) -> dict[str, Score]:
        """How each method did."""
        return {name: self._score(name) for name in self.intervals}

    def covered(self, method: str) -> NDArray[np.bool_]:
        """Return for each value whether it is within the method's interval."""
        each = self._known(method)
        return (each.lower <= self.known) & (self.known <= each.upper)

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

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield each method's interval for each row, under `COLUMNS`."""
        first = int(self.forecast == PAST)  # the first value has no forecast then
        for name, (_, lower, upper) in self.intervals.items():
            ends = zip(self.y.tolist(), lower.tolist(), upper.tolist(), strict=True)
            yield from ((row, y, name, low, high) for row, (y, low, high) in enumerate(ends, first))

    def to_frame(self) -> Any:
        """Return the intervals: row (from 0), y (NaN if it is to come), method, lower, upper."""
        return frame(dict(zip(COLUMNS, zip(*self.rows(), strict=True), strict=True)))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the same to a file, numbers with every digit; y to come is left empty."""
        with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(csv_lines(chain([COLUMNS], self.rows())))

    def parts(self) -> Parts:
        """Return everything as settings for JSON and as arrays."""
        methods = {name: each.calibrator for name, each in self.intervals.items()}
        for each in methods.values():
            if CALIBRATORS.get(each.name) is not type(each):
                raise ParameterError(
                    f"Only the library's own calibrators can be saved; got {each!r}. Keep this "
                    "result in memory."
                )
        plain = ("forecast", "alpha", "window", "notes")
        return {name: getattr(self, name) for name in plain} | {"methods": methods}, {
            "series": np.array([self.y, self.forecast_low, self.forecast_high]),
            "ends": np.array([[each.lower, each.upper] for each in self.intervals.values()]),
        }

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:  # noqa: ARG003
        """Return the study of these parts."""
        (y, low, high), ends, texts = arrays["series"], arrays["ends"], settings["methods"]
        if ends.shape != (len(texts), 2, len(y)):
            raise ParameterError("its arrays do not fit each other")
        calibrators = map(as_calibrator, texts.values())
        runs = [Calibrated(each, *pair) for each, pair in zip(calibrators, ends, strict=True)]
        intervals, notes = dict(zip(texts, runs, strict=True)), tuple(settings["notes"])
        window = checks.integer("its window", settings["window"], least=1, most=len(y))
        return cls(y, low, high, settings["forecast"], settings["alpha"], window, intervals, notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the intervals as JSON-able values; None is not known."""
        return {
            "values": len(self.known),
            "alpha": self.alpha,
            "window": self.window,
            "forecast": self.forecast,
            "methods": [self._method(name) for name in self.intervals],
            "notes": list(self.notes),
        }

    def _method(self, name: str) -> dict[str, Any]:
        calibrator = self.intervals[name].calibrator
        plain = {k: finite(v) for k, v in self.scores[name]._asdict().items()}
        local = self.local_coverage(name).tolist()
        about = {"name": name, "method": calibrator.name, "settings": calibrator.settings}
        return {**about, **plain, "local_coverage": local}

    def _score(self, name: str) -> Score:
        each, hits, local = self._known(name), self.covered(name), self.local_coverage(name)
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
            _mean(_pinball((self.known - each.lower)[plain], self.alpha / 2)),
            _mean(_pinball((self.known - each.upper)[plain], 1 - self.alpha / 2)),
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
        """Return a method with its intervals for the values that came."""
        if method not in self.intervals:
            raise UnknownNameError.among("method", method, self.intervals)
        each, count = self.intervals[method], len(self.known)
        return each._replace(lower=each.lower[:count], upper=each.upper[:count])


def _moving_mean(flags: NDArray[np.bool_], length: int) -> Array:
    counts = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray((counts[length:] - counts[:-length]) / length)


def _mean(values: Array) -> float:
    return math.fsum(values.data) / len(values) if len(values) else math.nan


def _pinball(errors: Array, level: float) -> Array:
    """Return the losses of quantile forecasts that are `errors` below what came."""
    return level * errors - np.minimum(0.0, errors)


Methods = CalibratorLike | Iterable[CalibratorLike] | Mapping[str, CalibratorLike]
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
        The values, in the order in which they came. Those to come are NaN, at the end: they get
        intervals, all from the values that came.
    forecast
        A number for each value, said before it came.
    lower, upper
        Instead of that, the two ends of an interval for each value. Without any forecast, it is the
        α/2 and 1 − α/2 quantiles of the values before, as ACP-UCB1's of an arm; the first value has
        none and is not evaluated.
    methods
        Calibrators, their classes, or names with settings, such as ``"aci:gamma=0.01"``. By default
        every method that needs no setting; Rescored only without forecasts, since it compares old
        values with new ones.
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
    values, rows = _that_came(y)
    if len(values) < 1 / alpha:
        raise ParameterError(
            f"At least 1/alpha = {1 / alpha:.4g} values must be given; got {len(values)}. With "
            "fewer, intervals are the whole line. Give more values or a larger alpha."
        )
    kind, low, high = _forecasts(values, rows, alpha, forecast, lower, upper)
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
    scores = np.maximum(low[: len(values)] - values, values - high[: len(values)])[first:]
    notes = _steps_notes(chosen, float(np.median(abs(scores))))
    if absent:
        why = ", ".join(f"{name} ({reason})" for name, reason in absent.items())
        notes.append(f"Left out: {why}. Name them to have them.")
    if coming := rows - len(values):
        notes.append(f"{counted(coming, 'value')} to come: see to_frame(), or --out FILE.")
    y = np.concatenate([values, np.full(coming, np.nan)])
    return CalibrationStudy(
        y[first:], low[first:], high[first:], kind, alpha, span, runs, tuple(notes)
    )


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
    """Return the calibrators by name, each at α; texts and classes get α and the horizon."""
    given: list[Any] = [("", each) for each in checks.several("methods", methods)]
    if isinstance(methods, Mapping):
        given = list(methods.items())
    found = dict[str, Calibrator]()
    for label, method in given:
        each = as_calibrator(method, alpha=alpha, horizon=horizon)
        name = label or _label(each)
        if name in found:
            raise ParameterError(f"Each method can take part once; got {name} twice.")
        if each.alpha != alpha:
            raise ParameterError(
                f"All methods must have the alpha of the study, {alpha:g}; {name} has "
                f"{each.alpha:g}. Leave one of the two out."
            )
        found[name] = each
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


def _that_came(y: ArrayLike) -> tuple[Array, int]:
    """Return the values without the NaN at the end, which are still to come, and all rows."""
    given = checks.numbers("y", y, unknown=True)
    came = given[: 1 + max(np.flatnonzero(~np.isnan(given)), default=-1)] if given.ndim else given
    return series("y", came), given.size


def _forecasts(
    y: Array, rows: int, alpha: float, forecast: Any, lower: Any, upper: Any
) -> tuple[str, Array, Array]:
    """Return what kind of forecasts there are, and their ends; refuse what does not fit y."""
    if (lower is None) != (upper is None) or (lower is not None and forecast is not None):
        raise ParameterError(
            "Forecasts are points, `forecast`, or intervals, `lower` and `upper`. Give one kind, "
            "or none for the quantiles of the values before."
        )
    if forecast is None and lower is None:
        return PAST, *_past_quantiles(y, rows, alpha)
    low, high = forecasts(forecast if lower is None else (lower, upper), rows)
    return POINT if low is high else ENDS, low, high


def _past_quantiles(y: Array, rows: int, alpha: float) -> tuple[Array, Array]:
    """Return the α/2 and 1 − α/2 quantiles of the values before each; the first is its own.

    They are what ACI adds to 0 at a fixed level where the scores are the values themselves, as
    they are against the forecast (−∞, 0].
    """
    low, high = np.full(rows, -np.inf), np.zeros(rows)
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
    """Return the ends, (2, rows), of a fresh copy's intervals, also for rows after those of y."""
    functions, parameters = calibrator.functions, calibrator.parameters
    make = (functions.interval, functions.update, functions.full, calibrator.rescores)
    state, past = functions.start(parameters, 1, 0), sorted_samples.empty(1)
    ends, done = np.empty((2, len(low))), 0
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
    for row in range(len(y), len(low)):
        pair = float(low[row]), float(high[row])
        ends[:, row] = functions.interval(parameters, state, past, 0, *pair)
    return ends
