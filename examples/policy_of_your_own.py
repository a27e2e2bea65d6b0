"""A policy of your own: the same functions run compiled in simulation and as they are in live use.

Explore-then-commit to the arm with the best maximum seen: pull each arm `explore` times, then stay
with the arm whose best reward was the largest.
"""

import math
from typing import NamedTuple

import numpy as np

import upperhand as uh
from upperhand.policies import Functions, kernel, parameter


class BestMaximum(uh.Policy):
    """Commit to the arm with the best maximum."""

    name = "Best-Maximum"

    explore: int = parameter("Pulls of each arm before one is chosen.", default=100, least=1)

    @property
    def initial_pulls(self):
        return self.explore


class State(NamedTuple):
    pulls: np.ndarray  # (K,)
    best: np.ndarray  # (K,) largest reward of each arm while exploring


def start(policy, arms, room):
    return State(np.zeros(arms, np.int64), np.full(arms, -np.inf))


@kernel
def index(policy, state, arm, t):
    return math.inf if state.pulls[arm] < policy.explore else state.best[arm]


@kernel
def update(policy, state, arm, reward):
    if state.pulls[arm] < policy.explore:
        state.best[arm] = max(state.best[arm], reward)
    state.pulls[arm] += 1


BestMaximum.functions = Functions(start, index, update)

if __name__ == "__main__":
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
    runs = uh.simulate(arms, [BestMaximum(), uh.ACPUCB1()], 10_000, 40, seed=0)
    for name, curve in runs.regret(uh.UpperTail(0.1)).items():
        print(f"{name:13} ACP regret {curve.final.mean():6.1f} ± {curve.se:.1f}")
