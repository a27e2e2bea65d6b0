"""Uniform sampling: every arm equally often, then the best empirical quantiles.

The baseline of every policy with a fixed budget: what adapting to the rewards must beat (S. Bubeck,
R. Munos, G. Stoltz, "Pure exploration in multi-armed bandits problems", ALT 2009). Round-robin over
the arms until the budget n is used up, so that pull counts differ by one at most; the answer is

    the m arms with the largest  Q̂_j(τ),  the order statistic of rank ⌈τ T_j⌉,

the lowest arm first where these tie. The first n mod K arms have one pull more; with random_ties
the arms are drawn. For continuous distributions the chance of a wrong answer falls exponentially in
n/K, as an order statistic is on the wrong side of a number between two quantiles with such a
chance. Its rate is at best that of the pair of arms that is hardest to tell apart, whatever the
others are. A round costs O(K + log T_j).
"""

from ..._kernels.compiler import kernel
from ..._kernels.samples import OrderState, learn_reward, quantile_of, samples_full, start_samples
from ..base import Functions
from ..baselines import in_turn
from .base import FixedBudget


class UniformSampling(FixedBudget):
    """Sample all arms equally often, then name those with the best empirical τ-quantiles.

    Examples
    --------
    >>> import upperhand as uh
    >>> arms = [uh.Normal(0, 1), uh.Normal(1, 1), uh.Normal(0, 1)]
    >>> found = uh.identify(arms, uh.UniformSampling(0.5, budget=90), replications=5, seed=0)
    >>> found.answers["Uniform sampling"].pulls[0].tolist()
    [30, 30, 30]
    """

    name = "Uniform sampling"


@kernel
def stop(policy: UniformSampling, state: OrderState, t: int) -> bool:
    return t >= policy.budget


def recommend(policy: UniformSampling, state: OrderState) -> list[int]:
    """Return the m arms with the largest Q̂_j(τ); an arm without rewards comes last."""
    arms = range(len(state.pulls))
    ranked = sorted(arms, key=lambda arm: -quantile_of(policy.tau, state, arm, 0))
    return ranked[: policy.top]  # of equal ones the lowest, as sorting is stable


UniformSampling.functions = Functions(
    start_samples, in_turn, learn_reward, full=samples_full, stop=stop, recommend=recommend
)
