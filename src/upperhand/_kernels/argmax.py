"""The one place where an arm is picked from indices, and ties are broken."""

import math
from typing import Any

import numpy as np

from .compile import branching_kernel, kernel
from .shortlist import Index, Shortlist, serving, shorten

__all__ = ["Index", "all_alike", "argmax", "argmax_of_two"]


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
        return _first_of(index, second, policy, state, t, rng, None, 0)
    level = serving(state, t, shortlist)
    arm = _first_of(index, second, policy, state, t, rng, shortlist, level)
    shorten(index, policy, state, t, shortlist, level, arm)
    return arm


@branching_kernel
def _first_of(
    index: Index,
    second: Index,
    policy: Any,
    state: Any,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None,
    level: int,
) -> int:
    """Return the first of all arms, or of those on the list of that level.

    One arm after the other with a branch: the processor guesses it right in most rounds, and is
    then ahead of the arithmetic. Without branches a round of three arms takes half as long again.
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
