"""The Kaplan–Meier sample against fractions, and without cuts the sample itself."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.live.censored import kaplan_meier, quantile

from ..reference.censored import quantile as exact_quantile
from ..reference.censored import sample

few = st.lists(st.integers(0, 12).map(float), max_size=14)


@given(known=few, cuts=few)
def test_it_is_the_sample_of_the_definition(known, cuts):
    found = kaplan_meier(np.sort(np.array(known)), cuts, 1e300)
    assert found.tolist() == sample(known, cuts, 1e300)


@pytest.mark.parametrize("size", [200, 5_000])
def test_ranks_stay_exact_for_many_values(size):
    rng = np.random.default_rng(size)
    known = np.sort(rng.integers(0, 60, size).astype(float))
    cuts = rng.integers(0, 60, 7).astype(float)
    assert kaplan_meier(known, cuts, np.inf).tolist() == sample(
        known.tolist(), cuts.tolist(), np.inf
    )


@given(known=few)
def test_without_cuts_it_is_the_sample(known):
    values = np.sort(np.array(known))
    assert kaplan_meier(values, [], np.inf) is values or len(values) == 0


def test_what_was_cut_before_the_first_value_says_nothing():
    values = np.array([5.0, 6.0])
    assert kaplan_meier(values, [1.0, 2.0, 4.9], np.inf) is values


def test_one_time_out_for_all_leaves_the_values_below_it_as_they_are():
    values = np.array([1.0, 2.0, 3.0])
    assert kaplan_meier(values, [9.0] * 3, np.inf).tolist() == [1, 2, 3, np.inf, np.inf, np.inf]


@given(known=few.filter(len), cuts=few, place=st.integers(1, 39))
def test_a_quantile_inverts_the_estimate(known, cuts, place):
    """Without rounding to shares k/N, which the sample that policies see has."""
    tau = Fraction(place, 40)
    found = quantile(np.sort(np.array(known)), cuts, 1e300, float(tau))
    assert found == exact_quantile(known, cuts, 1e300, tau)


def test_a_quantile_between_two_shares():
    assert quantile(np.array([1.0, 2.0, 4.0]), [1.5, 1.5], np.inf, 0.5) == 2.0
    assert kaplan_meier(np.array([1.0, 2.0, 4.0]), [1.5, 1.5], np.inf)[2] == 2.0
