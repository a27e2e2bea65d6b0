"""Section 3: the empirical endpoint, the miss indicator and the adaptive level, on played paths."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from upperhand.distributions import Distribution
from upperhand.live.bandit import Bandit
from upperhand.paper.claim import Claim, Verdict, worst
from upperhand.paper.settings import ALPHA, GAUSSIAN_ARMS
from upperhand.policies import ACPUCB1
from upperhand.theory import concentration, population

from .cases import EXPERIMENTS_POLICY, PAPER_ARMS, WINDOW
from .evidence import ROUNDING, Array, Effort, holds_if, largest, share_of, stream

CHAPTER = 2
SAMPLE_SIZES = 1, 7, 60, 400
EXACT = 2.0**-10  # rewards are multiples of it: ties are common, and no sum is rounded
TIGHT = 0.1  # a second λ, at which the localisation binds early; the experiments have λ = 1


def claims(effort: Effort) -> list[Claim]:
    """Judge section 3."""
    paths = [
        walk(policy, arm, stream(effort, CHAPTER, place), effort.trials + 2)
        for policy in (EXPERIMENTS_POLICY, EXPERIMENTS_POLICY.replace(lam=TIGHT))
        for place, arm in enumerate(GAUSSIAN_ARMS)
    ]
    return [_plug_in(effort), _is_interval(paths), _miss(paths), _localised(paths)]


@dataclass(frozen=True)
class Path:
    """One arm pulled again and again: each entry belongs to a reward from the second one on."""

    policy: ACPUCB1
    outside: NDArray[np.bool_]  # the reward is not in [L, U]
    above: NDArray[np.bool_]  # its online score is above the correction
    width: Array  # U − L
    level: Array  # α_{s+1}, after the reward

    @property
    def radius(self) -> Array:
        """λ √(ln s / s), from s = 2 on."""
        s = np.arange(2, len(self.level) + 2)
        return np.asarray(self.policy.lam * np.sqrt(np.log(s) / s))


def walk(policy: ACPUCB1, arm: Distribution, rng: np.random.Generator, steps: int) -> Path:
    """Tell the policy so many rewards of one arm, and look at it before and after each."""
    rewards = np.round(arm.sample(rng, steps) / EXACT) * EXACT
    bandit, seen = Bandit(["arm"], policy), []
    for s, y in enumerate(rewards.tolist(), start=1):
        was = bandit.state
        lower, upper = was.lower[0], was.upper[0]
        correction = was.calibration.correction[0]
        above = s >= 2 and population.score(y, was.low[0], was.high[0]) > correction
        bandit.tell("arm", y)
        if s >= 2:
            seen.append(
                (not lower <= y <= upper, above, upper - lower, bandit.state.calibration.level[0])
            )
    outside, missed, width, level = (np.array(column) for column in zip(*seen, strict=True))
    return Path(policy, outside, missed, width, level)


class PlugIn(NamedTuple):
    """Samples scored twice: by their own empirical ends, and by the true ones."""

    plugged_in: Array  # (count, size)
    oracle: Array  # (count, size)
    low_error: Array  # (count,)
    high_error: Array  # (count,)


def scored_twice(arm: Distribution, rng: np.random.Generator, count: int, size: int) -> PlugIn:
    """Draw samples of rewards and score them."""
    rewards = arm.sample(rng, (count, size))
    empirical = partial(np.quantile, rewards, axis=1, method="inverted_cdf", keepdims=True)
    low, high = population.q_low(arm, ALPHA), population.q_high(arm, ALPHA)
    low_hat, high_hat = empirical(ALPHA / 2), empirical(1 - ALPHA / 2)
    return PlugIn(
        population.score(rewards, low_hat, high_hat),
        population.score(rewards, low, high),
        np.abs(low_hat - low)[:, 0],
        np.abs(high_hat - high)[:, 0],
    )


def _plug_in(effort: Effort) -> Claim:
    rng, count = stream(effort, CHAPTER, 10), share_of(effort, 40)
    ratios, sums = [], []
    for arm in PAPER_ARMS:
        for size in SAMPLE_SIZES:
            scores = scored_twice(arm, rng, count, size)
            ends = concentration.score_shift(scores.low_error, scores.high_error)
            ratios.append(np.abs(scores.plugged_in - scores.oracle).max(axis=1) / ends)
            sums.append(ends / (scores.low_error + scores.high_error))
    first, second = largest(ratios), largest(sums)
    return Claim(
        "Plug-in scores differ from oracle scores by at most the larger error of the two ends, "
        "and so by at most the sum of the two.",
        "Random samples of 1 to 400 rewards from every arm of Figures 1 and 3: both ratios of left "
        "to right side are at most 1, up to rounding.",
        {
            "samples": f"{count * len(ratios):,}",
            "largest |S̃ − S| / larger error": f"{first:.4f}",
            "larger error / sum of errors": f"{second:.4f}",
        },
        worst(holds_if(ratio <= 1 + 1e-9) for ratio in (first, second)),
        "equation (6)",
    )


def _is_interval(paths: list[Path]) -> Claim:
    width = np.concatenate([path.width for path in paths])
    crossed = int(np.sum(width < 0))
    return Claim(
        "[L, U] is an interval, even where the correction is negative: L ≤ U.",
        "Every step of played paths on Figure 1's arms, with λ = 1 and with λ = "
        f"{TIGHT:g}. (Every score is at least half the negative width of the base interval, and so "
        "is the correction.)",
        {"steps": f"{width.size:,}", "with L > U": str(crossed)},
        holds_if(crossed == 0),
        "equation (5)",
    )


def _miss(paths: list[Path]) -> Claim:
    outside = np.concatenate([path.outside for path in paths])
    above = np.concatenate([path.above for path in paths])
    different = int(np.sum(outside != above))
    return Claim(
        "The miss indicator has two forms: Y is not in [L, U] if and only if its online score "
        "exceeds the correction.",
        "The same paths; rewards are multiples of 2⁻¹⁰, so that both forms are exact and ties are "
        "common.",
        {
            "steps": f"{outside.size:,}",
            "misses": f"{int(outside.sum()):,}",
            "disagreements": str(different),
        },
        holds_if(different == 0),
        "section 3.2",
    )


def _localised(paths: list[Path]) -> Claim:
    ratio = max(largest((path.level - ALPHA) / path.radius) for path in paths)
    levels = np.concatenate([path.level for path in paths])
    binding = sum(int(np.sum(_binds(path))) for path in paths)
    start = {f"{path.level[0]:.4f}" for path in paths}
    return Claim(
        "The localized projection keeps the level in its window and within λ √(ln s / s) of α.",
        "The same paths: at every step |α_{s+1} − α| / (λ √(ln s / s)) is at most 1, up to "
        "rounding, and the level lies in the window.",
        {
            "largest ratio": f"{ratio:.4f}",
            "steps at which the localisation binds": f"{binding:,} of {levels.size:,}",
            "levels": f"{levels.min():.4f} to {levels.max():.4f}, window {WINDOW[0]:g} to "
            f"{WINDOW[1]:g}",
            "level after the second reward": " or ".join(sorted(start)),
        },
        level_verdict(ratio, float(levels.min()), float(levels.max())),
        "section 3.2",
    )


def _binds(path: Path) -> NDArray[np.bool_]:
    return np.abs(np.abs(path.level - ALPHA) - path.radius) <= ROUNDING


def level_verdict(ratio: float, least: float, most: float) -> Verdict:
    """Judge the levels of all paths: how far from α, and between which bounds."""
    return holds_if(ratio <= 1 + 1e-9 and least >= WINDOW[0] and most <= WINDOW[1])
