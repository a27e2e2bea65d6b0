"""What is proved of a policy: the theorem that covers it, as bounds on its pulls and its regret.

The theorems are those of `quantile_policies`. They hold for each policy at its own level τ, for
every number of rounds; the arms are as in `simulate`, costs with `minimize`.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..errors import AssumptionError, ParameterError
from ..objectives import Quantile
from ..objectives.lowest import judged
from ..policies import KLQUCB, Policy, QuantileIMED, QuantileTS
from ._arms import laws
from .quantile_policies import (
    hedged_pulls,
    imed_lattice_pulls,
    kl_qucb_plus_pulls,
    kl_qucb_pulls,
    quantile_ts_pulls,
)

Array = NDArray[np.float64]
Bound = Callable[..., Array]  # (arms, tau, n, *, minimize)


def covered(tau: float) -> dict[str, Policy]:
    """Return the policies that there is a theorem about, at a level, by their names.

    >>> list(covered(0.95))
    ['KL-QUCB', 'KL-QUCB+', 'Quantile-IMED', 'Quantile-TS']
    """
    plain, imed, draws = KLQUCB(tau), QuantileIMED(tau), QuantileTS(tau)
    plus = KLQUCB(tau, plus=True)
    return {plain.name: plain, f"{plain.name}+": plus, imed.name: imed, draws.name: draws}


def theorem(policy: Policy) -> str | None:
    """Return the name of the theorem that covers a policy, or None if there is none here.

    >>> import upperhand as uh
    >>> theorem(uh.KLQUCB(0.95)), theorem(uh.UCB1())
    ('Theorem Q1', None)
    """
    if not isinstance(policy, Policy):
        raise ParameterError(f"policy must be one such as KLQUCB(0.95); got {policy!r}.")
    found = _proved(policy)
    return found[0] if found else None


def pulls(policy: Policy, arms: Sequence[Distribution], n: int, *, minimize: bool = False) -> Array:
    """Return what is proved of E T_j(n), for each arm: n at most; a best arm's bound is infinite.

    Policies without a theorem are refused, as are arms to which it does not apply.

    >>> import upperhand as uh
    >>> arms = [uh.Normal(5, 1), uh.Normal(10, 1), uh.Normal(0, 1)]
    >>> print(pulls(uh.KLQUCB(0.95, plus=True), arms, 10_000).round(1))
    [92.4  inf 92. ]
    """
    _, tau, bound = _stated(policy)
    found = bound(arms, tau, n, minimize=minimize)
    return np.where(np.isinf(found), found, np.minimum(found, n))


def regret(
    policy: Policy, arms: Sequence[Distribution], n: int, *, minimize: bool = False
) -> float:
    """Return Σ_j Δ_j E T_j(n) with the bounds on pulls: what is proved of the regret.

    It says nothing where it is above n times the largest gap, the most that can be lost.
    """
    _, tau, _ = _stated(policy)
    return regret_of(pulls(policy, arms, n, minimize=minimize), arms, tau, minimize=minimize)


def regret_of(
    pulls: ArrayLike, arms: Sequence[Distribution], tau: float, *, minimize: bool = False
) -> float:
    """Return Σ_j Δ_j times a bound on the pulls of each arm, over the arms that are not best."""
    bound = checks.numbers("pulls", pulls)
    if (bound < 0).any():
        raise ParameterError(f"pulls must not be negative; got {pulls!r}.")
    if bound.shape != (len(laws(arms)),):
        raise ParameterError(f"pulls must be one number an arm; got {pulls!r}.")
    gaps = judged(Quantile(tau), minimize).gaps(arms)
    worse = gaps > 0
    if np.isinf(bound[worse]).any():  # the upper quantile of a cost is what the policy sees
        j = int(np.flatnonzero(worse & np.isinf(bound))[0])
        raise AssumptionError(
            f"There is no bound for arm {j + 1}, {arms[j]!r}: its costs have an upper "
            f"{tau:g}-quantile as low as the best, and the policy looks at that one."
        )
    return float(np.sum(gaps[worse] * bound[worse]))


def regret_curve(
    policy: Policy, arms: Sequence[Distribution], rounds: ArrayLike, *, minimize: bool = False
) -> Array:
    """Return what is proved of the regret after each of many numbers of rounds."""
    given = checks.reals("rounds", rounds, least=1, most=checks.EXACT)
    whole = np.floor(given).astype(np.int64)
    if not np.array_equal(whole, given):
        raise ParameterError(f"rounds must be whole numbers; got {rounds!r}.")
    distinct, places = np.unique(whole, return_inverse=True)
    found = np.array([regret(policy, arms, int(n), minimize=minimize) for n in distinct])
    return found[places].reshape(whole.shape)


def _stated(policy: Policy) -> tuple[str, float, Bound]:
    if theorem(policy) is None or (found := _proved(policy)) is None:
        raise AssumptionError(
            f"There is no bound of ours on the regret of {policy!r}. There is for KLQUCB, "
            f"QuantileIMED and QuantileTS; theory.theorem_1 is about ACPUCB1, theory.auer_2002 "
            f"about UCB1 and UCB1Normal."
        )
    return found


def _proved(policy: Policy) -> tuple[str, float, Bound] | None:
    """Return the theorem, the level and the bound of a policy: a new one has its line here."""
    match policy:
        case KLQUCB(trust=trust) | QuantileIMED(trust=trust) if trust > 0:
            plus = not isinstance(policy, KLQUCB) or policy.plus
            return "Theorem Q5", policy.tau, partial(hedged_pulls, trust=trust, plus=plus)
        case KLQUCB(plus=False):
            return "Theorem Q1", policy.tau, kl_qucb_pulls
        case KLQUCB():
            return "Theorem Q2", policy.tau, kl_qucb_plus_pulls
        case QuantileIMED():
            return "Theorem Q2", policy.tau, _imed_pulls
        case QuantileTS():
            return "Theorem Q3", policy.tau, quantile_ts_pulls
    return None


def _imed_pulls(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the smaller of the two bounds of Quantile-IMED, where laws have no mass below u*."""
    bound = kl_qucb_plus_pulls(arms, tau, n, minimize=minimize)
    try:
        return np.minimum(bound, imed_lattice_pulls(arms, tau, n, minimize=minimize))
    except AssumptionError:
        return bound
