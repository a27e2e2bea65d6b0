"""The settings of every figure.

Figures are `matplotlib.figure.Figure` objects, made without pyplot, so that drawing leaves no
global state behind. The settings start from Matplotlib's defaults, not from the user's: the same
input gives the same bytes on every desk.

How policies are drawn: a look for each, the same in every figure, and inks that can be read.

Fonts in a PDF: the glyphs that are drawn, without the tables that set text.

Figures on disk: whole or not at all, and the same bytes from the same input.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import MissingExtraError, ParameterError
from ..files import replacing

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


CONTRAST = 4.5  # of a text to its ground at least: the Web Content Accessibility Guidelines' AA


class Look(NamedTuple):
    """How one policy is drawn; colour, dash and marker each tell it apart on their own."""

    color: str
    linestyle: str | tuple[int, tuple[float, ...]]
    marker: str


MOST = 7  # policies in colour in one figure: as many as there are colours
QUIET = Look("#b4b4b4", "-", "o")  # of the others, behind them

# Okabe and Ito's colours, which remain distinct to colour-blind readers, without their yellow
# (too pale for a line on white).
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_CHARTED = (  # a policy's place here fixes its look for good: add new ones at the end
    "ACP-UCB1",
    "UCB1",
    "UCB1-NORMAL",
    "KL-UCB",
    "UCB1-Tuned",
    "UCB-V",
    "Thompson sampling",
    "Quantile-UCB",
    "QUCB",
    "Quantile-TS",
    "Quantile-IMED",
    "KL-QUCB",
    "KL-QUCB+",
    "ACP-UCB1 auto",
    "UCB-CP",
    "MV-LCB",
    "ExpExp",
    "MaRaB",
    "H-KL-QUCB+",
    "H-Quantile-IMED",
    "ThresholdAscent",
    "MaxMedian",
    "QoMax-ETC",
    "QoMax-SDA",
)


def look(place: int) -> Look:
    """Return the look of that number; the first 280 differ."""
    color, dash = _COLORS[place % len(_COLORS)], _DASHES[place % len(_DASHES)]
    return Look(color, dash, MARKERS[place % len(MARKERS)])


def ink(color: str) -> str:
    """Return the colour for text: no darker than it must be to be read on white."""
    shares = (1 - step / 100 for step in range(101))
    darker = (_scaled(color, share) for share in shares)
    return next(each for each in darker if 1.05 / (_luminance(each) + 0.05) >= CONTRAST)


def _scaled(color: str, share: float) -> str:
    return "#" + "".join(f"{int(share * part):02x}" for part in bytes.fromhex(color[1:]))


def _luminance(color: str) -> float:
    """Return the relative luminance of sRGB, by the definition of the same guidelines."""
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name: a known policy's own, and for others the first ones free.

    Of several names of one policy, such as "ACP-UCB1 b=0.5" and "ACP-UCB1 b=2", the first has its
    look, or the one that is nothing but its name. If there are colours enough, no two are the
    same: who is later in the chart yields, and keeps dash and marker.
    """
    names = list(names)
    places = _own_places(names)
    free = (n for n in range(len(names) + len(_CHARTED)) if n not in places.values())
    styles = {name: look(places[name] if name in places else next(free)) for name in names}
    if len(names) > len(_COLORS):
        return styles
    order = sorted(names, key=lambda name: places.get(name, len(_CHARTED)))
    recoloured = _recoloured({name: styles[name] for name in order})
    return {name: recoloured[name] for name in names}


def _own_places(names: Sequence[str]) -> dict[str, int]:
    """Return the place in the chart of each name that has one, no place twice."""
    places: dict[str, int] = {}
    for name in sorted(names, key=lambda name: name not in _CHARTED):  # bare names come first
        place = _place(name)
        if place is not None and place not in places.values():
            places[name] = place
    return places


def _place(name: str) -> int | None:
    """Return the place of the policy: of the longest charted name that this one begins with."""
    begins = [
        known
        for known in _CHARTED
        if name.startswith(known) and not name[len(known) : len(known) + 1].isalnum()
    ]
    return _CHARTED.index(max(begins, key=len)) if begins else None


def _recoloured(styles: dict[str, Look]) -> dict[str, Look]:
    """Return the looks with a colour of its own for each; the first with a colour keeps it."""
    owner = {style.color: name for name, style in reversed(styles.items())}
    spare = [color for color in _COLORS if color not in owner]  # those of the paper's policies last
    return {
        name: style if owner[style.color] == name else style._replace(color=spare.pop())
        for name, style in styles.items()
    }


# Substitution, positioning, definitions, kerning and formulas: a PDF names its glyphs and places
# them itself, so that nobody reads these there. Taking them along is most of the time of a PDF.
LAYOUT_TABLES = ["GSUB", "GPOS", "GDEF", "kern", "MATH"]
DEFAULT = "_drop_tables_default"


@contextmanager
def without_layout_tables() -> Iterator[None]:
    """Leave these tables out of the fonts that are embedded within the block.

    Matplotlib has no setting for it, so the default of fontTools, which it starts from, is another
    meanwhile. Where fontTools has no such default, fonts are embedded as Matplotlib does it.
    """
    from fontTools.subset import Options

    dropped = getattr(Options, DEFAULT, None)
    if dropped is None:
        yield
        return
    setattr(Options, DEFAULT, [*dropped, *LAYOUT_TABLES])
    try:
        yield
    finally:
        setattr(Options, DEFAULT, dropped)


DPI = 200
# None takes a field out: dates and versions would make each file differ from the last.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}


def save_single(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write one file in the format of its suffix: .png, .pdf or .svg."""
    rendered = render(figure, check_suffix(path))
    with replacing(path) as temporary:
        temporary.write_bytes(rendered)


def render(figure: Figure, suffix: str) -> bytes:
    """Return the figure as the content of a file with that suffix: .png, .pdf or .svg."""
    content = BytesIO()
    with drawing(), without_layout_tables() if suffix == ".pdf" else nullcontext():
        figure.savefig(content, format=suffix[1:], dpi=DPI, metadata=METADATA[suffix])
    return content.getvalue()


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a figure's path; refuse a format that is not ours."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise ParameterError(
            f"A figure's name must end in {', '.join(METADATA)}; got {os.fspath(path)!r}."
        )
    return suffix
