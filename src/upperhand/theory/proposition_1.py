"""Proposition 1: under any utility of the path, a settled policy pays its arm's shortfall.

R_n^κ(π) = Σ_h D_h(κ) E[T_h(n)] (equation 8). If all but O(log n) pulls go to arm g, this is
D_g(κ) n + O(log n), uniformly in κ (equations 9 and 10). The κ-regret of finished `Runs` is
`runs.regret(Utility(kappa))`, or for many κ at once `utility_regret(runs.pulls[name], …)`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import ParameterError
from ._arms import of_arm
from .utility_path import shortfalls

Array = NDArray[np.float64]


def utility_regret(pulls: ArrayLike, means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return Σ_h D_h(κ) T_h (equation 8, by arms as in A.1.4), the utilities κ along the last axes.

    Pull counts have the arms along their last axis, such as (R, G, K) in `Runs.pulls`.
    """
    gaps = shortfalls(means, sds, kappa)
    regret: Array = np.tensordot(_pulls(pulls, gaps.shape[-1]), gaps, (-1, -1))[()]
    return regret


def leading_term(
    horizon: ArrayLike, means: ArrayLike, sds: ArrayLike, arm: int, kappa: ArrayLike
) -> Array:
    """Return D_g(κ) n, the linear leading term of a policy that ends up with arm g (Prop. 1)."""
    term: Array = of_arm(shortfalls(means, sds, kappa), arm) * checks.reals(
        "horizon", horizon, least=0
    )
    return term


def transfer_error(pulls: ArrayLike, means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> Array:
    """Return 2 D_max Σ_{h≠g} T_h ≥ sup_κ |R_n^κ − D_g(κ) n| (proof of Prop. 1, A.1.4).

    D_max = max_h sup_κ D_h(κ) is at an end of the path, as every D_h is convex.
    """
    gaps = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    counts = _pulls(pulls, gaps.shape[-1])
    error: Array = 2 * gaps.max() * (counts.sum(axis=-1) - of_arm(counts, arm))
    return error


def _pulls(pulls: ArrayLike, arms: int) -> Array:
    counts = checks.reals("pulls", pulls, least=0)
    if not counts.ndim or counts.shape[-1] != arms:
        raise ParameterError(
            f"pulls must have {arms} arms along the last axis; got the shape {counts.shape}."
        )
    return counts
