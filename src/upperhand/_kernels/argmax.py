"""How an arm is chosen from indices: the largest one, ties, shortlists, and commitments.

**Shortlists** choose among many arms without looking at each of them, exactly. Between two pulls
of an arm its index changes with the round alone, and for most policies in one direction: it *rises*
(a bonus √(ln t / T)), *falls*, or stays. So its largest and its smallest value over the next rounds
are known now: the index at the last of them and at the first. Take some arm, the *guard*, and list
the arms that may come before it in one of the next rounds: those whose largest value is not below
the guard's smallest. As long as the guard is not pulled, no arm outside the list can be the best
one, as the guard would come before it; so only the list is looked at. When the guard is pulled, or
the rounds are over, the list is made again. The guard is chosen so that a quarter of the arms are
listed. Of these again a quarter make a shorter list, with a guard of its own and for fewer rounds,
and so on. Making a list costs a look at each arm of the one above it, and it serves for about as
many rounds as it has arms: a round looks at a few dozen arms of ten thousand.

Whatever the lists, the arm is the one that a look at all arms would find, ties included. Two arms
that are `same_index` (with rewards 0 and 1 there are thousands) have equal indices until one of
them is pulled, and the one with the higher number comes after the guard. Arms at +∞ come by their
pulls and then by their number. All others that may be equal to the guard are listed.

**Explore, then commit:** some policies explore for a fixed time and stay with one arm. Their
parameters have `initial_pulls` of each arm before the commitment, and their state has `chosen`,
which says of each arm whether it is that one.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import branching_kernel, dispatched_kernel, kernel

Index = Callable[..., float]  # (policy, state, arm, t)

SHORTEST = 16  # a list that is not longer is not shortened again
PART = 4  # arms of a list to one arm of the next
PROBE = 16  # arms of a list that are candidates for the guard
GOLDEN = 0.6180339887498949  # its multiples, modulo 1, spread evenly: the places of these arms
ROUNDING = 2.0**-46  # relative, of an index: 64 units in the last place, far more than it has
FOREVER = 2**62  # later than any round
UNDECIDED = -1  # no arm was committed to


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


@kernel
def argmax(
    index: Index,
    policy: Any,
    state: Any,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None = None,
) -> int:
    """Return the arm with the largest index(policy, state, arm, t).

    Among arms at +∞ the one with the fewest pulls comes first, which makes the initial pulls a
    round-robin. Other ties go to the lowest arm, or, if the policy says `random_ties`, to each of
    the tied arms with the same probability. With a shortlist only some arms are looked at; the
    choice is the same.
    """
    return argmax_of_two(index, all_alike, policy, state, t, rng, shortlist)


@kernel
def argmax_of_two(
    index: Index,
    second: Index,
    policy: Any,
    state: Any,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None = None,
) -> int:
    """Return the arm with the largest index; among equal finite ones, by a second index first."""
    if shortlist is None:
        return _best_of(index, second, policy, state, t, rng, None, 0)
    level = serving(state, t, shortlist)
    arm = _best_of(index, second, policy, state, t, rng, shortlist, level)
    shorten(index, policy, state, t, shortlist, level, arm)
    return arm


@branching_kernel
def _best_of(
    index: Index,
    second: Index,
    policy: Any,
    state: Any,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None,
    level: int,
) -> int:
    """Return the best of all arms, or of those on the list of that level.

    The branch for each arm is predicted right in most rounds, so the processor runs ahead of the
    arithmetic. Without branches a round of three arms takes half as long again.
    """
    count = len(state.pulls) if shortlist is None else int(shortlist.size[level])
    best, best_value, tied = 0, -math.inf, 0
    for i in range(count):
        arm = i if shortlist is None else int(shortlist.arms[level, i])
        value = index(policy, state, arm, t)
        if value > best_value or tied == 0:
            best, best_value, tied = arm, value, 1
        elif value == best_value:
            if value == math.inf:
                ahead = float(state.pulls[best] - state.pulls[arm])
            else:
                ahead = second(policy, state, arm, t) - second(policy, state, best, t)
            if ahead > 0.0:
                best, tied = arm, 1
            elif ahead == 0.0 and policy.random_ties:
                tied += 1
                if rng.random() * tied < 1.0:
                    best = arm
    return best


@kernel
def all_alike(policy: Any, state: Any, arm: int, t: int) -> float:
    """Return a second index that favours no arm."""
    return 0.0


def all_listed(arms: int, *, rises: bool) -> Shortlist:
    """Return the list of all arms, with arrays for shorter ones."""
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


@dispatched_kernel
def same_index(policy: Any, state: Any, one: int, other: int) -> bool:
    """Tell whether two arms have one index in every round until one of them is pulled."""
    return bool(policy.owner.functions.same_index(policy, state, one, other))


@kernel
def never_same_index(policy: Any, state: Any, one: int, other: int) -> bool:
    """Return False: the default of policies that do not know when two arms are alike."""
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

    `arm` is pulled in this round, so its next index is unknown, and it is on every list.
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
    """Set for how many rounds the next list of a level is made, from how long this one served.

    For more rounds the list is longer, as more arms may come before the guard.
    """
    served = t - int(shortlist.made[level])
    over = t > int(shortlist.until[level])
    shortlist.span[level] = 2 * served if over else served + served // 2 + 1


@kernel
def _cut(
    index: Index, policy: Any, state: Any, t: int, shortlist: Shortlist, level: int, arm: int
) -> bool:
    """Make the list of the next level out of this one; tell whether it is much shorter."""
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
            listed = peak >= floor and not (each > guard and same_index(policy, state, guard, each))
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

    It is found from a few arms, evenly spread over the list: it need not be exact.
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


@kernel
def explore_or_stay(index: Index, policy: Any, state: Any, t: int, rng: np.random.Generator) -> int:
    """Return the arm to explore, or the one that was committed to when all were explored."""
    chosen = UNDECIDED
    for arm in range(len(state.pulls)):
        if int(state.pulls[arm]) < policy.initial_pulls:  # also one that came later
            return argmax(index, policy, state, t, rng)
        if state.chosen[arm]:
            chosen = arm
    return chosen if chosen != UNDECIDED else argmax(index, policy, state, t, rng)


@kernel
def reopen(state: Any) -> None:
    """Take back the commitment: an arm that was added later is still being explored."""
    for arm in range(len(state.pulls)):
        state.chosen[arm] = False


@kernel
def commit(index: Index, policy: Any, state: Any, arm: int) -> None:
    """Commit to the arm at its first reward after the exploration, if it is a best one.

    `select` itself does not commit, as it may be called while rewards are still to come.
    """
    if not state.chosen[arm]:
        state.chosen[arm] = _is_best(index, policy, state, arm)


@kernel
def _is_best(index: Index, policy: Any, state: Any, arm: int) -> bool:
    """Tell whether no arm is better, all are explored and none is committed to."""
    own = index(policy, state, arm, 0)
    for other in range(len(state.pulls)):
        if state.chosen[other] or index(policy, state, other, 0) > own:
            return False
    return True
