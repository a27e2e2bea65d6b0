"""ExpExp: explore for a fixed time, then commit for good.

A. Sani, A. Lazaric, R. Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, pp. 3275–3283.

Pull every arm ⌈(n/14)^(2/3)⌉ times, round-robin; then, to the end of the horizon n, the arm whose
empirical mean–variance σ̂²_j − ρ X̄_j was smallest (ρ = 0 asks for the steadiest arm, large ρ for the
best mean). What comes later is counted and not learned.

Moving between arms is itself a variance, and a policy that moves only at the beginning has little
of it: for rewards in [0, 1] the regret per round, in the mean–variance of the whole sequence of
rewards, is of order K n^(−1/3) up to logarithms, whatever the gaps, where `MVLCB` has no such
bound. It needs the horizon and no span; ρ is in the unit of the rewards. Each round costs O(K).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.argmax import commit, explore_or_stay, reopen
from .._kernels.compiler import kernel
from .._kernels.moments import Moments, biased_variance, learn_moments, no_moments
from ..checks import LARGEST_REWARD
from ..objectives import MeanVariance
from ..parameters import derived, parameter
from .base import Functions, Policy


class ExpExp(Policy):
    """Find the best ρ μ − σ² in (n/14)^(2/3) pulls of each arm, then stay with it.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.ExpExp(horizon=4)
    >>> uh.play(policy, [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "ExpExp"
    compared = {"ExpExp (n)": {}}

    horizon: int = parameter("The number n of rounds to be played.", least=1, kw_only=False)
    rho: float = parameter(
        "What a unit of mean is worth in units of variance: ρ, in the unit of the rewards.",
        default=1.0, least=0, most=LARGEST_REWARD,
    )  # fmt: skip

    @property
    def objective(self) -> MeanVariance:
        return MeanVariance(self.rho)

    @derived
    def initial_pulls(self) -> int:
        """Pulls of each arm, round-robin, before one is committed to: ⌈(n/14)^(2/3)⌉."""
        return exploration(self.horizon)


def exploration(horizon: int) -> int:
    """Return ⌈(n/14)^(2/3)⌉ in whole numbers: the smallest e with 14² e³ ≥ n²."""
    e = max(1, round(math.pow(horizon / 14, 2 / 3)) - 1)
    while 14**2 * e**3 < horizon**2:
        e += 1
    return e


class State(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) T_j
    explored: Moments  # of the exploration alone
    chosen: NDArray[np.bool_]  # (K,) whether the arm is the one committed to


def start(policy: ExpExp, arms: int, capacity: int) -> State:
    return State(np.zeros(arms, np.int64), no_moments(arms), np.zeros(arms, np.bool_))


@kernel
def index(policy: ExpExp, state: State, arm: int, t: int) -> float:
    """Return ρ X̄_j − σ̂²_j of the exploration, or +∞ for an arm still to be explored."""
    if int(state.pulls[arm]) < policy.initial_pulls or int(state.explored.seen[arm]) == 0:
        return math.inf
    return policy.rho * float(state.explored.mean[arm]) - biased_variance(state.explored, arm)


@kernel
def update(policy: ExpExp, state: State, arm: int, reward: float) -> None:
    """Learn a reward of the exploration; commit to a best arm at its first later one."""
    if int(state.pulls[arm]) < policy.initial_pulls:
        learn_moments(state.explored, arm, reward)
        reopen(state)
    else:
        commit(index, policy, state, arm)
    state.pulls[arm] += 1


ExpExp.functions = Functions(start, index, update, select=explore_or_stay)
