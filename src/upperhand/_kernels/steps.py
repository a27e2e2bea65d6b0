"""One round of live use at a time, compiled: an ask, and a tell.

Both find all they need by one address (`addresses.py`), in the record that `live_record` makes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .addresses import Record, record_at
from .compile import kernel

Counts = NDArray[np.int64]
TOLD, UNDER_WAY, LOOK = range(3)  # places in `clock`: rewards, asks, the reward to stop at
ELSEWHERE = -1  # what an ask answers if it is not one for compiled code


def live_record(parameters: Any, state: Any, counts: tuple[Counts, ...], rng: Any) -> Record:
    """Return what an ask and a tell work on; all but the parameters is modified.

    The counts are `pending`, `judged` and `covered`, of each arm, and `clock`.
    """
    asked = state._replace(pulls=np.zeros_like(state.pulls))  # W, filled in by each ask
    return Record((parameters, state, asked, *counts, rng))


def make_ask(
    index: Callable[..., float], select: Callable[..., int], layout: str
) -> Callable[[int], int]:
    """Return the ask for one policy's functions, ready to be compiled or to run as it is."""

    def ask(address: int) -> int:
        """Return the arm to use next, with asks under way counted as pulls, and count it.

        If one is of an arm without rewards, that arm may have to wait: this is decided elsewhere.
        """
        policy, state, asked, pending, _, _, clock, rng = record_at(address, layout)
        for arm in range(len(pending)):
            if pending[arm] > 0 and state.pulls[arm] == 0:
                return ELSEWHERE
            asked.pulls[arm] = state.pulls[arm] + pending[arm]
        chosen = select(index, policy, asked, clock[TOLD] + clock[UNDER_WAY] + 1, rng)
        pending[chosen] += 1
        clock[UNDER_WAY] += 1
        return chosen

    return ask


def make_tell(
    update: Callable[..., None],
    full: Callable[..., bool],
    interval: Callable[..., tuple[float, float]] | None,
    layout: str,
) -> Callable[[int, int, float], bool]:
    """Return the tell for one policy's functions, ready to be compiled or to run as it is."""
    expect = interval or anything

    def tell(address: int, arm: int, value: float) -> bool:
        """Learn a reward, that of an ask if one is under way; tell whether to stop and look.

        That is if the state is full, or if there are as many rewards as one wanted to look at.
        """
        policy, state, _, pending, judged, covered, clock, _ = record_at(address, layout)
        judge(expect, policy, state, arm, value, judged, covered)
        update(policy, state, arm, value)
        if pending[arm] > 0:
            pending[arm] -= 1
            clock[UNDER_WAY] -= 1
        clock[TOLD] += 1
        return full(policy, state, arm) or clock[TOLD] >= clock[LOOK]

    return tell


@kernel
def judge(
    expect: Callable[..., tuple[float, float]],
    policy: Any,
    state: Any,
    arm: int,
    value: float,
    judged: Counts,
    covered: Counts,
) -> None:
    """Count whether an interval covers a reward that is not learned yet, if it is not the line."""
    lower, upper = expect(policy, state, arm)
    if lower > -np.inf or upper < np.inf:
        judged[arm] += 1
        covered[arm] += 1 if lower <= value <= upper else 0


@kernel
def anything(policy: Any, state: Any, arm: int) -> tuple[float, float]:
    """Stand where a policy has no interval."""
    return -np.inf, np.inf
