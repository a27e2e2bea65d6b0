"""The Gaussian utility path from mean to tail, v_j(κ) = μ_j + κ σ_j, 0 ≤ κ ≤ a (section 4.3).

For Gaussian arms κ = 0 values an arm by its mean and κ = a = z_{1−α/2} by its ACP endpoint. M is
the best arm at κ = 0, A the best at κ = a. A policy that ends up with arm g loses
D_g(κ) = max_j v_j(κ) − v_g(κ) a round under the utility κ.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions.numerics import normal_quantile
from ..errors import AssumptionError, ParameterError
from ..objectives import UpperTail, gaps_of

Array = NDArray[np.float64]

SAME_KINK = 1e-12  # lines that cross in one point do so up to rounding, relative to a


# Section 4.3.1: the path. These functions take the means and standard deviations of all K arms.


def path_end(alpha: float) -> float:
    """Return a = z_{1−α/2}, where the utility is the ACP endpoint (section 4.3.1).

    >>> round(path_end(0.05), 2)
    1.96
    """
    return float(normal_quantile(np.asarray(UpperTail(alpha).tau)))  # the endpoint's, to the bit


def utilities(means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return v_j(κ) = μ_j + κ σ_j, the arms along the last axis (section 4.3.1)."""
    mu, sigma = _arms(means, sds)
    return mu + checks.reals("kappa", kappa, least=0)[..., np.newaxis] * sigma


def shortfalls(means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return D_j(κ) = v_⋆(κ) − v_j(κ), the arms along the last axis (section 4.3.1)."""
    return gaps_of(utilities(means, sds, kappa), means)


class Targets(NamedTuple):
    """The best arm at either end of the path."""

    acp: int  # A, the best at κ = a
    mean: int  # M, the best at κ = 0


def targets(means: ArrayLike, sds: ArrayLike, a: float) -> Targets:
    """Return A ∈ argmax v_j(a) and M ∈ argmax v_j(0), which must be unique (section 4.3.1)."""
    at_0, at_a = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    return Targets(_unique_best("ACP-optimal", at_a), _unique_best("mean-optimal", at_0))


class Envelope(NamedTuple):
    """v_⋆ on [0, a]: arm `arms[i]` is the best one from κ = `kinks[i]` on."""

    kinks: Array  # (S,) the first is 0
    arms: NDArray[np.int64]  # (S,)


def envelope(means: ArrayLike, sds: ArrayLike, a: float) -> Envelope:
    """Walk along v_⋆(κ) = max_j v_j(κ) from 0 to a: at each kink a steeper line takes over."""
    mu, sigma = _arms(means, sds)
    at_0, at_a = shortfalls(mu, sigma, [0.0, checks.real("a", a, above=0)])
    tied = np.flatnonzero(at_0 == 0)
    best = tied[np.argmax(sigma[tied])]  # of equal means the steepest: the best just after 0
    kinks, arms = [0.0], [best]
    while at_a[best] > 0:
        steeper = np.flatnonzero(sigma > sigma[best])
        crossings = (mu[best] - mu[steeper]) / (sigma[steeper] - sigma[best])
        first = steeper[crossings <= crossings.min() + SAME_KINK * a]
        best = first[np.argmax(sigma[first])]
        kinks.append(float(crossings.min()))
        arms.append(best)
    return Envelope(np.array(kinks), np.array(arms))


def is_two_arm_envelope(means: ArrayLike, sds: ArrayLike, a: float) -> bool:
    """Tell whether v_⋆ = max{v_A, v_M} on all of [0, a], which equation (11) assumes."""
    return len(envelope(means, sds, a).arms) <= 2


def worst_shortfall(means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> float:
    """Return sup D_g(κ) over [0, a] for any arm g: D_g is convex, so the sup is at an end."""
    gaps = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    return float(_of_arm(gaps, arm).max())


def average_shortfall(means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> float:
    """Return (1/a) ∫ D_g(κ) dκ over [0, a] for any arm g: between kinks D_g is a line."""
    knots = np.append(envelope(means, sds, a).kinks, a)
    return float(np.trapezoid(_of_arm(shortfalls(means, sds, knots), arm), knots) / a)


# Proposition 1: if all but O(log n) pulls go to arm g, the κ-regret is D_g(κ) n + O(log n),
# uniformly in κ (equations 9 and 10). Of finished `Runs` it is `runs.regret(Utility(kappa))`, or
# for many κ at once `utility_regret(runs.pulls[name], …)`.


def utility_regret(pulls: ArrayLike, means: ArrayLike, sds: ArrayLike, kappa: ArrayLike) -> Array:
    """Return Σ_h D_h(κ) T_h (equation 8, by arms as in A.1.4), the utilities κ along the last axes.

    Pull counts have the arms along their last axis, such as (R, G, K) in `Runs.pulls`.
    """
    gaps = shortfalls(means, sds, kappa)
    return np.tensordot(_pulls(pulls, gaps.shape[-1]), gaps, (-1, -1))[()]


def leading_term(
    horizon: ArrayLike, means: ArrayLike, sds: ArrayLike, arm: int, kappa: ArrayLike
) -> Array:
    """Return D_g(κ) n, the linear leading term of a policy that ends up with arm g (Prop. 1)."""
    return _of_arm(shortfalls(means, sds, kappa), arm) * checks.reals("horizon", horizon, least=0)


def transfer_error(pulls: ArrayLike, means: ArrayLike, sds: ArrayLike, arm: int, a: float) -> Array:
    """Return 2 D_max Σ_{h≠g} T_h ≥ sup_κ |R_n^κ − D_g(κ) n| (proof of Prop. 1, A.1.4).

    D_max = max_h sup_κ D_h(κ) is at an end of the path, as every D_h is convex.
    """
    gaps = shortfalls(means, sds, [0.0, checks.real("a", a, above=0)])
    counts = _pulls(pulls, gaps.shape[-1])
    return 2 * gaps.max() * (counts.sum(axis=-1) - _of_arm(counts, arm))


# Section 4.3.2: the trade-off between A and M where mean and tail disagree. With δ_μ = μ_M − μ_A
# and δ_σ = σ_A − σ_M, they do if 0 < δ_μ < a δ_σ. D_A and D_M are the losses a round of a policy
# that ends up with A or M, if no third arm is ever the best one. All functions take arrays.


def kappa_0(delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return κ₀ = δ_μ / δ_σ, where the preference switches from M to A (section 4.3.2)."""
    return _positive("delta_mu", delta_mu) / _positive("delta_sigma", delta_sigma)


def acp_shortfall(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return D_A(κ) = (δ_μ − κ δ_σ)₊ (equation 11)."""
    return np.maximum(_advantage_of_mean(kappa, delta_mu, delta_sigma), 0.0)


def mean_shortfall(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return D_M(κ) = (κ δ_σ − δ_μ)₊ (equation 11)."""
    return np.maximum(-_advantage_of_mean(kappa, delta_mu, delta_sigma), 0.0)


def worst_acp_shortfall(delta_mu: ArrayLike) -> Array:
    """Return sup D_A = δ_μ (equation 14)."""
    return _positive("delta_mu", delta_mu)[()]


def worst_mean_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return sup D_M = a δ_σ − δ_μ (equation 14)."""
    return _acp_gap(a, delta_mu, delta_sigma)


def average_acp_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return (1/a) ∫ D_A = δ_μ² / (2 a δ_σ) (appendix A.1.4)."""
    _acp_gap(a, delta_mu, delta_sigma)  # the formula is for κ₀ in (0, a)
    square = np.square(_positive("delta_mu", delta_mu))
    return square / (2 * _positive("a", a) * _positive("delta_sigma", delta_sigma))


def average_mean_shortfall(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return (1/a) ∫ D_M = (a δ_σ − δ_μ)² / (2 a δ_σ) (appendix A.1.4)."""
    square = np.square(_acp_gap(a, delta_mu, delta_sigma))
    return square / (2 * _positive("a", a) * _positive("delta_sigma", delta_sigma))


def is_acp_minimax(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> NDArray[np.bool_]:
    """Tell whether 2 δ_μ < a δ_σ: ACP-UCB1's worst leading coefficient is smaller (equation 15).

    >>> bool(is_acp_minimax(1.645, 0.10, 0.10))  # the paper's Gaussian arms at α = 0.1
    False
    """
    worst_of_mean = _acp_gap(a, delta_mu, delta_sigma)
    return worst_acp_shortfall(delta_mu) < worst_of_mean


# Section 4.3.3: the constants of ln n where mean and tail agree on the best arm A. Both policies
# pull arm j at most γ_j ln n + O(1) times, and ACP-UCB1 has the smaller bound under both metrics
# where γ_j^ACP < γ_j^UCB. γ^ACP needs a b that Theorem 1 admits. All take arrays of arms j ≠ A.


def acp_gap(mean_gap: ArrayLike, a: float, sd_best: float, sd: ArrayLike) -> Array:
    """Return Δ_j^ACP = Δ_j^μ + a (σ_A − σ_j) (equation 16)."""
    wider = checks.real("sd_best", sd_best, above=0) - checks.reals("sd", sd, above=0)
    return checks.reals("mean_gap", mean_gap) + checks.real("a", a, above=0) * wider


@np.errstate(over="ignore")  # a tiny gap has an infinite constant
def gamma_acp(b: ArrayLike, acp_gap: ArrayLike) -> Array:
    """Return γ_j^ACP = 4 b² / (Δ_j^ACP)² (equation 17)."""
    return np.square(2 * _positive("b", b) / _positive("acp_gap", acp_gap))


@np.errstate(over="ignore")
def gamma_ucb(sd: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return γ_j^UCB = max{256 σ_j² / (Δ_j^μ)², 8} (equation 19)."""
    spread = np.square(_positive("sd", sd) / _positive("mean_gap", mean_gap))
    return np.maximum(256 * spread, 8.0)


def gap_ratio(acp_gap: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return r_j = Δ_j^ACP / Δ_j^μ, by how much the tail enlarges the gap (section 4.3.3)."""
    return _positive("acp_gap", acp_gap) / _positive("mean_gap", mean_gap)


def least_gap_ratio(b: ArrayLike, sd: ArrayLike, mean_gap: ArrayLike) -> Array:
    """Return 2 b / √max{256 σ_j², 8 (Δ_j^μ)²}, above which r_j favours ACP-UCB1 (section 4.3.3)."""
    widths = 16 * _positive("sd", sd), math.sqrt(8) * _positive("mean_gap", mean_gap)
    return 2 * _positive("b", b) / np.maximum(*widths)


def has_smaller_acp_constant(
    b: ArrayLike, acp_gap: ArrayLike, sd: ArrayLike, mean_gap: ArrayLike
) -> NDArray[np.bool_]:
    """Tell whether γ_j^ACP < γ_j^UCB (equation 20)."""
    return gamma_acp(b, acp_gap) < gamma_ucb(sd, mean_gap)


def _unique_best(which: str, gaps: Array) -> int:
    """Return the arm without a gap; refuse two of them."""
    best = np.flatnonzero(gaps == 0)
    if len(best) > 1:
        arms = " and ".join(map(str, best[:2]))
        raise AssumptionError(f"The {which} arm must be unique; arms {arms} tie. Change one.")
    return int(best[0])


def _arms(means: ArrayLike, sds: ArrayLike) -> tuple[Array, Array]:
    mu, sigma = checks.reals("means", means), checks.reals("sds", sds, least=0)
    if mu.ndim != 1 or mu.shape != sigma.shape or not len(mu):
        raise ParameterError(
            f"means and sds must be one number an arm; got shapes {mu.shape} and {sigma.shape}."
        )
    return mu, sigma


def _pulls(pulls: ArrayLike, arms: int) -> Array:
    counts = checks.reals("pulls", pulls, least=0)
    if not counts.ndim or counts.shape[-1] != arms:
        raise ParameterError(
            f"pulls must have {arms} arms along the last axis; got the shape {counts.shape}."
        )
    return counts


def _of_arm(values: Array, arm: int) -> Array:
    """Return the values of one arm, counted from 0; arms are along the last axis."""
    return values[..., checks.integer("arm", arm, least=0, most=values.shape[-1] - 1)]


def _advantage_of_mean(kappa: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return v_M(κ) − v_A(κ) = δ_μ − κ δ_σ."""
    along = checks.reals("kappa", kappa, least=0)
    return _positive("delta_mu", delta_mu) - along * _positive("delta_sigma", delta_sigma)


def _acp_gap(a: ArrayLike, delta_mu: ArrayLike, delta_sigma: ArrayLike) -> Array:
    """Return a δ_σ − δ_μ, which is positive when A ≠ M."""
    gap: Array = _positive("a", a) * _positive("delta_sigma", delta_sigma)
    gap = gap - _positive("delta_mu", delta_mu)
    if np.any(gap <= 0):
        raise AssumptionError(
            "The objectives must disagree, 0 < delta_mu < a · delta_sigma; got "
            f"delta_mu={delta_mu!r}, a={a!r}, delta_sigma={delta_sigma!r}."
        )
    return gap


def _positive(name: str, values: ArrayLike) -> Array:
    return checks.reals(name, values, above=0)
