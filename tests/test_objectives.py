"""What an arm is worth under each objective, and the gaps between arms."""

import math

import numpy as np
import pytest

from upperhand.distributions import Bernoulli, Normal, StudentT, Uniform
from upperhand.errors import ParameterError
from upperhand.objectives import LowerTail, Mean, Quantile, UpperTail, Utility

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
        (Mean(), 1.0, "mean"),
        (Utility(0), 1.0, "mean + 0 sd"),
        (Utility(3), 1.0 + math.sqrt(3), "mean + 3 sd"),
    ],
    ids=str,
)
def test_value_and_label(objective, value, label):
    assert objective.value(Uniform(0, 2)) == pytest.approx(value)
    assert objective.label == label


def test_gaps_are_shortfalls_from_the_best():
    gaps = Mean().gaps(PAPER)
    assert gaps.tolist() == [0.0, 0.10, 0.10 - 0.04]
    assert np.all(UpperTail(0.1).gaps(PAPER) >= 0)
    assert UpperTail(0.1).gaps(PAPER)[1] == 0.0


def test_among_the_best_the_lowest():
    assert Mean().best([Bernoulli(0.2), Uniform(0, 1), Bernoulli(0.5)]) == 1


@pytest.mark.parametrize("cls", [UpperTail, LowerTail, Quantile])
@pytest.mark.parametrize("bad", [0, 1, -0.1, 2, math.nan, math.inf, "0.1", None, True])
def test_a_level_is_between_0_and_1(cls, bad):
    with pytest.raises(ParameterError, match="must be a finite number > 0 and < 1"):
        cls(bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, "1", None, True])
def test_kappa_is_a_number(bad):
    with pytest.raises(ParameterError, match="kappa must be a finite number"):
        Utility(bad)


def test_an_arm_without_such_a_value_is_named():
    arms = [Normal(0, 1), StudentT(0, 1, 1.5), StudentT(0, 1, 1)]
    with pytest.raises(ParameterError, match=r"StudentT\(.*df=1\.5\) has no finite mean \+ 1 sd"):
        Utility(1).gaps(arms[:2])
    with pytest.raises(ParameterError, match=r"StudentT\(.*df=1\.0\) has no finite mean"):
        Mean().best(arms)
    assert np.isfinite(UpperTail(0.1).values(arms)).all()


def test_objectives_are_values():
    assert UpperTail(0.1) == UpperTail(0.1) != UpperTail(0.2)
    assert UpperTail(0.1) != LowerTail(0.1)
    assert len({Mean(), Mean(), Utility(1), Utility(1.0)}) == 2
    assert repr(Quantile(1 / 4)) == "Quantile(tau=0.25)"


def test_a_level_close_to_1_keeps_its_digits():
    assert UpperTail(1e-9).label == "ACP value (p99.99999995)"
    assert [Quantile(tau).label for tau in (0.95, 0.925, 1 - 0.3 / 2)] == ["p95", "p92.5", "p85"]
