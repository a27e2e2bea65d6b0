"""Theorem Q6: numbers by hand, and the mixture of its proof played by a policy that gives up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    """Exactly: after m rewards that look like F_j a policy never pulls arm j again.

    With G = τ'F_j + (1−τ')H it meets no reward of H in m pulls with probability τ'^m, and then
    loses D in each of the other n − m rounds; else it may do what it likes.
    """
    rng = np.random.default_rng(1)
    m, n, level, runs = 5, 50, 0.9, 200_000
    fooled = (rng.random((runs, m)) < level).all(axis=1)
    # A mean of 200,000 flags: three standard errors are 0.0033, exceeded with probability 0.003.
    assert fooled.mean() * (n - m) == pytest.approx(
        float(loss_after(m, n, level, 1)), abs=0.0033 * n
    )


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
