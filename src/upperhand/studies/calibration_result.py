"""What a study of calibrators says: coverage over all and over windows, widths, pinball losses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownNameError
from ..intervals import Calibrator
from ..intervals.scores import pinball
from ..text import counted, short, text_table
from .statistics import share_interval

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


@dataclass(frozen=True, eq=False)
class CalibrationStudy:
    """Methods on one series: their intervals, and how they did."""

    y: Array  # (n,) the values that were judged
    forecast_low: Array  # (n,) what was forecast
    forecast_high: Array  # (n,)
    forecast: str  # what kind of forecast it is
    alpha: float
    window: int
    intervals: Mapping[str, Calibrated]
    notes: tuple[str, ...] = ()  # what the reader should know of the methods

    def __repr__(self) -> str:
        return "\n".join([self.title, self.table(), *self.notes])

    @property
    def title(self) -> str:
        """What was judged, in a line."""
        methods, values = counted(len(self.intervals), "method"), counted(len(self.y), "value")
        wanted = f"{100 * (1 - self.alpha):.4g} % wanted"
        return f"{methods} on {values}, {wanted}, forecast: {self.forecast}"

    @cached_property
    def scores(self) -> dict[str, Score]:
        """How each method did."""
        return {name: self._score(name) for name in self.intervals}

    def covered(self, method: str) -> NDArray[np.bool_]:
        """Return for each value whether the method's interval held it."""
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
        total = np.array([math.fsum(part) for part in _windows(width, self.window)]) / self.window
        unknown = np.full(len(total), np.nan)
        return np.asarray(np.divide(total, share, out=unknown, where=share > 0))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table's rows under `HEADS`, as text."""
        return [(name, *_cells(score)) for name, score in self.scores.items()]

    def table(self) -> str:
        """Return the scores as text, one row for each method."""
        return text_table(HEADS, self.rows())

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
            *share_interval(int(hits.sum()), len(hits)),
            float(local.min()),
            float(local.max()),
            _mean(width[finite]),
            int((~finite).sum()),
            int(empty.sum()),
            _mean_pinball((self.y - each.lower)[plain], self.alpha / 2),
            _mean_pinball((self.y - each.upper)[plain], 1 - self.alpha / 2),
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


def _windows(values: NDArray[Any], length: int) -> NDArray[Any]:
    return np.lib.stride_tricks.sliding_window_view(values, length)


def _moving_mean(flags: NDArray[np.bool_], length: int) -> Array:
    counts = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray((counts[length:] - counts[:-length]) / length)


def _mean(values: Array) -> float:
    return math.fsum(values) / len(values) if len(values) else math.nan


def _mean_pinball(errors: Array, level: float) -> float:
    return _mean(np.array([pinball(error, level) for error in errors.tolist()]))


def _cells(score: Score) -> tuple[str, ...]:
    numbers = (score.width, score.pinball_lower, score.pinball_upper)
    width, *losses = (short(_plain(number)) for number in numbers)
    return (
        f"{score.coverage:.3f}",
        f"{score.coverage_low:.3f}–{score.coverage_high:.3f}",
        f"{score.local_lowest:.3f}–{score.local_highest:.3f}",
        width,
        f"{score.infinite:,}",
        f"{score.empty:,}",
        *losses,
    )


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
