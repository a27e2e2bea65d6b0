"""Which values a sketch keeps: as few as the room allows, the finer the nearer to either tail."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel, rare_kernel
from .sorted_rows import shift_right

COARSER = 1.1  # the factor by which c rises
FREED = 4  # a fourth of the room is freed at once


class Sketches(NamedTuple):
    """The sketches of K arms. All arrays are modified in place."""

    values: NDArray[np.float64]  # (rows, room or more) what is kept, ascending, +∞ behind it
    ranks: NDArray[np.int64]  # (rows, room) so many rewards are at most that, …
    slack: NDArray[np.int64]  # (rows, room) … or up to so many more …
    equal: NDArray[np.int64]  # (rows, room) … and at least so many equal it
    row: NDArray[np.int64]  # (K,) which row is the arm's
    kept: NDArray[np.int64]  # (K,) how many values of it are in use
    size: NDArray[np.int64]  # (K,) n: rewards seen
    coarse: NDArray[np.float64]  # (K,) c

    def __repr__(self) -> str:
        return f"Sketches of {len(self.size)} arms, {self.size.sum()} values"


@kernel
def apart(sketches: Sketches, arm: int, at: int) -> bool:
    """Tell whether a value that belongs before the one at `at` is to be kept."""
    if at == 0 or at == int(sketches.kept[arm]):
        return True
    return _far(sketches, arm, at - 1, at, 1, float(sketches.coarse[arm]))


@kernel
def keep(sketches: Sketches, arm: int, at: int, value: float) -> None:
    """Keep `value` at `at`, before it is counted: there are as many below it as may be between."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    least = int(sketches.ranks[row, at - 1]) if at > 0 else 0
    more = _between(sketches, row, at - 1, at) if at < kept else int(sketches.size[arm]) - least
    for part in (sketches.ranks[row], sketches.slack[row], sketches.equal[row]):
        shift_right(part, at, kept, 1)
    shift_right(sketches.values[row], at, kept, 1)
    sketches.values[row, at], sketches.equal[row, at] = value, 1
    sketches.ranks[row, at], sketches.slack[row, at] = least, more
    sketches.kept[arm] = kept + 1


@rare_kernel
def coarsen(sketches: Sketches, arm: int) -> None:
    """Let a fourth of the kept values go, and raise c as far as that takes."""
    row, room = int(sketches.row[arm]), sketches.ranks.shape[1]
    coarse = max(float(sketches.coarse[arm]), math.pi / room)
    stay = _thin(sketches, arm, coarse)
    while stay > room - room // FREED:
        coarse *= COARSER
        stay = _thin(sketches, arm, coarse)
    sketches.coarse[arm] = coarse
    for place in range(stay, room):
        sketches.values[row, place] = math.inf


@kernel
def _thin(sketches: Sketches, arm: int, coarse: float) -> int:
    """Let go what c does not ask to keep, but not the first and the last; return how many stay."""
    row, kept = int(sketches.row[arm]), int(sketches.kept[arm])
    stay = 1
    for place in range(1, kept):
        if place == kept - 1 or _far(sketches, arm, stay - 1, place + 1, 0, coarse):
            _move(sketches, row, place, stay)
            stay += 1
    sketches.kept[arm] = stay
    return stay


@kernel
def _far(sketches: Sketches, arm: int, one: int, other: int, more: int, coarse: float) -> bool:
    """Tell whether more than c √(r (n − r)) rewards may lie between the kept values at two places.

    `more` come to them. r is in the middle of what may be. With the rank of one of the values, of
    which much may be unknown, values that drift would never be let go of, and c would rise.
    """
    row, size = int(sketches.row[arm]), int(sketches.size[arm])
    between = _between(sketches, row, one, other)
    rank = int(sketches.ranks[row, one]) + 0.5 * between
    return between + more > coarse * math.sqrt(rank * (size - rank))


@kernel
def _between(sketches: Sketches, row: int, one: int, other: int) -> int:
    """Return how many rewards may lie between the kept values at two places; before all is −1."""
    most = int(sketches.ranks[row, other]) + int(sketches.slack[row, other])
    before = int(sketches.ranks[row, one]) if one >= 0 else 0
    return most - int(sketches.equal[row, other]) - before


@kernel
def _move(sketches: Sketches, row: int, place: int, to: int) -> None:
    """Write what is kept at one place to another."""
    sketches.values[row, to] = sketches.values[row, place]
    sketches.ranks[row, to] = sketches.ranks[row, place]
    sketches.slack[row, to] = sketches.slack[row, place]
    sketches.equal[row, to] = sketches.equal[row, place]
