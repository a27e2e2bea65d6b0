"""How policies are drawn: a look for each, the same in every figure, and inks that can be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

CONTRAST = 4.5  # of a text to its ground at least: the Web Content Accessibility Guidelines' AA


class Look(NamedTuple):
    """How one policy is drawn; colour, dash and marker each tell it apart on their own."""

    color: str
    linestyle: str | tuple[int, tuple[float, ...]]
    marker: str


MOST = 6  # policies in colour in one figure: as many as the eye keeps apart
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
