"""Evidence of coins: the mixture to the last digits, its growth, and that it is fair."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.stats import binom

from upperhand._kernels.special import (
    evidence_above,
    log_evidence,
    log_evidences,
    log_joint,
    log_weights,
)

from ..reference.evidence import exact_evidence

LEVELS = pytest.mark.parametrize(
    ("level", "epsilon"),
    [("0.5", "0"), ("0.05", "0"), ("0.925", "0.025"), ("0.3", "0.1"), ("0.006", "0.004")],
)


@LEVELS
def test_the_mixture_without_rounding(level, epsilon):
    evidence = evidence_above(float(level), float(epsilon))
    for tosses in (0, 1, 2, 17, 400, 5_000):
        for heads in sorted({0, tosses // 20, tosses // 2, tosses}):
            exact = float(exact_evidence(level, epsilon, heads, tosses).ln())
            found = log_evidence(evidence, heads, tosses)
            assert found == pytest.approx(exact, rel=1e-12, abs=1e-11)


@LEVELS
def test_it_grows_with_the_heads_and_many_at_once_are_the_same(level, epsilon):
    evidence = evidence_above(float(level), float(epsilon))
    heads = np.arange(301)
    found = log_evidences(evidence, heads, 300)
    assert np.all(np.diff(found) > 0)
    assert found.tolist() == pytest.approx([log_evidence(evidence, k, 300) for k in heads])


@LEVELS
@pytest.mark.parametrize("tosses", [1, 7, 60])
def test_at_the_level_its_mean_is_one_and_below_it_is_less(level, epsilon, tosses):
    """The mean over all outcomes, summed: what makes it a (super)martingale."""
    q = float(level)
    evidence = evidence_above(q, float(epsilon))
    values = np.exp(log_evidences(evidence, np.arange(tosses + 1), tosses))
    assert binom.pmf(np.arange(tosses + 1), tosses, q) @ values == pytest.approx(1, rel=1e-10)
    assert binom.pmf(np.arange(tosses + 1), tosses, 0.9 * q) @ values < 1


def test_both_coins():
    exact = (9 * Decimal(7) + (11 + 20 * Decimal(77)) / 9) / 30
    assert log_joint(math.log(7), math.log(11), 9) == pytest.approx(math.log(exact))
    assert log_joint(900.0, 900.0, 1) == pytest.approx(1800 + math.log(20 / 22))


@pytest.mark.parametrize("shares", [1, 2, 9, 99])
def test_the_weights_of_both_coins_sum_to_one(shares):
    """With `shares` pairs that have the first coin in common: what a sum over them begins at."""
    one, other, both = map(math.exp, log_weights(shares))
    assert one + shares * (other + both) == pytest.approx(1)
