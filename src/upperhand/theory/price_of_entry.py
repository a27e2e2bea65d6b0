"""The price of entry: what a policy can lose that gives up on an arm after few pulls (Theorem Q6).

Let u* be the best τ-quantile. Mix into the law of arm j, whatever it is, a little more than 1 − τ
of rewards at u* + D, and arm j is best, by D at least. With probability τ^m or nearly so, none of
its first m rewards tells of that, and the policy does what it did. So there are arms, equal to the
given ones but for arm j, on which the regret of n rounds is, in the supremum, at least

    D (n − m) τ^m P(T_j(n) ≤ m),

for every policy, m, n and D > 0. Nothing about the policy is assumed, and n is any.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks

Array = NDArray[np.float64]


def loss_after(
    m: ArrayLike, n: ArrayLike, tau: ArrayLike, gap: ArrayLike, chance: ArrayLike = 1.0
) -> Array:
    """Return D (n − m) τ^m P(T_j(n) ≤ m): what can be lost if arm j has m pulls at most (Q6).

    `chance` is the probability of that; m may be more than n, and then nothing is lost.

    >>> print(f"{loss_after(4, 10_000, 0.95, gap=1) / 10_000:.2f}")  # four pulls, at the p95
    0.81
    """
    pulls, rounds = checks.reals("m", m, least=0), checks.reals("n", n, least=1)
    level, size = checks.reals("tau", tau, above=0, below=1), checks.reals("gap", gap, least=0)
    likely = checks.reals("chance", chance, least=0, most=1)
    return (size * np.maximum(rounds - pulls, 0.0) * level**pulls * likely)[()]


def loss_by_mean(mean: ArrayLike, n: ArrayLike, tau: ArrayLike, gap: ArrayLike) -> Array:
    """Return ½ D (n − 2m̄) τ^(2m̄): what can be lost if E T_j(n) = m̄ (Q6).

    T_j is 2m̄ or less with probability ½ at least.
    """
    return loss_after(2.0 * checks.reals("mean", mean, least=0), n, tau, gap, 0.5)


def least_pulls(share: float, n: int, tau: float) -> int:
    """Return the least m with (n − m) τ^m ≤ share · n (Q6).

    A policy that can lose at most that share of n D, whatever the laws, has to pull each arm more
    than m − 1 times with some probability: if it never did, it could lose more.

    >>> [least_pulls(share, 10_000, 0.95) for share in (0.3, 0.1, 0.05)]
    [24, 45, 59]
    """
    share = checks.real("share", share, least=0, most=1)
    rounds = checks.integer("n", n, least=1)
    tau = checks.real("tau", tau, above=0, below=1)
    low, high = -1, rounds  # (n − m) τ^m falls in m, and is 0 at m = n
    while high - low > 1:
        middle = (low + high) // 2
        enough = float(loss_after(middle, rounds, tau, 1.0)) <= share * rounds
        low, high = (low, middle) if enough else (middle, high)
    return high
