"""One policy that looks for the best arm, on one replication's rewards, until it stops."""

from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..policies import Policy
from .recording import NOTHING, arms_of
from .rounds import Runner, Source

ROOM = 1024  # rewards that a state has room for to begin with; it grows, as runs may be short


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
    negated: bool = False,
    interpreted: bool = False,
    stop: Event | None = None,
) -> Search:
    """Play until the policy stops, or to the cap; what happens meanwhile, `Runner` says."""
    f = policy.functions
    if f.stop is None or f.recommend is None:
        raise TypeError(f"{policy.name} has no stop, or no recommend.")
    state = f.start(parameters, len(rewards.stock.drawn), min(cap, ROOM))
    runner = Runner(
        policy, state, rewards, arms_of(NOTHING),
        parameters=parameters, negated=negated, interpreted=interpreted,
    )  # fmt: skip
    ended = runner.play(rng, cap, stop)
    recommended = [int(arm) for arm in f.recommend(parameters, ended.state)]
    return Search(ended.rounds, ended.stopped, recommended, ended.state.pulls)
