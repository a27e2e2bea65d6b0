"""A policy of your own: the same functions run compiled in simulation and as they are in live use.

Explore-then-commit to the arm with the best maximum seen: pull each arm `explore` times, then stay
with the arm whose best reward was the largest.
"""

import math
from typing import NamedTuple

import numpy as np

import upperhand as uh
from upperhand.kernels import Kernels, argmax, kernel


class _Parameters(NamedTuple):
    explore: int
    random_ties: bool


class BestMaximum(uh.Policy, _Parameters):
    """Commit to the arm with the best maximum."""

    __slots__ = ()
    name = "Best-Maximum"

    def __new__(cls, explore=100, *, random_ties=False):
        return super().__new__(cls, explore, random_ties)

    @property
    def initial_pulls(self):
        return self.explore


class State(NamedTuple):
    pulls: np.ndarray  # (K,)
    best: np.ndarray  # (K,) largest reward of each arm while exploring


def init(policy, arms, room):
    return State(np.zeros(arms, np.int64), np.full(arms, -np.inf))


@kernel
def index(policy, state, arm, t):
    return math.inf if state.pulls[arm] < policy.explore else state.best[arm]


@kernel
def select(policy, state, t, rng):
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy, state, arm, reward):
    if state.pulls[arm] < policy.explore:
        state.best[arm] = max(state.best[arm], reward)
    state.pulls[arm] += 1


BestMaximum.kernels = Kernels(init, index, select, update)

if __name__ == "__main__":
    arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
    runs = uh.simulate(arms, [BestMaximum(), uh.ACPUCB1()], 10_000, 40, seed=0)
    for name, curve in runs.regret(uh.UpperTail(0.1)).items():
        print(f"{name:13} ACP regret {curve.final.mean():6.1f} ± {curve.se:.1f}")
