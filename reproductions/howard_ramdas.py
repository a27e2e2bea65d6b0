"""Howard and Ramdas' comparison of policies that look for the best quantile: how many pulls.

S. R. Howard, A. Ramdas, Bernoulli 28(3):1704–1728, 2022, figures 5 and 6.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import upperhand as uh
from upperhand.reports.markdown import Block, Heading, Paragraph, Table
from upperhand.simulation.identify import Identification
from upperhand.simulation.statistics import paired_ratio
from upperhand.text import with_error

from . import published
from .judging import Line
from .section import SEED, Comparison, Effort, Section, mean_and_error

ARMS, EPSILON, DELTA = 10, 0.025, 0.05
CAP, AB_CAP = 10_000_000, 1_000_000
LEVELS, AB_LEVELS = (0.05, 0.2, 0.5, 0.8, 0.95), (0.05, 0.2, 0.5, 0.8, 0.95)
RUNS, AB_RUNS = 32, 128
LONG_RUNS = 16  # of Doubled Max-Q with normal spread at τ < ½: millions of pulls, hardly different
Laws = list[uh.Distribution]


def uniform(_tau: float, arms: int) -> Laws:
    """Return uniform arms, the first one shifted by 2ε."""
    shift = 2 * EPSILON
    return [uh.Uniform(shift, 1 + shift), *[uh.Uniform(0, 1)] * (arms - 1)]


def cauchy(tau: float, arms: int) -> Laws:
    """Return Cauchy arms, the first one shifted by 2 (q(τ+ε) − q(τ))."""
    plain = uh.StudentT(0, 1, 1)
    shift = 2 * (plain.quantile(tau + EPSILON) - plain.quantile(tau))
    return [uh.StudentT(shift, 1, 1), *[plain] * (arms - 1)]


def normal_spread(_tau: float, arms: int) -> Laws:
    """Return normal arms of sd 1, the first one of sd 2: the best for τ > ½, the worst below."""
    return [uh.Normal(0, 2), *[uh.Normal(0, 1)] * (arms - 1)]


FAMILIES: dict[str, Callable[[float, int], Laws]] = {
    "uniform": uniform,
    "Cauchy": cauchy,
    "normal spread": normal_spread,
}
OURS = "Quantile-Evidence"


def policies(tau: float) -> dict[str, uh.Policy]:
    """Return the policies of the comparison by their names on the page, and ours."""
    return {
        "QPAC": uh.QPAC(tau),
        "QPAC BB": uh.QPAC(tau, radius="beta-binomial"),
        "Doubled Max-Q": uh.DoubledMaxQ(tau, epsilon=EPSILON),
        "QLUCB DKW": uh.QLUCB(tau, radius="dkw"),
        "QLUCB stitched": uh.QLUCB(tau, radius="stitched"),
        "QLUCB BB": uh.QLUCB(tau),
        OURS: uh.QuantileEvidence(tau),
    }


def section(effort: Effort) -> Section:
    """Return both comparisons, and ours beside QLUCB."""
    levels = (0.95,) if effort.quick else LEVELS
    runs, ab_runs = effort.of(RUNS, 2), effort.of(AB_RUNS, 2)
    found = {
        (family, tau, last): _identified(family, tau, runs, best_last=last)
        for family in FAMILIES
        for tau in levels
        for last in (False, True)
    }
    ab_levels = (0.95,) if effort.quick else AB_LEVELS
    two = {
        (family, tau): _two_arms(family, tau, ab_runs)
        for family in FAMILIES
        for tau in ab_levels
        if not (family == "normal spread" and tau == 0.5)  # equal there: left out in the article
    }
    everything = [one for many in (*found.values(), *two.values()) for one in many]
    wrong = sum(int(each.wrong.sum()) for one in everything for each in one.answers.values())
    return Section(
        title="Quantile best-arm identification: sample sizes",
        citation="S. R. Howard, A. Ramdas, “Sequential estimation of quantiles with applications "
        "to A/B testing and best-arm identification”, Bernoulli 28(3):1704–1728, 2022, with the "
        "policies of Szörényi et al. (QPAC), David and Shimkin (Doubled Max-Q), and their own.",
        setting=f"{ARMS} arms, ε = {EPSILON}, δ = {DELTA}; the first arm is the odd one. "
        f"Published: 64 runs. Ours: {runs}, and {min(runs, LONG_RUNS)} of Doubled Max-Q with "
        f"normal spread at τ < 0.5. In all our runs of all these policies, wrong answers: {wrong}.",
        comparisons=(_sample_sizes(found), _ab(two)),
        notes=NOTES,
        sources=tuple(map(published.source, ("howard_ramdas", "howard_ramdas_ab"))),
        extras=(*_beside(found, two),),
    )


NOTES = (
    ("QPAC", "is that of the authors' program, which is ours too: it compares an arm with the "
     "others', not with all, and stops when one arm is left. Szörényi et al. state a weaker rule."),
    ("Order.", "The authors' program looks at the arms of QPAC in the order of a C++ hash set, "
     "which is not defined; ours from first to last. In a run all their policies see the same "
     "reward in the same round; ours see the same s-th reward of an arm. No mean depends on it."),
    ("Two arms.", "Their program pulls the two arms in turn for both rules; QLUCB with two arms "
     "does the same by itself. Their A/B test is a sequential p-value of a test of equality. It is "
     "not in the library."),
    ("Levels.", "Five of the eleven published ones."),
)  # fmt: skip


def _identified(family: str, tau: float, runs: int, *, best_last: bool) -> list[Identification]:
    """Return how the policies did on one instance; with the best arm last only two of them."""
    arms, every = FAMILIES[family](tau, ARMS), policies(tau)
    if best_last:
        every = {name: every[name] for name in ("QLUCB BB", OURS)}
        arms = arms[::-1]
    seed = _seed(family, tau, 1 if best_last else 0)
    slow = {}
    if family == "normal spread" and tau < 0.5:
        slow = {name: every.pop(name) for name in ("Doubled Max-Q",) if name in every}
    sizes = [(every, runs), (slow, min(runs, LONG_RUNS))]
    return [
        uh.identify(arms, some, DELTA, EPSILON, CAP, count, seed, progress=False)
        for some, count in sizes
        if some
    ]


def _seed(family: str, tau: float, study: int) -> int:
    """Return a seed of its own for each instance, so that their numbers are independent."""
    return 1000 * SEED + 100 * list(FAMILIES).index(family) + 10 * LEVELS.index(tau) + study


def _samples(found: list[Identification], name: str) -> NDArray[np.float64] | None:
    for one in found:
        if name in one.answers:
            return one.answers[name].samples.astype(np.float64)
    return None


def _sample_sizes(found: dict[tuple[str, float, bool], list[Identification]]) -> Comparison:
    lines = []
    for row in published.rows("howard_ramdas"):
        key = (row["arms"], float(row["p"]), False)
        samples = _samples(found[key], row["policy"]) if key in found else None
        if samples is not None:
            ours, error = mean_and_error(samples)
            what = (row["arms"], row["p"], row["policy"])
            lines.append(Line(what, float(row["mean"]), ours, float(row["se"]), error))
    return Comparison("Mean number of pulls, figure 5", ("arms", "τ", "policy"), tuple(lines))


def _two_arms(family: str, tau: float, runs: int) -> list[Identification]:
    every = policies(tau)
    two = {name: every[name] for name in ("QLUCB BB", OURS)}
    arms = FAMILIES[family](tau, 2)
    return [uh.identify(arms, two, DELTA, 0.0, AB_CAP, runs, _seed(family, tau, 2), progress=False)]


def _ab(two: dict[tuple[str, float], list[Identification]]) -> Comparison:
    lines = []
    for row in published.rows("howard_ramdas_ab"):
        key = (row["arms"], float(row["p"]))
        if key in two:
            samples = _samples(two[key], row["policy"])
            ours, error = (None, 0.0) if samples is None else mean_and_error(samples)
            what = (row["arms"], row["p"], row["policy"])
            lines.append(Line(what, float(row["mean"]), ours, float(row["se"]), error))
    return Comparison(
        "Two arms, ε = 0, figure 6",
        ("arms", "τ", "policy"),
        tuple(lines),
        f"Published: 256 runs. Ours: {AB_RUNS}.",
    )


def _beside(
    found: dict[tuple[str, float, bool], list[Identification]],
    two: dict[tuple[str, float], list[Identification]],
) -> list[Block]:
    """Return our own rule beside QLUCB, on the same rewards: no verdict, nothing is published."""
    rows = []
    for (family, tau, last), many in found.items():
        best = "last" if last else "first"
        rows.append((family, f"{tau:g}", f"ε = {EPSILON}, odd arm {best}", *_pair(many)))
    for (family, tau), many in two.items():
        rows.append((family, f"{tau:g}", "two arms, ε = 0", *_pair(many)))
    return [
        Heading(f"{OURS} beside QLUCB BB", 3),
        Paragraph(
            f"{OURS} is this library's own rule (docs/best-arm.md); nothing is published on it. "
            "Mean pulls on the same rewards, and the ratio of the means with its standard error."
        ),
        Table(("arms", "τ", "setting", "QLUCB BB", OURS, "ratio"), tuple(rows), left=3),
    ]


def _pair(many: list[Identification]) -> tuple[str, str, str]:
    theirs, ours = _samples(many, "QLUCB BB"), _samples(many, OURS)
    if theirs is None or ours is None:
        return ("—",) * 3
    ratio = paired_ratio(ours, theirs)
    return (
        with_error(*mean_and_error(theirs)),
        with_error(*mean_and_error(ours)),
        with_error(ratio.value, ratio.se),
    )
