"""What policies share that drop arms one by one: the arms that are left, and how they are pulled.

Their state has `samples`, `pulls` and, besides, `active` (K,): the arms that are left; `due` (1,):
how many pulls are missing until they are judged; `found` (1,): the answer, or NONE.
"""

import math
from collections.abc import Iterable
from typing import Any

from ..._kernels.compile import kernel
from ..._kernels.ranks import rank
from ..._kernels.sorted_samples import value_at

NONE = -1


@kernel
def fewest_pulls(policy: Any, state: Any, arm: int, t: int) -> float:
    """Return an index that pulls the active arms in turn, each as often as the others."""
    return -float(state.pulls[arm]) if state.active[arm] else -math.inf


@kernel
def found(policy: Any, state: Any, t: int) -> bool:
    """Tell whether there is an answer."""
    return int(state.found[0]) != NONE


@kernel
def active_arms(state: Any) -> int:
    """Return how many arms are left."""
    count = 0
    for arm in range(len(state.active)):
        count += 1 if state.active[arm] else 0
    return count


@kernel
def end_with_the_last(state: Any) -> None:
    """Make the last active arm, if only one is left, the answer."""
    if active_arms(state) == 1:
        for arm in range(len(state.active)):
            if state.active[arm]:
                state.found[0] = arm


def recommend(policy: Any, state: Any) -> list[int]:
    """Return the arm found; before that, the active arm with the largest empirical quantile."""
    answer = int(state.found[0])
    return [answer if answer != NONE else best_so_far(policy.tau, state, state.active)]


def best_so_far(tau: float, state: Any, active: Iterable[bool]) -> int:
    """Return the lowest of the active arms with the largest Q̂_j(τ); arms without a reward lose."""
    values = [
        value_at(state.samples, arm, 0, rank(tau, int(pulls))) if alive and pulls else -math.inf
        for arm, (alive, pulls) in enumerate(zip(active, state.pulls, strict=True))
    ]
    return values.index(max(values))
