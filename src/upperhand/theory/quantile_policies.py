"""Upper bounds on the pulls of KL-QUCB, KL-QUCB+, Quantile-IMED and Quantile-TS: Theorems Q1 to Q3.

They are ours, and hold for every n and all laws for which A(j) holds: arm j has more than τ of its
mass strictly below u*, the best τ-quantile, F_j(u*−) > τ. For each threshold u < u* with
p = F_j(u−) > τ, and q = F_1(u−) < τ of a best arm,

    E T_j(n) ≤ 1 + Σ_s E[f_s(Bin(s, p))] + Σ_s E[g_s(Bin(s, q))],

pulls of arm j while it looks good at u, and pulls while the best arm looks bad there. The theorems
differ in f_s and g_s. `…_pulls` returns the sums. They end when what is left is below 1e-6, or at
s = 32,768 however much that is; it is added. `…_closed_form` is the same with Chernoff's bounds,
often several times as large. Either is the least over many u, for each arm that is not best; the
entry of a best arm is infinite, as nothing bounds its pulls. A number above n says nothing
(`guarantees.pulls` is n then). Where A(j) fails, they raise an `AssumptionError`.

With `minimize` arms pay costs, and the lowest τ-quantile is best: the policies see the negated
costs, and their (1−τ)-quantile. Where a law is flat at height τ that is its upper one.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..errors import AssumptionError, ParameterError
from ..policies.kinds import MOST_TRUST
from ._binomial_sums import Theorem, least_bounds, least_closed_forms, sum_below
from ._thresholds import Pair, Seen, behind, below, below_best, open_share, seen, thresholds
from .lower_bounds import bernoulli_kl

Array = NDArray[np.float64]

NEAR = 1e-9  # of the size of u*: mass that ends so near to it is mass just below it
ROUNDING = 2.0**-50  # of a share


def kl_qucb_pulls(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB (Theorem Q1, equation 1).

    f_s: s kl⁺(C/s, τ) ≤ ln n. g_s: min(n, e^(s kl(C/s, τ))) if C > τs.

    >>> from upperhand.distributions import Uniform
    >>> kl_qucb_pulls([Uniform(0, 1), Uniform(0.4, 1.4)], 0.5, 10_000).round(1)
    array([68.1,  inf])
    """
    return _bounds(arms, tau, n, minimize)


def kl_qucb_plus_pulls(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the bound on E T_j(n) of KL-QUCB+ and of Quantile-IMED (Theorem Q2, equation 2).

    f_s: s kl⁺(C/s, τ) ≤ ln(n/s). g_s: min(n, s e^(s kl(C/s, τ))) if C ≥ τs.
    """
    return _bounds(arms, tau, n, minimize, plus=True)


def quantile_ts_pulls(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the bound on E T_j(n) of Quantile-TS (Theorem Q3, the smaller of equations 3 and 3').

    With π_s(c) = P(Bin(s, τ) ≥ c), f_s: min(1, n π_s(C)). g_s: min(n, 1/π_s(C) − 1). For f_s the
    pulls may be summed up to some s, and rounds be counted from there on: the best of some s.
    """
    return _bounds(arms, tau, n, minimize, draws=True)


def hedged_pulls(
    arms: Sequence[Distribution],
    tau: float,
    n: int,
    trust: float,
    *,
    plus: bool = True,
    minimize: bool = False,
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
    arms: Sequence[Distribution],
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
    answers seen. KL-QUCB here counts all pulls that were asked for as evidence: g_s is
    min(n, e^((s+D) kl(C/s, τ))). With evidence of those seen alone it is that of Theorem Q1.
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


def imed_lattice_pulls(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the bound on E T_j(n) of Quantile-IMED if no law has mass just below u*.

    So it is for counts, and for all laws on a lattice. Then arm j is judged by F̂_j(u*), the atom at
    u* included: f_s is 1{Bin(s, F_j(u*−)) < τs} + 1{s kl⁺(Bin(s, F_j(u*))/s, τ) ≤ ln(n/s)}, and the
    constant of ln n is 1/kl(F_j(u*), τ), that of the lower bound, where there is an atom too.
    """
    shown, n = seen(arms, tau, minimize), checks.integer("n", n, least=1)
    _refuse_mass_before(shown)
    found, theorem = np.full(len(shown.laws), np.inf), Theorem(n, shown.tau, plus=True)
    at = np.array([shown.best])
    least = below_best(shown, at)
    for j in behind(shown):
        share = open_share(shown, j)
        closed = Pair([j], np.maximum(shown.laws[j].cdf(at), share), least)
        found[j] = least_bounds(theorem, [closed])[0] + sum_below(n, shown.tau, share)
    return found


def asymptotic_pulls(arms: Sequence[Distribution], tau: float, *, minimize: bool = False) -> Array:
    """Return 1/kl(F_j(u*−), τ), an upper bound on lim sup E T_j(n)/ln n of all these policies.

    F_j(u*−) = P(Y < u*), open. `lower_bounds.quantile_pulls` is 1/kl(F_j(u*), τ), closed, so that
    the two agree unless arm j has an atom at u*: the policies are asymptotically optimal. With an
    atom, and no mass just below u*, the closed one holds as well (docs/proofs.md, Corollary b).
    """
    shown = seen(arms, tau, minimize)
    found = np.full(len(shown.laws), np.inf)
    for j in behind(shown):
        found[j] = 1.0 / bernoulli_kl(open_share(shown, j), shown.tau)
    return found


def kl_qucb_closed_form(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the closed form of Theorem Q1, at its best u and r (equation 1').

    1 + ln n / kl(r, τ) + 1/(e^(kl(r, p)) − 1) + min{(1−τ)x/(1−x)² + x/(1−x), x/((1−x)(1−ρ))}
    with τ < r < p, x = e^(−kl(τ, q)) and ρ = q(1−τ)/(τ(1−q)).
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms)


def kl_qucb_plus_closed_form(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the closed form of Theorem Q2, at its best u and r (equation 2').

    As for Theorem Q1, with min{(1−τ)x(1+x)/(1−x)³ + x/(1−x)², x/((1−x)²(1−ρ))} as the last term.
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms, plus=True)


def quantile_ts_closed_form(
    arms: Sequence[Distribution], tau: float, n: int, *, minimize: bool = False
) -> Array:
    """Return the closed form of Theorem Q3, at its best u and r (equation 3').

    That of Theorem Q1, plus 1 + 2y/(1−y) with y = (√(qτ) + √((1−q)(1−τ)))².
    """
    return _bounds(arms, tau, n, minimize, least_closed_forms, draws=True)


def _bounds(
    arms: Sequence[Distribution],
    tau: float,
    n: int,
    minimize: bool,
    found_by: Callable[[Theorem, list[Pair]], Array] = least_bounds,
    **which: float,
) -> Array:
    """Return the bound of a theorem at its best thresholds, (K,)."""
    shown = seen(arms, tau, minimize)
    theorem = Theorem(checks.integer("n", n, least=1), shown.tau, **which)  # type: ignore[arg-type]
    pairs = thresholds(shown)
    bounds = np.full(len(shown.laws), np.inf)
    for pair, bound in zip(pairs, found_by(theorem, pairs), strict=True):
        bounds[pair.arms] = bound
    return bounds


def _refuse_mass_before(arms: Seen) -> None:
    """Refuse laws that have mass in each interval that ends at u*."""
    for j, (arm, given) in enumerate(zip(arms.laws, arms.given, strict=True)):
        share = float(below(arm, np.array([arms.best]))[0])
        last = arm.quantile(share * (1.0 - ROUNDING))  # where the mass before u* ends
        if share > 0 and last >= arms.best - NEAR * max(abs(arms.best), arm.magnitude):
            raise AssumptionError(
                f"This bound is for laws without mass just below the best quantile, such as those "
                f"of counts; got arm {j + 1}, {given!r}. For all laws there is kl_qucb_plus_pulls."
            )
