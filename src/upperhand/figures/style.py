"""The style of every figure, the look of each policy, and figures as files.

Figures are `matplotlib.figure.Figure` objects, made without pyplot, so that drawing leaves no
global state behind. The settings start from Matplotlib's defaults, not from the user's, and files
carry no dates: the same input gives the same bytes on every machine.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import MissingExtraError, ParameterError
from ..files import replacing
from ..policies import POLICIES

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
    "figure.constrained_layout.w_pad": 0.07,  # inches
    "figure.constrained_layout.h_pad": 0.06,
    "pdf.fonttype": 42,  # TrueType: text in the PDF can be searched and edited
    "svg.hashsalt": "upperhand",  # otherwise the identifiers in an SVG are random
}


def load_matplotlib() -> Any:
    """Return Matplotlib, or say what to install; also called before the work to be drawn."""
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
    """Return an empty figure, in inches; Matplotlib computes its margins when it is drawn."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


class Look(NamedTuple):
    """How one policy is drawn; colour, dash and marker each tell it apart on their own."""

    color: str
    linestyle: str | tuple[int, tuple[float, ...]]
    marker: str


MOST = 7  # policies in colour in one figure: as many as there are colours
QUIET = Look("#b4b4b4", "-", "o")  # of the others, behind them
THIN = 0.7  # points: the lines of policies that are not in colour

# Okabe and Ito's colours, which remain distinct to colour-blind readers, without their yellow
# (too pale for a line on white).
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (2.6, 2.6)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# A name's place in this list fixes its look: first the two policies of the paper and ours with
# their variants, then all other policies of the library.
_FIRST = (
    "ACP-UCB1", "UCB1", "KL-QUCB+", "Quantile-TS", "KL-QUCB", "Quantile-IMED", "H-KL-QUCB+",
    "H-Quantile-IMED", "ACP-UCB1 auto",
)  # fmt: skip
CHART = tuple(dict.fromkeys([*_FIRST, *POLICIES]))


def look(place: int) -> Look:
    """Return the look of that number; the first 280 differ."""
    color, dash = _COLORS[place % len(_COLORS)], _DASHES[place % len(_DASHES)]
    return Look(color, dash, _MARKERS[place % len(_MARKERS)])


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name: a known policy's own, and for others the first ones free.

    Of several names of one policy, such as "ACP-UCB1 b=0.5" and "ACP-UCB1 b=2", the first has its
    look, or the one that is nothing but its name. Colours are used equally often, and no two lines
    are the same: a name that comes later in the chart takes the rarest colour, and keeps its
    marker, and its dash where it can. Only more names than there are lines may share them.
    """
    names, places = list(names), dict[str, int]()
    for name in sorted(names, key=lambda name: name not in CHART):  # bare names come first
        known = max((k for k in CHART if f"{name} ".startswith(f"{k} ")), key=len, default=None)
        if known is not None and CHART.index(known) not in places.values():
            places[name] = CHART.index(known)
    free = (n for n in range(len(names) + len(CHART)) if n not in places.values())
    styles = {name: look(places[name] if name in places else next(free)) for name in names}
    lines = [look(place) for place in reversed(range(len(_COLORS) * len(_DASHES)))]  # all pairs
    if len(names) > len(lines):
        return styles
    uses, owned = Counter[str](), Counter(style.color for style in styles.values())
    for name in sorted(names, key=lambda name: places.get(name, len(CHART))):
        own = styles[name]
        line = min(lines, key=lambda x: (uses[x[0]], x[0] != own[0], owned[x[0]], x[1] != own[1]))
        styles[name] = line._replace(marker=own.marker)
        lines.remove(line)
        uses[line.color] += 1
    return styles


DPI = 200
# None takes a field out: dates and versions would make each file differ from the last.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}


def save_single(figure: Figure, path: str | os.PathLike[str]) -> None:
    rendered = render(figure, check_suffix(path))
    with replacing(path) as temporary:
        temporary.write_bytes(rendered)


def render(figure: Figure, suffix: str) -> bytes:
    content = BytesIO()
    with drawing():
        figure.savefig(content, format=suffix[1:], dpi=DPI, metadata=METADATA[suffix])
        figure.set_layout_engine("none")  # the margins found now serve other formats too
    return content.getvalue()


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a figure's path; refuse a format that is not ours."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise ParameterError(
            f"A figure's name must end in {', '.join(METADATA)}; got {os.fspath(path)!r}."
        )
    return suffix
