"""UCB1, the paper's mean-based benchmark.

P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed bandit problem",
Machine Learning 47:235–256, 2002; with the current round in the logarithm, as in the appendix of
C. Du, M. Xu, "Conformal-Style Quantile Analyses for Stochastic Bandits", arXiv:2605.07115.

Pull every arm once, then the arm with the largest

    X̄_j + √(2 ln t / T_j(t−1)).

For rewards in [0, 1] the mean regret is at most 8 Σ ln n / Δ_j + (1 + π²/3) Σ Δ_j. The bonus has
no scale: where rewards spread over less than that range it explores far too much, and where they
spread over more it explores too little. Each round costs O(K).
"""

import math
from typing import NamedTuple, Self

import numpy as np

from .. import checks
from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from .._kernels.running import Means, learn_mean, no_means
from .contract import Kernels, Policy


class _Parameters(NamedTuple):
    random_ties: bool


class UCB1(Policy, _Parameters):
    """Chase the best mean, with the bonus √(2 ln t / T).

    Parameters
    ----------
    random_ties
        Break ties at random instead of by the lowest arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.UCB1(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    __slots__ = ()
    name = "UCB1"

    def __new__(cls, *, random_ties: bool = False) -> Self:  # noqa: D102
        return super().__new__(cls, checks.flag("random_ties", random_ties))


def init(policy: UCB1, arms: int, room: int) -> Means:
    """Return the state before the first round."""
    return no_means(arms)


@kernel
def index(policy: UCB1, state: Means, arm: int, t: int) -> float:
    """Return X̄_j + √(2 ln t / T_j(t−1)), or +∞ for an arm not yet pulled."""
    pulls = int(state.pulls[arm])
    if pulls == 0:
        return math.inf
    return float(state.mean[arm]) + math.sqrt(2.0 * math.log(t) / pulls)


@kernel
def select(policy: UCB1, state: Means, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index."""
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy: UCB1, state: Means, arm: int, reward: float) -> None:
    """Learn a reward."""
    learn_mean(state, arm, reward)


UCB1.kernels = Kernels(init, index, select, update)
