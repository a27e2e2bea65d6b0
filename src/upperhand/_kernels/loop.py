"""The loops over rounds: one to a horizon, and one until a policy says that it has found out."""

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


def make_search(
    index: Callable[..., float],
    select: Callable[..., int],
    update: Callable[..., None],
    full: Callable[..., bool],
    stop: Callable[..., bool],
) -> Callable[..., tuple[int, bool]]:
    """Return the loop of a policy that looks for the best arm."""

    def search(
        policy: Any,
        state: Any,  # modified
        table: NDArray[np.float64],  # (K, n)  table[j, s − 1] = Y_{j,s}
        drawn: NDArray[np.int64],  # (K,) how many rewards of each arm the table has so far
        rng: np.random.Generator,
        played: int,
        last: int,
    ) -> tuple[int, bool]:
        """Play on to round `last`, or until the policy stops; return the round, and if it did.

        The loop is left early where the state is full, or where an arm's rewards run out.
        """
        for t in range(played + 1, last + 1):
            arm = select(index, policy, state, t, rng)
            update(policy, state, arm, float(table[arm, state.pulls[arm]]))
            if stop(policy, state, t):
                return t, True
            if full(policy, state, arm) or int(state.pulls[arm]) == int(drawn[arm]):
                return t, False
        return last, False

    return search
