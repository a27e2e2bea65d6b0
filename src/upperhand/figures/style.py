"""The settings of every figure.

Figures are `matplotlib.figure.Figure` objects, made without pyplot, so that drawing leaves no
global state behind. The settings start from Matplotlib's defaults, not from the user's: the same
input gives the same bytes on every desk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT = "#222222", "#8a8a8a"
WIDTH = 6.5  # inches: the text width of a page; legible when set at a narrower 5.5
FONT_SIZE = 8.5  # points
SMALL_SIZE = FONT_SIZE - 1  # of ticks, and of names of rows

RC: dict[str, Any] = {
    "font.size": FONT_SIZE,
    "axes.titlesize": FONT_SIZE,
    "axes.titlelocation": "left",
    "axes.titlepad": 7.0,
    "axes.labelsize": FONT_SIZE,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "xtick.labelsize": SMALL_SIZE,
    "ytick.labelsize": SMALL_SIZE,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "xtick.major.width": 0.7,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "legend.fontsize": FONT_SIZE,
    "text.color": INK,
    "pdf.fonttype": 42,  # TrueType: text in the PDF can be searched and edited
    "svg.hashsalt": "upperhand",  # otherwise the identifiers in an SVG are random
}


def load_matplotlib() -> Any:
    """Return Matplotlib, or say what to install: also for asking before the work to be drawn."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError.needed("Drawing figures", "lab") from error
    return matplotlib


@contextmanager
def drawing() -> Iterator[None]:
    """Draw or save in our look within the block, and leave Matplotlib as it was."""
    matplotlib = load_matplotlib()
    kept = ("backend", "interactive", "toolbar", "timezone")  # about the session, not the look
    defaults = {
        name: value
        for name, value in matplotlib.rcParamsDefault.items()
        if not name.startswith(kept)
    }
    with matplotlib.rc_context(defaults | RC):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))
