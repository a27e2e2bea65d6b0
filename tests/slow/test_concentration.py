"""Lemmas 2 and 3 on the uniform law, with more samples.

If a probability were as large as its bound p, a frequency in N samples that exceeds p by five
standard deviations √(p(1 − p)/N) would have a probability below 1e-5. Seeds are fixed.
"""

import math

import numpy as np
import pytest

from upperhand._kernels.samples import rank
from upperhand.theory.theorem_1 import reward_quantile_tail, score_quantile_tail

from ..theory.test_concentration import CLAIM_15, worst_correction_errors

pytestmark = pytest.mark.slow
SAMPLES = 200_000


@pytest.mark.parametrize("tau", [0.05, 0.5, 0.95])
@pytest.mark.parametrize(("m", "epsilon"), [(300, 0.05), (1000, 0.05), (1000, 0.03)])
def test_lemma_2(tau, m, epsilon):
    rng, exceeded = np.random.default_rng(4), 0
    for _ in range(50):
        rewards = rng.random((SAMPLES // 50, m))
        found = np.partition(rewards, rank(tau, m) - 1, axis=1)[:, rank(tau, m) - 1]
        exceeded += int(np.sum(np.abs(found - tau) > epsilon))
    bound = min(float(reward_quantile_tail(m, epsilon, f_min=1, r_y=0.05)), 1)
    assert exceeded / SAMPLES <= bound + 5 * math.sqrt(bound * (1 - bound) / SAMPLES)


@pytest.mark.parametrize(("m", "epsilon"), [(2000, 0.1), (4000, 0.12245), (4000, 0.06)])
def test_lemma_3(m, epsilon):
    """Catalogue, claim 15: in 2000 samples none exceeds ε; the largest error is near 0.01."""
    rng = np.random.default_rng(5)
    worst = np.concatenate([worst_correction_errors(rng, m, 100) for _ in range(20)])
    assert score_quantile_tail(m, epsilon, **CLAIM_15) < 1
    assert np.sum(worst >= epsilon) == 0
    assert 0.003 < worst.max() < 0.05
