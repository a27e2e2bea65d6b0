"""Confidence sequences of a quantile, and Doubled Max-Q: values of formulas, to the last digit.

S. R. Howard, A. Ramdas, Bernoulli 28(3), 2022; S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon,
Annals of Statistics 49(2), 2021: values that the authors' own programs are tested by.

Not in the library: two-sided mixtures, normal and gamma mixtures, the law of the iterated logarithm
for distribution functions, double stitching, and the sequential p-value of an A/B test, which these
programs have.
"""

import upperhand as uh
from upperhand.calibrators.quantile_sequence import (
    beta_binomial,
    crosses,
    dkw_radius,
    stitched_radius,
)

from . import published
from .judging import Line
from .section import SEED, Comparison, Effort, Section


def section(_effort: Effort) -> Section:
    """Return the values in the tests of two programs, and ours."""
    rows = published.rows("fixed_points")
    lines = tuple(
        Line((row["program"], row["number"]), float(row["value"]), ours, slack=float(row["slack"]))
        for row, ours in zip(rows, values(), strict=True)
    )
    return Section(
        title="Confidence sequences: values of formulas",
        comparisons=(Comparison("Values", ("program", "number"), lines),),
    )


def values() -> list[float]:
    """Return our values, in the order of the file."""
    t = 625  # v = p (1−p) t = 100
    doubled = uh.DoubledMaxQ(0.5, delta=0.05, epsilon=0.1)
    effort, first, _ = doubled.plan(arms=3)
    arms = [uh.Uniform(0, 1), uh.Uniform(5, 6), uh.Uniform(0, 1)]
    found = uh.identify(arms, doubled, cap=50_000, replications=1, seed=SEED, progress=False)
    return [
        dkw_radius(100, 0.05),
        beta_binomial_radius(0.5, 100, 0.05, 10),
        beta_binomial_radius(0.9, 100, 0.05, 10),
        stitched_radius(0.5, 100, 0.05, 10),
        stitched_radius(0.9, 100, 0.05, 10),
        effort,
        first,
        float(found.answers["Doubled Max-Q"].pulls[0].max()),
        beta_binomial_radius(0.2, t, 0.05, t) * t,
        beta_binomial_radius(0.2, 2, 0.05, t) * 2,
    ]


def beta_binomial_radius(p: float, t: int, delta: float, t_opt: float) -> float:
    """Return the radius, the k/t − p at which M_t(k) = 1/δ; 1 − p if none is that large."""
    mixture = beta_binomial(p, delta, t_opt)
    low, high = p * t, float(t)
    if not crosses(mixture, t, high):
        return 1.0 - p
    middle = (low + high) / 2.0
    while low < middle < high:
        if crosses(mixture, t, middle):
            high = middle
        else:
            low = middle
        middle = (low + high) / 2.0
    return high / t - p
