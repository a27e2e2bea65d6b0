"""The one place where an arm is picked from indices, and ties are broken."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .compile import kernel

Index = Callable[..., float]  # (policy, state, arm, t)


@kernel
def argmax(index: Index, policy: Any, state: Any, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index(policy, state, arm, t).

    Among arms at +∞ the one with the fewest pulls comes first, which makes the initial pulls a
    round-robin. Other ties go to the lowest arm, or, if the policy says `random_ties`, to each of
    the tied arms with the same probability.
    """
    return argmax_of_two(index, all_alike, policy, state, t, rng)


@kernel
def argmax_of_two(
    index: Index, second: Index, policy: Any, state: Any, t: int, rng: np.random.Generator
) -> int:
    """Return the arm with the largest index; among equal finite ones, by a second index first."""
    best, best_value, tied = 0, -math.inf, 0
    for arm in range(len(state.pulls)):
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
