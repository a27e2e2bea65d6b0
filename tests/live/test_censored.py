"""The Kaplan–Meier sample against fractions, and without cuts the sample itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.live.censored import kaplan_meier

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
