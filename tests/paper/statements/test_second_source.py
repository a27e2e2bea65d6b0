"""The second source of the Gaussian law, against numbers from a table."""

import pytest
from upperhand.paper.statements.second_source import (
    STANDARD,
    densities,
    lower_ends,
    same_law,
    upper_ends,
)

import upperhand as uh


def test_the_standard_law():
    """z_{0.95}, z_{0.975} and φ(0), φ(1)."""
    assert upper_ends(STANDARD, [0.1, 0.05]) == pytest.approx([1.6448536270, 1.9599639845])
    assert lower_ends(STANDARD, 0.05) == pytest.approx([-1.9599639845])
    assert densities(STANDARD, [0.0, 1.0]) == pytest.approx([0.3989422804, 0.2419707245])


def test_the_law_of_an_arm():
    law = same_law(uh.Normal(0.10, 0.05))
    assert (law.mean, law.stdev) == (0.10, 0.05)
    assert upper_ends(law, 0.1) == pytest.approx([0.18224], abs=5e-6)
