"""MV-LCB: the best trade of mean against variance.

A. Sani, A. Lazaric, R. Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, pp. 3275–3283.

An arm is bad by its mean–variance σ_j² − ρ μ_j: ρ = 0 asks for the steadiest arm, large ρ for the
best mean. The paper plays the smallest lower confidence bound; here, with the sign turned, the
largest of

    ρ X̄_j − σ̂²_j + (5 span² + ρ span) √(ln(1/δ) / (2 T_j(t−1))),    δ = 1 / n²,

with σ̂²_j = Σ (Y − X̄_j)² / T_j, after one pull of every arm. The paper has rewards in [0, 1], so
span = 1; variances scale with the square of the span and means with the span.

The guarantee is for the mean–variance of the whole sequence of rewards, in which moving between
arms is itself a variance: a regret per round of order ln² n / n where the gaps are fixed, which
does not vanish in the worst case. It needs the horizon n and the span. An arm with a heavy upper
tail is avoided by design. Each round costs O(K).
"""

import math

from .._kernels.compiler import kernel
from .._kernels.moments import Moments, biased_variance, same_moments, start_moments, update_moments
from ..checks import LARGEST_REWARD
from ..objectives import MeanVariance
from ..parameters import parameter
from .base import Functions, Policy


class MVLCB(Policy):
    """Chase the best ρ μ − σ², with a bonus for the horizon.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.MVLCB(horizon=4, span=0.1)
    >>> uh.play(policy, [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "MV-LCB"
    compared = {"MV-LCB (n, span 1)": {"span": 1.0}}
    index_trend = "rises"  # it stays

    horizon: int = parameter("The number n of rounds to be played.", least=1, kw_only=False)
    span: float = parameter(
        "Length of the interval in which the rewards lie: 1 for rewards in [0, 1].",
        above=0, most=LARGEST_REWARD, kw_only=False,
    )  # fmt: skip
    rho: float = parameter(
        "What a unit of mean is worth in units of variance: ρ, in the unit of the rewards.",
        default=1.0, least=0, most=LARGEST_REWARD,
    )  # fmt: skip

    @property
    def objective(self) -> MeanVariance:
        return MeanVariance(self.rho)


@kernel
def index(policy: MVLCB, state: Moments, arm: int, t: int) -> float:
    """Return ρX̄_j − σ̂²_j + (5 span² + ρ span) √(ln(1/δ) / (2T_j)), +∞ if not yet pulled."""
    pulls = int(state.pulls[arm])
    if int(state.seen[arm]) == 0:
        return math.inf
    badness = biased_variance(state, arm) - policy.rho * float(state.mean[arm])
    width = 5.0 * policy.span * policy.span + policy.rho * policy.span
    return width * math.sqrt(math.log(policy.horizon) / pulls) - badness  # ln(1/δ) = 2 ln n


MVLCB.functions = Functions(start_moments, index, update_moments, same_index=same_moments)
