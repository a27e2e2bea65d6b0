"""The uniform law at α = 1/2: its constants, written out."""

import pytest
from upperhand.paper.statements.uniform_case import LEVEL, LEVELS, RADIUS, uniform_constants


def test_the_constants():
    """f = 1 on [0, 1], and g = 2 from −1/4 to 1/4, where a score quantile and its radius lie."""
    local = uniform_constants()
    assert (local.f_min, local.g_min) == pytest.approx((1, 2))
    assert local.r_y == local.r_s == RADIUS
    assert (LEVELS[1] - LEVEL) / 2 + RADIUS < 1 / 4
