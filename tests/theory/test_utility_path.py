"""The utility path: every closed form against a grid of κ, and against quadrature."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from scipy import integrate

from upperhand.errors import AssumptionError, ParameterError
from upperhand.theory.gaussian import (
    average_shortfall,
    envelope,
    is_two_arm_envelope,
    path_end,
    shortfalls,
    targets,
    utilities,
    worst_shortfall,
)

from .instances import (
    G3,
    PROPERTY,
    SWEEP,
    grid,
    instances,
    z,
)


class TestPath:
    @pytest.mark.parametrize("alpha", [*SWEEP, 1e-6, 0.5, 0.999])
    def test_where_it_ends(self, alpha):
        assert path_end(alpha) == pytest.approx(z(alpha), rel=1e-9)

    @pytest.mark.parametrize("bad", [0, 1, -0.1, math.nan, "0.1"])
    def test_no_level(self, bad):
        with pytest.raises(ParameterError, match="alpha must be a finite number > 0 and < 1"):
            path_end(bad)

    @PROPERTY
    @given(instances())
    def test_utilities_and_shortfalls(self, instance):
        means, sds, a = instance
        kappa, values = grid(means, sds, a, 50)
        assert utilities(means, sds, kappa) == pytest.approx(values)
        gaps = shortfalls(means, sds, kappa)
        assert gaps == pytest.approx(values.max(axis=1)[:, None] - values)
        assert np.all(gaps >= 0)
        assert np.all(gaps.min(axis=1) == 0)

    def test_shapes(self):
        assert utilities(*G3, 1.5).tolist() == pytest.approx([0.175, 0.225, 0.16])
        assert shortfalls(*G3, 0).tolist() == pytest.approx([0, 0.1, 0.06])
        assert shortfalls(*G3, np.zeros((4, 0, 5))).shape == (4, 0, 5, 3)
        table = shortfalls(*G3, [[0.5, 1.0, 1.5]])
        assert table.shape == (1, 3, 3)
        assert table[0, 2].tolist() == shortfalls(*G3, 1.5).tolist()

    def test_the_targets(self):
        assert targets(*G3, z(0.1)) == (1, 0)
        assert targets(*G3, 0.99) == (0, 0)
        assert targets([0.3, 0.1], [2, 1], 1) == (0, 0)

    def test_the_targets_must_be_unique(self):
        with pytest.raises(
            AssumptionError, match="The mean-optimal arm must be unique; arms 1 and"
        ):
            targets([0.1, 0.1, 0.0], [1, 2, 3], 5)
        with pytest.raises(AssumptionError, match=r"The ACP-optimal arm .* arms 2 and 3 tie"):
            targets([1, 0, 0], [0, 2, 2], 5)

    @pytest.mark.parametrize(
        ("means", "sds"),
        [([0.1], [1, 2]), ([], []), ([[0.1]], [[1]]), (0.1, 1)],
        ids=["lengths", "none", "table", "scalar"],
    )
    def test_one_number_an_arm(self, means, sds):
        with pytest.raises(ParameterError, match="means and sds must be one number an arm; got"):
            utilities(means, sds, 1)

    def test_numbers_out_of_range(self):
        with pytest.raises(
            ParameterError, match=r"sds must be (?:a )?finite numbers? ≥ 0; got -1.0 as sds\[1\]"
        ):
            shortfalls([0, 1], [1, -1], 0)
        with pytest.raises(ParameterError, match="means must be"):
            shortfalls([0, math.nan], [1, 1], 0)
        for function in (envelope, is_two_arm_envelope, targets):
            with pytest.raises(ParameterError, match="a must be a finite number > 0"):
                function(*G3, 0)
        for function in (worst_shortfall, average_shortfall):
            with pytest.raises(ParameterError, match="a must be a finite number > 0"):
                function(*G3, 0, -1)

    @pytest.mark.parametrize("function", [worst_shortfall, average_shortfall])
    @pytest.mark.parametrize("bad", [3, -1])
    def test_an_arm_that_there_is_not(self, function, bad):
        with pytest.raises(ParameterError, match="arm"):
            function(*G3, bad, 1.0)


class TestEnvelope:
    @PROPERTY
    @given(instances())
    @example(([0.0, 0.0], [1.0, 1.0], 1.0))
    @example(([0.1, 0.07, 0.04], [0.05, 0.08, 0.11], 2.0))  # three lines through one point
    @example(([0.1, 0.0], [0.0, 0.1], 1.0))  # they cross at κ = a
    def test_against_a_grid(self, instance):
        means, sds, a = instance
        kinks, arms = envelope(means, sds, a)
        assert kinks[0] == 0
        assert np.all(np.diff(kinks) > 0)
        assert kinks[-1] < a
        assert np.all(np.diff(np.array(sds)[arms]) > 0)
        kappa, values = grid(means, sds, a)
        on_it = arms[np.searchsorted(kinks, kappa, side="right") - 1]
        found = np.take_along_axis(values, on_it[:, None], axis=1)[:, 0]
        assert found == pytest.approx(values.max(axis=1), abs=1e-12)

    @PROPERTY
    @given(instances())
    def test_two_arms_against_a_grid(self, instance):
        """Unless the third arm rises by less than the grid can tell, or lines cross at κ = a."""
        means, sds, a = instance
        _, values = grid(means, sds, a)
        last = values[-1] > values[-1].max() - 1e-9
        assume(len(set(np.array(sds)[last])) == 1)
        mean_best = max(range(len(means)), key=lambda j: (means[j], sds[j]))
        acp_best = int(np.lexsort((-np.array(sds), values[-1]))[-1])
        excess = (values.max(axis=1) - values[:, [mean_best, acp_best]].max(axis=1)).max()
        assume(excess < 1e-12 or excess > 1e-9)
        assert is_two_arm_envelope(means, sds, a) == (excess < 1e-12)

    def test_a_third_arm_in_the_middle(self):
        """1 and 0.7 + 0.5 κ meet at κ = 0.6, and 0.7 + 0.5 κ and κ at κ = 1.4."""
        means, sds = [1.0, 0.7, 0.0], [0.0, 0.5, 1.0]
        kinks, arms = envelope(means, sds, 2.0)
        assert arms.tolist() == [0, 1, 2]
        assert kinks == pytest.approx([0, 0.6, 1.4])
        assert not is_two_arm_envelope(means, sds, 2.0)
        assert is_two_arm_envelope(means, sds, 1.4)
        assert is_two_arm_envelope(means, sds, 0.5)

    def test_lines_through_one_point(self):
        """0.3 + 0.1 κ, 0.2 + 0.2 κ and 0.1 + 0.3 κ meet at κ = 1, up to rounding."""
        for means in ([0.3, 0.2, 0.1], [0.7, 0.6, 0.5], [1.1, 1.0, 0.9]):
            assert is_two_arm_envelope(means, [0.1, 0.2, 0.3], 2.0)

    @pytest.mark.parametrize("alpha", SWEEP)
    def test_the_papers_arms(self, alpha):
        """Catalogue, claim 7: true for the Gaussian instance, at every level of the sweep."""
        assert is_two_arm_envelope(*G3, z(alpha))
        assert envelope(*G3, z(alpha)).arms.tolist() == [0, 1]


class TestShortfalls:
    @PROPERTY
    @given(instances())
    def test_the_worst_is_at_an_end(self, instance):
        means, sds, a = instance
        _, values = grid(means, sds, a, 301)
        for arm in range(len(means)):
            worst = (values.max(axis=1) - values[:, arm]).max()
            assert worst_shortfall(means, sds, arm, a) == pytest.approx(worst, abs=1e-12)

    @PROPERTY
    @given(instances())
    def test_the_average_by_quadrature(self, instance):
        means, sds, a = instance
        kinks = envelope(means, sds, a).kinks[1:].tolist()
        for arm in range(len(means)):
            area, _ = integrate.quad(
                lambda k, g=arm: (
                    max(m + k * s for m, s in zip(means, sds, strict=True))
                    - (means[g] + k * sds[g])
                ),
                0,
                a,
                points=kinks or None,
            )
            assert average_shortfall(means, sds, arm, a) == pytest.approx(area / a, abs=1e-9)


def test_three_lines_through_one_point():
    """All of .1 + .05κ, .15κ and .05 + .1κ meet at κ = 1, up to rounding."""
    found = envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)
    assert found.kinks == pytest.approx([0, 1])
    assert found.arms.tolist() == [0, 1]
    assert is_two_arm_envelope([0.1, 0, 0.05], [0.05, 0.15, 0.1], 1.645)


def test_a_tie_at_the_end_is_no_kink():
    """Lines 0 + .71κ and −.09 + .74κ meet at κ = 3 = a, up to rounding."""
    assert envelope([0, -0.09, 0.01], [0.71, 0.74, 0], 3).arms.tolist() == [2, 0]
