"""Quantile-UCB: the empirical endpoint with a UCB bonus.

ACP-UCB1 (C. Du, M. Xu, arXiv:2605.07115) with step η = 0. An arm's level then stays at α, where the
conformal correction is exactly 0 for every sample: what is left is the empirical quantile,

    I_t ∈ argmax_j  Q̂_j(1−α/2) + b √(ln t / T_j(t−1)).

It is also the shape of U-UCB for a quantile (A. Cassel, S. Mannor, A. Zeevi, "A general approach to
multi-armed bandits under risk criteria", COLT 2018). The proof of the paper's Theorem 1 holds for
it, as written, with a smaller b (b ≥ √8/f_min, see docs/theory.md) and as many initial pulls. b is
in the unit of the rewards. A round costs O(K + log T_j); a reward takes 8 to 18 bytes.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import samples
from .._kernels.compiler import kernel
from .._kernels.samples import Samples, add_reward, forget_reward, rank, samples_full, value_at
from ..parameters import parameter
from .acp_ucb1 import scale_advice, widest
from .base import Endpoint, Functions, SketchablePolicy, ends, same_ends, valued_end

LOW, HIGH = 0, 1  # the cursors of the two quantiles


class QuantileUCB(Endpoint, SketchablePolicy):
    """Chase the best empirical endpoint, with the bonus b √(ln t / T).

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[0.1, 0.3, 0.2, 0.2, 0.4], [0.9, 0.8, 0.7, 0.6, 0.5]]
    >>> uh.play(uh.QuantileUCB(alpha=0.1), table).arms.tolist()
    [0, 1, 0, 1, 1]
    """

    name = "Quantile-UCB"
    group = "quantile"
    compared = {"Quantile-UCB": {}}
    index_trend = "rises"

    alpha: float = parameter(
        "Miscoverage α of the central interval: an arm is worth F⁻¹(1−α/2), the p95 at 0.1.",
        default=0.1, above=0, below=1, kw_only=False,
    )  # fmt: skip
    b: float = parameter(
        "Exploration coefficient, in the unit of the rewards.", default=1.0, least=0
    )
    init: int = parameter("Initial pulls of each arm, round-robin.", default=2, least=1)
    tail: Literal["upper", "lower"] = parameter(
        "Chase the highest upper endpoint, or the highest lower one.", default="upper"
    )

    def advice(self, state: "State") -> str | None:
        """Return a warning if b is far from the spread of the rewards."""
        remedy = "Choose b near that, or a policy without a scale, such as KLQUCB."
        return scale_advice(self.b, widest(state.lower, state.upper), remedy)


class State(NamedTuple):
    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j
    lower: NDArray[np.float64]  # (K,) empirical α/2 quantile, −∞ before the first reward
    upper: NDArray[np.float64]  # (K,) empirical 1 − α/2 quantile, +∞ before the first reward


def start(policy: QuantileUCB, arms: int, capacity: int) -> State:
    return State(
        samples=samples.empty(arms, capacity, policy.most_kept),
        pulls=np.zeros(arms, np.int64),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
    )


@kernel
def index(policy: QuantileUCB, state: State, arm: int, t: int) -> float:
    """Return Q̂_j(1−α/2) + b √(ln t / T_j(t−1)), or +∞ while initialising or without a reward."""
    pulls = int(state.pulls[arm])
    if pulls < policy.init:
        return math.inf
    endpoint = valued_end(policy, state, arm)
    value = policy.sign * endpoint + policy.b * math.sqrt(math.log(t) / pulls)
    return value if value > -math.inf else math.inf


@kernel
def update(policy: QuantileUCB, state: State, arm: int, reward: float) -> None:
    add_reward(state, arm, reward)
    refresh(policy, state, arm)


@kernel
def refresh(policy: QuantileUCB, state: State, arm: int) -> None:
    """Look the arm's two quantiles up."""
    m, lower, upper = int(state.samples.size[arm]), -math.inf, math.inf
    if m > 0:
        lower = value_at(state.samples, arm, LOW, rank(policy.alpha / 2, m))
        upper = value_at(state.samples, arm, HIGH, rank(1 - policy.alpha / 2, m))
    state.lower[arm], state.upper[arm] = lower, upper


QuantileUCB.functions = Functions(
    start,
    index,
    update,
    full=samples_full,
    interval=ends,
    forget=forget_reward,
    refresh=refresh,
    same_index=same_ends,
)
