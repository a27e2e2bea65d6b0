"""Upper bounds on the pulls of KL-QUCB, KL-QUCB+, Quantile-IMED and Quantile-TS: Theorems Q1 to Q3.

They are ours, and hold for every n and all distributions for which A(j) holds: arm j has more than
τ of its mass strictly below u*, the best τ-quantile, F_j(u*−) > τ. For each threshold u < u* with
p = F_j(u−) > τ, and q = F_1(u−) < τ of a best arm,

    E T_j(n) ≤ 1 + Σ_s E[f_s(Bin(s, p))] + Σ_s E[g_s(Bin(s, q))],

pulls of arm j while it looks good at u, and pulls while the best arm looks bad there. The theorems
differ in f_s and g_s. `…_pulls` returns the sums, up to an error below 1e-6 or to s = 32,768, with
a bound on the rest added. `…_closed_form` is the same with Chernoff's bounds, often several times
as large. Either is the least over many u. The entry of a best arm is infinite, as nothing bounds
its pulls. Where A(j) fails, they raise an `AssumptionError`.

With `minimize` arms pay costs, and the lowest τ-quantile is best: the policies observe the negated
costs, and their (1−τ)-quantile. Where F is flat at height τ that is the upper quantile of the cost.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import AssumptionError, ParameterError
from ..objectives import Quantile, oriented
from ..policies import KLQUCB, Policy, QuantileIMED, QuantileTS
from ..policies.base import MOST_TRUST, SketchablePolicy
from .binomial_sums import (
    Observed,
    Pair,
    Theorem,
    below,
    below_best,
    least_bounds,
    least_closed_forms,
    observed,
    open_share,
    suboptimal_arms,
    sum_below,
    thresholds,
)
from .lower_bounds import bernoulli_kl
from .population import Arms, checked_arms

Array = NDArray[np.float64]

NEAR = 1e-9  # of the size of u*: mass that ends so near to it is mass just below it
ROUNDING = 2.0**-50  # of a share


def kl_qucb_pulls(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB (Theorem Q1, equation 1).

    f_s: s kl⁺(C/s, τ) ≤ ln n. g_s: min(n, e^(s kl(C/s, τ))) if C > τs.

    >>> from upperhand.distributions import Uniform
    >>> kl_qucb_pulls([Uniform(0, 1), Uniform(0.4, 1.4)], 0.5, 10_000).round(1)
    array([68.1,  inf])
    """
    return _bounds(arms, tau, n, minimize)


def kl_qucb_plus_pulls(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB+ and of Quantile-IMED (Theorem Q2, equation 2).

    f_s: s kl⁺(C/s, τ) ≤ ln(n/s). g_s: min(n, s e^(s kl(C/s, τ))) if C ≥ τs.
    """
    return _bounds(arms, tau, n, minimize, plus=True)


def quantile_ts_pulls(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the bound on E T_j(n) of Quantile-TS (Theorem Q3, the smaller of equations 3 and 3').

    With π_s(c) = P(Bin(s, τ) ≥ c), f_s: min(1, n π_s(C)). g_s: min(n, 1/π_s(C) − 1). For f_s the
    pulls may be summed up to some s, and rounds be counted from there on: the best of some s.
    """
    return _bounds(arms, tau, n, minimize, draws=True)


def hedged_pulls(
    arms: Arms, tau: float, n: int, trust: float, *, plus: bool = True, minimize: bool = False
) -> Array:
    """Return the bound on E T_j(n) of a policy that hedges by λ = `trust` (Theorem Q5).

    It is KL-QUCB+ with any index between the bounds of budgets ln(t/N) − λ and ln(t/N), or
    Quantile-IMED with up to λ of evidence added: g_s of Theorem Q2 has the factor e^λ, within the
    minimum. Without `plus` it is KL-QUCB with ln t for ln(t/N), and g_s that of Theorem Q1. At
    λ = 0 it is that theorem.
    """
    trust = checks.real("trust", trust, least=0.0, most=MOST_TRUST)
    plus = checks.flag("plus", plus)
    return _bounds(arms, tau, n, minimize, plus=plus, trust=trust)


def delayed_pulls(
    arms: Arms,
    tau: float,
    n: int,
    late: int,
    *,
    plus: bool = False,
    evidence: Literal["asked", "seen"] = "asked",
    minimize: bool = False,
) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB if answers come late (Theorem Q7).

    At each choice at most D = `late` pulls of an arm are without an answer, and the order of the
    answers does not depend on their values. In batches of B, D is B − 1. Shares are those of the
    answers observed. KL-QUCB here counts all pulls that were asked for as evidence: g_s is
    min(n, e^((s+D) kl(C/s, τ))). With evidence of observed answers alone it is that of Theorem Q1.
    An s may occur at up to D + 1 pulls, and all up to s_0 at up to s_0 + D + 1: the bound is

        1 + D + min over s_0 of [s_0 + (D+1) Σ_{s>s_0} E f_s] + Σ_s E g_s,  Theorem Q1 at D = 0.

    With `plus` it is that of KL-QUCB+ and of Quantile-IMED: f_s is as in Theorem Q2, and g_s is
    min(n, (s+D) e^((s+D) kl(C/s, τ))). Both count all pulls as evidence.
    """
    late, plus = checks.integer("late", late, least=0), checks.flag("plus", plus)
    waiting = checks.choice("evidence", evidence, ("asked", "seen")) == "asked"
    if plus and not waiting:
        raise ParameterError(
            "With plus=True evidence must be 'asked', as KL-QUCB+ and Quantile-IMED have it; got "
            "'seen'."
        )
    return _bounds(arms, tau, n, minimize, plus=plus, late=late, waiting=waiting)


def frugal_pulls(
    arms: Arms,
    tau: float,
    n: int,
    frugal: int,
    *,
    trust: float = 0.0,
    late: int = 0,
    horizon: int | None = None,
    plus: bool = True,
    minimize: bool = False,
) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB+ that charges retries (Theorem F).

    With M = `frugal` K, K arms and λ = `trust`, g_s is min(n, max{M, e^λ s} e^(s kl(C/s, τ))) if
    C ≥ τs, and f_s that of Theorem Q2. With a horizon, whatever it is, the second term in that
    minimum counts twice. Without `plus`, which takes frugal=0, both are those of Theorem Q1. With
    D = `late` answers of an arm under way all is as in Theorem Q7, with s + D for s in g_s.
    """
    return _bounds(arms, tau, n, minimize, **_charged(arms, frugal, trust, late, horizon, plus))


def imed_lattice_pulls(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the bound on E T_j(n) of Quantile-IMED if no arm has mass just below u*.

    That is so for counts, and for all distributions on a lattice. Then F̂_j(u*) decides, the atom at
    u* included: f_s is 1{Bin(s, F_j(u*−)) < τs} + 1{s kl⁺(Bin(s, F_j(u*))/s, τ) ≤ ln(n/s)}, and the
    constant of ln n is 1/kl(F_j(u*), τ), that of the lower bound, also with an atom.
    """
    shown, n = observed(arms, tau, minimize), checks.integer("n", n, least=1)
    _refuse_mass_before(shown)
    found, theorem = np.full(len(shown.arms), np.inf), Theorem(n, shown.tau, plus=True)
    at = np.array([shown.best])
    least = below_best(shown, at)
    for j in suboptimal_arms(shown):
        share = open_share(shown, j)
        closed = Pair([j], np.maximum(shown.arms[j].cdf(at), share), least)
        found[j] = least_bounds(theorem, [closed])[0] + sum_below(n, shown.tau, share)
    return found


def asymptotic_pulls(arms: Arms, tau: float, *, minimize: bool = False) -> Array:
    """Return 1/kl(F_j(u*−), τ), an upper bound on lim sup E T_j(n)/ln n of all these policies.

    F_j(u*−) = P(Y < u*), open. `lower_bounds.quantile_pulls` is 1/kl(F_j(u*), τ), closed, so that
    the two agree unless arm j has an atom at u*: the policies are asymptotically optimal. With an
    atom, and no mass just below u*, the closed one holds as well (docs/proofs.md, Corollary b).
    """
    shown = observed(arms, tau, minimize)
    found = np.full(len(shown.arms), np.inf)
    for j in suboptimal_arms(shown):
        found[j] = 1.0 / bernoulli_kl(open_share(shown, j), shown.tau)
    return found


def kl_qucb_closed_form(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the closed form of Theorem Q1, at its best u and r (equation 1').

    1 + ln n / kl(r, τ) + 1/(e^(kl(r, p)) − 1) + min{(1−τ)x/(1−x)² + x/(1−x), x/((1−x)(1−ρ))}
    with τ < r < p, x = e^(−kl(τ, q)) and ρ = q(1−τ)/(τ(1−q)).
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms)


def kl_qucb_plus_closed_form(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the closed form of Theorem Q2, at its best u and r (equation 2').

    As for Theorem Q1, with min{(1−τ)x(1+x)/(1−x)³ + x/(1−x)², x/((1−x)²(1−ρ))} as the last term.
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms, plus=True)


def frugal_closed_form(
    arms: Arms,
    tau: float,
    n: int,
    frugal: int,
    *,
    trust: float = 0.0,
    late: int = 0,
    horizon: int | None = None,
    plus: bool = True,
    minimize: bool = False,
) -> Array:
    """Return the closed form of Theorem F, at its best u and r: (2') and M times that of Q1.

    The last term of (2') is e^λ times as large. Then comes M times the last term of (1'), and both
    count twice with a horizon.
    """
    settings = _charged(arms, frugal, trust, late, horizon, plus)
    return _bounds(arms, tau, n, minimize, least_closed_forms, **settings)


def quantile_ts_closed_form(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the closed form of Theorem Q3, at its best u and r (equation 3').

    That of Theorem Q1, plus 1 + 2y/(1−y) with y = (√(qτ) + √((1−q)(1−τ)))².
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms, draws=True)


def _bounds(
    arms: Arms,
    tau: float,
    n: int,
    minimize: bool,
    found_by: Callable[[Theorem, list[Pair]], Array] = least_bounds,
    **which: float,
) -> Array:
    """Return the bound of a theorem at its best thresholds, (K,)."""
    shown = observed(arms, tau, minimize)
    theorem = Theorem(checks.integer("n", n, least=1), shown.tau, **which)  # type: ignore[arg-type]
    pairs = thresholds(shown)
    bounds = np.full(len(shown.arms), np.inf)
    for pair, bound in zip(pairs, found_by(theorem, pairs), strict=True):
        bounds[pair.arms] = bound
    return bounds


def _charged(
    arms: Arms, frugal: int, trust: float, late: int, horizon: int | None, plus: bool
) -> dict[str, Any]:
    """Return the settings of Theorem F, checked."""
    frugal, plus = checks.integer("frugal", frugal, least=0), checks.flag("plus", plus)
    if frugal and not plus:
        raise ParameterError(f"frugal={frugal} is for plus=True; got plus={plus}.")
    late = checks.integer("late", late, least=0)
    return {
        "charged": frugal * len(checked_arms(arms)), "plus": plus,
        "late": late, "waiting": late > 0,
        "trust": checks.real("trust", trust, least=0.0, most=MOST_TRUST),
        "ends": horizon is not None and checks.integer("horizon", horizon, least=1) > 0,
    }  # fmt: skip


def _refuse_mass_before(arms: Observed) -> None:
    """Refuse arms that have mass in each interval that ends at u*."""
    for j, (arm, given) in enumerate(zip(arms.arms, arms.given, strict=True)):
        share = float(below(arm, np.array([arms.best]))[0])
        last = arm.quantile(share * (1.0 - ROUNDING))  # where the mass before u* ends
        if share > 0 and last >= arms.best - NEAR * max(abs(arms.best), arm.magnitude):
            raise AssumptionError(
                "This bound is for arms without mass just below the best quantile, such as counts; "
                f"got arm {j}, {given!r}. For all arms there is kl_qucb_plus_pulls."
            )


Bound = Callable[..., Array]  # (arms, tau, n, *, minimize)


def covered(tau: float) -> dict[str, Policy]:
    """Return the policies that a theorem covers, at a level, by their names.

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


def pulls(policy: Policy, arms: Arms, n: int, *, minimize: bool = False) -> Array:
    """Return what is proved of E T_j(n), for each arm: n at most; a best arm's bound is infinite.

    Policies without a theorem are refused, as are those that keep a sketch of the rewards, and arms
    to which the theorem does not apply.

    >>> import upperhand as uh
    >>> arms = [uh.Normal(5, 1), uh.Normal(10, 1), uh.Normal(0, 1)]
    >>> print(pulls(uh.KLQUCB(0.95, plus=True), arms, 10_000).round(1))
    [92.4  inf 92. ]
    """
    _, tau, bound = _stated(policy)
    found = bound(arms, tau, n, minimize=minimize)
    return np.where(np.isinf(found), found, np.minimum(found, n))


def regret(policy: Policy, arms: Arms, n: int, *, minimize: bool = False) -> float:
    """Return Σ_j Δ_j E T_j(n) with the bounds on pulls: what is proved of the regret.

    It says nothing where it is above n times the largest gap, the most that can be lost.
    """
    _, tau, _ = _stated(policy)
    return regret_of(pulls(policy, arms, n, minimize=minimize), arms, tau, minimize=minimize)


def regret_of(pulls: ArrayLike, arms: Arms, tau: float, *, minimize: bool = False) -> float:
    """Return Σ_j Δ_j times a bound on the pulls of each arm, over the arms that are not best."""
    bound = checks.numbers("pulls", pulls)
    if (bound < 0).any():
        raise ParameterError(f"pulls must not be negative; got {pulls!r}.")
    if bound.shape != (len(checked_arms(arms)),):
        raise ParameterError(f"pulls must be one number an arm; got {pulls!r}.")
    gaps = oriented(Quantile(tau), minimize).gaps(arms)
    worse = gaps > 0
    if np.isinf(bound[worse]).any():  # the policy observes the upper quantile of a cost
        j = int(np.flatnonzero(worse & np.isinf(bound))[0])
        raise AssumptionError(
            f"There is no bound for arm {j}, {arms[j]!r}: its costs have an upper "
            f"{tau:g}-quantile as low as the best, and the policy estimates that one."
        )
    return float(np.sum(gaps[worse] * bound[worse]))


def regret_curve(policy: Policy, arms: Arms, rounds: ArrayLike, *, minimize: bool = False) -> Array:
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
        if sketch := getattr(policy, "sketch", None):
            raise ParameterError(
                f"The theorems are about policies that keep all rewards; got sketch={sketch!r}. "
                "Leave sketch out."
            )
        raise AssumptionError(
            f"There is no bound of ours on the regret of {policy!r}. There is for KLQUCB, "
            "QuantileIMED and QuantileTS; theory.theorem_1 is about ACPUCB1, theory.ucb1 about "
            "UCB1 and UCB1Normal."
        )
    return found


def _proved(policy: Policy) -> tuple[str, float, Bound] | None:
    """Return the theorem, the level and the bound of a policy: a new one has its line here."""
    match policy:
        case SketchablePolicy(sketch=int()):  # shares of the rewards are known within bounds only
            return None
        case KLQUCB(frugal=frugal, horizon=horizon) if frugal > 0 or horizon is not None:
            names = ("frugal", "trust", "horizon", "plus")
            given = {name: getattr(policy, name) for name in names}
            return "Theorem F", policy.tau, partial(frugal_pulls, **given)
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


def _imed_pulls(arms: Arms, tau: float, n: int, *, minimize: bool = False) -> Array:
    """Return the smaller of the two bounds of Quantile-IMED, where arms have no mass below u*."""
    bound = kl_qucb_plus_pulls(arms, tau, n, minimize=minimize)
    try:
        return np.minimum(bound, imed_lattice_pulls(arms, tau, n, minimize=minimize))
    except AssumptionError:
        return bound
