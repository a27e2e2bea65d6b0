"""QLUCB: pull the leader and its best rival until their confidence intervals part.

S. R. Howard, A. Ramdas, "Sequential estimation of quantiles with applications to A/B testing and
best-arm identification", Bernoulli 28(3):1704–1728, 2022. Each arm has a lower confidence bound L_j
for its (τ+ε)-quantile and an upper one, U_j, for its τ-quantile, each valid at all times at once
except with probability δ/K. After one pull of each arm,

    h = argmax_j L_j,    ℓ = argmax_{j≠h} U_j,    and h is the answer once L_h ≥ U_ℓ;

until then ℓ and h are pulled in turn, ℓ first, both recomputed before each pull. As in the authors'
program (gostevehoward/quantilecs), the first pulls go from the last arm to the first, equal bounds
favour the lowest arm, and the rule is looked at after every pull. While all lower bounds are −∞ the
first arm thus leads, so that sample sizes depend on the order of the arms.

The answer is wrong with probability at most δ, for any distributions: a wrong h has L_h above its
own (τ+ε)-quantile, or a best arm has U_j below its τ-quantile, and there is one such bound an arm.
`radius` says which confidence sequence of `calibrators/quantile_sequence.py` gives the bounds: the
beta-binomial one is the tightest, then the stitched one, then DKW's. A round costs O(K + log N_j).
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.argmax import Index
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, samples_full
from ..._kernels.sorted_samples import SortedSamples, value_at
from ...calibrators import quantile_sequence as bounds
from ...parameters import derived, parameter
from ..base import Functions
from .base import FixedConfidence

LOWER, UPPER = 0, 1  # the cursors
BETA_BINOMIAL, STITCHED, DKW = 0, 1, 2


class QLUCB(FixedConfidence):
    """Find the best τ-quantile by pulling the leader and its best rival.

    Examples
    --------
    >>> import upperhand as uh
    >>> arms = [uh.Normal(0, 1), uh.Normal(2, 1), uh.Normal(0, 1)]
    >>> found = uh.identify(arms, uh.QLUCB(tau=0.5), replications=5, seed=0)
    >>> found.answers["QLUCB"].recommended.ravel().tolist()
    [1, 1, 1, 1, 1]
    """

    name = "QLUCB"

    radius: Literal["beta-binomial", "stitched", "dkw"] = parameter(
        "Which confidence sequence bounds the quantiles.", default="beta-binomial"
    )
    t_opt: int = parameter(
        "The number of pulls of an arm around which the bounds are tightest; DKW's have none.",
        default=1000, least=1,
    )  # fmt: skip

    @derived
    def kind(self) -> int:
        return {"beta-binomial": BETA_BINOMIAL, "stitched": STITCHED, "dkw": DKW}[self.radius]


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    lower: NDArray[np.float64]  # (K,) L_j, of the (τ+ε)-quantile
    upper: NDArray[np.float64]  # (K,) U_j, of the τ-quantile
    below: bounds.BetaBinomial  # the mixture behind the beta-binomial L, seen from the top, …
    above: bounds.BetaBinomial  # … and that behind U
    lower_rank: NDArray[np.int64]  # (K,) their ranks, of L counted from the top
    upper_rank: NDArray[np.int64]  # (K,)


def start(policy: QLUCB, arms: int, capacity: int) -> State:
    error, t_opt = policy.delta / arms, float(policy.t_opt)
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
        below=bounds.beta_binomial(1.0 - policy.tau - policy.epsilon, error, t_opt),
        above=bounds.beta_binomial(policy.tau, error, t_opt),
        lower_rank=np.ones(arms, np.int64),
        upper_rank=np.ones(arms, np.int64),
    )


@kernel
def index(policy: QLUCB, state: State, arm: int, t: int) -> float:
    return float(state.upper[arm])


@kernel
def leader(state: State) -> int:
    """Return h, the arm with the largest lower bound."""
    best = 0
    for arm in range(1, len(state.pulls)):
        best = arm if float(state.lower[arm]) > float(state.lower[best]) else best
    return best


@kernel
def rival(index: Index, policy: QLUCB, state: State, t: int, best: int) -> int:
    """Return ℓ, the arm other than h with the largest index."""
    found, value = -1, -math.inf
    for arm in range(len(state.pulls)):
        if arm != best and (found < 0 or index(policy, state, arm, t) > value):
            found, value = arm, index(policy, state, arm, t)
    return found


@kernel
def select(index: Index, policy: QLUCB, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arms from the last to the first, then ℓ and h in turn."""
    arms = len(state.pulls)
    if t <= arms:
        return arms - t
    best = leader(state)
    return best if arms == 1 or (t - arms) % 2 == 0 else rival(index, policy, state, t, best)


@kernel
def update(policy: QLUCB, state: State, arm: int, reward: float) -> None:
    """Learn a reward, and with it the arm's two bounds."""
    n = add_reward(state, arm, reward)
    low, high = policy.tau + policy.epsilon, policy.tau
    error = policy.delta / len(state.pulls)
    if policy.kind == BETA_BINOMIAL:
        from_top = bounds.beta_binomial_rank(state.below, n, n - 1, int(state.lower_rank[arm]))
        upper = bounds.beta_binomial_rank(state.above, n, n - 1, int(state.upper_rank[arm]))
        state.lower_rank[arm], state.upper_rank[arm] = from_top, upper
        lower = n + 1 - from_top
    elif policy.kind == STITCHED:
        lower = bounds.lower_rank(low, n, bounds.stitched_radius(1.0 - low, n, error, policy.t_opt))
        upper = bounds.upper_rank(high, n, bounds.stitched_radius(high, n, error, policy.t_opt))
    else:
        lower = bounds.lower_rank(low, n, bounds.dkw_radius(n, error))
        upper = bounds.upper_rank(high, n, bounds.dkw_radius(n, error))
    state.lower[arm] = value_at(state.samples, arm, LOWER, lower) if lower > 0 else -math.inf
    state.upper[arm] = value_at(state.samples, arm, UPPER, upper) if upper <= n else math.inf


@kernel
def stop(policy: QLUCB, state: State, t: int) -> bool:
    """Tell whether L_h ≥ U_ℓ."""
    if t < len(state.pulls):
        return False
    best = leader(state)
    worst_case = -math.inf
    for arm in range(len(state.pulls)):
        if arm != best:
            worst_case = max(worst_case, float(state.upper[arm]))
    return float(state.lower[best]) >= worst_case


def recommend(policy: QLUCB, state: State) -> list[int]:
    return [leader(state)]


QLUCB.functions = Functions(
    start, index, update, select=select, full=samples_full, stop=stop, recommend=recommend
)
