"""Theorem Q6: numbers by hand, and the mixture of its proof played by a policy that gives up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand import Empirical, Mixture, Normal, QuantileUCB, simulate
from upperhand.errors import ParameterError
from upperhand.theory.price_of_entry import least_pulls, loss_after, loss_by_mean

from .instances import PROPERTY


def test_by_hand():
    """0.95⁴ = 0.81450625: four pulls at the p95 leave 81 % of nD at stake."""
    assert loss_after(4, 10_000, 0.95, 1) == pytest.approx(0.81450625 * 9996)
    assert loss_after(4, 10_000, 0.95, 2.5, 0.4) == pytest.approx(0.81450625 * 9996)
    assert loss_by_mean(2, 10_000, 0.95, 1) == pytest.approx(0.81450625 * 9996 / 2)
    assert loss_after([0, 10, 20], 10, 0.5, 1).tolist() == [10, 0, 0]


def test_the_least_entry_at_the_p95():
    """0.95²³ = 0.3074, 0.95⁴⁴ = 0.1047 and 0.95⁵⁸ = 0.0510 are too much still."""
    assert [least_pulls(share, 10_000, 0.95) for share in (0.3, 0.1, 0.05)] == [24, 45, 59]
    assert least_pulls(1, 10, 0.5) == 0
    assert least_pulls(0, 10, 0.5) == 10


@PROPERTY
@given(st.floats(0, 1), st.integers(1, 500), st.floats(0.01, 0.999))
def test_it_is_the_first_that_is_enough(share, n, tau):
    m = least_pulls(share, n, tau)
    enough = [(n - k) * tau**k <= share * n for k in range(n + 1)]
    assert m == enough.index(True) or math.isclose((n - m) * tau**m, share * n)


def test_a_policy_that_gives_up():
    """Quantile-UCB without a bonus never returns to an arm whose first m rewards were poor.

    On the arms of the proof, with τ' for τ: rewards of N(−1, 0.1), and u* + D with probability
    1 − τ'. It loses D(n − m)τ'^m on average, and hardly more. The mean of 400 runs has a standard
    error of about 3 % of that: four are exceeded with probability 6e-5.
    """
    m, n, level, gap = 18, 1000, 0.949, 5.0
    arms = [Normal(0, 0.1), Mixture([Normal(-1, 0.1), Empirical([gap])], [level, 1 - level])]
    policy = QuantileUCB(0.001, b=0.0, init=m)  # by the largest reward so far
    u_star = arms[0].quantile(0.95)
    runs = simulate(arms, policy, n, 400, seed=3, rounds=1, progress=False)
    lost = (gap - u_star) * runs.pulls[policy.name][:, -1, 0]
    bound = float(loss_after(m, n, level, gap - u_star))
    error = lost.std() / 20
    assert bound - 4 * error < lost.mean() < 1.1 * bound + 4 * error
    assert (runs.pulls[policy.name][:, -1, 1] == m).mean() == pytest.approx(level**m, abs=0.1)


def test_bad_values():
    for call, message in (
        (lambda: loss_after(-1, 10, 0.5, 1), "m must be a finite number ≥ 0; got -1"),
        (lambda: loss_after(1, 0, 0.5, 1), "n must be a finite number ≥ 1; got 0"),
        (lambda: loss_after(1, 10, 1.0, 1), "tau must be a finite number > 0 and < 1; got 1"),
        (lambda: loss_after(1, 10, 0.5, 1, 2), "chance must be a finite number ≥ 0 and ≤ 1"),
        (lambda: loss_by_mean(-1, 10, 0.5, 1), "mean must be a finite number ≥ 0; got -1"),
        (lambda: least_pulls(1.5, 10, 0.5), "share must be a finite number ≥ 0 and ≤ 1; got 1.5"),
        (lambda: least_pulls(0.5, 10.0, 0.5), "n must be a whole number, 1 or more; got 10.0"),
    ):
        with pytest.raises(ParameterError, match=message):
            call()
