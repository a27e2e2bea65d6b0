"""Which answers are right: against exact fractions, with ties, atoms and costs."""

from fractions import Fraction

import numpy as np
import pytest

import upperhand as uh
from upperhand.distributions.derived import Negated
from upperhand.simulation.identify import tied_arms, wrong_answers

from .stopping import Bands

LEVELS = [Fraction(k, 20) for k in range(1, 20)]


def lower(values, level):
    """Return inf{x : F(x) ≥ level} of equally likely values, by fractions."""
    return next(
        x for x in sorted(values) if Fraction(sum(v <= x for v in values), len(values)) >= level
    )


def upper(values, level):
    """Return sup{x : P(Y < x) ≤ level}, the largest value that is one."""
    below = {x: Fraction(sum(v < x for v in values), len(values)) for x in values}
    return max(x for x, share in below.items() if share <= level)


def wrong(arms, policy, *, minimize=False, sets=None):
    rows = np.array(sets if sets else [[arm] for arm in range(len(arms))])
    return wrong_answers(arms, policy, minimize, rows).tolist()


def samples(seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 6, size=size).tolist() for size in (4, 5, 10)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1, 4)], ids=str)
class TestFixedConfidence:
    def test_rewards(self, seed, epsilon):
        data = samples(seed)
        for tau in (level for level in LEVELS if level + epsilon < 1):
            best = max(lower(values, tau) for values in data)
            expected = [lower(values, tau + epsilon) < best for values in data]
            policy = Bands(float(tau), epsilon=float(epsilon))
            assert wrong([uh.Empirical(values) for values in data], policy) == expected

    def test_costs(self, seed, epsilon):
        """By upper quantiles at τ − ε and τ: those are the lower ones of negated costs, negated."""
        data = samples(seed)
        for tau in (level for level in LEVELS if epsilon < level < 1 - epsilon):
            best = min(upper(values, tau) for values in data)
            expected = [upper(values, tau - epsilon) > best for values in data]
            policy, arms = Bands(float(tau), epsilon=float(epsilon)), map(uh.Empirical, data)
            assert wrong(list(arms), policy, minimize=True) == expected


def test_costs_of_a_known_instance():
    """The p95 of latencies: U(0, 10) has 9.5, and at 0.9 the p90 of N(…) counts."""
    arms = [uh.Uniform(0, 10), uh.Uniform(0, 9.9), uh.Uniform(0, 10.4)]
    assert wrong(arms, Bands(0.95), minimize=True) == [True, False, True]
    assert wrong(arms, Bands(0.95, epsilon=0.02), minimize=True) == [False, False, True]
    assert wrong(arms, Bands(0.95)) == [True, True, False]


@pytest.mark.parametrize("seed", range(5))
def test_sets_of_best_arms(seed):
    data = samples(seed)
    arms = [uh.Empirical(values) for values in data]
    for tau in LEVELS:
        values = [lower(each, tau) for each in data]
        sets = [[0, 1], [2, 0], [1, 2]]
        expected = [
            sum(sorted(values)[-2:]) != sum(values[arm] for arm in chosen) for chosen in sets
        ]
        policy = uh.UniformSampling(float(tau), budget=10, top=2)
        assert wrong(arms, policy, sets=sets) == expected


def test_rounding_is_no_difference():
    same = [uh.Normal(0.1, 0.3), uh.from_scipy(__import__("scipy.stats").stats.norm(0.1, 0.3))]
    for tau in (0.2, 0.9, 0.977):
        assert wrong(same, Bands(tau)) == [False, False]
        assert wrong(same, Bands(tau), minimize=True) == [False, False]
        assert wrong(same, uh.UniformSampling(tau, budget=9)) == [False, False]


@pytest.mark.parametrize(
    ("arms", "tied"),
    [
        ([uh.Normal(1, 1), uh.Normal(0, 1), uh.Uniform(0, 2)], [0, 2]),
        ([uh.Normal(1, 1), uh.Normal(0, 1)], []),
        ([uh.Bernoulli(0.6), uh.Bernoulli(0.7)], []),
        ([uh.Empirical([0, 1, 2]), uh.Empirical([1])], []),
        ([uh.Empirical([0, 1]), uh.Empirical([0, 2])], [0, 1]),
        ([uh.Bernoulli(0.6), uh.Uniform(0, 2)], []),
    ],
    ids=["laws", "none", "bernoulli", "atoms", "half", "one"],
)
def test_ties_without_an_end(arms, tied):
    """At the median. Where the laws have atoms across it, both arms can be told to be right; of an
    atom and a density at 1, the second: less mass below makes it better still."""
    assert tied_arms(arms, Bands(0.5), False) == tied
    assert tied_arms(arms, Bands(0.5, epsilon=0.1), False) == []


class TestNegated:
    @pytest.mark.parametrize("seed", range(5))
    def test_atoms(self, seed):
        for values in samples(seed):
            law = Negated(uh.Empirical(values))
            exact = uh.Empirical([-v for v in values])
            levels = [float(level) for level in LEVELS]
            points = np.arange(-6.5, 1.0, 0.5)
            assert law.quantile(levels).tolist() == exact.quantile(levels).tolist()
            assert law.cdf(points) == pytest.approx(exact.cdf(points))
            assert law.sf(points) == pytest.approx(exact.sf(points))
            assert (law.mean, law.sd) == pytest.approx((exact.mean, exact.sd))
            assert law.magnitude == exact.magnitude

    def test_a_density(self):
        law, exact = Negated(uh.Normal(1.0, 2.0)), uh.Normal(-1.0, 2.0)
        levels, points = [0.01, 0.5, 0.99], [-3.0, 0.0, 4.0]
        assert law.quantile(levels) == pytest.approx(exact.quantile(levels), rel=1e-12)
        assert law.cdf(points) == pytest.approx(exact.cdf(points), rel=1e-12)
        assert law.pdf(points) == pytest.approx(exact.pdf(points), rel=1e-12)

    def test_draws(self):
        law = uh.Empirical([-0.0, 1.0, 2.0])
        drawn = Negated(law).sample(np.random.default_rng(0), 50)
        assert drawn.tolist() == [-y for y in law.sample(np.random.default_rng(0), 50)]
        assert not np.signbit(drawn[drawn == 0]).any()
