"""Quantile-Evidence errs with probability at most δ, where it is hardest; cut short, it does not.

With ε the second arm's (τ+ε)-quantile is a hair below the first's τ-quantile; without, the arms are
a hair apart. The answer "second" is then wrong. A rule whose threshold ln(1/δ) is cut to a part is
the rule of a larger δ. So both are run, and compared with the same δ.
"""

from statistics import NormalDist

import numpy as np
import pytest

from upperhand.policies import QuantileEvidence

from .test_quantile_evidence import search

pytestmark = [pytest.mark.compiled, pytest.mark.slow]
DELTA, HAIR = 0.001, 1e-3


def wrong(part, *, epsilon, runs, cap, tau=0.5, seed=77):
    """Return in how many runs the second arm is answered, with a part of the threshold."""
    policy = QuantileEvidence(tau, delta=DELTA**part, epsilon=epsilon)
    gap = NormalDist().inv_cdf(tau + epsilon) - NormalDist().inv_cdf(tau) + HAIR
    errors = 0
    for run in range(runs):
        table = np.random.default_rng([seed, run]).standard_normal((2, cap))
        table[0] += gap
        _, done, answer, _ = search(policy, table, compiled=True)
        errors += done and answer == 1
    return errors


def test_errors_with_a_tolerance():
    """Binomial(500, 0.001) is above 3 with a chance of 0.2 %; a quarter of it is seen."""
    assert wrong(1, epsilon=0.1, runs=500, cap=1_500) <= 3
    assert wrong(1 / 4, epsilon=0.1, runs=500, cap=1_500) > 3


@pytest.mark.parametrize("tau", [0.5, 0.8])
def test_errors_with_a_tolerance_more_often(tau):
    """Binomial(4000, 0.001) is above 11 with a chance of 0.1 %."""
    assert wrong(1, epsilon=0.1, runs=4_000, cap=1_500, tau=tau, seed=78) <= 11
    assert wrong(1 / 3, epsilon=0.1, runs=4_000, cap=1_500, tau=tau, seed=78) > 11


@pytest.mark.parametrize("tau", [0.5, 0.9])
def test_errors_without_one(tau):
    """Binomial(1000, 0.001) is above 5 with a chance of 0.06 %; most runs end undecided."""
    assert wrong(1, epsilon=0.0, runs=1_000, cap=3_000, tau=tau) <= 5
    assert wrong(1 / 3, epsilon=0.0, runs=1_000, cap=3_000, tau=tau) > 5
