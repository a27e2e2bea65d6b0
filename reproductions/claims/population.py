"""Section 2: the score, its law, the value of an arm, and regret."""

import math

import numpy as np

from upperhand.distributions import Bernoulli, Distribution, Empirical
from upperhand.objectives import UpperTail
from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.levels import ALPHAS
from upperhand.paper.settings import ALPHA, GAUSSIAN_ARMS, HORIZON
from upperhand.simulation.player import play
from upperhand.text import significant
from upperhand.theory import population as law

from .cases import EXPERIMENTS_POLICY, PAPER_ARMS
from .evidence import ERROR, ROUNDING, Array, Effort, distance_to, holds_if, largest, shown, stream

CHAPTER = 1
EXACT = 1 / 16  # sums and differences of its multiples have no rounding
NEARBY = 1e-9  # how close to 0 the score quantile is placed, relative to the interval's half-width
CASES = [(arm, alpha) for arm in PAPER_ARMS for alpha in ALPHAS]
LAWS_WITH_ATOMS: tuple[Distribution, ...] = (Bernoulli(0.3), Empirical([1, 2, 2, 5, 9]))


def claims(effort: Effort) -> list[Claim]:
    """Judge section 2."""
    theirs = _score_density(), _nominal_mass(), _value()
    return [_covering(effort), _score_law(effort), *theirs, _regret(effort)]


def _covering(effort: Effort) -> Claim:
    multiples = stream(effort, CHAPTER, 1).integers(-64, 65, (4, 100 * effort.trials)) * EXACT
    y, z, *ends = multiples
    low, high = np.sort(ends, axis=0)
    inside = (low - z <= y) & (y <= high + z)
    different = int(np.sum((law.score(y, low, high) <= z) != inside))
    on_an_end = int(np.sum((y == low - z) | (y == high + z)))
    return Claim(
        "The score s(y; ℓ, u) is at most z if and only if y is in [ℓ − z, u + z].",
        "Random ℓ ≤ u, y and z, multiples of 1/16 so that no sum is rounded: both sides are true "
        "or both false.",
        {
            "cases": f"{y.size:,}",
            "with y on an end": f"{on_an_end:,}",
            "disagreements": str(different),
        },
        holds_if(different == 0),
        "section 2.2",
    )


def _score_law(effort: Effort) -> Claim:
    size, rng = 25 * effort.trials, stream(effort, CHAPTER, 2)
    allowed = math.sqrt(math.log(2 * len(PAPER_ARMS) / ERROR) / (2 * size))
    found = [_sampled(arm, rng, size) for arm in PAPER_ARMS]
    distance, lowest = max(d for d, _ in found), min(low for _, low in found)
    start = lowest_with_a_gap(rng, size)
    return Claim(
        "Scores start at z_min = (qˡᵒʷ − qʰⁱᵍʰ)/2, and their distribution function is "
        "G(z) = F(qʰⁱᵍʰ + z) − F(qˡᵒʷ − z) from there on, and 0 below.",
        f"Scores of rewards drawn from each of the {len(PAPER_ARMS)} arms of Figures 1 and 3 at "
        "α = 0.1: none is below z_min, and the largest distance of their empirical distribution "
        "function from G is one that the Dvoretzky–Kiefer–Wolfowitz inequality allows; chance "
        f"breaks it with a probability of {significant(ERROR)}. With a note if the scores of a law "
        "with a density, but with a gap in its middle, do not start near z_min: the paper asks "
        "for a density, not for one above 0 everywhere. (G is right there too; only the start of "
        "the support is not.)",
        {
            "rewards of each arm": f"{size:,}",
            "largest distance": f"{distance:.4f}, allowed {allowed:.4f}",
            "scores below z_min": "none" if lowest >= 0 else "some",
            "uniform on [0, 1] or [9, 10], scores start at": f"{start:.2f} z_min",
        },
        law_verdict(distance <= allowed and lowest >= 0, start),
        "section 2.2",
    )


def law_verdict(agrees: bool, start: float) -> Verdict:
    """Judge G on the paper's arms, and where the scores of a law with a gap start, over z_min."""
    if not agrees:
        return Verdict.FAILS
    return Verdict.HOLDS if start > 0.99 else Verdict.NOTE


def lowest_with_a_gap(rng: np.random.Generator, size: int) -> float:
    """Return the lowest score of a law with a gap, over z_min; its quantiles are by hand."""
    rewards = rng.random(size) + 9 * rng.integers(0, 2, size)
    low, high = ALPHA, 10 - ALPHA  # half of the mass is on either part: F(x) = x/2 on [0, 1]
    return float(law.score(rewards, low, high).min() / ((low - high) / 2))


def _sampled(arm: Distribution, rng: np.random.Generator, size: int) -> tuple[float, float]:
    """Return the distance of sampled scores from G, and how far the lowest is above z_min."""
    low, high = law.q_low(arm, ALPHA), law.q_high(arm, ALPHA)
    scores = np.sort(law.score(arm.sample(rng, size), low, high))
    start = (low - high) / 2
    return distance_to(law.score_cdf(arm, ALPHA, scores)), float(scores[0] - start)


def _score_density() -> Claim:
    errors = [largest(_density_error(arm)) for arm in PAPER_ARMS]
    return Claim(
        "Inside its support, G has the density g(z) = f(qʰⁱᵍʰ + z) + f(qˡᵒʷ − z).",
        f"For the {len(PAPER_ARMS)} arms of Figures 1 and 3, at score quantiles from level 0.02 to "
        "0.98, the slope of G over a short step agrees with g to a millionth.",
        {"largest relative difference": shown(max(errors), 1e-6)},
        holds_if(max(errors) <= 1e-6),
        "equation (1)",
    )


def _density_error(arm: Distribution) -> Array:
    z = law.correction(arm, ALPHA, np.linspace(0.02, 0.98, 49))
    step = -1e-5 * law.score_support(arm, ALPHA).lower
    before, after = law.score_cdf(arm, ALPHA, np.stack([z - step, z + step]))
    error: Array = (after - before) / (2 * step) / law.score_pdf(arm, ALPHA, z) - 1
    return error


def _nominal_mass() -> Claim:
    mass = [law.score_cdf(arm, alpha, 0.0) - (1 - alpha) for arm, alpha in CASES]
    return Claim(
        "At the nominal level the base interval already has mass 1 − α: G(0) = 1 − α.",
        "Every arm of Figures 1 and 3 at every α of the paper, up to rounding.",
        {"cases": str(len(mass)), "largest difference": shown(largest(mass))},
        holds_if(largest(mass) <= ROUNDING),
        "section 2.2",
    )


def _value() -> Claim:
    levels = [arm.cdf(float(law.upper_endpoint(arm, a, a))) - (1 - a / 2) for arm, a in CASES]
    placed = sum(_crosses_at_0(arm, alpha) for arm, alpha in CASES)
    atoms = [_crosses_at_0(arm, alpha) for arm in LAWS_WITH_ATOMS for alpha in ALPHAS]
    return Claim(
        "The score quantile at the nominal level is unique and c(α) = 0, so that the value of an "
        "arm is u* = V(α) = F⁻¹(1 − α/2).",
        "Every arm of Figures 1 and 3 at every α of the paper: G is below 1 − α just before 0 and "
        "above it just after, and F(V(α)) is 1 − α/2 up to rounding. Laws with atoms, which "
        "Assumption 1 excludes, are shown next to it.",
        {
            "score quantile at 0": f"{placed} of {len(CASES)}",
            "for laws with atoms": f"{sum(atoms)} of {len(atoms)}",
            "largest |F(V(α)) − (1 − α/2)|": shown(largest(levels)),
        },
        holds_if(placed == len(CASES) and largest(levels) <= ROUNDING),
        "section 2.2",
    )


def _crosses_at_0(arm: Distribution, alpha: float) -> bool:
    """Tell whether G reaches 1 − α at 0 and, if the law has a density, passes it at once."""
    near = NEARBY * max((law.q_high(arm, alpha) - law.q_low(arm, alpha)) / 2, NEARBY)
    before, at, after = law.score_cdf(arm, alpha, [-near, 0.0, near]) - (1 - alpha)
    return bool(before < 0 and (after > 0 if arm.has_density else at >= -ROUNDING))


def _regret(effort: Effort) -> Claim:
    rng = stream(effort, CHAPTER, 6)
    table = [arm.sample(rng, HORIZON) for arm in GAUSSIAN_ARMS]
    pulled = play(EXPERIMENTS_POLICY, table, effort.seed).arms
    values, gaps = UpperTail(ALPHA).values(GAUSSIAN_ARMS), UpperTail(ALPHA).gaps(GAUSSIAN_ARMS)
    by_rounds = HORIZON * values.max() - values[pulled].sum()
    by_arms = float(np.bincount(pulled, minlength=len(gaps)) @ gaps)
    return Claim(
        "With a unique best arm, the upper-tail pseudo-regret is the sum over arms of gap times "
        "pulls.",
        "An identity: a sum over rounds, sorted by arm. What is checked is that our values, gaps "
        "and pulls fit together: one run of ACP-UCB1 on Figure 1's arms, summed round by round and "
        "arm by arm, agrees to a billionth.",
        {"by rounds": f"{by_rounds:.2f}", "by arms": f"{by_arms:.2f}"},
        holds_if(math.isclose(by_rounds, by_arms, rel_tol=1e-9)),
        "section 2.3",
    )
