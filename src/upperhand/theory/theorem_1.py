"""Theorem 1: the logarithmic bound on ACP-UCB1's pulls and regret, and what it asks for.

Under Assumption 1, with constants f_min, g_min, r_y and r_s, and with a unique best arm A,

    E[T_j(n)] ≤ 4 b² ln n / Δ_j² + B_j    for every j ≠ A (equation 7),

if b ≥ b_0, 0 < λ ≤ b g_min / 4, r_y and r_s ≥ Δ_j / 4, s_0 = s_loc(n) initial pulls and n ≥ K s_0.
Functions whose docstring says "ours" go beyond the paper's text: what its proof really needs.
"""

import math
import reprlib
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import AssumptionError, ParameterError
from ..policies import ACPUCB1
from .assumption_1 import LocalConstants
from .gaussian import gamma_acp

Array = NDArray[np.float64]

LARGEST_RATIO = 1e100  # b² ln n / (16 ρ²) is then some 1e200: far from overflow, beyond any use
# B_j (ours; the paper leaves it open): ⌈·⌉ ∨ 2 adds at most 2, and the triple sum of the proof at
# most Σ_t t² · 2 · 8 t⁻⁴ = 16 π²/6, since E_1 and E_2 have a probability of at most 8 t⁻⁴ each.
REMAINDER = 2 + 8 * math.pi**2 / 3


def h_min(f_min: float, g_min: float) -> float:
    """Return h_min = min{f_min, g_min} (Assumption 1)."""
    return min(checks.real("f_min", f_min, above=0), checks.real("g_min", g_min, above=0))


def rho(r_y: float, r_s: float) -> float:
    """Return ρ = min{r_s, r_y / 2}, the radius of local regularity (Assumption 1)."""
    return min(checks.real("r_s", r_s, above=0), checks.real("r_y", r_y, above=0) / 2)


def b_0(f_min: float, g_min: float) -> float:
    """Return b_0 = 64 / h_min: the least b of Theorem 1."""
    return _countable(64 / h_min(f_min, g_min))


def b_of_the_proof(f_min: float, g_min: float) -> float:
    """Return max{√512 / f_min, √128 / g_min}: the least b for the proof as it is written (ours).

    It makes each of the `proof_exponents` at least 4, which is all that the proof uses.
    """
    h_min(f_min, g_min)
    return _countable(max(math.sqrt(512) / f_min, math.sqrt(128) / g_min))


def b_without_adaptation(f_min: float) -> float:
    """Return √8 / f_min: the least b for the same proof if η = 0 and levels start at α (ours).

    Then the correction is 0 and the index has the error of a reward quantile alone, which may be
    all of a = b √(ln t / s). After s_loc(n) pulls a ≤ 4 ρ ≤ 2 r_y, so that Lemma 2 applies at
    a / 2: 2 exp(−s a² f_min² / 2) ≤ 2 t⁻⁴ if b² f_min² / 2 ≥ 4.
    """
    return _countable(math.sqrt(8) / checks.real("f_min", f_min, above=0))


class Exponents(NamedTuple):
    """The powers x of t^(−x) in the proof: of the reward quantile, and the two terms of Lemma 3."""

    reward_quantile: float
    oracle_scores: float
    plugged_in_ends: float


def proof_exponents(b: float, f_min: float, g_min: float) -> Exponents:
    """Return b² f_min² / 8, b² g_min² / 32 and b² f_min² / 128 (A.1.3); each must be 4 or more."""
    h_min(f_min, g_min)
    f, g = checks.real("b", b, above=0) * f_min, b * g_min
    return Exponents(f * f / 8, g * g / 32, f * f / 128)


def lambda_max(b: float, g_min: float) -> float:
    """Return b g_min / 4, the largest λ of Theorem 1."""
    return checks.real("b", b, above=0) * checks.real("g_min", g_min, above=0) / 4


def s_loc(horizon: int, b: float, radius: float) -> int:
    """Return s_loc(n) = ⌈b² ln n / (16 ρ²)⌉ ∨ 2, the initial pulls of each arm (section 3.3)."""
    n = checks.integer("horizon", horizon, least=1)
    return max(2, math.ceil(_pulls_per_log(b, radius) * math.log(n)))


def smallest_horizon(arms: int, b: float, radius: float) -> int:
    """Return the smallest n with n ≥ K s_loc(n); where b / ρ is small, it may not be the last.

    With x = b²/(16 ρ²): where s_loc(n) = m, the smallest such n is K m, if m ≥ x ln(K m). The first
    m ≥ 2 of that kind is 2, or lies to the right of x, from where m − x ln(K m) grows.
    """
    k, rate = checks.integer("arms", arms, least=1), _pulls_per_log(b, radius)
    if rate * math.log(k * 2) <= 2:
        return k * 2
    few = max(2, math.floor(rate))
    enough = 2 * few
    while enough < rate * math.log(k * enough):
        enough *= 2
    while few + 1 < enough:
        middle = (few + enough) // 2
        few, enough = (few, middle) if middle >= rate * math.log(k * middle) else (middle, enough)
    return k * enough


def pull_bound(horizon: ArrayLike, b: float, gaps: ArrayLike) -> Array:
    """Return 4 b² ln n / Δ_j² + B_j ≥ E[T_j(n)] (equation 7), with B_j = `REMAINDER`."""
    return leading_pulls(horizon, b, gaps) + REMAINDER


def leading_pulls(horizon: ArrayLike, b: float, gaps: ArrayLike) -> Array:
    """Return 4 b² ln n / Δ_j² (equation 7)."""
    gamma = gamma_acp(checks.real("b", b, above=0), checks.reals("gaps", gaps, above=0))
    return gamma * np.log(checks.reals("horizon", horizon, least=1))


@np.errstate(over="ignore")
def regret_bound(horizon: ArrayLike, b: float, gaps: ArrayLike) -> Array:
    """Return Σ_{j≠A} Δ_j (4 b² ln n / Δ_j² + B_j), the bound on R_n^ACP (Theorem 1)."""
    behind, rounds = unique_gaps(gaps), checks.reals("horizon", horizon, least=1)
    return np.sum(behind * pull_bound(rounds[..., np.newaxis], b, behind), axis=-1)


def least_radius(gaps: ArrayLike) -> float:
    """Return max Δ_j / 4, the least r_y and r_s of Theorem 1."""
    return float(unique_gaps(gaps).max(initial=0.0)) / 4


def unique_gaps(gaps: ArrayLike) -> Array:
    """Return the gaps of the arms j ≠ A; refuse a best arm that is not unique."""
    every = checks.reals("gaps", gaps, least=0)
    behind = every[every > 0]
    if len(behind) != every.size - 1:
        raise AssumptionError(
            f"Theorem 1 needs one best arm, with gap 0; got {every.size - len(behind)} of them "
            f"among {every.size} arms."
        )
    return behind


def _countable(b: float) -> float:
    """Refuse a b beyond floating point, from densities that are almost 0."""
    if math.isinf(b):
        raise AssumptionError(
            "The least b of Theorem 1 is beyond floating point. State rewards in another unit, or "
            "take smaller radii."
        )
    return b


def _pulls_per_log(b: float, radius: float) -> float:
    """Return b² / (16 ρ²)."""
    b, radius = checks.real("b", b, above=0), checks.real("rho", radius, above=0)
    ratio = b / radius
    if not ratio <= LARGEST_RATIO:
        raise AssumptionError(
            f"b / rho is {ratio:.3g}: more initial pulls than can be counted. Give larger local "
            "constants."
        )
    return ratio * ratio / 16


def admissible_policy(
    horizon: int,
    *,
    f_min: float,
    g_min: float,
    r_y: float,
    r_s: float,
    alpha: float = 0.1,
    eta: float = 0.01,
    level_min: float = 1e-4,
    level_max: float = 0.5,
) -> ACPUCB1:
    """Return the ACP-UCB1 of the theorem for local constants (Assumption 1) that hold for the arms.

    It takes the smallest b, the largest λ and the s₀ that the theorem admits. The theorem also
    asks for r_y, r_s ≥ Δ_j/4 at every gap and for n ≥ K s₀, which is large: s₀ initial pulls of
    each arm usually exceed any horizon that can be played.
    """
    b = b_0(f_min, g_min)
    return ACPUCB1(
        alpha,
        b=b,
        eta=eta,
        lam=lambda_max(b, g_min),
        level_min=level_min,
        level_max=level_max,
        init=s_loc(horizon, b, rho(r_y, r_s)),
    )


class Condition(NamedTuple):
    """One condition, such as b ≥ 64 / h_min."""

    statement: str
    has: float  # its left side
    needs: float  # its right side
    holds: bool


def side_conditions(
    gaps: ArrayLike, constants: LocalConstants, *, b: float, lam: float, init: int, horizon: int
) -> tuple[Condition, ...]:
    """Return every side condition of Theorem 1 for a policy's b, λ and initial pulls.

    Gaps are the ACP gaps of all K arms; one of them is 0, or the best arm is not unique.
    """
    if not isinstance(constants, LocalConstants):
        raise ParameterError(
            "constants are the LocalConstants of Assumption 1, as local_constants finds them; got "
            f"{reprlib.repr(constants)}."
        )
    radius, init = least_radius(gaps), checks.integer("init", init, least=1)
    arms, lam = len(checks.reals("gaps", gaps)), checks.real("lam", lam, least=0)
    least_b, most_lambda = b_0(constants.f_min, constants.g_min), lambda_max(b, constants.g_min)
    s_0 = s_loc(horizon, b, rho(constants.r_y, constants.r_s))
    return (
        Condition("b ≥ b_0 = 64 / h_min", b, least_b, b >= least_b),
        Condition("0 < λ ≤ b g_min / 4", lam, most_lambda, 0 < lam <= most_lambda),
        Condition("r_y ≥ max Δ_j / 4", constants.r_y, radius, constants.r_y >= radius),
        Condition("r_s ≥ max Δ_j / 4", constants.r_s, radius, constants.r_s >= radius),
        Condition("initial pulls = s_0 = s_loc(n)", init, s_0, init == s_0),
        Condition("n ≥ K s_0", horizon, arms * s_0, horizon >= arms * s_0),
    )


# Lemmas 1 to 3: the concentration of empirical quantiles and of recomputed score quantiles. They
# bound probabilities; a bound above 1 is vacuous, and returned as it is.


def quantile_error(sup_distance: ArrayLike, g_0: float, r: float) -> Array:
    """Return δ = sup |Ĝ − G| / g₀, which bounds |q̂ − q| (Lemma 1).

    G has density at least g₀ within r of its quantile q, so δ must be below r. The lemma admits
    δ = r too, where it can fail: G may be flat from there on (the ledger of claims has the case).
    """
    distance = checks.reals("sup_distance", sup_distance, above=0)
    error: Array = distance / checks.real("g_0", g_0, above=0)
    if np.any(error >= checks.real("r", r, above=0)):
        raise ParameterError(
            f"Lemma 1 needs sup |Ĝ − G| < g₀ r = {g_0 * r:g}; got {distance.max():g}."
        )
    return error


def correction_error(beta: ArrayLike, alpha: float, g_min: float) -> Array:
    """Return |β − α| / g_min ≥ |c(β) − c(α)|, for β in the window (proof of Theorem 1, A.1.3)."""
    levels = checks.reals("beta", beta, above=0, below=1)
    shift = np.abs(levels - checks.real("alpha", alpha, above=0, below=1))
    return shift / checks.real("g_min", g_min, above=0)


def reward_quantile_tail(m: ArrayLike, epsilon: ArrayLike, *, f_min: float, r_y: float) -> Array:
    """Return 2 exp(−2 m ε² f_min²) ≥ P(|q̂_m − q| > ε), for 0 < ε ≤ r_y (Lemma 2)."""
    within = _epsilon(epsilon, "r_y", checks.real("r_y", r_y, above=0))
    scaled = within * checks.real("f_min", f_min, above=0)
    return 2 * np.exp(-2 * checks.reals("m", m, least=1) * scaled * scaled)


def score_quantile_tail(
    m: ArrayLike, epsilon: ArrayLike, *, f_min: float, g_min: float, r_y: float, r_s: float
) -> Array:
    """Return the bound on P(sup_β |ĉ(β) − c(β)| ≥ ε) from m rewards (Lemma 3, equation 33).

    2 exp(−m ε² g_min² / 2) + 4 exp(−m ε² f_min² / 8), for 0 < ε ≤ ρ = min{r_s, r_y / 2}.
    """
    size, within = checks.reals("m", m, least=1), _epsilon(epsilon, "rho", rho(r_y, r_s))
    g = within * checks.real("g_min", g_min, above=0)
    f = within * checks.real("f_min", f_min, above=0)
    return 2 * np.exp(-size * g * g / 2) + 4 * np.exp(-size * f * f / 8)


def score_shift(low_error: ArrayLike, high_error: ArrayLike) -> Array:
    """Return max{|q̂ˡᵒʷ − qˡᵒʷ|, |q̂ʰⁱᵍʰ − qʰⁱᵍʰ|} ≥ |S̃ − S|, the plug-in error (equation 6)."""
    low, high = checks.reals("low_error", low_error), checks.reals("high_error", high_error)
    return np.maximum(np.abs(low), np.abs(high))


def _epsilon(epsilon: ArrayLike, name: str, radius: float) -> Array:
    within = checks.reals("epsilon", epsilon, above=0)
    if np.any(within > radius):
        raise ParameterError(f"epsilon must be at most {name} = {radius:g}; got {within.max():g}.")
    return within
