"""QUCB: optimism about the level of a quantile.

B. Szörényi, R. Busa-Fekete, P. Weng, E. Hüllermeier, "Qualitative multi-armed bandits: a
quantile-based approach", ICML 2015, algorithm 2. By the Dvoretzky–Kiefer–Wolfowitz inequality an
empirical distribution function is uniformly close to the true one, so the τ-quantile is at most the
empirical quantile at a level a little higher:

    x̂ = max_j Q̂_j(τ + c_j),   c_j = √(c ln(t−1) / T_j(t−1)),   +∞ where the level is 1 or more,
    I_t ∈ argmin_j  p̂_j(x̂) − c_j,   p̂_j(x) the share of the arm's rewards below x.

Q̂_j(τ + c_j) ≥ x if and only if p̂_j(x) − c_j < τ. So the arm is one whose raised quantile is x̂, and
the second line decides between several, which happens where rewards take few values.

It needs no scale and no density, only an order, so rewards may be ordinal. Its regret counts
shortfalls in probability and is logarithmic. The width is the same at every level, though, and
near τ = 1 far too wide: with c = 2 the index of an arm is +∞ for its first 2 ln t / (1−τ)² pulls,
some 7,400 at τ = 0.95 and t = 10⁴. Until then QUCB plays round-robin. `KLQUCB` mends that. The
article has c = 2. A round costs O(K log T_j).
"""

import math

import numpy as np

from .._kernels.argmax import Index, Shortlist, argmax_of_two
from .._kernels.compiler import kernel
from .._kernels.samples import (
    OrderState,
    learn_reward,
    rank,
    share_from,
    start_samples,
    value_at,
)
from ..parameters import parameter
from .base import ON_SAMPLES, Functions, LevelPolicy, SketchablePolicy, central

QUANTILE, SHARE = 0, 1  # the cursors


class QUCB(LevelPolicy, SketchablePolicy):
    """Chase the best τ-quantile, with the level raised by √(c ln(t−1) / T).

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.QUCB(tau=0.5, c=0.01), table).arms.tolist()
    [0, 1, 1, 1, 1, 1]
    """

    name = "QUCB"
    group = "quantile"
    compared = {"QUCB": {}}
    index_trend = "rises"

    c: float = parameter("Exploration coefficient, a pure number.", default=2.0, least=0)


@kernel
def index(policy: QUCB, state: OrderState, arm: int, t: int) -> float:
    """Return Q̂_j(τ + √(c ln(t−1) / T_j(t−1))), or +∞ for a level of 1 or more."""
    seen = int(state.samples.size[arm])
    if seen == 0:
        return math.inf
    level = policy.tau + width(policy, int(state.pulls[arm]), t)
    return math.inf if level >= 1.0 else value_at(state.samples, arm, QUANTILE, rank(level, seen))


@kernel
def width(policy: QUCB, pulls: int, t: int) -> float:
    """Return c_j = √(c ln(t−1) / T_j(t−1))."""
    return math.sqrt(policy.c * math.log(max(t - 1, 1)) / pulls)


@kernel
def select(
    index: Index,
    policy: QUCB,
    state: OrderState,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None = None,
) -> int:
    """Return the arm with the largest raised quantile; of equal ones, by the second line."""
    return argmax_of_two(index, falling_short, policy, state, t, rng, shortlist)


@kernel
def falling_short(policy: QUCB, state: OrderState, arm: int, t: int) -> float:
    """Return c_j − p̂_j(x̂), where x̂ is the arm's own raised quantile."""
    own = index(policy, state, arm, t)
    return width(policy, int(state.pulls[arm]), t) + share_from(state, arm, SHARE, own) - 1.0


QUCB.functions = Functions(
    start_samples, index, learn_reward, select=select, interval=central, **ON_SAMPLES
)
