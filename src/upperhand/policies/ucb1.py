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

from .._kernels.compiler import kernel
from .._kernels.moments import Means, forget_mean, start_means, update_mean
from ..objectives import Mean
from .base import Functions, Policy


class UCB1(Policy):
    """Chase the best mean, with the bonus √(2 ln t / T).

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.UCB1(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "UCB1"
    compared = {"UCB1": {}}
    objective = Mean()
    index_trend = "rises"


@kernel
def index(policy: UCB1, state: Means, arm: int, t: int) -> float:
    """Return X̄_j + √(2 ln t / T_j(t−1)), or +∞ for an arm not yet pulled."""
    pulls = int(state.pulls[arm])
    if int(state.seen[arm]) == 0:
        return math.inf
    return float(state.mean[arm]) + math.sqrt(2.0 * math.log(t) / pulls)


@kernel
def same_index(policy: UCB1, state: Means, one: int, other: int) -> bool:
    return bool(state.mean[one] == state.mean[other] and state.pulls[one] == state.pulls[other])


UCB1.functions = Functions(
    start_means, index, update_mean, forget=forget_mean, same_index=same_index
)
