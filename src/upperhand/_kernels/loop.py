"""The loops over rounds: to a horizon, and until a policy says that it has found out.

And the loop over what was seen already, in which nothing is chosen.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compile import kernel
from .steps import anything, judge

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


def make_learning(
    update: Callable[..., None],
    full: Callable[..., bool],
    forget: Callable[..., None] | None,
    interval: Callable[..., tuple[float, float]] | None,
) -> Loop:
    """Return the loop that learns and forgets rewards in order, ready to be compiled or to run.

    Without an interval nothing is judged. Without `forget` the loop stops where it should forget.
    """
    forgets = forget is not None
    take_back, expect = forget or _keep, interval or anything

    def learn(
        policy: Any,
        state: Any,  # modified
        arms: NDArray[np.int64],  # (n,) whose reward
        values: NDArray[np.float64],  # (n,) the reward
        signs: NDArray[np.int8],  # (n,) 1: learn it, −1: forget it
        first: int,
        judged: NDArray[np.int64],  # (K,) modified: rewards that met an interval
        covered: NDArray[np.int64],  # (K,) modified: those that it covered
    ) -> int:
        """Go on from `first` to the end, or to a full state; return how many are done in all.

        A reward is judged by the interval as it was before it, unless that was the whole line. If
        the i-th should be forgotten and cannot be, −1 − i is returned.
        """
        for i in range(first, len(values)):
            arm, value = int(arms[i]), float(values[i])
            if signs[i] < 0:
                if not forgets:
                    return -1 - i
                take_back(policy, state, arm, value)
                continue
            judge(expect, policy, state, arm, value, judged, covered)
            update(policy, state, arm, value)
            if full(policy, state, arm):
                return i + 1
        return len(values)

    return learn


@kernel
def _keep(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Stand where a policy has no `forget`."""
