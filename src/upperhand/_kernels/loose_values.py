"""Values that no rank has asked for lie loose: their order is found out when one does.

What a policy asks for is near its cursors; the blocks far from all of them are *idle*. When an arm
has come to many blocks, `loosen` empties the longest run of idle ones into one place of its
directory: its values are in no order, but all lie between those of the places beside it, so a new
value there is only appended. In the arm's part of the directory, the place's `fill` counts them
all, and the ids of their blocks, all full but the last, are listed backwards from the part's end.

A rank that falls among them is answered exactly: `settle` sorts them out, from the nearer end up to
the rank and an eighth of them beyond. So a sample is sorted as far as it is asked for. After either,
the arm's places must double before `loosen` comes again, so what is loosened is mostly new, and no
order of values and ranks costs more than sorting each value a few times.
"""

import math

from .compile import kernel, rare_kernel
from .sorted_blocks import CURSORS, PATIENCE, SortedSamples, give_block, take_block, whole
from .sorted_rows import BLOCK, shift_left, shift_right, sort_end

AHEAD = 8  # the share of the loose values that is sorted out beyond what was asked for
MARGIN = 32  # the share of an idle run that stays sorted at each of its ends, and a block


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
    first, blocks = whole(samples.start[arm]), whole(samples.blocks[arm])
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


@rare_kernel
def settle(samples: SortedSamples, arm: int, rank: int) -> None:
    """Sort the arm's loose values out from the nearer end to the rank-th and an eighth beyond."""
    count = whole(samples.fill[whole(samples.start[arm]) + whole(samples.loose[arm])])
    lower = 2 * rank <= count
    needed = (rank if lower else count + 1 - rank) + count // AHEAD
    _sort_out(samples, arm, max(count - needed, 0) // BLOCK, lower)


@rare_kernel
def settle_around(samples: SortedSamples, arm: int, value: float) -> None:
    """Sort the loose values out to where `value` lies among them."""
    count = whole(samples.fill[whole(samples.start[arm]) + whole(samples.loose[arm])])
    last, below = whole(samples.start[arm + 1]) - 1, 0
    for i in range(count):
        row = samples.values[samples.order[last - i // BLOCK]]
        below += 1 if row[i % BLOCK] <= value else 0
    settle(samples, arm, max(below, 1))


@rare_kernel
def settle_all(samples: SortedSamples, arm: int) -> None:
    """Sort all of the arm's values."""
    if whole(samples.loose[arm]) < whole(samples.blocks[arm]):
        _sort_out(samples, arm, 0, True)


@kernel
def _sort_out(samples: SortedSamples, arm: int, keep: int, lower: bool) -> None:
    """Sort all but `keep` blocks of loose values: the smallest, if `lower`, or the largest."""
    first, at = whole(samples.start[arm]), whole(samples.loose[arm])
    count, end = whole(samples.fill[first + at]), whole(samples.start[arm + 1])
    sort_end(samples.values, samples.order, end, count, keep * BLOCK, lower)
    taken = loose_blocks(samples, arm) - keep
    into = at if lower or keep == 0 else at + 1
    _open_places(samples, arm, into, taken, keep)
    last = into + taken - 1
    filled, row = count - (keep + taken - 1) * BLOCK, samples.values[samples.order[first + last]]
    for i in range(filled, BLOCK):
        row[i] = math.inf
    samples.fill[first + last], samples.top[first + last] = filled, row[filled - 1]
    if keep == 0:
        samples.loose[arm] = samples.blocks[arm]
        samples.least[arm], samples.most[arm] = math.inf, -math.inf
    elif lower:
        samples.loose[arm] = last + 1
        samples.fill[first + last + 1] = keep * BLOCK
        samples.least[arm] = samples.top[first + last]
    else:
        samples.fill[first + at] = keep * BLOCK
        samples.most[arm] = samples.top[first + at] = samples.values[samples.order[first + into], 0]
    twice = 2 * whole(samples.blocks[arm])
    samples.patience[arm] = max(whole(samples.patience[arm]), twice)


@kernel
def _open_places(samples: SortedSamples, arm: int, into: int, taken: int, keep: int) -> None:
    """Put the last `taken` of the listed blocks, which are sorted, into places of their own.

    If none are to be kept, they take the place of the loose values too. The ids wait in the unused
    end of the list of free blocks while the directory moves.
    """
    first, end = whole(samples.start[arm]), whole(samples.start[arm + 1])
    at, freed = whole(samples.loose[arm]), whole(samples.freed[0])
    for i in range(taken):
        samples.free[freed + i] = samples.order[end - 1 - keep - i]
    moved, last = into, first + whole(samples.blocks[arm])
    by = taken
    if keep == 0:
        moved, by = into + 1, taken - 1
    shift_right(samples.order, first + moved, last, by)
    shift_right(samples.top, first + moved, last, by)
    shift_right(samples.fill, first + moved, last, by)
    samples.blocks[arm] += by
    for c in range(CURSORS):
        samples.place[arm, c] += by if whole(samples.place[arm, c]) > at else 0
    for i in range(taken):
        block = whole(samples.free[freed + i])
        samples.order[first + into + i] = block
        samples.fill[first + into + i] = BLOCK
        samples.top[first + into + i] = samples.values[block, BLOCK - 1]
