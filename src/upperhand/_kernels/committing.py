"""Explore, then commit: what policies share that explore for a fixed time and stay with one arm.

Their parameters have `explore`, the pulls of each arm before one is committed to, and their state
has `chosen`, which tells for each arm whether it is that one.
"""

from typing import Any

import numpy as np

from .argmax import Index, argmax
from .compile import kernel

UNDECIDED = -1


@kernel
def explore_or_stay(index: Index, policy: Any, state: Any, t: int, rng: np.random.Generator) -> int:
    """Return the arm to explore, or the one that was committed to when all were explored."""
    chosen = UNDECIDED
    for arm in range(len(state.pulls)):
        if int(state.pulls[arm]) < policy.explore:  # also one that came later
            return argmax(index, policy, state, t, rng)
        if state.chosen[arm]:
            chosen = arm
    return chosen if chosen != UNDECIDED else argmax(index, policy, state, t, rng)


@kernel
def reopen(state: Any) -> None:
    """Take back the commitment: a reward of the exploration is of an arm that came later."""
    for arm in range(len(state.pulls)):
        state.chosen[arm] = False


@kernel
def commit(index: Index, policy: Any, state: Any, arm: int) -> None:
    """Commit to the arm at its first reward after the exploration, if it is a best one.

    Not `select` commits, which may be asked while rewards are still to come, but the reward of what
    it chose.
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
