"""The bounds of Auer et al., by hand and against one another."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.errors import ParameterError
from upperhand.theory.gaussian import gamma_ucb
from upperhand.theory.ucb1 import (
    ucb1_normal_pull_bound,
    ucb1_normal_regret_bound,
    ucb1_pull_bound,
    ucb1_regret_bound,
)

from .instances import PROPERTY

LOG = 9.210340371976184  # ln 10⁴
gaps_of = st.lists(st.floats(1e-3, 10), min_size=1, max_size=5)


def test_ucb1_by_hand():
    """8 ln n / ¼ = 294.73 at n = 10⁴; 1 + π²/3 = 4.289868."""
    assert ucb1_pull_bound(10_000, 0.5) == pytest.approx(32 * LOG + 4.289868133696453)
    regret = 16 * LOG + 80 * LOG + 4.289868133696453 * 0.6
    assert ucb1_regret_bound(10_000, [0.5, 0.0, 0.1]) == pytest.approx(regret)


def test_ucb1_normal_by_hand():
    """256 · 0.15² / 0.1² = 576 and 256 · 0.08² / 0.06² = 455.1; 1 + π²/2 = 5.934802."""
    gaps, sds = [0.0, 0.1, 0.06], [0.05, 0.15, 0.08]
    rest = 5.934802200544679
    found = ucb1_normal_pull_bound(10_000, gaps, sds)
    assert found == pytest.approx([math.inf, 576 * LOG + rest, 455.11111111 * LOG + rest])
    regret = (57.6 + 0.8 + 256 * 0.0064 / 0.06 + 0.48) * LOG + rest * 0.16
    assert ucb1_normal_regret_bound(10_000, gaps, sds) == pytest.approx(regret)
    wide = ucb1_normal_pull_bound(10_000, [0, 10], [1, 1])[1]
    assert wide == pytest.approx(8 * LOG + 1 + math.pi**2 / 2)


@PROPERTY
@given(gaps=gaps_of, n=st.integers(2, 10**9))
def test_ucb1_regret_is_the_sum_over_arms(gaps, n):
    each = ucb1_pull_bound(n, gaps)
    total = sum(gap * pulls for gap, pulls in zip(gaps, each, strict=True))
    assert ucb1_regret_bound(n, [*gaps, 0.0]) == pytest.approx(total)


@PROPERTY
@given(arms=st.lists(st.tuples(st.floats(1e-3, 10), st.floats(1e-3, 10)), min_size=1, max_size=5))
def test_the_sum_is_above_the_maximum_and_at_most_twice_it(arms):
    """a + 8 ≥ max{a, 8} ≥ (a + 8)/2, arm by arm; the constant parts are the same."""
    gaps, sds = np.array(arms).T
    with_maximum = np.sum(gaps * ucb1_normal_pull_bound(10_000, gaps, sds))
    stated = ucb1_normal_regret_bound(10_000, [*gaps, 0.0], [*sds, 1.0])
    assert with_maximum * (1 - 1e-12) <= stated <= 2 * with_maximum
    growth = (256 * sds**2 / gaps + 8 * gaps) * math.log(10_000)
    assert stated == pytest.approx(np.sum(growth + (1 + math.pi**2 / 2) * gaps))


@PROPERTY
@given(gap=st.floats(1e-3, 10), sd=st.floats(1e-3, 10))
def test_its_rate_is_gamma_ucb(gap, sd):
    """Equation 19."""
    more = ucb1_normal_pull_bound(math.e**3, gap, sd) - ucb1_normal_pull_bound(math.e, gap, sd)
    assert more == pytest.approx(2 * gamma_ucb(sd, gap))


def test_after_one_round_and_for_the_best_arm():
    """ln 1 = 0: only the constants are left, and nothing is NaN."""
    assert ucb1_pull_bound(1, [0.1])[0] == pytest.approx(1 + math.pi**2 / 3)
    assert ucb1_normal_pull_bound(1, [0.1], [1])[0] == pytest.approx(1 + math.pi**2 / 2)
    assert ucb1_pull_bound(1, [0.0, 0.1])[0] == math.inf
    assert ucb1_normal_pull_bound(1, [0.0, 0.1], [1, 1])[0] == math.inf
    assert ucb1_regret_bound(100, [0.0, 0.0]) == 0
    assert ucb1_normal_regret_bound(100, [0.0], [1.0]) == 0


def test_refused():
    with pytest.raises(ParameterError, match=r"gaps must be (?:a )?finite numbers? ≥ 0"):
        ucb1_pull_bound(100, [-0.1])
    with pytest.raises(ParameterError, match="horizon must be a finite number ≥ 1"):
        ucb1_regret_bound(0, [0.1])
    with pytest.raises(ParameterError, match=r"sds must be (?:a )?finite numbers? > 0"):
        ucb1_normal_pull_bound(100, [0.1], [0])
    with pytest.raises(ParameterError, match="gaps and sds must be one number an arm; got shapes"):
        ucb1_normal_regret_bound(100, [0.1, 0], [1])


def test_many_horizons_at_once():
    horizons, gaps, sds = [1, 100, 10_000], [0.0, 0.5, 0.25], [1.0, 2.0, 3.0]
    assert ucb1_regret_bound(horizons, gaps).tolist() == [
        ucb1_regret_bound(n, gaps) for n in horizons
    ]
    assert ucb1_normal_regret_bound(horizons, gaps, sds).tolist() == [
        ucb1_normal_regret_bound(n, gaps, sds) for n in horizons
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_any_unit(unit):
    """UCB1-NORMAL's regret is in the unit of the rewards; UCB1's bound is for rewards in [0, 1]."""
    one = ucb1_normal_regret_bound(100, [0.0, 0.5], [1.0, 1.0])
    many = ucb1_normal_regret_bound(100, [0.0, 0.5 * unit], [unit, unit])
    assert many / unit == pytest.approx(one)
    assert ucb1_pull_bound(100, [0.5 * unit])[0] > 0
