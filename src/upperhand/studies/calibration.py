"""Calibrators on one series with its forecasts: who covers, always or only on average, how wide."""

from bisect import insort
from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels.ranks import rank
from ..errors import ParameterError
from ..intervals import CALIBRATORS, CQR, Calibrator, DecayingSteps, parse_calibrator
from ..text import short
from .calibration_result import Calibrated, CalibrationStudy

Array = NDArray[np.float64]
Methods = str | Calibrator | Iterable[str | Calibrator] | Mapping[str, Calibrator]
WINDOW = 100  # outcomes of a window by default
FAR = 20  # times a step that differs more from the typical score gets a note
POINT, ENDS, PAST = "a point", "an interval", "quantiles of the values before"


def calibrate(
    y: ArrayLike,
    forecast: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    methods: Methods | None = None,
    alpha: float = 0.1,
    window: int | None = None,
) -> CalibrationStudy:
    """Run calibrators over a series and its forecasts, and judge their intervals.

    Parameters
    ----------
    y
        The values, in the order in which they came.
    forecast
        A number for each value, said before it came.
    lower, upper
        Instead of that, the two ends of an interval for each value. Without any forecast, it is the
        α/2 and 1 − α/2 quantiles of the values before, as ACP-UCB1's of an arm; the first value has
        none and is not judged.
    methods
        Calibrators, or their text, such as ``"aci:gamma=0.01"``. By default every method that needs
        no setting; Rescored only without forecasts, since it holds old values against new ones.
    alpha
        The share of values that the intervals may miss.
    window
        Over how many values in a row coverage is also counted; 100 by default, or all of fewer.

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
    first = values[: len(values) - len(low)]  # without a forecast, so not judged
    judged = values[len(first) :]
    most = len(judged)
    span = min(WINDOW, most) if window is None else window
    span = checks.integer("window", span, least=1, most=most)
    chosen = line_up(alpha, kind) if methods is None else named(methods, alpha, most)
    runs = {name: _run(each, first, low, high, judged) for name, each in chosen.items()}
    notes = _steps_notes(chosen, float(np.median(abs(np.maximum(low - judged, judged - high)))))
    if methods is None:
        why = ", ".join(f"{name} ({reason})" for name, reason in left_out(kind).items())
        notes.append(f"Left out: {why}. Name them to have them.")
    return CalibrationStudy(judged, low, high, kind, alpha, span, runs, tuple(notes))


def line_up(alpha: float, kind: str) -> dict[str, Calibrator]:
    """Return the methods that take part by default."""
    absent = left_out(kind)
    return {name: cls(alpha) for name, cls in CALIBRATORS.items() if name not in absent}


def left_out(kind: str) -> dict[str, str]:
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


def named(methods: Methods, alpha: float, horizon: int) -> dict[str, Calibrator]:
    """Return the calibrators by name, each at α; text is told α and the number of values."""
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
                f"All methods must have the alpha that they are judged by, {alpha:g}; {name} has "
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


def _series(name: str, given: ArrayLike) -> Array:
    bound = checks.LARGEST_REWARD
    values = checks.reals(name, given, least=-bound, most=bound)
    if values.ndim != 1 or not len(values):
        raise ParameterError(f"{name} must be a series of numbers; got the shape {values.shape}.")
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
        point = _series("forecast", forecast)
        _same_length(y, forecast=point)
        return POINT, point, point
    if lower is None or upper is None:
        return PAST, *_past_quantiles(y, alpha)
    low, high = _series("lower", lower), _series("upper", upper)
    _same_length(y, lower=low, upper=high)
    if (crossed := low > high).any():
        place = int(np.argmax(crossed))
        raise ParameterError(
            f"lower must be at most upper; got {low[place]:g} and {high[place]:g} at place {place}"
            ", counted from 0. Sort ends that cross."
        )
    return ENDS, low, high


def _same_length(y: Array, **forecasts: Array) -> None:
    for name, given in forecasts.items():
        if len(given) != len(y):
            raise ParameterError(
                f"{name} must have a number for each of the {len(y)} values; got {len(given)}."
            )


def _past_quantiles(y: Array, alpha: float) -> tuple[Array, Array]:
    """Return the α/2 and 1 − α/2 quantiles of the values before each but the first."""
    past: list[float] = []
    ends: list[tuple[float, float]] = []
    for value in y[:-1].tolist():
        insort(past, value)
        m = len(past)
        ends.append((past[rank(alpha / 2, m) - 1], past[rank(1 - alpha / 2, m) - 1]))
    low, high = np.array(ends).T
    return low, high


def _run(calibrator: Calibrator, first: Array, low: Array, high: Array, y: Array) -> Calibrated:
    """Return the intervals of a fresh copy of the calibrator, each said before its value."""
    fresh = calibrator.replace()
    if fresh.rescores:
        for value in first.tolist():  # it has no forecast, but is among the values to be scored
            fresh.update(value, value)
    ends = []
    for *forecast, value in zip(low.tolist(), high.tolist(), y.tolist(), strict=True):
        ends.append(fresh.interval((forecast[0], forecast[1])))
        fresh.update((forecast[0], forecast[1]), value)
    lower, upper = np.array(ends).T
    return Calibrated(calibrator, lower, upper)
