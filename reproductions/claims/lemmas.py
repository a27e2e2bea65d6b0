"""Appendix A.1.2: the lemmas, drawn on laws where their bounds are not vacuous."""

import math
from typing import NamedTuple

import numpy as np

from upperhand._kernels.samples import rank
from upperhand.distributions import Normal
from upperhand.paper.claim import Claim, Verdict
from upperhand.text import counted, significant
from upperhand.theory import concentration

from . import score_quantiles
from .cases import UNIT, figure_1_constants
from .evidence import TAIL_CHECK, Array, Effort, Tail, distance_to, largest, stream, tails_verdict

CHAPTER = 4


def claims(effort: Effort) -> list[Claim]:
    """Judge the lemmas."""
    return [_local_inverse(effort), _reward_quantile(effort), *score_quantiles.claims(effort)]


class Corner(NamedTuple):
    """A case of Lemma 1 with equality: sup |Ĝ − G| = g₀ δ, and the quantile's error."""

    distance: float
    g_0_delta: float
    error: float
    delta: float


def corner() -> Corner:
    """Return the case δ = r where G is flat beyond r: Ĝ = G + 1/4 from −3 on.

    G has density 1/4 on [−4, −3], [−1, 1] and [3, 4]. With γ = 1/2, q = 0 and r = 1, g₀ is 1/4.
    """
    z = np.arange(-5 * 64, 5 * 64 + 1) / 64  # all knots are among these, so suprema are exact
    g = np.interp(z, [-4, -3, -1, 1, 3, 4], [0, 0.25, 0.25, 0.75, 0.75, 1])
    g_hat = np.where(z >= -3, np.minimum(g + 0.25, 1), g)
    quantile = float(z[np.argmax(g_hat >= 0.5)])
    return Corner(largest(g_hat - g), 0.25 * 1, abs(quantile), 1.0)


def inverse_ratios(rng: np.random.Generator, count: int) -> Array:
    """Return |q̂ − q| / δ for random samples with δ = sup |Ĝ − G| / g₀ < r."""
    ratios = []
    for _ in range(count):
        law = UNIT if rng.random() < 0.5 else Normal(0, 1)
        gamma, sample = rng.uniform(0.25, 0.75), np.sort(law.sample(rng, 300))
        q, r = law.quantile(gamma), 0.24
        g_0 = min(law.pdf(q - r), law.pdf(q + r))  # both laws have one peak, or a plateau
        distance = distance_to(law.cdf(sample))
        if distance < g_0 * r:
            estimate = sample[rank(gamma, len(sample)) - 1]
            ratios.append(abs(estimate - q) / float(concentration.quantile_error(distance, g_0, r)))
    return np.array(ratios)


def _local_inverse(effort: Effort) -> Claim:
    ratios, case = inverse_ratios(stream(effort, CHAPTER, 1), max(effort.trials, 20)), corner()
    return Claim(
        "If G has density at least g₀ within r of its γ-quantile q, and sup |Ĝ − G| ≤ g₀ δ for a "
        "δ ≤ r, then |q̂ − q| ≤ δ.",
        "Samples of 300 from uniform and Gaussian laws, δ taken as small as the sample allows, "
        "below r: does not hold if one error exceeds δ. With a note if it fails with equality at "
        "δ = r, which the lemma admits and its proof leaves out: G may be flat beyond r.",
        {
            "samples": f"{ratios.size:,}",
            "largest |q̂ − q| / δ": f"{largest(ratios):.4f}",
            "equality at δ = r": f"sup |Ĝ − G| = {case.distance:g} = g₀ δ, |q̂ − q| = "
            f"{case.error:g}, δ = {case.delta:g}",
        },
        inverse_verdict(largest(ratios), case),
        "Lemma 1",
    )


def inverse_verdict(ratio: float, case: Corner) -> Verdict:
    """Judge the lemma below r by the largest error, and at r by the case with equality."""
    if ratio > 1 + 1e-9:
        return Verdict.FAILS
    admitted = case.distance <= case.g_0_delta
    return Verdict.NOTE if admitted and case.error > case.delta else Verdict.HOLDS


QUANTILE_CASES = (0.5, 20, 0.25), (0.75, 100, 0.15), (0.5, 400, 0.025)  # τ, m, ε


def quantile_tails(rng: np.random.Generator, trials: int) -> list[Tail]:
    """Return how often the empirical τ-quantile of m uniform rewards errs by more than ε."""
    tails = []
    for tau, m, epsilon in QUANTILE_CASES:
        place = rank(tau, m) - 1
        estimates = np.partition(UNIT.sample(rng, (trials, m)), place, axis=1)[:, place]
        bound = concentration.reward_quantile_tail(m, epsilon, f_min=1, r_y=min(tau, 1 - tau))
        count = int(np.sum(np.abs(estimates - tau) > epsilon))
        tails.append(Tail(f"τ = {tau:g}, m = {m}, ε = {epsilon:g}", count, trials, float(bound)))
    return tails


def _reward_quantile(effort: Effort) -> Claim:
    tails = quantile_tails(stream(effort, CHAPTER, 2), effort.trials)
    local = figure_1_constants()
    return Claim(
        "An empirical quantile errs by more than ε with probability at most 2 exp(−2 m ε² f_min²).",
        f"Rewards uniform on [0, 1], {counted(effort.trials, 'sample')} of each size. {TAIL_CHECK} "
        "For Figure 1's arms, with the appendix's constants on the experiments' window and "
        "ε = r_y = Δ/4, the bound is above 1 up to the m given last.",
        {tail.name: str(tail) for tail in tails}
        | {"Figure 1, vacuous up to m": significant(vacuous_until(local.f_min, local.r_y), 2)},
        tails_verdict(tails),
        "Lemma 2",
    )


def vacuous_until(f_min: float, epsilon: float) -> float:
    """Return the m at which Lemma 2's bound is 1: ln 2 / (2 ε² f_min²)."""
    return math.log(2) / (2 * (epsilon * f_min) ** 2)
