"""Section 4.3.3: logarithmic constants where mean and tail agree on the best arm."""

import math
from statistics import NormalDist

import numpy as np

from upperhand.objectives import Mean, UpperTail
from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.settings import ALPHA
from upperhand.simulation.runs import Runs
from upperhand.text import significant
from upperhand.theory import assumption_1, gaussian, theorem_1

from .benchmark import per_arm_bound
from .cases import SOURCE, Gaussians, upper_ends
from .evidence import (
    GROWTH_CHECK,
    ROUNDING,
    Effort,
    described,
    growths_verdict,
    holds_if,
    largest,
    share_of,
    shown,
    stream,
)
from .proposition import LARGER, LARGER_B, played

CHAPTER = 10
COMMON = Gaussians(LARGER.means, LARGER.sds[[1, 0, 2]])  # the best mean now has the widest law too
METRICS = {"ACP regret": UpperTail(ALPHA), "mean regret": Mean()}
STATED_CASES = (0.001, 0.1), (0.01, 1.0), (0.001, 0.05)  # Δ_μ and σ_A − σ_j, for σ_j = 1
NOTABLE = 0.1  # the mean gap, in units of σ_j, from which on we would not speak of a tiny one


def claims(effort: Effort) -> list[Claim]:
    """Judge section 4.3.3."""
    return [
        _both_logarithmic(played(COMMON, LARGER_B, effort, 3)),
        _gaps(effort),
        per_arm_bound(),
        _ratio_form(effort),
        _admissible_b(),
    ]


def _both_logarithmic(runs: Runs) -> Claim:
    regrets = {
        f"{policy}, {metric}": np.asarray(runs.regret(objective)[policy].mean)
        for policy in runs.policies
        for metric, objective in METRICS.items()
    }
    arms = ", ".join(f"N({mu:g}, {sd:g}²)" for mu, sd in zip(*COMMON, strict=True))
    return Claim(
        "If mean and tail share the best arm, both policies are logarithmic under both metrics.",
        f"Arms {arms}, and b = {LARGER_B:g}, less than Theorem 1 asks for but enough to find the "
        "best arm soon; UCB1-NORMAL is the theory's mean-based policy, UCB1 the figures': each "
        f"regret. {GROWTH_CHECK}",
        described(regrets),
        growths_verdict(regrets.values()),
        "section 4.3.3",
    )


def _gaps(effort: Effort) -> Claim:
    rng, errors, a = stream(effort, CHAPTER, 1), [], gaussian.path_end(ALPHA)
    for _ in range(share_of(effort, 20)):
        mu, sigma = rng.normal(size=2), rng.uniform(0.1, 2, 2)
        best, other = (upper_ends(NormalDist(*law), ALPHA) for law in zip(mu, sigma, strict=True))
        stated = gaussian.acp_gap(mu[0] - mu[1], a, sigma[0], sigma[1])
        errors.append(best - other - stated)
    return Claim(
        "The ACP gap is Δ_j^μ + a (σ_A − σ_j), so that the two objectives may share the best arm "
        "but not the gaps.",
        f"Random pairs of Gaussian arms: the difference of their 0.95-quantiles, {SOURCE}, up to "
        "rounding.",
        {"largest difference": shown(largest(errors))},
        holds_if(largest(errors) <= ROUNDING),
        "equation (16)",
    )


def _ratio_form(effort: Effort) -> Claim:
    rng = stream(effort, CHAPTER, 2)
    b, acp, sd, mean = np.exp(rng.uniform(-5, 5, (4, 50 * effort.trials)))
    by_gamma = gaussian.has_smaller_acp_constant(b, acp, sd, mean)
    ratio = gaussian.gap_ratio(acp, mean)
    by_ratio = ratio > gaussian.least_gap_ratio(b, sd, mean)
    different = int(np.sum(by_gamma != by_ratio))
    return Claim(
        "γ_j^ACP < γ_j^UCB is equivalent to r_j > 2 b / √max{256 σ_j², 8 (Δ_j^μ)²}.",
        "Random b, gaps and standard deviations: both are true or both false.",
        {
            "cases": f"{b.size:,}, true in {int(by_gamma.sum()):,}",
            "disagreements": str(different),
        },
        holds_if(different == 0),
        "equation (20)",
    )


def admitted(mean_gap: float, wider: float) -> tuple[float, float]:
    """Return r_j and what it must exceed for the smallest admissible b, with σ_j = 1.

    The window of levels is shrunk to α and the radii to Δ/4, and each arm gets constants of its
    own: the smallest b that Theorem 1 could ever admit. It may admit none: then r_j must be ∞.
    """
    a = gaussian.path_end(ALPHA)
    gap = float(gaussian.acp_gap(mean_gap, a, 1 + wider, 1.0))
    ratio = float(gaussian.gap_ratio(gap, mean_gap))
    if gap / 4 >= a:
        return ratio, math.inf
    local = [
        assumption_1.gaussian_constants([sd], (ALPHA, ALPHA), r_y=gap / 4, r_s=gap / 4)
        for sd in (1.0, 1 + wider)
    ]
    b = max(theorem_1.b_0(each.f_min, each.g_min) for each in local)
    return ratio, float(gaussian.least_gap_ratio(b, 1.0, mean_gap))


def widest_mean_gap() -> tuple[float, float]:
    """Return the largest Δ_μ at which the condition can be met, and σ_A − σ_j there.

    The search over σ_A − σ_j is on a grid, and then on finer ones around its best point.
    """
    low, high, best = 0.01, 100.0, (0.0, 0.01)
    for _ in range(4):
        grid = np.geomspace(low, high, 21)
        gaps = [_widest_at(float(wider)) for wider in grid]
        place = int(np.argmax(gaps))
        best = max(best, (gaps[place], float(grid[place])))
        low, high = float(grid[max(place - 1, 0)]), float(grid[min(place + 1, 20)])
    return best


def _widest_at(wider: float) -> float:
    """Return the largest Δ_μ at a given σ_A − σ_j: the condition gets harder as Δ_μ grows."""
    low, high = 0.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        ratio, needed = admitted(middle, wider)
        low, high = (middle, high) if ratio > needed else (low, middle)
    return low


def _admissible_b() -> Claim:
    (widest, at), cases = widest_mean_gap(), {}
    for mean_gap, wider in STATED_CASES:
        ratio, needed = admitted(mean_gap, wider)
        sign = ">" if ratio > needed else "≤"
        cases[f"Δ_μ = {mean_gap:g} σ_j, σ_A − σ_j = {wider:g} σ_j"] = (
            f"r_j = {ratio:.1f} {sign} {needed:.1f}"
        )
    return Claim(
        "ACP-UCB1 has the smaller leading coefficient where its ACP gaps are large enough.",
        "γ_j^ACP bounds its pulls only for b ≥ b_0, so that is the b used, at α = 0.1, as small as "
        "the theorem could ever admit it: window shrunk to a point, radii Δ/4. Holds if the "
        f"condition can be met at mean gaps of {NOTABLE:g} σ_j or more, with a note if at smaller "
        "ones only.",
        cases
        | {
            "largest Δ_μ at which it can be met, whatever σ_A": f"{significant(widest, 2)} σ_j, at "
            f"σ_A − σ_j = {significant(at, 2)} σ_j"
        },
        gap_verdict(widest),
        "section 4.3.3",
    )


def gap_verdict(widest: float) -> Verdict:
    """Judge the largest mean gap, in units of σ_j, at which the condition can be met."""
    if widest >= NOTABLE:
        return Verdict.HOLDS
    return Verdict.NOTE if widest > 0 else Verdict.FAILS
