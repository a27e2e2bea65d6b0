"""Sums that values join and leave, against `math.fsum`."""

import math

import numpy as np
import pytest

from upperhand._kernels.moments import add, no_sums


def test_a_giant_that_comes_and_goes_takes_nothing_with_it():
    sums = no_sums(2)
    for value in (0.1, 1e16, 0.2, -1e16, 1e12, -1e12):
        add(sums, 1, value, 0.0)
    assert sums.rounded[1] == math.fsum([0.1, 0.2])
    assert sums.rounded[0] == 0.0


@pytest.mark.parametrize("spread", [0, 3, 12])
def test_a_long_history_is_summed_as_exactly_as_its_last_state(spread):
    rng = np.random.default_rng(1)
    values = rng.normal(size=20_000) * 10.0 ** rng.uniform(-spread, spread, 20_000)
    sums = no_sums(1)
    for value in values:
        add(sums, 0, float(value), 0.0)
    for value in values[:19_990]:
        add(sums, 0, -float(value), 0.0)
    exact = math.fsum(values[19_990:])
    assert abs(sums.rounded[0] - exact) <= 1e-15 * np.abs(values[19_990:]).max()
