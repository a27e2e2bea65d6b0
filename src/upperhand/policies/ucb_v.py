"""UCB-V: UCB with the variance that was seen.

J.-Y. Audibert, R. Munos, C. Szepesvári, "Exploration–exploitation tradeoff using variance estimates
in multi-armed bandits", Theoretical Computer Science 410:1876–1902, 2009.

UCB1 explores as if every arm spread over the whole range. Here the empirical variance takes the
range's place in the leading term, and the range is left in a term that falls like 1 / T_j. Pull
every arm once, then the arm with the largest

    X̄_j + √(2 σ̂²_j E / T_j(t−1)) + 3 c span E / T_j(t−1),    E = ζ ln t,

with σ̂²_j = Σ (Y − X̄_j)² / T_j. For rewards in an interval of length `span`, ζ = 1.2 and c = 1 the
mean regret is at most 10 Σ (σ_j²/Δ_j + 2 span) ln n. Rewards without bounds have no span: one that
is much too small may stop the search early, one that is too large only makes it longer, and there
is no guarantee. Each round costs O(K).
"""

import math

from .._kernels.compiler import kernel
from .._kernels.moments import Moments, biased_variance, same_moments, start_moments, update_moments
from ..objectives import Mean
from ..parameters import parameter
from .base import Functions, Policy


class UCBV(Policy):
    """Chase the best mean, with a bonus that follows each arm's own variance.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.UCBV(span=1), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 0]
    """

    name = "UCB-V"
    compared = {"UCB-V (span 1)": {"span": 1.0}}
    objective = Mean()
    index_trend = "rises"

    span: float = parameter(
        "Length of the interval in which the rewards lie: 1 for rewards in [0, 1].",
        above=0, kw_only=False,
    )  # fmt: skip
    zeta: float = parameter(
        "Exploration coefficient ζ: 1.2 in the theorem, 1 is common in practice.",
        default=1.2, above=0,
    )  # fmt: skip
    c: float = parameter(
        "Weight of the term with the range: 1 in the theorem.", default=1.0, least=0
    )


@kernel
def index(policy: UCBV, state: Moments, arm: int, t: int) -> float:
    """Return X̄_j + √(2 σ̂²_j E / T_j) + 3 c span E / T_j, or +∞ for an arm not yet pulled."""
    pulls = int(state.pulls[arm])
    if int(state.seen[arm]) == 0:
        return math.inf
    exploration = policy.zeta * math.log(t)
    by_variance = math.sqrt(2.0 * biased_variance(state, arm) * exploration / pulls)
    by_range = 3.0 * policy.c * policy.span * exploration / pulls
    return float(state.mean[arm]) + by_variance + by_range


UCBV.functions = Functions(start_moments, index, update_moments, same_index=same_moments)
