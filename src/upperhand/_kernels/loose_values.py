"""Values that no rank has asked for lie loose: their order is found out when one does.

What a policy asks for is near its cursors; blocks far from all of them are *idle*. When an arm has
come to many blocks, `loosen` empties the longest run of idle ones into one place of its directory.
The values there are in no order, but all lie between those of the places beside it, so a new value
that belongs there is only appended. The place's `fill` counts them all, and the ids of their
blocks, all full but the last, are listed backwards from the end of the arm's part.

A rank that falls among them is answered exactly: `settling.py` sorts out as much as it takes. After
either, the arm's places must double before `loosen` comes again. So what is loosened is mostly new,
and no order of values and ranks has each value sorted more than a few times.
"""

import math

from .compile import kernel, rare_kernel
from .sorted_blocks import CURSORS, PATIENCE, SortedSamples, give_block, take_block, whole
from .sorted_rows import BLOCK, shift_left

MARGIN = 32  # next to a cursor one block and this part of an idle run stay sorted


@kernel
def loose_blocks(samples: SortedSamples, arm: int) -> int:
    """Return how many blocks the arm's loose values take."""
    at = whole(samples.loose[arm])
    if at == whole(samples.blocks[arm]):
        return 0
    return (whole(samples.fill[whole(samples.start[arm]) + at]) + BLOCK - 1) // BLOCK


@kernel
def add_loose(samples: SortedSamples, arm: int, value: float) -> None:
    """Append `value` to the arm's loose values, among which it belongs."""
    at = whole(samples.start[arm]) + whole(samples.loose[arm])
    count = whole(samples.fill[at])
    listed = whole(samples.start[arm + 1]) - 1 - count // BLOCK
    if count % BLOCK == 0:
        samples.order[listed] = take_block(samples)
    samples.values[samples.order[listed], count % BLOCK] = value
    samples.fill[at] = count + 1


@rare_kernel
def loosen(samples: SortedSamples, arm: int) -> None:
    """Make the arm's longest run of idle blocks loose, with what was loose already."""
    begin, end = _idle(samples, arm)
    first, blocks = whole(samples.start[arm]), whole(samples.blocks[arm])
    room = whole(samples.start[arm + 1]) - first - blocks - loose_blocks(samples, arm)
    if end - begin > 1 and room > 0:
        most = math.inf
        if end < blocks:
            most = float(samples.values[samples.order[first + end], 0])
        kept, count = _pack(samples, arm, begin, end)
        _list(samples, arm, begin, end, kept, count)
        samples.least[arm] = samples.top[first + begin - 1] if begin > 0 else -math.inf
        samples.most[arm] = samples.top[first + begin] = most
    samples.patience[arm] = max(PATIENCE, 2 * whole(samples.blocks[arm]))


@kernel
def _idle(samples: SortedSamples, arm: int) -> tuple[int, int]:
    """Return the places, from and below, of the longest run of blocks with no cursor near.

    If values are loose already, it is the run around them. Next to a cursor a margin stays sorted.
    """
    blocks, loose = whole(samples.blocks[arm]), whole(samples.loose[arm])
    begin, end, longest = 0, 0, 0
    for c in range(-1, CURSORS):
        low = whole(samples.place[arm, c]) + 1 if c >= 0 else 0
        values_low = int(samples.before[arm, c]) if c >= 0 else 0
        high, values_high = blocks, int(samples.size[arm])
        for other in range(CURSORS):
            if low <= whole(samples.place[arm, other]) < high:
                high = whole(samples.place[arm, other])
                values_high = int(samples.before[arm, other])
        if values_high - values_low > longest and (loose == blocks or low <= loose < high):
            longest = values_high - values_low
            margin = 1 + longest // (MARGIN * BLOCK)
            begin = low + margin if low > 0 else 0
            end = high - margin if high < blocks else blocks
            if loose < blocks:
                begin, end = min(begin, loose), max(end, loose + 1)
    return begin, end


@kernel
def _pack(samples: SortedSamples, arm: int, begin: int, end: int) -> tuple[int, int]:
    """Fill the last loose block, then their own, with the values of the blocks in these places.

    The blocks that are left full, and the last, are noted from `begin` on; the others are given
    back. Return how many were noted, and how many loose values there are then.
    """
    first, at = whole(samples.start[arm]), whole(samples.loose[arm])
    count, kept, last = 0, 0, 0
    if at < whole(samples.blocks[arm]):
        count = whole(samples.fill[first + at])
        last = whole(samples.order[whole(samples.start[arm + 1]) - loose_blocks(samples, arm)])
    for d in range(begin, end):
        if d == at:
            continue
        block, filled = whole(samples.order[first + d]), whole(samples.fill[first + d])
        moved = min(filled, (BLOCK - count % BLOCK) % BLOCK)
        for i in range(moved):
            samples.values[last, count % BLOCK + i] = samples.values[block, filled - moved + i]
        count += filled
        if moved < filled:
            last = block
            samples.order[first + begin + kept] = block
            kept += 1
        else:
            give_block(samples, block)
    return kept, count


@kernel
def _list(samples: SortedSamples, arm: int, begin: int, end: int, kept: int, count: int) -> None:
    """Make these places one, of `count` loose values, and list the `kept` blocks noted there.

    Their ids wait in the unused end of the list of free blocks while the directory moves.
    """
    first = whole(samples.start[arm])
    listed, freed = loose_blocks(samples, arm), whole(samples.freed[0])
    for i in range(kept):
        samples.free[freed + i] = samples.order[first + begin + i]
    _close_places(samples, arm, begin + 1, end)
    for i in range(kept):
        samples.order[whole(samples.start[arm + 1]) - 1 - listed - i] = samples.free[freed + i]
    samples.fill[first + begin] = count
    samples.loose[arm] = begin


@kernel
def _close_places(samples: SortedSamples, arm: int, begin: int, end: int) -> None:
    """Take these places, at which no cursor stands, out of the arm's directory."""
    first, last = whole(samples.start[arm]), whole(samples.start[arm]) + whole(samples.blocks[arm])
    by = end - begin
    shift_left(samples.order, first + end, last, by)
    shift_left(samples.top, first + end, last, by)
    shift_left(samples.fill, first + end, last, by)
    for i in range(last - by, last):
        samples.top[i] = math.inf
    samples.blocks[arm] -= by
    for c in range(CURSORS):
        samples.place[arm, c] -= by if whole(samples.place[arm, c]) >= end else 0
