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
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from .._kernels.ordered import full, grow, learn_order
from .._kernels.ranks import rank
from .._kernels.sorted_samples import SortedSamples, value_at
from .contract import EndpointPolicy, Kernels
from .scale import scale_advice, spread_told

LOW, HIGH = 0, 1  # the cursors of the two quantiles


class _Parameters(NamedTuple):
    alpha: float
    b: float
    init: int
    lower_tail: bool
    random_ties: bool


class QuantileUCB(EndpointPolicy, _Parameters):
    """Chase the best empirical endpoint, with the bonus b √(ln t / T).

    Parameters
    ----------
    alpha
        Miscoverage α of the central interval: an arm is worth F⁻¹(1−α/2), the p95 at 0.1.
    b
        Exploration coefficient, in the unit of the rewards.
    init
        Initial pulls of each arm, round-robin.
    tail
        "upper" chases the highest upper endpoint, "lower" the highest lower endpoint.
    random_ties
        Break ties at random instead of by the lowest arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[0.1, 0.3, 0.2, 0.2, 0.4], [0.9, 0.8, 0.7, 0.6, 0.5]]
    >>> uh.play(uh.QuantileUCB(alpha=0.1), table).arms.tolist()
    [0, 1, 0, 1, 1]
    """

    __slots__ = ()
    name = "Quantile-UCB"

    def __new__(  # noqa: D102
        cls,
        alpha: float = 0.1,
        *,
        b: float = 1.0,
        init: int = 2,
        tail: Literal["upper", "lower"] = "upper",
        random_ties: bool = False,
    ) -> Self:
        return super().__new__(
            cls,
            alpha=checks.real("alpha", alpha, above=0, below=1),
            b=checks.real("b", b, least=0),
            init=checks.integer("init", init, least=1),
            lower_tail=checks.choice("tail", tail, ("upper", "lower")) == "lower",
            random_ties=checks.flag("random_ties", random_ties),
        )

    def advice(self, state: "State") -> str | None:
        """Return a word of warning if b is far from the spread of the rewards."""
        remedy = "Choose b near that, or a policy without a scale, such as KLQUCB."
        spread = spread_told(state.pulls, state.lower, state.upper)
        return scale_advice(self.b, spread, remedy)


class State(NamedTuple):
    """What Quantile-UCB remembers of K arms."""

    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j
    lower: NDArray[np.float64]  # (K,) empirical α/2 quantile, −∞ before the first reward
    upper: NDArray[np.float64]  # (K,) empirical 1 − α/2 quantile, +∞ before the first reward


def init(policy: QuantileUCB, arms: int, room: int) -> State:
    """Return the state before the first round."""
    return State(
        samples=sorted_samples.empty(arms, room),
        pulls=np.zeros(arms, np.int64),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
    )


@kernel
def index(policy: QuantileUCB, state: State, arm: int, t: int) -> float:
    """Return Q̂_j(1−α/2) + b √(ln t / T_j(t−1)), or +∞ while initialising."""
    pulls = int(state.pulls[arm])
    if pulls < policy.init:
        return math.inf
    endpoint = float(state.lower[arm] if policy.lower_tail else state.upper[arm])
    return endpoint + policy.b * math.sqrt(math.log(t) / pulls)


@kernel
def select(policy: QuantileUCB, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index."""
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy: QuantileUCB, state: State, arm: int, reward: float) -> None:
    """Learn a reward, and with it the arm's two quantiles."""
    m = learn_order(state, arm, reward)
    state.lower[arm] = value_at(state.samples, arm, LOW, rank(policy.alpha / 2, m))
    state.upper[arm] = value_at(state.samples, arm, HIGH, rank(1 - policy.alpha / 2, m))


def interval(state: State, arm: int) -> tuple[float, float]:
    """Return the empirical central interval, a prediction interval for the arm's next reward."""
    return float(state.lower[arm]), float(state.upper[arm])


QuantileUCB.kernels = Kernels(init, index, select, update, full, grow, interval)
