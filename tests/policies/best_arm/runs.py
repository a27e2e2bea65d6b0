"""Runs of a policy that looks for the best arm, on a table of the test's own."""

from typing import Any

import numpy as np

from upperhand.policies import Policy
from upperhand.simulation.player import Runner, arms_of
from upperhand.simulation.rewards import GivenRewards

from ...reference.best_arm_policies import Search


def search(
    policy: Policy,
    table: np.ndarray,
    cap: int,
    *,
    seed: int = 0,
    compiled: bool = False,
    stepwise: bool = False,
) -> tuple[Search, Any]:
    """Return what the policy did, and its state; the arm of each round only if `stepwise`."""
    f, parameters = policy.functions, policy.parameters
    state, arms = f.start(parameters, len(table), 0), np.full(cap if stepwise else 0, -1)
    source = GivenRewards(np.asarray(table, np.float64))
    runner = Runner(policy, state, source, arms_of(arms), interpreted=not compiled)
    ended = runner.play(np.random.default_rng(seed), cap)
    played = [arm for arm in arms.tolist() if arm >= 0]
    return Search(played, ended.stopped, f.recommend(parameters, ended.state)), ended.state
