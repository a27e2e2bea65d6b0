"""The one place where an arm is picked from indices, and ties are broken."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .compile import kernel


@kernel
def argmax(
    index: Callable[..., float], policy: Any, state: Any, t: int, rng: np.random.Generator
) -> int:
    """Return the arm with the largest index(policy, state, arm, t).

    Among arms at +∞ the one with the fewest pulls comes first, which makes the initial pulls a
    round-robin. Other ties go to the lowest arm, or, if the policy says `random_ties`, to each of
    the tied arms with the same probability.
    """
    best, best_value, tied = 0, -math.inf, 0
    for arm in range(len(state.pulls)):
        value = index(policy, state, arm, t)
        if value > best_value or tied == 0:
            best, best_value, tied = arm, value, 1
        elif value == best_value:
            fewer = state.pulls[best] - state.pulls[arm] if value == math.inf else 0
            if fewer > 0:
                best, tied = arm, 1
            elif fewer == 0 and policy.random_ties:
                tied += 1
                if rng.random() * tied < 1.0:
                    best = arm
    return best
