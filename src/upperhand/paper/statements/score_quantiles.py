"""Lemma 3 and what surrounds it: how far empirical score quantiles are from the true ones."""

from collections.abc import Iterator

import numpy as np

from ..._kernels.ranks import rank
from ...theory import concentration, population
from ...theory.assumption_1 import LocalConstants
from ..claim import Claim, Effort
from ..settings import ALPHA, GAUSSIAN_ARMS
from .evidence import (
    PAPER_ARMS,
    TAIL_CHECK,
    WINDOW,
    Array,
    Tail,
    figure_1_constants,
    holds_if,
    largest,
    share_of,
    stream,
    tails_verdict,
)
from .method import scored_twice
from .uniform_case import LEVEL, LEVELS, RADIUS, UNIT, uniform_constants

CHAPTER = 5
CASES = {2000: (0.1,), 4000: (0.1224, 0.06)}  # ε for each m
ROWS = 200  # samples drawn at a time, to bound the memory


def claims(effort: Effort) -> list[Claim]:
    """Judge Lemma 3 and the two bounds that its proof and that of Theorem 1 use."""
    return [_stability(effort), _score_quantile(effort), _level_error()]


def _stability(effort: Effort) -> Claim:
    rng, count, ratios = stream(effort, CHAPTER, 1), share_of(effort, 20), []
    for arm in PAPER_ARMS:
        scores = scored_twice(arm, rng, count, 60)
        shift = np.sort(scores.plugged_in, axis=1) - np.sort(scores.oracle, axis=1)
        ratios.append(np.abs(shift).max(axis=1) / (scores.low_error + scores.high_error))
    return Claim(
        "Recomputing the scores moves every empirical score quantile by at most the sum E of the "
        "errors of the two ends: sup_β |ĉ(β) − ĉᵖᵒᵖ(β)| ≤ E.",
        "Random samples of 60 rewards from every arm of Figures 1 and 3, all 60 order statistics, "
        "so every level: the largest shift is at most E, up to rounding.",
        {"samples": f"{count * len(ratios):,}", "largest shift / E": f"{largest(ratios):.4f}"},
        holds_if(largest(ratios) <= 1 + 1e-9),
        "appendix A.1.2",
    )


def _score_quantile(effort: Effort) -> Claim:
    rng, constants = stream(effort, CHAPTER, 2), uniform_constants()
    errors = {m: deviations(rng, effort.trials, m) for m in CASES}
    tails = [
        _tail(errors[m], m, epsilon, constants)
        for m, epsilons in CASES.items()
        for epsilon in epsilons
    ]
    return Claim(
        "The correction errs by ε or more at some level of the window with probability at most "
        "2 exp(−m ε² g_min² / 2) + 4 exp(−m ε² f_min² / 8).",
        f"Rewards uniform on [0, 1], α = {LEVEL:g}, window {LEVELS[0]:g} to {LEVELS[1]:g}, radii "
        f"{RADIUS:g}: f_min = {constants.f_min:g} and g_min = {constants.g_min:g}. "
        f"{effort.trials:,} samples of each size m, the supremum over levels taken exactly, from "
        f"the order statistics of the scores. {TAIL_CHECK}",
        {tail.name: str(tail) for tail in tails}
        | {f"largest error, m = {m}": f"{error.max():.4f}" for m, error in errors.items()},
        tails_verdict(tails),
        "Lemma 3",
    )


def _tail(errors: Array, m: int, epsilon: float, local: LocalConstants) -> Tail:
    """Count the errors of ε or more, next to Lemma 3's bound."""
    bound = concentration.score_quantile_tail(
        m, epsilon, f_min=local.f_min, g_min=local.g_min, r_y=local.r_y, r_s=local.r_s
    )
    count = int(np.sum(errors >= epsilon))
    return Tail(f"m = {m}, ε = {epsilon:g}", count, len(errors), float(bound))


def deviations(rng: np.random.Generator, trials: int, m: int) -> Array:
    """Return sup_β |ĉ(β) − c(β)| over the window for samples of m uniform rewards."""
    return np.concatenate(list(_deviations(rng, trials, m)))


def _deviations(rng: np.random.Generator, trials: int, m: int) -> Iterator[Array]:
    low, high = rank(LEVEL / 2, m) - 1, rank(1 - LEVEL / 2, m) - 1
    first, last = rank(1 - LEVELS[1], m), rank(1 - LEVELS[0], m)
    before, after = true_steps(first, last, m)
    for start in range(0, trials, ROWS):
        rewards = UNIT.sample(rng, (min(ROWS, trials - start), m))
        rewards.partition((low, high), axis=1)
        scores = population.score(rewards, rewards[:, [low]], rewards[:, [high]])
        scores.partition((first - 1, last - 1), axis=1)
        steps = np.sort(scores[:, first - 1 : last], axis=1)
        yield np.maximum(np.abs(steps - before), np.abs(steps - after)).max(axis=1)


def true_steps(first: int, last: int, m: int) -> tuple[Array, Array]:
    """Return c at both ends of each step of ĉ: ĉ(β) = S_(k) for (k−1)/m < 1 − β ≤ k/m."""
    k = np.arange(first, last + 1)
    masses = np.clip(np.stack([(k - 1) / m, k / m]), 1 - LEVELS[1], 1 - LEVELS[0])
    before, after = population.correction(UNIT, LEVEL, 1 - masses)
    return before, after


def _level_error() -> Claim:
    beta = np.geomspace(*WINDOW, 400)
    bound = concentration.correction_error(beta, ALPHA, figure_1_constants().g_min)
    errors = [np.abs(population.correction(arm, ALPHA, beta)) / bound for arm in GAUSSIAN_ARMS]
    levels = np.linspace(*LEVELS, 100)  # none is the middle, where both sides are 0
    exact = concentration.correction_error(levels, LEVEL, uniform_constants().g_min)
    uniform = np.abs(population.correction(UNIT, LEVEL, levels)) / exact
    return Claim(
        "A level β of the window shifts the correction by at most |β − α| / g_min.",
        "|c(β) − c(α)| over that bound, at 400 levels of the experiments' window for Figure 1's "
        "arms with the appendix's g_min, and for the uniform law above, where the bound is exact: "
        "at most 1, up to rounding.",
        {
            "Figure 1, largest": f"{largest(errors):.4f}",
            "uniform, largest": f"{largest(uniform):.6f}",
        },
        holds_if(max(largest(errors), largest(uniform)) <= 1 + 1e-9),
        "appendix A.1.3",
    )
