"""One policy that looks for the best arm, on one replication's rewards, until it stops."""

from concurrent.futures import CancelledError
from threading import Event
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._kernels.compile import compile_closure
from .._kernels.loop import make_search
from ..policies import Policy
from .seeds import lent
from .trajectory import SCORES_PER_SLICE

ROOM = 1024  # rewards that a state has room for to begin with; it grows, as runs may be short


class Source(Protocol):
    """Where rewards come from: `Rewards`, or a table of a test's own."""

    table: NDArray[np.float64]  # (K, n)  table[j, s − 1] = Y_{j,s}
    drawn: NDArray[np.int64]  # (K,) how many of each arm there are

    def draw(self, arm: int) -> None:
        """Draw more of an arm's rewards."""


class Search(NamedTuple):
    """How a run ended."""

    samples: int  # pulls in all
    decided: bool  # False: the cap came first, and the arms are the best guess
    recommended: list[int]
    pulls: NDArray[np.int64]  # (K,)


def search(
    policy: Policy,
    parameters: Any,
    rewards: Source,  # modified: more are drawn
    rng: np.random.Generator,
    cap: int,
    *,
    interpreted: bool = False,
    stop: Event | None = None,
) -> Search:
    """Play until the policy stops, or to the cap.

    The loop is left after each slice of rounds, so that Python hears Ctrl-C, and another thread
    can set `stop`: then `CancelledError` is raised. It is also left where a state must grow, or
    rewards must be drawn. None of this changes anything else.
    """
    f = policy.functions
    if f.stop is None or f.recommend is None:
        raise TypeError(f"{policy.name} has no stop, or no recommend.")
    functions = (f.index, f.select, f.update, f.full, f.stop)
    if interpreted:
        loop = make_search(*functions)
    else:
        loop = compile_closure(make_search, *functions, user=type(policy), parts=policy.parts)
    arms = len(rewards.drawn)
    state = f.start(parameters, arms, min(cap, ROOM))
    played, decided, slice_ = 0, False, max(1, SCORES_PER_SLICE // arms)
    with lent(rng) as own:
        while played < cap and not decided:
            if stop is not None and stop.is_set():
                raise CancelledError
            for arm in np.flatnonzero(state.pulls == rewards.drawn):
                rewards.draw(int(arm))
            if any(f.full(parameters, state, arm) for arm in range(arms)):
                state = f.grow(state)
            last = min(cap, played + slice_)
            played, decided = loop(
                parameters, state, rewards.table, rewards.drawn, own, played, last
            )  # fmt: skip
    recommended = [int(arm) for arm in f.recommend(parameters, state)]
    return Search(int(played), bool(decided), recommended, state.pulls)
