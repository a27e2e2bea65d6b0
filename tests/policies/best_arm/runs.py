"""Runs of a policy that looks for the best arm, on a table of the test's own."""

from typing import Any

import numpy as np

from upperhand._kernels.compile import compile_closure
from upperhand._kernels.loop import make_search
from upperhand.policies import Policy

from ...naive.best_arm_policies import Search


def search(
    policy: Policy,
    table: np.ndarray,
    cap: int,
    *,
    seed: int = 0,
    compiled: bool = True,
    stepwise: bool = False,
) -> tuple[Search, Any]:
    """Return what the policy did, and its state; the arm of each round only if `stepwise`."""
    f, parameters = policy.functions, policy.parameters
    functions = (f.index, f.select, f.update, f.full, f.stop)
    loop = (
        compile_closure(make_search, *functions, user=type(policy))
        if compiled
        else make_search(*functions)
    )
    rng, drawn = np.random.default_rng(seed), np.full(len(table), table.shape[1])
    state = f.start(parameters, len(table), 0)
    arms, t, stopped = [], 0, False
    while t < cap and not stopped:
        if any(f.full(parameters, state, arm) for arm in range(len(table))):
            state = f.grow(state)
        assert state.pulls.max() < table.shape[1], "The table has too few rewards."
        before = state.pulls.copy()
        t, stopped = loop(parameters, state, table, drawn, rng, t, t + 1 if stepwise else cap)
        if stepwise:
            arms.append(int(np.flatnonzero(state.pulls - before)[0]))
    return Search(arms, bool(stopped), f.recommend(parameters, state)), state
