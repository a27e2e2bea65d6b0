"""Choose among many arms without looking at each of them, exactly.

Between two pulls of an arm its index moves with the round alone, and for most policies one way: it
*rises* (a bonus √(ln t / T)), *falls*, or stays. So its largest and its smallest value over the
rounds to come are known now: the index at the last of them and at the first. That gives short
lists. Take some arm, the *guard*, and list the arms that may come before it in one of the next
rounds: those whose largest value is not below the guard's smallest. As long as the guard is not
pulled, no arm outside the list can be the best one, as the guard would come before it; so only the
list is looked at. When the guard is pulled, or the rounds are over, the list is made anew. The
guard is chosen so that a quarter of the arms are listed. Of these again a quarter make a shorter
list, with a guard of its own and for fewer rounds, and so on. To make a list costs a look at each
arm of the one above it, and it serves for about as many rounds as it has arms: a round looks at a
few dozen arms of ten thousand.

Whatever the lists, the arm is the one that a look at all arms would find, ties included. Where an
arm has seen just what the guard has seen (`alike`; with rewards 0 and 1 there are thousands), the
two have the same index for ever, and the higher number comes after the guard. Arms at +∞ come by
their pulls and then by their number. All others that may be level with the guard are listed.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel, owners_kernel

SHORTEST = 16  # a list that is not longer is not shortened again
PART = 4  # arms of a list to one arm of the next
PROBE = 16  # arms of a list that are candidates for the guard
GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, spread evenly: who these are
ROUNDING = 2.0**-46  # of an index, relative: 64 units in the last place, far more than it has
FOREVER = 2**62  # later than any round

Index = Callable[..., float]  # (policy, state, arm, t)


class Shortlist(NamedTuple):
    """Lists of arms, each a part of the one before; the first is of all arms."""

    arms: NDArray[np.int64]  # (levels, K) the arms of each list, ascending
    size: NDArray[np.int64]  # (levels,) how many these are
    guard: NDArray[np.int64]  # (levels,) an arm on the list, before all that are not …
    pulls: NDArray[np.int64]  # (levels,) … while it has so many pulls …
    until: NDArray[np.int64]  # (levels,) … up to this round
    made: NDArray[np.int64]  # (levels,) the round in which the list was made
    span: NDArray[np.int64]  # (levels,) for how many rounds the next such list is made
    wait: NDArray[np.int64]  # (levels,) a list that could not be shortened is left until then
    depth: NDArray[np.int64]  # (1,) the level of the shortest list
    peak: NDArray[np.float64]  # (K,) scratch: the largest value of each arm of a list
    probe: NDArray[np.int64]  # (PROBE,) scratch: the places of some arms, those ahead first
    rises: NDArray[np.bool_]  # (1,) whether indices rise; else they fall


def all_listed(arms: int, *, rises: bool) -> Shortlist:
    """Return the list of all arms, and room for shorter ones."""
    levels = 2 + 2 * max(0, math.ceil(math.log(arms / SHORTEST, PART)))
    size, guard, pulls, made, wait = np.zeros((5, levels), np.int64)
    listed = np.zeros((levels, arms), np.int64)
    listed[0], size[0] = np.arange(arms), arms
    return Shortlist(
        arms=listed,
        size=size,
        guard=guard,
        pulls=pulls,
        until=np.full(levels, FOREVER),
        made=made,
        span=np.array([max(arms // PART**level, 1) for level in range(levels)]),
        wait=wait,
        depth=np.zeros(1, np.int64),
        peak=np.zeros(arms),
        probe=np.zeros(PROBE, np.int64),
        rises=np.array([rises]),
    )


def forget_lists(shortlist: Shortlist) -> None:
    """Begin again with the list of all arms."""
    shortlist.depth[0] = 0
    shortlist.wait[:] = 0


@owners_kernel
def alike(policy: Any, state: Any, one: int, other: int) -> bool:
    """Tell whether two arms have one index in every round until one of them is pulled."""
    return bool(policy.owner.functions.alike(policy, state, one, other))


@kernel
def unlike(policy: Any, state: Any, one: int, other: int) -> bool:
    """Stand where a policy does not tell: no two arms are alike."""
    return False


@kernel
def serving(state: Any, t: int, shortlist: Shortlist) -> int:
    """Return the level of the shortest list that holds the best arm of round t."""
    for level in range(1, int(shortlist.depth[0]) + 1):
        guard = int(shortlist.guard[level])
        pulled = int(state.pulls[guard]) != int(shortlist.pulls[level])
        if pulled or t > int(shortlist.until[level]):
            return level - 1
    return int(shortlist.depth[0])


@kernel
def shorten(
    index: Index, policy: Any, state: Any, t: int, shortlist: Shortlist, level: int, arm: int
) -> None:
    """Make shorter lists for the next rounds out of the list of that level, if that is due.

    `arm` is pulled in this round. How its index will be nobody knows, so it is on every list.
    """
    if level == int(shortlist.depth[0]):
        if int(shortlist.size[level]) <= SHORTEST or t < int(shortlist.wait[level]):
            return
    else:
        _learn_span(shortlist, level + 1, t)
    while level + 1 < len(shortlist.size) and int(shortlist.size[level]) > SHORTEST:
        if not _cut(index, policy, state, t, shortlist, level, arm):
            shortlist.wait[level] = t + shortlist.span[level + 1]
            shortlist.span[level + 1] = max(int(shortlist.span[level + 1]) // 2, 1)
            break
        level += 1
    shortlist.depth[0] = level


@kernel
def _learn_span(shortlist: Shortlist, level: int, t: int) -> None:
    """Note for how many rounds the next list of a level is made, from how long this one served.

    For more rounds it is longer, as more arms may come before the guard; for fewer, over sooner.
    """
    served = t - int(shortlist.made[level])
    over = t > int(shortlist.until[level])
    shortlist.span[level] = 2 * served if over else served + served // 2 + 1


@kernel
def _cut(
    index: Index, policy: Any, state: Any, t: int, shortlist: Shortlist, level: int, arm: int
) -> bool:
    """Make the list of the next level out of this one; tell whether it is a good deal shorter."""
    count, below = int(shortlist.size[level]), level + 1
    until = min(int(shortlist.until[level]), t + int(shortlist.span[below]))
    highest, lowest = (until, t + 1) if shortlist.rises[0] else (t + 1, until)
    for i in range(count):
        shortlist.peak[i] = index(policy, state, int(shortlist.arms[level, i]), highest)
    guard = _guard(state, shortlist, level, arm)
    floor = index(policy, state, guard, lowest)
    floor -= ROUNDING * abs(floor) if floor < math.inf else 0.0
    size = 0
    for i in range(count):
        each, peak = int(shortlist.arms[level, i]), float(shortlist.peak[i])
        if peak == math.inf and floor == math.inf:
            listed = _turn(state, each) <= _turn(state, guard)
        else:
            listed = peak >= floor and not (each > guard and alike(policy, state, guard, each))
        if listed or each == arm:
            shortlist.arms[below, size] = each
            size += 1
    shortlist.size[below], shortlist.guard[below] = size, guard
    shortlist.pulls[below] = state.pulls[guard]
    shortlist.made[below], shortlist.until[below] = t, until
    return 4 * size <= 3 * count and guard != arm


@kernel
def _guard(state: Any, shortlist: Shortlist, level: int, arm: int) -> int:
    """Return an arm that about a quarter of the list is ahead of, not the one that is pulled now.

    Who that is, is found from a few arms, evenly spread over the list: it need not be exact.
    """
    count, step = int(shortlist.size[level]), 0.0
    for probed in range(PROBE):
        step += GOLDEN - math.floor(step + GOLDEN)
        i, place = int(step * count), probed
        while place > 0 and _is_ahead(state, shortlist, level, i, int(shortlist.probe[place - 1])):
            shortlist.probe[place] = shortlist.probe[place - 1]
            place -= 1
        shortlist.probe[place] = i
    place = PROBE // PART
    while place < PROBE - 1 and int(shortlist.arms[level, shortlist.probe[place]]) == arm:
        place += 1
    return int(shortlist.arms[level, shortlist.probe[place]])


@kernel
def _is_ahead(state: Any, shortlist: Shortlist, level: int, one: int, other: int) -> bool:
    """Tell whether of the arms at two places of a list the first is ahead at its largest value."""
    peak = float(shortlist.peak[one])
    if peak != float(shortlist.peak[other]):
        return peak > float(shortlist.peak[other])
    if peak == math.inf:
        mine, theirs = int(shortlist.arms[level, one]), int(shortlist.arms[level, other])
        return _turn(state, mine) < _turn(state, theirs)
    return one < other


@kernel
def _turn(state: Any, arm: int) -> int:
    """Return when an arm at +∞ comes: the fewest pulls first, then the lowest arm."""
    return int(state.pulls[arm]) * len(state.pulls) + arm


@kernel
def enlist(shortlist: Shortlist, arm: int) -> None:
    """Put an arm on every list: it is pulled though it is not the best."""
    for level in range(1, int(shortlist.depth[0]) + 1):
        place = int(shortlist.size[level])
        while place > 0 and int(shortlist.arms[level, place - 1]) > arm:
            place -= 1
        if place > 0 and int(shortlist.arms[level, place - 1]) == arm:
            continue
        for i in range(int(shortlist.size[level]), place, -1):
            shortlist.arms[level, i] = shortlist.arms[level, i - 1]
        shortlist.arms[level, place] = arm
        shortlist.size[level] += 1
