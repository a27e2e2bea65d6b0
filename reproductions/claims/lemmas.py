"""Appendix A.1.2: the lemmas, drawn on distributions where their bounds are below 1."""

import math
from dataclasses import replace

import numpy as np

from upperhand._kernels.samples import rank
from upperhand.distributions import Normal
from upperhand.paper.claims import Claim, worst
from upperhand.policies import ACPUCB1
from upperhand.simulation.player import play
from upperhand.theory import population, theorem_1

from . import cases, evidence
from .cases import ALPHA, GAUSSIAN_ARMS, LEVEL, LEVELS, PAPER_ARMS, UNIT
from .definitions import scored_twice
from .evidence import Array, Effort, Tail, bounded, distance_to, holds_if, largest, rare, stream

ADAPTIVE = ACPUCB1(LEVEL, level_min=LEVELS[0], level_max=LEVELS[1])


def appendix_a_1_2(effort: Effort) -> list[Claim]:
    """Judge the lemmas."""
    return [
        _local_inverse(effort),
        rare(
            "Lemma 2",
            "An empirical quantile errs by more than ε with probability at most "
            "2 exp(−2 m ε² f_min²).",
            "Rewards uniform on [0, 1].",
            quantile_tails(stream(effort, 4, 2), effort.trials),
        ),
        _stability(effort),
        _score_quantile(effort),
        _random_level(effort),
        _level_error(),
    ]


def corner_error() -> float:
    """Return |q̂ − q| in a case of Lemma 1 with sup |Ĝ − G| = g₀ δ and δ = r.

    G has density 1/4 on [−4, −3], [−1, 1] and [3, 4], and Ĝ is G + 1/4 from −3 on. With γ = 1/2,
    q is 0, and with r = δ = 1, g₀ is 1/4: the lemma states an error of at most 1.
    """
    z = np.arange(-5 * 64, 5 * 64 + 1) / 64  # all knots are among these
    g = np.interp(z, [-4, -3, -1, 1, 3, 4], [0, 0.25, 0.25, 0.75, 0.75, 1])
    g_hat = np.where(z >= -3, np.minimum(g + 0.25, 1), g)
    return abs(float(z[np.argmax(g_hat >= 0.5)]))


def inverse_ratios(rng: np.random.Generator, count: int) -> Array:
    """Return |q̂ − q| / δ for random samples with δ = sup |Ĝ − G| / g₀ < r."""
    ratios = []
    for _ in range(count):
        arm = UNIT if rng.random() < 0.5 else Normal(0, 1)
        gamma, sample = rng.uniform(0.25, 0.75), np.sort(arm.sample(300, rng))
        q, r = arm.quantile(gamma), 0.24
        g_0 = min(arm.pdf(q - r), arm.pdf(q + r))  # both densities have one peak, or a plateau
        distance = distance_to(arm.cdf(sample))
        if distance < g_0 * r:
            estimate = sample[rank(gamma, len(sample)) - 1]
            ratios.append(abs(estimate - q) / float(theorem_1.quantile_error(distance, g_0, r)))
    return np.array(ratios)


def _local_inverse(effort: Effort) -> Claim:
    ratios = inverse_ratios(stream(effort, 4, 1), max(effort.trials, 20))
    ratio, corner = largest(ratios), corner_error()
    return Claim(
        "Lemma 1",
        "If G has density at least g₀ within r of its γ-quantile q, and sup |Ĝ − G| ≤ g₀ δ for a "
        "δ ≤ r, then |q̂ − q| ≤ δ.",
        "Samples of 300 with the smallest δ below r. With a note if it fails with equality at "
        "δ = r = 1, which the lemma admits and its proof leaves out.",
        {
            "samples": f"{ratios.size:,}",
            "largest |q̂ − q| / δ": f"{ratio:.4f}",
            "|q̂ − q| with equality at δ = 1": f"{corner:g}",
        },
        holds_if(max(ratio, corner) <= 1 + 1e-9, note_if=ratio <= 1 + 1e-9),
    )


def quantile_tails(rng: np.random.Generator, trials: int) -> list[Tail]:
    """Return how often the empirical τ-quantile of m uniform rewards errs by more than ε."""
    tails = []
    for tau, m, epsilon in (0.5, 20, 0.25), (0.75, 100, 0.15), (0.5, 400, 0.025):
        place = rank(tau, m) - 1
        estimates = np.partition(UNIT.sample((trials, m), rng), place, axis=1)[:, place]
        bound = theorem_1.reward_quantile_tail(m, epsilon, f_min=1, r_y=min(tau, 1 - tau))
        name, exceeded = f"τ = {tau:g}, m = {m}, ε = {epsilon:g}", np.abs(estimates - tau) > epsilon
        tails.append(Tail(name, exceeded, float(bound)))
    return tails


def _stability(effort: Effort) -> Claim:
    rng, count, ratios = stream(effort, 5, 1), evidence.share_of(effort, 20), []
    for arm in PAPER_ARMS:
        plugged_in, oracle, errors = scored_twice(arm, rng, count, 60)
        shift = np.sort(plugged_in, axis=1) - np.sort(oracle, axis=1)
        ratios.append(np.abs(shift).max(axis=1) / errors.sum(axis=0))
    return bounded(
        "Appendix A.1.2",
        "Recomputing the scores moves every empirical score quantile by at most the sum E of the "
        "errors of the two ends: sup_β |ĉ(β) − ĉᵖᵒᵖ(β)| ≤ E.",
        "Samples of 60 rewards from every arm of Figures 1 and 3, all order statistics.",
        {"largest shift / E": ratios},
    )


def _score_quantile(effort: Effort) -> Claim:
    rng, tails = stream(effort, 5, 2), []
    for m, epsilons in (2000, (0.001, 0.1)), (4000, (0.001, 0.06, 0.1224)):
        errors = suprema(UNIT.sample((effort.trials, m), rng))
        tails += [score_tail(errors, m, epsilon) for epsilon in epsilons]
    tails += distance_tails(rng, effort.trials)
    return rare(
        "Lemma 3",
        "The correction errs by ε or more at some level of the window with probability at most "
        "2 exp(−m ε² g_min² / 2) + 4 exp(−m ε² f_min² / 8).",
        "Rewards uniform on [0, 1], α = 0.5, levels 0.49 to 0.51, f_min = 1, g_min = 2. The bound "
        "is loose; the sharp step of its proof, on sup |Ĝ − G|, is checked too.",
        tails,
    )


def score_tail(errors: Array, m: int, epsilon: float) -> Tail:
    """Return how often an error is ε or more, with Lemma 3's bound."""
    local = cases.uniform_constants()
    given = {"f_min": local.f_min, "g_min": local.g_min, "r_y": local.r_y, "r_s": local.r_s}
    bound = float(theorem_1.score_quantile_tail(m, epsilon, **given))
    return Tail(f"m = {m}, ε = {epsilon:g}", errors >= epsilon, bound)


def distance_tails(rng: np.random.Generator, trials: int, m: int = 100) -> list[Tail]:
    """Return how often the oracle scores' empirical distribution is further from G than u."""
    ends = population.q_low(UNIT, LEVEL), population.q_high(UNIT, LEVEL)
    scores = np.sort(population.score(UNIT.sample((trials, m), rng), *ends), axis=1)
    found = np.array([distance_to(population.score_cdf(UNIT, LEVEL, row)) for row in scores])
    return [  # with the bound of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant
        Tail(f"sup |Ĝ − G| > {u}, m = {m}", found > u, 2 * math.exp(-2 * m * u**2))
        for u in (0.1, 0.15)
    ]


def _random_level(effort: Effort) -> Claim:
    rng, m, count = stream(effort, 5, 3), 2000, evidence.share_of(effort, 4, minimum=20)
    rewards = UNIT.sample((count, m), rng)
    found = [play(ADAPTIVE, [row]).state.calibration for row in rewards]
    corrections, levels = np.transpose([(c.correction[0], c.level[0]) for c in found])
    errors = np.abs(corrections - population.correction(UNIT, LEVEL, levels))
    ratio = largest(errors / suprema(rewards))  # at most 1: this check is sharp
    tails = [score_tail(errors, m, epsilon) for epsilon in (0.001, 0.1)]
    claim = rare(
        "Lemma 3",
        "In particular, the bound holds at the random level β = α_{j,s}.",
        "ACP-UCB1's own correction after 2,000 of these rewards, against c at its own level.",
        tails,
    )
    numbers = claim.numbers | {"largest error / supremum over the window": f"{ratio:.4f}"}
    verdict = worst([claim.verdict, holds_if(ratio <= 1 + 1e-9)])
    return replace(claim, numbers=numbers, verdict=verdict)


def suprema(rewards: Array) -> Array:
    """Return sup_β |ĉ(β) − c(β)| over the window for each row of rewards."""
    m = rewards.shape[1]
    low, high = rank(LEVEL / 2, m) - 1, rank(1 - LEVEL / 2, m) - 1
    first, last = rank(1 - LEVELS[1], m), rank(1 - LEVELS[0], m)
    k = np.arange(first, last + 1)  # ĉ(β) = S_(k) for (k − 1)/m < 1 − β ≤ k/m: c at both ends
    masses = np.clip(np.stack([(k - 1) / m, k / m]), 1 - LEVELS[1], 1 - LEVELS[0])
    before, after = population.correction(UNIT, LEVEL, 1 - masses)
    ordered = np.partition(rewards, (low, high), axis=1)
    scores = population.score(ordered, ordered[:, [low]], ordered[:, [high]])
    scores.partition((first - 1, last - 1), axis=1)
    steps = np.sort(scores[:, first - 1 : last], axis=1)
    return np.asarray(np.maximum(np.abs(steps - before), np.abs(steps - after)).max(axis=1))


def _level_error() -> Claim:
    beta = np.geomspace(*cases.WINDOW, 400)
    bound = theorem_1.correction_error(beta, ALPHA, cases.figure_1_constants().g_min)
    levels = np.linspace(*LEVELS, 100)  # none is the middle, where both sides are 0
    exact = theorem_1.correction_error(levels, LEVEL, cases.uniform_constants().g_min)
    return bounded(
        "Appendix A.1.3",
        "A level β of the window shifts the correction by at most |β − α| / g_min.",
        "Shift over bound for Figure 1's arms, and for uniform rewards, where it is exact.",
        {
            "Figure 1": [population.correction(arm, ALPHA, beta) / bound for arm in GAUSSIAN_ARMS],
            "uniform": population.correction(UNIT, LEVEL, levels) / exact,
        },
    )
