"""UCB1-NORMAL: UCB1 for Gaussian arms whose variances nobody knows.

P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed bandit problem",
Machine Learning 47:235–256, 2002, Figure 4 and Theorem 4.

While some arm has fewer than 8 ln t pulls, pull the one that has fewest: the variances must be
known well enough. Otherwise pull the arm with the largest

    X̄_j + √(16 S²_j ln(t−1) / T_j(t−1)),    S²_j = Σ (Y − X̄_j)² / (T_j − 1).

For Gaussian arms the mean regret is at most 256 ln n Σ σ_j²/Δ_j + (1 + π²/2 + 8 ln n) Σ Δ_j. The
proof rests on two bounds on the tails of Student's t and χ² distributions that its authors only
checked numerically. Nothing has to be known or tuned: rewards in another unit, or moved by a
constant, make the same choices; but the constants are large. It is the mean-based benchmark in the
theory of Du and Xu (arXiv:2605.07115), whose figures have `UCB1` in its place. Each round costs
O(K).
"""

import math

from .._kernels.compiler import kernel
from .._kernels.moments import (
    Moments,
    same_moments,
    start_moments,
    unbiased_variance,
    update_moments,
)
from ..objectives import Mean
from .base import Functions, Policy


class UCB1Normal(Policy):
    """Chase the best mean, with the bonus √(16 S² ln(t−1) / T) and at least 8 ln t pulls of each.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.UCB1Normal(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 0, 1]
    """

    name = "UCB1-NORMAL"
    compared = {"UCB1-NORMAL": {}}
    objective = Mean()
    index_trend = "rises"
    initial_pulls = 2  # a variance takes two; then 8 ln t pulls are due


@kernel
def index(policy: UCB1Normal, state: Moments, arm: int, t: int) -> float:
    """Return X̄_j + √(16 S²_j ln(t−1) / T_j(t−1)), or +∞ for an arm with fewer than 8 ln t pulls."""
    pulls = int(state.pulls[arm])
    if pulls < max(2.0, 8.0 * math.log(t)) or int(state.seen[arm]) < 2:
        return math.inf
    exploration = math.log(max(t - 1, 1))
    bonus = math.sqrt(16.0 * unbiased_variance(state, arm) * exploration / pulls)
    return float(state.mean[arm]) + bonus


UCB1Normal.functions = Functions(start_moments, index, update_moments, same_index=same_moments)
