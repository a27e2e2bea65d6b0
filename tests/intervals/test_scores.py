"""The score quantile by order statistics against rescoring everything, to the bit."""

import math
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import sorted_samples
from upperhand.intervals.scores import conformal_interval, score, score_quantile

from ..tables import TABLES, draw
from .closures import closure, filled, make_score_quantile, worlds

PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)
numbers = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([-1e308, -1.0, -5e-324, 0.0, 5e-324, 1e-310, 0.5, 1.0, 1.7e308])
    | st.integers(-3, 3).map(float)
)
State = namedtuple("State", "samples level low high correction lower upper balance")


def all_scores(values, low, high):
    """Return every score, sorted, from plain floats."""
    return sorted(max(low - y, y - high) for y in map(float, values))


@worlds
@PROPERTY
@given(
    values=st.lists(numbers, min_size=1, max_size=60),
    ends=st.tuples(numbers, numbers),
    data=st.data(),
)
def test_any_sample_any_endpoints_any_rank_any_guess(compiled, values, ends, data):
    low, high = sorted(ends)
    k = data.draw(st.integers(1, len(values)))
    guess = data.draw(st.integers(-5, len(values) + 5))
    search = closure(make_score_quantile, score_quantile, compiled=compiled)
    with np.errstate(over="ignore"):
        found, window = search(filled(values), 0, low, high, k, guess)
    assert found == all_scores(values, low, high)[k - 1]
    assert 1 <= window <= len(values) - k + 1


@pytest.mark.parametrize("kind", TABLES)
def test_every_rank_of_many_blocks(kind):
    values = draw(kind, 1, 700)[0]
    low, high = np.quantile(values, [0.2, 0.7], method="inverted_cdf")
    samples, expected = filled(values), all_scores(values, low, high)
    search = closure(make_score_quantile, score_quantile, compiled=True)
    rng = np.random.default_rng(0)
    for k in range(1, len(values) + 1):
        guess = int(rng.integers(-1, len(values) - k + 4))
        assert search(samples, 0, low, high, k, guess)[0] == expected[k - 1]


def test_scores_may_be_infinite_and_never_nan():
    samples = filled([-1.7e308, 0.0, 1.7e308])
    search = closure(make_score_quantile, score_quantile, compiled=True)
    found = [search(samples, 0, 1.0e308, 1.2e308, k, 1)[0] for k in (1, 2, 3)]
    assert found == all_scores([-1.7e308, 0.0, 1.7e308], 1.0e308, 1.2e308)
    assert found[-1] == math.inf


@PROPERTY
@given(numbers, numbers, numbers)
def test_a_score_is_how_far_the_interval_must_widen(y, low, high):
    low, high = min(low, high), max(low, high)
    assert score(y, low, high) == max(low - y, y - high)
    assert (score(y, low, high) <= 0) == (low <= y <= high)


def interval_state(values, level):
    one = [np.zeros(1) for _ in range(6)]
    return State(filled(values), np.array([level]), *one)


@pytest.mark.parametrize("thousandths", range(1, 1000, 14))
def test_no_correction_at_the_nominal_level(thousandths):
    """ĉ = 0 exactly, for every sample and every size, if the level is α (catalogue, section 0)."""
    alpha = thousandths / 1000
    state = interval_state([], alpha)
    for m in range(1, 110):
        sorted_samples.insert(state.samples, 0, float((61 * m) % 113))
        conformal_interval(alpha, state, 0)
        assert state.correction[0] == 0.0, m
        assert (state.lower[0], state.upper[0]) == (state.low[0], state.high[0])


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.14, 0.7, 0.18, 0.059, 1 / 3])
@pytest.mark.parametrize("kind", TABLES)
def test_no_correction_at_the_nominal_level_for_any_table(kind, alpha):
    for m in (1, 2, 10, 100, 150, 1000, 3000):
        state = interval_state(draw(kind, 1, m)[0], alpha)
        conformal_interval(alpha, state, 0)
        assert state.correction[0] == 0.0


@PROPERTY
@given(
    values=st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=200),
    alpha=st.floats(0.001, 0.999),
    level=st.floats(0.001, 0.999),
)
def test_the_interval_never_crosses_and_the_level_moves_it_the_right_way(values, alpha, level):
    state = interval_state(values, level)
    conformal_interval(alpha, state, 0)
    assert state.upper[0] >= state.lower[0]
    assert state.correction[0] >= 0 if level <= alpha else state.correction[0] <= 0


@PROPERTY
@given(
    values=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=100),
    alpha=st.floats(0.001, 0.999),
    level=st.floats(0.001, 0.999),
    balance=st.floats(0, 1),
)
def test_the_hint_changes_the_way_and_not_the_answer(values, alpha, level, balance):
    endpoints = []
    for hint in (0.5, balance):
        state = interval_state(values, level)
        state.balance[0] = hint
        conformal_interval(alpha, state, 0)
        assert 0 < state.balance[0] <= 1
        endpoints.append((state.lower[0], state.upper[0]))
    assert endpoints[0] == endpoints[1]
