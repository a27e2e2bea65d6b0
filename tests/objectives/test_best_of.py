"""The best of N draws, against the exact law of the maximum and of the minimum."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import upperhand as uh
from upperhand.comparison.default_policies import plays_for
from upperhand.comparison.result import lower_bound
from upperhand.errors import ParameterError
from upperhand.objectives import Minimized, as_paid, oriented
from upperhand.policies.parsing import endpoint_alpha, settings_for
from upperhand.theory.lower_bounds import quantile_regret

ARMS = [uh.Normal(0.3, 1), uh.Normal(0, 2), uh.Normal(0.1, 0.5)]
data = st.lists(st.integers(-3, 3), min_size=1, max_size=12)  # few values: atoms and ties
draws = st.integers(1, 40)


def median_of_best(values, n, best):
    """Return the least x with P(best of n draws ≤ x) ≥ 1/2, in exact fractions."""
    for x in sorted(set(values)):
        up_to = Fraction(sum(value <= x for value in values), len(values))
        reached = up_to**n if best is max else 1 - (1 - up_to) ** n
        if reached >= Fraction(1, 2):
            return x
    raise AssertionError


@given(values=data, n=draws)
def test_the_median_of_the_maximum_with_atoms(values, n):
    assert uh.BestOf(n).value(uh.Empirical(values)) == median_of_best(values, n, max)


@given(values=data, n=draws)
def test_the_median_of_the_minimum_for_costs_with_atoms(values, n):
    assert uh.BestOf(n).cost(uh.Empirical(values)) == median_of_best(values, n, min)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("values", [[1, 2, 3], [0, 0, 5, 7], [-1, 4, 4, 2, 2]], ids=str)
def test_by_listing_all_draws(values, n):
    """No law of a maximum at all: every way to draw n values, the best of each, their median."""
    highest, lowest = (
        sorted(pick(drawn) for drawn in itertools.product(values, repeat=n)) for pick in (max, min)
    )
    middle = -(-len(highest) // 2) - 1  # the lower median

    assert uh.BestOf(n).value(uh.Empirical(values)) == highest[middle]
    assert uh.BestOf(n).cost(uh.Empirical(values)) == lowest[middle]


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10_000, 10**9])
@pytest.mark.parametrize(
    "law",
    [uh.Normal(0.1, 2), uh.Exponential(3), uh.StudentT(0, 1, 2.5), uh.Uniform(-1, 4)],
    ids=str,
)
def test_the_cdf_of_the_best_is_a_half_there(law, n):
    assert n * math.log1p(-law.sf(uh.BestOf(n).value(law))) == pytest.approx(-math.log(2), rel=1e-6)
    assert n * math.log1p(-law.cdf(uh.BestOf(n).cost(law))) == pytest.approx(-math.log(2), rel=1e-6)


def test_one_draw_is_the_median_and_costs_are_another_end():
    assert uh.BestOf(1).tau == uh.BestOf(1).for_costs().tau == 0.5
    assert uh.BestOf(8).value(uh.Exponential(1)) == pytest.approx(-math.log1p(-(0.5**0.125)))
    assert uh.BestOf(8).cost(uh.Exponential(1)) == pytest.approx(math.log(2) / 8)
    assert uh.Quantile(uh.BestOf(8).tau).cost(uh.Exponential(1)) > 2  # a p91.7 of costs is no best


@given(values=data, n=draws)
def test_more_draws_are_never_worse(values, n):
    law = uh.Empirical(values)
    assert uh.BestOf(n).value(law) <= uh.BestOf(n + 1).value(law)
    assert uh.BestOf(n).cost(law) >= uh.BestOf(n + 1).cost(law)


def test_label_and_repr():
    assert uh.BestOf(8).label == "best of 8"
    assert uh.BestOf(8).for_costs().label == oriented(uh.BestOf(8), True).label == "lowest of 8"
    assert repr(uh.BestOf(8).for_costs()) == "BestOf(n=8).for_costs()"
    assert uh.BestOf(10_000).label == "best of 10,000"
    assert repr(uh.BestOf(8)) == "BestOf(n=8)"
    assert uh.BestOf(np.int64(8)) == uh.BestOf(8) != uh.BestOf(9)


@pytest.mark.parametrize("bad", [0, -1, 1.5, 8.0, math.nan, "8", None, True, 10**13])
def test_n_is_a_whole_number(bad):
    with pytest.raises(ParameterError, match="n must be a whole number"):
        uh.BestOf(bad)


def test_the_largest_n_is_a_level_that_policies_take():
    highest = uh.BestOf(10**12)
    assert uh.KLQUCB(highest.tau).tau < 1
    assert uh.KLQUCB(highest.for_costs().tau).tau > 0


def test_arms_that_pay_costs_are_judged_by_the_lowest():
    best = uh.BestOf(8)

    assert oriented(best, False) is as_paid(best, False) is best
    assert oriented(best, True) == Minimized(best.for_costs())
    assert best.for_costs().for_costs() == best.for_costs()
    assert Minimized(best).values(ARMS).tolist() == oriented(best, True).values(ARMS).tolist()
    assert oriented(best, True).best(ARMS) == 1  # the widest has the lowest lows
    assert uh.Quantile(0.9).for_costs() == uh.Quantile(0.9)


@pytest.mark.parametrize("minimize", [False, True])
def test_policies_are_told_the_level(minimize):
    value = as_paid(uh.BestOf(8), minimize)
    told = settings_for(value, 0.1, 1000)
    level = 1 - 0.5**0.125 if minimize else 0.5**0.125

    assert told["tau"] == pytest.approx(level, rel=1e-15)
    assert told["alpha"] == endpoint_alpha(value) == pytest.approx(2 * (1 - 0.5**0.125), abs=1e-12)
    assert (told["tail"], told["score"]) == (("lower", "L") if minimize else ("upper", "U"))
    assert plays_for(uh.KLQUCB(told["tau"]), value)
    assert plays_for(uh.ACPUCB1(told["alpha"], tail=told["tail"]), value)
    assert not plays_for(uh.KLQUCB(1 - told["tau"]), value)


@pytest.mark.parametrize("minimize", [False, True])
def test_the_lower_bound_is_that_of_the_level(minimize):
    value = as_paid(uh.BestOf(8), minimize)
    expected = quantile_regret(ARMS, value.tau, minimize=minimize)

    assert lower_bound(ARMS, oriented(uh.BestOf(8), minimize)) == expected
    if minimize:
        assert lower_bound(ARMS, Minimized(uh.BestOf(8))) == expected


@pytest.mark.parametrize("minimize", [False, True])
def test_runs_and_compare_judge_by_it(minimize):
    """Arms that a level of the wrong side would order otherwise; regret by hand from the pulls."""
    arms = [uh.Uniform(0, 10), uh.Uniform(4, 7)]
    policy = uh.KLQUCB(as_paid(uh.BestOf(8), minimize).tau, plus=True)
    runs = uh.simulate(arms, [policy], 300, 3, seed=1, minimize=minimize)
    gap = 10 * 0.5**0.125 - (4 + 3 * 0.5**0.125)
    if minimize:
        gap = 4 + 3 * (1 - 0.5**0.125) - 10 * (1 - 0.5**0.125)
    found = runs.regret(uh.BestOf(8))["KL-QUCB"].final
    compared = uh.compare(
        arms, objectives=uh.BestOf(8), horizon=300, replications=3, seed=1, minimize=minimize,
        timing=False,
    )  # fmt: skip
    row = compared.main("your arms")["KL-QUCB+"]

    assert found == pytest.approx(gap * runs.pulls["KL-QUCB"][:, -1, 1])
    assert (row.objective, row.own) == ("lowest of 8" if minimize else "best of 8", True)
    assert row.regret == pytest.approx(found.mean())
    assert row.best_share > 0.5


def test_an_instance_says_what_it_is_valued_by():
    compared = uh.compare("headline", [uh.UCB1()], uh.BestOf(8), horizon=20, replications=1)
    assert [instance.name for instance in compared.instances] == ["headline at best of 8"]
