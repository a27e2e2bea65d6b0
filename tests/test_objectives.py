"""Objectives: values by hand and by exact references, costs, gaps and ties, text."""

import itertools
import math
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

import upperhand as uh
from upperhand import objectives
from upperhand.comparison.default_policies import plays_for
from upperhand.comparison.result import lower_bound
from upperhand.distributions import (
    Bernoulli,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    ScipyDistribution,
    SkewedStudentT,
    StudentT,
    Uniform,
)
from upperhand.errors import ParameterError, UnknownNameError
from upperhand.objectives import (
    DIRECTIONS,
    MOST_NAMED,
    OBJECTIVES,
    BestOf,
    CVaR,
    LowerTail,
    Mean,
    MeanVariance,
    Minimized,
    Quantile,
    UpperTail,
    Utility,
    best_of_at,
    gaps_of,
    level_name,
    objective_forms,
    objective_from,
    objective_spec,
    oriented,
    parse_objective,
)
from upperhand.policies.parsing import endpoint_alpha, settings_for
from upperhand.theory import quantile_regret

PAPER = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]
ARMS = [Normal(0.3, 1), Normal(0, 2), Normal(0.1, 0.5)]
DISTRIBUTIONS = [
    Normal(0.1, 0.05),
    StudentT(0.03, 0.08, 3),
    StudentT(0, 1, 2.5),
    SkewedStudentT(0, 0.16, 5, 0.6),
    Uniform(-1, 3),
    Exponential(2),
    LogNormal(0.2, 0.7),
    Bernoulli(0.3),
    Empirical([3, 1, 2, 2, 5]),
    Mixture([Normal(0, 1), Uniform(3, 4)], [0.25, 0.75]),
    ScipyDistribution("gamma", (2,), {"scale": 3}),
    ScipyDistribution("binom", (10, 0.3)),
]
data = st.lists(st.integers(-3, 3), min_size=1, max_size=12)  # few values: atoms and ties
draws = st.integers(1, 40)


# --- values and labels -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objective", "value", "label"),
    [
        (UpperTail(0.1), 1.9, "ACP value (p95)"),
        (UpperTail(0.3), 1.7, "ACP value (p85)"),
        (LowerTail(0.1), 0.1, "lower endpoint (p5)"),
        (Quantile(0.75), 1.5, "p75"),
        (Quantile(0.999), 1.998, "p99.9"),
        (Mean(), 1.0, "mean"),
        (Utility(0), 1.0, "mean + 0 sd"),
        (Utility(3), 1.0 + math.sqrt(3), "mean + 3 sd"),
        (MeanVariance(0), -1 / 3, "mean-variance (ρ=0)"),
        (MeanVariance(0.5), 0.5 - 1 / 3, "mean-variance (ρ=0.5)"),
        (MeanVariance(-1), -1 - 1 / 3, "mean-variance (ρ=-1)"),
        (CVaR(0.1), 0.1, "CVaR 10 %"),
        (CVaR(0.07), 0.07, "CVaR 7 %"),
        (CVaR(0.025), 0.025, "CVaR 2.5 %"),
        (BestOf(8), 2 * 0.5**0.125, "best of 8"),
        (BestOf(10_000), 2 * 0.5**1e-4, "best of 10,000"),
        (BestOf(8).for_costs(), 2 - 2 * 0.5**0.125, "lowest of 8"),
    ],
    ids=str,
)
def test_value_and_label(objective, value, label):
    assert objective.value(Uniform(0, 2)) == pytest.approx(value)
    assert objective.label == label
    assert eval(repr(objective), vars(objectives)) == objective  # noqa: S307


def test_a_level_close_to_1_keeps_its_digits():
    assert UpperTail(1e-9).label == "ACP value (p99.99999995)"
    assert [Quantile(tau).label for tau in (0.95, 0.925, 1 - 0.3 / 2)] == ["p95", "p92.5", "p85"]


def test_the_papers_arms():
    """The ACP values of the Gaussian instance: catalogue, section 3.1, claim 4."""
    assert UpperTail(0.1).values(PAPER) == pytest.approx([0.18224, 0.24673, 0.17159], abs=5e-6)
    assert UpperTail(0.1).best(PAPER) == 1
    assert Mean().best(PAPER) == 0


def test_mean_variance_by_hand():
    for rho, (loc, scale) in itertools.product((0.0, 0.5, 3.0), ((0.1, 0.05), (-3.0, 20.0))):
        assert MeanVariance(rho).value(Normal(loc, scale)) == rho * loc - scale * scale
    assert MeanVariance(1).value(Bernoulli(0.25)) == pytest.approx(0.25 - 0.25 * 0.75)
    arms = [Normal(0.10, 0.05), Normal(0.00, 0.01), Normal(0.2, 0.5)]
    assert [MeanVariance(rho).best(arms) for rho in (0, 1, 3)] == [1, 0, 2]
    assert MeanVariance(1).value(Normal(0, 1e200)) == -math.inf
    assert not math.isfinite(MeanVariance(1).value(LogNormal(0, 1e3)))


def test_settings_are_checked():
    for cls in (UpperTail, LowerTail, Quantile):
        for bad in (0, 1, -0.1, math.nan, math.inf, "0.1", None, True):
            with pytest.raises(ParameterError, match="must be a finite number > 0 and < 1"):
                cls(bad)
    for bad in (0, -0.1, 1.0001, 2, math.nan, "0.1", None, True):
        with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and ≤ 1; got"):
            CVaR(bad)
    for cls in (Utility, MeanVariance):
        for bad in (math.nan, math.inf, "1", None, True):
            with pytest.raises(ParameterError, match=r"(kappa|rho) must be a finite number"):
                cls(bad)
    for bad in (0, -1, 1.5, 8.0, math.nan, "8", None, True, 10**13):
        with pytest.raises(ParameterError, match="n must be a whole number"):
            BestOf(bad)


def test_objectives_are_values():
    assert UpperTail(0.1) == UpperTail(0.1) != UpperTail(0.2)
    assert UpperTail(0.1) != LowerTail(0.1)
    assert CVaR(0.1) == CVaR(0.1) != UpperTail(0.1)
    assert BestOf(np.int64(8)) == BestOf(8) != BestOf(9)
    assert len({Mean(), Mean(), Utility(1), Utility(1.0), MeanVariance(1), CVaR(1)}) == 4


# --- the best of several draws -------------------------------------------------------------------


def median_of_best(values, n, best):
    """Return the least x with P(best of n draws ≤ x) ≥ 1/2, in exact fractions."""
    for x in sorted(set(values)):
        up_to = Fraction(sum(value <= x for value in values), len(values))
        reached = up_to**n if best is max else 1 - (1 - up_to) ** n
        if reached >= Fraction(1, 2):
            return x
    raise AssertionError


@given(values=data, n=draws)
def test_the_median_of_the_best_with_atoms(values, n):
    arm = Empirical(values)
    assert BestOf(n).value(arm) == median_of_best(values, n, max)
    assert BestOf(n).cost(arm) == median_of_best(values, n, min)
    assert BestOf(n).value(arm) <= BestOf(n + 1).value(arm)
    assert BestOf(n).cost(arm) >= BestOf(n + 1).cost(arm)


def test_the_best_by_listing_all_draws():
    """No formula at all: every way to draw n values, the best of each, their lower median."""
    for n, values in itertools.product((1, 2, 4), ([1, 2, 3], [0, 0, 5, 7], [-1, 4, 4, 2, 2])):
        for pick, found in ((max, BestOf(n).value), (min, BestOf(n).cost)):
            best = sorted(map(pick, itertools.product(values, repeat=n)))
            assert found(Empirical(values)) == best[-(-len(best) // 2) - 1]


def test_the_cdf_of_the_best_is_a_half_there():
    arms = [Normal(0.1, 2), Exponential(3), StudentT(0, 1, 2.5), Uniform(-1, 4)]
    for arm, n in itertools.product(arms, (1, 2, 7, 100, 10_000, 10**9)):
        for share in (arm.sf(BestOf(n).value(arm)), arm.cdf(BestOf(n).cost(arm))):
            assert n * math.log1p(-share) == pytest.approx(-math.log(2), rel=1e-6)


def test_one_draw_is_the_median_and_costs_are_another_end():
    assert BestOf(1).tau == BestOf(1).for_costs().tau == 0.5
    assert BestOf(8).value(Exponential(1)) == pytest.approx(-math.log1p(-(0.5**0.125)))
    assert BestOf(8).cost(Exponential(1)) == pytest.approx(math.log(2) / 8)
    assert Quantile(BestOf(8).tau).cost(Exponential(1)) > 2  # a p91.7 of costs is no best
    assert BestOf(8).for_costs().for_costs() == BestOf(8).for_costs()
    assert repr(BestOf(8).for_costs()) == "BestOf(n=8).for_costs()"


def test_the_largest_n_is_a_level_that_policies_take():
    assert uh.KLQUCB(BestOf(10**12).tau).tau < 1
    assert uh.KLQUCB(BestOf(10**12).for_costs().tau).tau > 0


@pytest.mark.parametrize("minimize", [False, True])
def test_policies_and_bounds_use_the_level_of_the_best(minimize):
    value = BestOf(8).for_costs() if minimize else BestOf(8)
    settings = settings_for(value, 0.1, 1000)
    level = 1 - 0.5**0.125 if minimize else 0.5**0.125

    assert settings["tau"] == pytest.approx(level, rel=1e-15)
    alpha = pytest.approx(2 * (1 - 0.5**0.125), abs=1e-12)
    assert settings["alpha"] == endpoint_alpha(value) == alpha
    ends = (settings["tail"], settings["score"])
    assert ends == (("lower", "L") if minimize else ("upper", "U"))
    assert plays_for(uh.KLQUCB(settings["tau"]), value)
    assert plays_for(uh.ACPUCB1(settings["alpha"], tail=settings["tail"]), value)
    assert not plays_for(uh.KLQUCB(1 - settings["tau"]), value)
    expected = quantile_regret(ARMS, value.tau, minimize=minimize)
    assert lower_bound(ARMS, oriented(BestOf(8), minimize)) == expected
    assert not minimize or lower_bound(ARMS, Minimized(BestOf(8))) == expected


@pytest.mark.parametrize("minimize", [False, True])
def test_runs_and_compare_evaluate_the_best(minimize):
    """Arms that a level of the wrong side would order otherwise; regret by hand from the pulls."""
    arms = [Uniform(0, 10), Uniform(4, 7)]
    level = BestOf(8).for_costs().tau if minimize else BestOf(8).tau
    policy = uh.KLQUCB(level, plus=True)
    runs = uh.simulate(arms, [policy], 300, 3, seed=1, direction=DIRECTIONS[minimize])
    gap = (1 if not minimize else -1) * (10 * level - (4 + 3 * level))
    found = runs.regret(BestOf(8))["KL-QUCB"].final
    compared = uh.compare(
        arms, [policy], BestOf(8), horizon=300, replications=3, seed=1,
        direction=DIRECTIONS[minimize],
    )  # fmt: skip
    (row,) = compared.main("your arms").values()

    assert found == pytest.approx(gap * runs.pulls["KL-QUCB"][:, -1, 1])
    assert (row.objective, row.own) == ("lowest of 8" if minimize else "best of 8", True)
    assert row.regret == pytest.approx(found.mean())
    assert row.best_share > 0.5
    named = uh.compare("headline", [uh.UCB1()], BestOf(8), horizon=20, replications=1)
    assert [instance.name for instance in named.instances] == ["headline at best of 8"]


@given(st.integers(2, MOST_NAMED))
def test_levels_of_the_best_are_recognised(n):
    best, lowest = BestOf(n), BestOf(n).for_costs()
    assert best_of_at(best.tau) == best_of_at(2 ** (-1 / n)) == best
    assert best_of_at(lowest.tau, minimize=True) == lowest
    assert best_of_at(1 - 2 ** (-1 / n), minimize=True) == lowest  # its last digits differ
    assert best_of_at(best.tau, minimize=True) is best_of_at(lowest.tau) is None


@given(st.integers(1, 99_999), st.booleans())
def test_round_levels_are_no_best_of_n(hundred_thousandth, minimize):
    tau = hundred_thousandth / 100_000
    assert best_of_at(tau, minimize=minimize) is None
    assert level_name(tau, minimize=minimize) == Quantile(tau).label


def test_the_digits_of_a_levels_name():
    """By decimal arithmetic; two digits of what is beyond the level are enough."""
    getcontext().prec = 40
    for n in (2, 8, 69, 512, 10_000, MOST_NAMED):
        percent = 100 * Decimal(2) ** (Decimal(-1) / n)
        for tau, exact, minimize in (
            (BestOf(n).tau, percent, False),
            (BestOf(n).for_costs().tau, 100 - percent, True),
        ):
            level, _, name = level_name(tau, minimize=minimize)[1:].partition(" ")
            assert abs(Decimal(level) - exact) <= Decimal("0.05") * (100 - percent)
            assert name == f"({'lowest' if minimize else 'best'} of {n:,})"
    assert level_name(0.5) == level_name(0.5, minimize=True) == "p50"
    assert level_name(0.29) == "p29"


# --- the mean of the worst share -----------------------------------------------------------------


@pytest.mark.parametrize("arm", DISTRIBUTIONS, ids=repr)
def test_cvar_of_any_distribution(arm):
    assert CVaR(1).value(arm) == arm.mean == Mean().value(arm)
    assert CVaR(1 - 1e-12).value(arm) == pytest.approx(arm.mean, rel=1e-6, abs=1e-6)
    assert CVaR(0.1).value(Mixture([arm], [1])) == CVaR(0.1).value(arm)
    rising = np.array([CVaR(alpha).value(arm) for alpha in np.linspace(0.001, 1, 40)])
    assert np.all(np.diff(rising) >= -1e-13 * np.abs(rising[1:]))
    step = 0.002
    v = step * (np.arange(20_000) + 0.5)
    for alpha in (0.01, 0.1, 0.5, 0.9):
        # (1/α) ∫₀^α F⁻¹(p) dp, by p = αe^{−v} and the midpoint rule, which needs no smoothness.
        by_hand = step * np.sum(arm.quantile(alpha * np.exp(-v)) * np.exp(-v))
        found = CVaR(alpha).value(arm)
        assert found == pytest.approx(by_hand, rel=1e-3, abs=1e-3)
        assert found <= min(Quantile(alpha).value(arm), arm.mean) + 1e-12


def test_cvar_in_closed_form():
    for alpha in (1e-4, 0.01, 0.05, 0.1, 0.25, 0.5, 0.9, 0.99, 0.9999):
        z, t = scipy.stats.norm.ppf(alpha), scipy.stats.t.ppf(alpha, 3)
        normal = 0.1 - 0.05 * scipy.stats.norm.pdf(z) / alpha
        student = 2 - 0.5 * (3 + t * t) / 2 * scipy.stats.t.pdf(t, 3) / alpha
        exponential = 1 + (1 - alpha) * math.log1p(-alpha) / alpha  # cancels for small levels
        assert CVaR(alpha).value(Normal(0.1, 0.05)) == pytest.approx(normal, rel=1e-12)
        assert CVaR(alpha).value(StudentT(2, 0.5, 3)) == pytest.approx(student, rel=1e-12)
        assert CVaR(alpha).value(Uniform(0, 2)) == pytest.approx(alpha, rel=1e-12)
        assert CVaR(alpha).value(Exponential(1)) == pytest.approx(exponential, rel=1e-11)
        unit = CVaR(alpha).value(Normal(0, 1))
        assert CVaR(alpha).value(Normal(7, 100)) == pytest.approx(7 + 100 * unit, rel=1e-12)


def test_cvar_by_quadrature():
    for arm in (SkewedStudentT(0, 0.16, 5, 0.6), LogNormal(0.2, 0.7), DISTRIBUTIONS[-2]):
        for alpha in (1e-4, 0.05, 0.5):
            # The mode of the skewed t, where its halves meet, is at −ln p = ln(α/0.2).
            cuts = [0, max(math.log(alpha / 0.2), 0.1), 2, 5, 10, 20, 60]

            def worst(v, arm=arm, alpha=alpha):
                return arm.quantile(alpha * math.exp(-v)) * math.exp(-v)

            pieces = [integrate.quad(worst, *ends, epsabs=0)[0] for ends in pairwise(cuts)]
            assert CVaR(alpha).value(arm) == pytest.approx(sum(pieces), rel=1e-10)


def test_cvar_by_hand():
    coin, values = Bernoulli(0.25), Empirical([5, 1, 4, 2, 3, 10, 6, 9, 8, 7])
    assert CVaR(0.5).value(coin) == CVaR(0.75).value(coin) == 0
    assert CVaR(0.8).value(coin) == pytest.approx((0.75 * 0 + 0.05 * 1) / 0.8, rel=1e-15)
    assert CVaR(0.1).value(Bernoulli(1)) == 1
    assert CVaR(0.1).value(values) == CVaR(0.05).value(values) == 1
    assert CVaR(0.2).value(values) == pytest.approx(1.5, rel=1e-15)
    assert CVaR(0.25).value(values) == pytest.approx((1 + 2 + 0.5 * 3) / 2.5, rel=1e-15)
    calm, wild = Normal(0.0, 0.01), Normal(0.1, 1)
    assert (CVaR(0.1).best([calm, wild]), Mean().best([calm, wild])) == (0, 1)
    assert CVaR(0.05).value(wild) < LowerTail(0.1).value(wild)


def test_cvar_needs_no_mean_above():
    assert CVaR(0.5).value(ScipyDistribution("pareto", (0.5,))) == pytest.approx(2, rel=1e-12)
    assert CVaR(0.5).value(LogNormal(0, 400)) < 1
    with pytest.raises(ParameterError, match="has no finite CVaR 100 %"):
        CVaR(1).values([LogNormal(0, 400)])


# --- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("costs", [[*range(1, 21)], [3, 3, 9, 14, 1, 0, 25, 2, 2, 8], [12]])
def test_costs_by_hand(costs):
    arm, m = Empirical(costs), len(costs)
    mean = Fraction(sum(costs), m)
    variance = sum((cost - mean) ** 2 for cost in costs) / m
    for share in map(Fraction, ("1/20", "1/10", "1/4", "1/3", "1")):  # the highest costs
        left, total = share, Fraction(0)
        for cost in sorted(costs, reverse=True):
            taken = min(left, Fraction(1, m))
            total, left = total + taken * cost, left - taken
        assert CVaR(float(share)).cost(arm) == pytest.approx(float(total / share))
    assert MeanVariance(2).cost(arm) == pytest.approx(float(2 * mean + variance))
    assert Mean().cost(arm) == pytest.approx(float(mean))
    assert UpperTail(0.1).cost(arm) == sorted(costs)[-(-19 * m // 20) - 1]
    assert Minimized(UpperTail(0.1)).value(arm) == -UpperTail(0.1).cost(arm)
    assert Quantile(0.3).cost(arm) == sorted(costs)[-(-3 * m // 10) - 1]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_objective_of_costs_is_one_of_their_negatives(name):
    """For Gaussian arms −X is known in full."""
    objective = OBJECTIVES[name](*{"mean": [], "best-of": [8]}.get(name, [0.2]))
    of_rewards = {"upper-tail": LowerTail(0.2), "lower-tail": UpperTail(0.2),
                  "quantile": Quantile(0.8), "utility": Utility(-0.2)}  # fmt: skip
    mirrored = of_rewards.get(name, objective)
    negated = [Normal(-arm.loc, arm.scale) for arm in ARMS]

    np.testing.assert_allclose(Minimized(objective).gaps(ARMS), mirrored.gaps(negated), atol=1e-12)
    assert oriented(objective, True).best(ARMS) == mirrored.best(negated)
    assert oriented(objective, True) == Minimized(objective.for_costs())
    assert oriented(objective, True).label == objective.for_costs().label
    assert oriented(objective, False) is objective
    assert (objective.for_costs() == objective) == (name != "best-of")


# --- gaps and ties -------------------------------------------------------------------------------


def test_gaps_are_shortfalls_from_the_best():
    assert Mean().gaps(PAPER).tolist() == [0.0, 0.10, 0.10 - 0.04]
    assert np.all(UpperTail(0.1).gaps(PAPER) >= 0)
    assert UpperTail(0.1).gaps(PAPER)[1] == 0.0
    assert Mean().best([Bernoulli(0.2), Uniform(0, 1), Bernoulli(0.5)]) == 1  # the first of two


def test_an_arm_without_such_a_value_is_named():
    arms = [Normal(0, 1), StudentT(0, 1, 1.5), StudentT(0, 1, 1)]
    for objective, refused, said in (
        (Utility(1), arms[:2], r"df=1\.5\) has no finite mean \+ 1 sd"),
        (MeanVariance(1), arms[:2], r"df=1\.5\) has no finite mean-variance"),
        (Mean(), arms, r"df=1\.0\) has no finite mean"),
        (CVaR(0.1), arms, r"df=1\.0\) has no finite CVaR 10 %"),
    ):
        assert not objective.is_defined(refused)
        with pytest.raises(ParameterError, match=r"StudentT\(.*" + said):
            objective.gaps(refused)
    assert np.isfinite(UpperTail(0.1).values(arms)).all()
    assert np.isfinite(CVaR(0.1).values(arms[:2])).all()


def test_one_distribution_written_in_two_ways_ties():
    stats = scipy.stats
    pairs = [
        (Exponential(0.3), uh.from_scipy(stats.gamma(1, 0, 0.3))),
        (Exponential(0.7), uh.from_scipy(stats.weibull_min(1, 0, 0.7))),
        (LogNormal(0.4, 1.3), uh.from_scipy(stats.lognorm(1.3, 0, math.exp(0.4)))),
        (StudentT(-0.3, 0.7, 3.3), uh.from_scipy(stats.t(3.3, -0.3, 0.7))),
        (Normal(-0.1, 0.7), Mixture([Normal(-0.1, 0.7)] * 2, [0.3, 0.7])),
        (StudentT(-0.1, 0.7, 4), SkewedStudentT(-0.1, 0.7 * math.sqrt(2), 4, 0)),
    ]
    several = [Mean(), CVaR(0.1), *map(Quantile, (0.01, 0.05, 0.5, 0.95, 0.999))]
    for pair, objective in itertools.product(pairs, several):
        assert objective.gaps(pair).tolist() == [0, 0], (objective, pair)
    thirds = [Exponential(0.3), uh.from_scipy(stats.gamma(3, 0, 0.1))]
    assert thirds[0].mean != thirds[1].mean  # 3 · 0.1 is 0.30000000000000004
    assert Mean().gaps(thirds).tolist() == [0, 0]


@pytest.mark.parametrize(("shift", "tie"), [(0.0, True), (1.3e-4, True), (0.01, False)])
def test_far_from_zero_a_tie_is_a_few_ulps(shift, tie):
    """0.01 is ten standard deviations here, which 1e-13 of the value would call a tie."""
    arms = [Normal(1e12, 1e-3), Normal(1e12 + shift, 1e-3)]  # the ulp of 1e12 is 1.2e-4
    for objective in (Mean(), UpperTail(0.1), Utility(1)):
        assert (objective.gaps(arms)[0] == 0) == tie


def test_values_near_zero_tie_by_the_terms_they_are_summed_from():
    arms = [Normal(0.3, 0.1), Normal(0.6, 0.2)]
    assert len(set(Utility(-3).values(arms))) == 2  # 0.3 − 3 · 0.1 and 0.6 − 3 · 0.2
    empirical = [Empirical([-0.3, 0.1, 0.1, 0.1]), Empirical([-0.6, 0.2, 0.2, 0.2])]
    uniform = [Uniform(-0.95, 0.05), Uniform(-9.5, 0.5)]
    for objective, each in ((Utility(-3), arms), (Mean(), empirical), (UpperTail(0.1), uniform)):
        assert objective.gaps(each).tolist() == [0, 0]


def test_gaps_against_fractions():
    """The rule, written with exact fractions: a gap is more than 16 ulps of the larger value."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        values = 10.0 ** rng.integers(-3, 4) * (1 + rng.integers(0, 40, 3) * 2.0**-52)
        best = max(map(Fraction, values))
        exact = [best - Fraction(value) for value in values]
        expected = [float(gap) if gap > best / 2**48 else 0.0 for gap in exact]
        assert gaps_of(values).tolist() == expected
    assert gaps_of(np.array([0.0, 0.5, -1e16])).tolist() == [0.5, 0, 0.5 + 1e16]
    stacked = np.array([[[1.0, 2.0], [5.0, 4.0]], [[0.1 + 0.2, 0.3], [0.0, 0.0]]])
    assert gaps_of(stacked).tolist() == [[[1, 0], [0, 1]], [[0, 0], [0, 0]]]


# --- text ----------------------------------------------------------------------------------------


def test_objectives_as_text():
    for text, objective in {
        "upper-tail:0.1": UpperTail(0.1),
        "lower-tail:0.1": LowerTail(0.1),
        "quantile:0.95": Quantile(0.95),
        "best-of:8": BestOf(8),
        "Best of:1e3": BestOf(1000),
        "mean": Mean(),
        "utility:-2": Utility(-2),
        "cvar:1": CVaR(1),
        "mean-variance:1e-1": MeanVariance(0.1),
        " CVaR : 0.1 ": CVaR(0.1),
        "Mean Variance:1": MeanVariance(1),
    }.items():
        assert parse_objective(text) == objective
        assert objective_from(objective_spec(objective)) == objective


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cvar", "cvar takes one number: cvar:ALPHA; got 'cvar'"),
        ("cvar:", "cvar takes one number: cvar:ALPHA; got 'cvar:'"),
        ("quantile:p95", "quantile takes one number: quantile:TAU; got 'quantile:p95'"),
        ("utility:1,2", "utility takes one number: utility:KAPPA; got"),
        ("mean:0.1", "mean takes no number; got 'mean:0.1'. Write mean."),
        ("cvar:2", "alpha must be a finite number > 0 and ≤ 1; got 2"),
        ("best-of:8.5", "n must be a whole number, 1 or more; got 8.5"),
        ("upper-tail:nan", "alpha must be a finite number > 0 and < 1; got nan"),
        ("cvr:0.1", "Unknown objective 'cvr'.* Known: upper-tail, lower-t"),
        ("", "Unknown objective .* Known: upper-tail, lower-t"),
        ("quantil:0.9", "Did you mean 'quantile'"),
    ],
)
def test_mistakes_are_explained(text, message):
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        parse_objective(text)


def test_the_forms_are_those_that_are_read():
    forms = objective_forms()
    assert list(forms) == [
        "upper-tail:ALPHA",
        "lower-tail:ALPHA",
        "quantile:TAU",
        "best-of:N",
        "mean",
        "utility:KAPPA",
        "cvar:ALPHA",
        "mean-variance:RHO",
    ]
    assert [form.partition(":")[0] for form in forms] == list(OBJECTIVES)
    assert all(0 < len(text) < 100 for text in forms.values())
