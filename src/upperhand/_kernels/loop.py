"""The one loop over rounds: every policy, simulated or tested, is played by it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Loop = Callable[..., int]


def make_loop(
    index: Callable[..., float],
    select: Callable[..., int],
    update: Callable[..., None],
    full: Callable[..., bool],
) -> Loop:
    """Return the loop for one policy's functions, ready to be compiled or to run as it is."""

    def loop(
        policy: Any,
        state: Any,  # modified
        table: NDArray[np.float64],  # (K, n)  table[j, s − 1] = Y_{j,s}
        rng: np.random.Generator,
        played: int,
        arms: NDArray[np.int64],  # (n,)  modified: the arm of each round
    ) -> int:
        """Play on from `played` rounds to the last, or to a full state; return the round."""
        for t in range(played + 1, len(arms) + 1):
            arm = select(index, policy, state, t, rng)
            update(policy, state, arm, float(table[arm, state.pulls[arm]]))
            arms[t - 1] = arm
            if full(policy, state, arm):
                return t
        return len(arms)

    return loop
