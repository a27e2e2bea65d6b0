"""What the theory takes: population quantities of many arms, and proved bounds."""

import numpy as np

import upperhand as uh
from speed.clock import TURNS, cpu, typical
from speed.rows import Row, Section, at_most
from upperhand.comparison.instances import GAUSSIAN_ARMS
from upperhand.theory import population, quantile_policies


def population_quantities(count=1_000):
    """Return the CPU seconds for u*, G, g and C(β), the last by root-finding, of random arms."""
    rng = np.random.default_rng(0)
    shapes = zip(rng.normal(size=count), rng.uniform(0.1, 2, count), strict=True)
    arms = [random_law(place, loc, scale, rng) for place, (loc, scale) in enumerate(shapes)]

    def everything():
        for arm in arms:
            population.u_star(arm, 0.1)
            population.score_cdf(arm, 0.1, 0.05)
            population.score_pdf(arm, 0.1, 0.05)
            population.interval(arm, 0.1, 0.05)

    return typical(np.array([cpu(everything) for _ in range(TURNS)]))


def random_law(place, loc, scale, rng):
    """Return a law of one of five families by turns; three of them are not symmetric."""
    df, skew = rng.uniform(3, 9), rng.uniform(-0.8, 0.8)
    return (
        uh.Normal(loc, scale),
        uh.StudentT(loc, scale, df),
        uh.SkewedStudentT(loc, scale, df, skew),
        uh.Exponential(scale),
        uh.LogNormal(loc, scale),
    )[place % 5]


def proved_bounds(n=10_000):
    """Return the CPU seconds for the proved bounds of our four policies, on the headline's arms."""
    policies = quantile_policies.covered(0.95).values()

    def prove():
        for policy in policies:
            quantile_policies.pulls(policy, GAUSSIAN_ARMS, n)

    return typical(np.array([cpu(prove) for _ in range(TURNS)]))


def section():
    """Return the rows."""
    rows = (
        Row("theory: u*, G, g and C(β) of 10³ random arms", population_quantities, "s",
            at_most(1)),
        Row("theory: proved bounds of our four policies, headline, n = 10⁴", proved_bounds, "s",
            at_most(1)),
    )  # fmt: skip
    return Section("Theory", rows)
