"""The score quantile by order statistics against rescoring everything, to the bit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upperhand._kernels import sorted_samples
from upperhand._kernels.samples import rank
from upperhand.calibrators import Rescored
from upperhand.calibrators.base import (
    NEAR,
    covering_score,
    ordered,
    outside,
    score,
    score_quantile,
    widened,
)

from ..kernels.closures import closure, filled, make_score_quantile, worlds
from ..tables import TABLES, draw

PROPERTY = settings(deadline=None, derandomize=True, max_examples=100)
numbers = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([-1e308, -1.0, -5e-324, 0.0, 5e-324, 1e-310, 0.5, 1.0, 1.7e308])
    | st.integers(-3, 3).map(float)
)


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


@worlds
@pytest.mark.parametrize("kind", TABLES)
def test_every_rank_of_many_blocks(kind, compiled):
    values = draw(kind, 1, 700)[0]
    low, high = np.quantile(values, [0.2, 0.7], method="inverted_cdf")
    samples, expected = filled(values), all_scores(values, low, high)
    search = closure(make_score_quantile, score_quantile, compiled=compiled)
    rng = np.random.default_rng(0)
    for k in range(1, len(values) + 1):
        guess = int(rng.integers(-1, len(values) - k + 4))
        assert search(samples, 0, low, high, k, guess)[0] == expected[k - 1]


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["gaussian", "ties", "constant", "heavy"])
def test_windows_at_once_and_one_by_one_find_the_same(kind):
    """Any guess about the window found, among them those at both ends and at ends of blocks."""
    values = draw(kind, 1, 500)[0]
    low, high = np.quantile(values, [0.1, 0.8], method="inverted_cdf")
    samples, expected = filled(values), all_scores(values, low, high)
    fast, slow = (
        closure(make_score_quantile, score_quantile, compiled=compiled)
        for compiled in (True, False)
    )
    for k in (1, 2, 250, 437, 500 - NEAR, 501 - NEAR, 502 - NEAR, 499, 500):
        window = slow(samples, 0, low, high, k, 1)[1]
        assert fast(samples, 0, low, high, k, window)[1] == window
        guesses = {*range(window - NEAR - 2, window + NEAR + 3), -1, 0, 1, 500 - k, 501 - k, 999}
        for guess in guesses:
            found = fast(samples, 0, low, high, k, guess)
            assert found == slow(samples, 0, low, high, k, guess) == (expected[k - 1], window)


@worlds
def test_the_crossing_at_the_ends_of_the_windows(compiled):
    """All windows lean one way, or all but one: ends far below or above every reward."""
    values = np.arange(300.0)
    samples = filled(values)
    search = closure(make_score_quantile, score_quantile, compiled=compiled)
    for shift in range(-12, 13):
        for k in (40, 150, 290):
            for centre in (k / 2 + shift, 300 - k / 2 + shift):
                low, high = centre - 1.0, centre + 1.0
                found = [search(samples, 0, low, high, k, guess) for guess in (1, 5, 9, 301 - k)]
                assert {each[0] for each in found} == {all_scores(values, low, high)[k - 1]}
                assert len({each[1] for each in found}) == 1


@pytest.mark.filterwarnings("ignore:overflow")
def test_scores_may_be_infinite_and_never_nan():
    samples = filled([-1.7e308, 0.0, 1.7e308])
    found = [score_quantile(samples, 0, 1.0e308, 1.2e308, k, 1)[0] for k in (1, 2, 3)]
    assert found == all_scores([-1.7e308, 0.0, 1.7e308], 1.0e308, 1.2e308)
    assert found[-1] == math.inf


@PROPERTY
@given(numbers, numbers, numbers)
def test_a_score_is_how_far_the_interval_must_widen(y, low, high):
    low, high = min(low, high), max(low, high)
    assert score(y, low, high) == max(low - y, y - high)
    assert (score(y, low, high) <= 0) == (low <= y <= high)


def rescored(samples, alpha, level, balance=0.5):
    """Return the sample's own quantiles, what `Rescored` makes of them, and its search hint."""
    calibrator = Rescored(alpha, level_min=alpha / 2, level_max=max(alpha, 0.5))
    state = calibrator.functions.start(calibrator, 1, 0)
    state.level[0], state.balance[0] = level, balance
    m = int(samples.size[0])
    low, high = (
        sorted_samples.value_at(samples, 0, cursor, rank(p, m))
        for cursor, p in enumerate((alpha / 2, 1 - alpha / 2))
    )
    ends = calibrator.functions.interval(calibrator, state, samples, 0, low, high)
    return (low, high), ends, float(state.balance[0])


def test_no_correction_at_the_nominal_level():
    """ĉ = 0 exactly, for every sample and every size, if the level is α (catalogue, section 0)."""
    for thousandths in range(1, 1000, 28):
        alpha, samples = thousandths / 1000, filled([])
        for m in range(1, 110):
            sorted_samples.insert(samples, 0, float((61 * m) % 113))
            base, ends, _ = rescored(samples, alpha, alpha)
            assert ends == base, (alpha, m)


@pytest.mark.parametrize("kind", TABLES)
def test_no_correction_at_the_nominal_level_for_any_table(kind):
    for m in (1, 2, 10, 100, 150, 1000):
        samples = filled(draw(kind, 1, m)[0])
        for alpha in (0.05, 0.1, 0.14, 0.7, 0.18, 0.059, 1 / 3):
            base, ends, _ = rescored(samples, alpha, alpha)
            assert ends == base, (alpha, m)


@PROPERTY
@given(
    values=st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=200),
    alpha=st.floats(0.001, 0.999),
    level=st.floats(0.001, 0.999),
)
def test_the_interval_never_crosses_and_the_level_moves_it_the_right_way(values, alpha, level):
    base, ends, _ = rescored(filled(values), alpha, level)
    assert ends[1] >= ends[0]
    assert ends[1] >= base[1] if level <= alpha else ends[1] <= base[1]


@PROPERTY
@given(
    values=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=100),
    alpha=st.floats(0.001, 0.999),
    level=st.floats(0.001, 0.999),
    balance=st.floats(0, 1),
)
def test_the_hint_changes_the_way_and_not_the_answer(values, alpha, level, balance):
    (_, middle, hint), (_, other, other_hint) = (
        rescored(filled(values), alpha, level, start) for start in (0.5, balance)
    )
    assert middle == other
    assert 0 < hint <= 1
    assert 0 < other_hint <= 1


@PROPERTY
@given(numbers, numbers, st.floats(allow_nan=False))
def test_widened_is_the_set_of_scores_up_to_the_correction(low, high, correction):
    low, high = min(low, high), max(low, high)
    lower, upper = widened(low, high, correction)
    assert lower <= upper or (lower, upper) == (math.inf, -math.inf)
    assert outside((low + high) / 2, lower, upper) == (lower > upper) or math.isinf(low + high)
    assert widened(low, high, math.inf) == (-math.inf, math.inf)
    assert widened(low, high, -math.inf) == ordered(1.0, 0.0) == (math.inf, -math.inf)


def test_the_rank_of_a_covering_score_is_of_one_more():
    scores = filled([3.0, 1.0, 2.0])
    assert [covering_score(scores, 0, level) for level in (0.0, 0.25, 0.26, 0.75, 0.76)] == [
        1.0, 1.0, 2.0, 3.0, math.inf,
    ]  # fmt: skip
    assert covering_score(filled([]), 0, 0.5) == math.inf
