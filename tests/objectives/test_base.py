"""Gaps between arms, the best of them, and arms that an objective has no value for."""

import math

import numpy as np
import pytest

from upperhand.distributions import Bernoulli, Normal, StudentT, Uniform
from upperhand.errors import ParameterError
from upperhand.objectives import CVaR, Mean, MeanVariance, UpperTail, Utility

PAPER = [Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08)]


def test_gaps_are_shortfalls_from_the_best():
    gaps = Mean().gaps(PAPER)
    assert gaps.tolist() == [0.0, 0.10, 0.10 - 0.04]
    assert np.all(UpperTail(0.1).gaps(PAPER) >= 0)
    assert UpperTail(0.1).gaps(PAPER)[1] == 0.0


def test_among_the_best_the_lowest():
    assert Mean().best([Bernoulli(0.2), Uniform(0, 1), Bernoulli(0.5)]) == 1


def test_an_arm_without_such_a_value_is_named():
    arms = [Normal(0, 1), StudentT(0, 1, 1.5), StudentT(0, 1, 1)]
    with pytest.raises(ParameterError, match=r"StudentT\(.*df=1\.5\) has no finite mean \+ 1 sd"):
        Utility(1).gaps(arms[:2])
    with pytest.raises(ParameterError, match=r"df=1\.5\) has no finite mean-variance"):
        MeanVariance(1).gaps(arms[:2])
    with pytest.raises(ParameterError, match=r"StudentT\(.*df=1\.0\) has no finite mean"):
        Mean().best(arms)
    with pytest.raises(ParameterError, match=r"StudentT\(.*df=1\.0\) has no finite CVaR 10 %"):
        CVaR(0.1).best(arms)
    assert np.isfinite(UpperTail(0.1).values(arms)).all()
    assert np.isfinite(CVaR(0.1).values(arms[:2])).all()


def test_objectives_are_values():
    assert UpperTail(0.1) == UpperTail(0.1) != UpperTail(0.2)
    assert CVaR(0.1) == CVaR(0.1) != UpperTail(0.1)
    assert len({Mean(), Mean(), Utility(1), Utility(1.0), MeanVariance(1), CVaR(1)}) == 4
    assert repr(CVaR(1)) == "CVaR(alpha=1.0)"


@pytest.mark.parametrize("cls", [Utility, MeanVariance, CVaR])
@pytest.mark.parametrize("bad", [math.nan, math.inf, "1", None, True])
def test_settings_are_numbers(cls, bad):
    with pytest.raises(ParameterError, match=r"(kappa|rho|alpha) must be a finite number"):
        cls(bad)
