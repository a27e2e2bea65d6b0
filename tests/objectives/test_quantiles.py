"""The endpoints of the central interval, and any quantile."""

import math

import pytest

from upperhand.distributions import Normal, Uniform
from upperhand.errors import ParameterError
from upperhand.objectives import LowerTail, Mean, Quantile, UpperTail

PAPER = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]


def test_the_papers_arms():
    """The ACP values of the Gaussian instance: catalogue, section 3.1, claim 4."""
    assert UpperTail(0.1).values(PAPER) == pytest.approx([0.18224, 0.24673, 0.17159], abs=5e-6)
    assert UpperTail(0.1).best(PAPER) == 1
    assert Mean().best(PAPER) == 0


@pytest.mark.parametrize(
    ("objective", "value", "label"),
    [
        (UpperTail(0.1), 1.9, "ACP value (p95)"),
        (UpperTail(0.3), 1.7, "ACP value (p85)"),
        (LowerTail(0.1), 0.1, "lower endpoint (p5)"),
        (Quantile(0.75), 1.5, "p75"),
        (Quantile(0.999), 1.998, "p99.9"),
    ],
    ids=str,
)
def test_value_and_label(objective, value, label):
    assert objective.value(Uniform(0, 2)) == pytest.approx(value)
    assert objective.label == label


@pytest.mark.parametrize("cls", [UpperTail, LowerTail, Quantile])
@pytest.mark.parametrize("bad", [0, 1, -0.1, 2, math.nan, math.inf, "0.1", None, True])
def test_a_level_is_between_0_and_1(cls, bad):
    with pytest.raises(ParameterError, match="must be a finite number > 0 and < 1"):
        cls(bad)


def test_an_endpoint_is_not_the_other():
    assert UpperTail(0.1) != LowerTail(0.1)
    assert repr(Quantile(1 / 4)) == "Quantile(tau=0.25)"


def test_a_level_close_to_1_keeps_its_digits():
    assert UpperTail(1e-9).label == "ACP value (p99.99999995)"
    assert [Quantile(tau).label for tau in (0.95, 0.925, 1 - 0.3 / 2)] == ["p95", "p92.5", "p85"]
