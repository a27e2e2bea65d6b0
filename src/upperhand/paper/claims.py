"""The 13 claims of the paper about its experiments, with verdicts from the runs.

The paper states orders and growth, not numbers, for its curves. Thresholds for words such as
"sharply" are ours, and stated in the check.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.instances import ALPHA, ALPHAS
from ..objectives import Mean, Objective, UpperTail
from ..simulation.runs import Curve, Runs
from ..simulation.statistics import half_width, standard_error
from ..text import fixed, plus_minus
from .experiments import ACP, MEAN_BASED, ByLevel, Experiment, Played, Size, level_curves

Regrets = Mapping[str, Curve]  # of each policy


class Verdict(StrEnum):
    """How a claim fared, best first."""

    HOLDS = "holds"
    NOTE = "holds with a note"
    UNDECIDED = "not decided by this run"  # it fails, in a run below the paper's size
    FAILS = "does not hold"

    @classmethod
    def of(cls, holds: Any, partly: Any = False) -> "Verdict":
        """Return the verdict of a check that holds, or partly holds."""
        return cls.HOLDS if holds else cls.NOTE if partly else cls.FAILS


@dataclass(frozen=True)
class Claim:
    """A statement, where it stands, when it holds, the numbers found, and the verdict."""

    where: str  # in the paper: "Lemma 2", "Equation (15)", "Section 5.1"
    statement: str
    check: str
    numbers: dict[str, str]
    verdict: Verdict
    ours: bool = False  # about the paper's own experiments; the paper does not claim it
    exact: bool = False  # from the true values of the arms: no run is too small for it


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts: a claim about several things needs all of them."""
    return max(verdicts, key=list(Verdict).index)


def count_verdicts(claims: Sequence[Claim]) -> str:
    """Return how many claims there are of each verdict; only small runs leave any undecided."""
    counts = Counter(claim.verdict for claim in claims)
    listed = [v for v in Verdict if v is not Verdict.UNDECIDED or counts[v]]
    return ", ".join(f"{verdict} {counts[verdict]}" for verdict in listed)


def claims_of(experiment: Experiment, played: Played, size: Size) -> list[Claim]:
    """Return the claims about a figure; a run below the paper's size refutes none of them."""
    claims = {"metrics": metric_claims, "levels": level_claims, "families": family_claims}
    found = claims[experiment.name](played)
    if not experiment.is_below(size):
        return found
    return [
        replace(c, verdict=Verdict.UNDECIDED) if c.verdict is Verdict.FAILS and not c.exact else c
        for c in found
    ]


# Paired differences: both policies meet the same reward tables.

ORDER_CHECK = (
    "Paired differences of the final regrets: holds if the 95 % interval of their mean lies above "
    "0, with a note if only the mean does."
)


def steady(value: float) -> float:
    """Return a number for print, moved by a billionth: halves are rounded alike on all machines.

    Means of counts are often exact halves of the last printed digit, except for rounding errors.
    """
    return value * (1 + 1e-9)


class Difference(NamedTuple):
    """The mean of paired differences and the half-width of its 95 % interval."""

    mean: float
    half: float  # NaN if there is one replication only

    @classmethod
    def of(cls, samples: NDArray[np.float64]) -> "Difference":
        """Return those of one sample for each replication."""
        half = half_width(len(samples), standard_error(samples))
        return cls(float(samples.mean()), float(half))

    def __str__(self) -> str:
        return plus_minus(steady(self.mean), steady(self.half))

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is positive, surely or only on average."""
        return Verdict.of(self.mean - self.half > 0, self.mean > 0)


def ratio_of(part: float, whole: float) -> float:
    """Return part / whole, infinite if there is no whole."""
    return part / whole if whole > 0 else math.inf


def halves(runs: Runs, policy: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each arm is pulled per round in the first and the last half, (R, K)."""
    middle = int(np.searchsorted(runs.rounds, runs.horizon // 2))
    pulls, split = runs.pulls[policy], int(runs.rounds[middle])
    early = pulls[:, middle]
    return early / split, (pulls[:, -1] - early) / (runs.horizon - split)


# Figure 1.


def metric_claims(played: Played) -> list[Claim]:
    """Return the claims of section 5.1 and the appendix about the arms of Figure 1."""
    (runs,) = played.values()
    acp, mean, smaller = runs.regret(UpperTail(ALPHA)), runs.regret(Mean()), "has smaller"
    values = [fixed(value, 5) for value in UpperTail(ALPHA).values(runs.arms)]
    right = [round(float(value), 3) for value in values] == [0.182, 0.247, 0.172]
    best = UpperTail(ALPHA).best(runs.arms) + 1, Mean().best(runs.arms) + 1
    return [
        Claim(
            "Appendix A.2",
            "At α = 0.1 the ACP values of the arms are approximately 0.182, 0.247 and 0.172.",
            "The quantiles F⁻¹(1 − α/2) of the arms agree to three decimals.",
            {f"arm {j}": value for j, value in enumerate(values, start=1)},
            Verdict.of(right),
            exact=True,
        ),
        Claim(
            "Appendix A.2",
            "The first arm is mean-optimal, while the second arm is ACP-optimal.",
            "The arms are ranked by their true values.",
            {"best arm by ACP": str(best[0]), "best arm by mean": str(best[1])},
            Verdict.of(best == (2, 1)),
            exact=True,
        ),
        _order("5.1", f"ACP-UCB1 {smaller} ACP-regret.", {"ACP regret": (acp, ACP)}),
        _order(
            "5.1", f"Mean-based UCB1 {smaller} mean-regret.", {"mean regret": (mean, MEAN_BASED)}
        ),
        transfer_cost(runs, ALPHA),
    ]


def _order(
    section: str, statement: str, cases: Mapping[str, tuple[Regrets, str]], check: str = ORDER_CHECK
) -> Claim:
    """Judge whether in each case one of the two policies has the smaller final regret."""
    found = dict[str, Difference]()
    for case, (regrets, better) in cases.items():
        worse = MEAN_BASED if better == ACP else ACP
        difference = Difference.of(regrets[worse].final - regrets[better].final)
        found[f"{case}, {worse} minus {better}"] = difference
    numbers, verdicts = {case: str(each) for case, each in found.items()}, found.values()
    return Claim(
        f"Section {section}", statement, check, numbers, worst(v.verdict for v in verdicts)
    )


class Pace(NamedTuple):
    """How fast a policy's regret grows under an objective."""

    rate: Difference  # regret per round in the last half
    ratio: float  # growth in the last half relative to the first: 1 if linear

    def __str__(self) -> str:
        return f"{plus_minus(*self.rate, 4)} per round in the last half, ratio {self.ratio:.2f}"


def pace(runs: Runs, policy: str, objective: Objective) -> Pace:
    """Return the regret's growth over the last half, and relative to the first."""
    gaps = objective.gaps(runs.arms)
    first, last = (share @ gaps for share in halves(runs, policy))
    return Pace(Difference.of(last), ratio_of(float(last.mean()), float(first.mean())))


def transfer_cost(runs: Runs, alpha: float) -> Claim:
    """Judge whether the regret of each policy under the other's metric grows linearly."""
    acp, mean = UpperTail(alpha), Mean()
    across = pace(runs, MEAN_BASED, acp), pace(runs, ACP, mean)
    gaps = acp.gaps(runs.arms)[mean.best(runs.arms)], mean.gaps(runs.arms)[acp.best(runs.arms)]
    own = pace(runs, ACP, acp), pace(runs, MEAN_BASED, mean)
    logarithmic = math.log(2) / math.log(runs.horizon / 2)
    costs = [ratio_of(each.rate.mean, gap) for each, gap in zip(across, gaps, strict=True)]
    return Claim(
        "Section 5.1",
        "A policy optimised for one objective may incur a linear transfer cost under the other.",
        "The ratio is regret of the last half of the rounds to that of the first. Under the other "
        "metric this ratio, and the growth per round against the gap of the policy's target arm, "
        "must be near 1 (0.75 to 1.33), and under its own metric the ratio below 0.6. With a note "
        "if the latter is still more than twice the logarithmic one: then the policies are still "
        "exploring.",
        {
            "UCB1, ACP regret": f"{across[0]}, gap {gaps[0]:.4f}",
            "ACP-UCB1, mean regret": f"{across[1]}, gap {gaps[1]:.4f}",
            "ACP-UCB1, ACP regret": str(own[0]),
            "UCB1, mean regret": str(own[1]),
            "ratio of logarithmic growth": f"{logarithmic:.2f}",
        },
        transfer_verdict(
            [*costs, *(each.ratio for each in across)], [each.ratio for each in own], logarithmic
        ),
    )


def transfer_verdict(across: list[float], own: list[float], logarithmic: float) -> Verdict:
    """Judge growth under the other metric, which should be linear, and under a policy's own."""
    linear = all(3 / 4 <= ratio <= 4 / 3 for ratio in across) and max(own) <= 0.6
    return Verdict.of(linear and max(own) <= 2 * logarithmic, linear)


# Figure 2.


def level_claims(played: Played) -> list[Claim]:
    (runs,) = played.values()
    acp, mean = (
        {f"α = {alpha:.2f}": (named, better) for alpha, named in by_level.items()}
        for better, by_level in zip((ACP, MEAN_BASED), level_curves(runs).values(), strict=True)
    )
    smaller, target = "continues to have smaller final", Mean().best(runs.arms)
    gaps = {alpha: UpperTail(alpha).gaps(runs.arms)[target] for alpha in ALPHAS}
    return [
        Claim(
            "Section 5.2",
            "As α decreases, the ACP objective moves farther into the upper tail and becomes more "
            "sensitive to reward variability.",
            "The true ACP gap of the mean-optimal arm grows at each step.",
            {f"gap at α = {alpha:.2f}": f"{gap:.4f}" for alpha, gap in gaps.items()},
            Verdict.of(np.all(np.diff(list(gaps.values())) > 0)),
            exact=True,
        ),
        _order("5.2", f"ACP-UCB1 {smaller} ACP-regret. (At every α.)", acp),
        _order("5.2", f"Mean-based UCB1 {smaller} mean-regret. (At every α.)", mean),
        _sharp_rise(level_curves(runs)["ACP"]),
    ]


def _sharp_rise(by_level: ByLevel) -> Claim:
    final = {
        policy: np.array([named[policy].final.mean() for named in by_level.values()])
        for policy in (MEAN_BASED, ACP)
    }
    ratios = {policy: ratio_of(values[-1], values[0]) for policy, values in final.items()}
    return Claim(
        "Section 5.2",
        "The ACP-regret of mean-based UCB1 increases sharply for smaller α.",
        "It grows at each step, and from the largest to the smallest α at least twofold; with a "
        "note if it grows at each step, but less.",
        {f"{policy}, α = 0.05 to α = 0.30": f"ratio {r:.1f}" for policy, r in ratios.items()},
        rise_verdict(final[MEAN_BASED]),
    )


def rise_verdict(values: NDArray[np.float64]) -> Verdict:
    """Judge whether the values rise at each step, and at least twofold in all."""
    rises = np.all(np.diff(values) > 0)
    return Verdict.of(rises and values[-1] >= 2 * values[0], rises)


# Figure 3.


def family_claims(played: Played) -> list[Claim]:
    """Return the claims of section 5.3, and that of section 1 about other distributions."""
    metrics = {"ACP regret": (UpperTail(ALPHA), ACP), "mean regret": (Mean(), MEAN_BASED)}
    cases = {
        f"{family}, {metric}": (runs.regret(objective), better)
        for metric, (objective, better) in metrics.items()
        for family, runs in played.items()
    }
    best = {
        family: (Mean().best(runs.arms) + 1, UpperTail(ALPHA).best(runs.arms) + 1)
        for family, runs in played.items()
    }
    differ = all(by_mean != by_acp for by_mean, by_acp in best.values())
    return [
        Claim(
            "Section 5.3",
            "The upper-tail ranking differs from the mean ranking. (In every family.)",
            "By the true values, the best arm by mean is not the best arm by ACP.",
            {f: f"best arm by mean {arms[0]}, by ACP {arms[1]}" for f, arms in best.items()},
            Verdict.of(differ),
            exact=True,
        ),
        _substantially_smaller({f: cases[f"{f}, ACP regret"][0] for f in played}),
        _learns(played),
        _order(
            "1",
            "Experiments beyond Gaussian rewards show the same qualitative pattern: ACP-UCB1 "
            "performs better under the ACP metric, mean-based UCB under mean regret.",
            cases,
            f"{ORDER_CHECK} The paper's Figure 3 shows ACP regret only.",
        ),
    ]


def _substantially_smaller(regrets: Mapping[str, Regrets]) -> Claim:
    found = dict[str, tuple[Difference, float]]()
    for family, named in regrets.items():
        more, less = named[MEAN_BASED].final, named[ACP].final
        found[family] = Difference.of(more - less), ratio_of(more.mean(), less.mean())
    return Claim(
        "Section 5.3",
        "Across all three settings, ACP-UCB1 has substantially smaller ACP-regret than mean-based "
        "UCB1.",
        "Holds if in every family the 95 % interval of the paired difference lies above 0 and "
        "UCB1's regret is at least twice ACP-UCB1's; with a note if it is larger, but less surely "
        "or by less.",
        {f: f"UCB1 minus ACP-UCB1 {each}, ratio {r:.1f}" for f, (each, r) in found.items()},
        worst(substance_verdict(*each) for each in found.values()),
    )


def substance_verdict(difference: Difference, ratio: float) -> Verdict:
    return worst([difference.verdict, Verdict.of(ratio >= 2, partly=True)])


def _learns(played: Played) -> Claim:
    best = UpperTail(ALPHA).best  # how often it is pulled in the last half, per round
    shares = {
        family: {
            p: Difference.of(halves(runs, p)[1][:, best(runs.arms)]) for p in (ACP, MEAN_BASED)
        }
        for family, runs in played.items()
    }
    return Claim(
        "Section 5.3",
        "A mean-based policy can accumulate large ACP-regret, while ACP-UCB1 learns the arm "
        "favored by the upper-tail criterion.",
        "In the last half of the rounds, ACP-UCB1 pulls the ACP-optimal arm more than half of the "
        "time, and UCB1 less than half, by the 95 % intervals of the means; with a note if only "
        "the means do.",
        {
            f"{family}, {policy}": f"{100 * share.mean:.1f} % of pulls"
            for family, by_policy in shares.items()
            for policy, share in by_policy.items()
        },
        worst(learning_verdict(by[ACP], by[MEAN_BASED]) for by in shares.values()),
    )


def learning_verdict(acp: Difference, mean_based: Difference) -> Verdict:
    """Judge the shares of the ACP-optimal arm: above one half, and below it."""
    above = Difference(acp.mean - 0.5, acp.half)
    below = Difference(0.5 - mean_based.mean, mean_based.half)
    return worst([above.verdict, below.verdict])
