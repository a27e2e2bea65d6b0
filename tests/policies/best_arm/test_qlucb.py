"""QLUCB: published sample sizes, and its chance of error."""

import numpy as np
import pytest
from scipy.stats import binom

import upperhand as uh

RADII = ["beta-binomial", "stitched", "dkw"]


def test_arms_far_apart_are_told_apart_by_all():
    arms = [uh.Normal(0, 1), uh.Normal(6, 1), uh.Normal(3, 1)]
    policies = {radius: uh.QLUCB(0.5, radius=radius) for radius in RADII}
    found = uh.identify(arms, policies, replications=10, seed=0)
    for radius in RADII:
        assert found.answers[radius].recommended.ravel().tolist() == [1] * 10


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("radius", "published"), [("beta-binomial", (3476.0, 9.5)), ("stitched", (8235.1, 0.1))]
)
def test_published_sample_sizes(radius, published):
    """Ten uniform arms at the p95; the standard errors are the published ones."""
    arms = [uh.Uniform(0.05, 1.05), *[uh.Uniform(0, 1)] * 9]
    policy = uh.QLUCB(0.95, epsilon=0.025, radius=radius)
    samples = uh.identify(arms, policy, replications=8, seed=0).answers["QLUCB"].samples
    mean, error = published
    assert abs(samples.mean() - mean) <= 4 * error + 4 * samples.std(ddof=1) / np.sqrt(8)


def errors(delta, replications):
    """Return how often two nearly equal arms are confused within 4,000 pulls, of how many runs."""
    arms = [uh.Uniform(0, 1), uh.Uniform(0.002, 1.002)]
    policy = uh.QLUCB(0.5, delta=delta, t_opt=100)
    found = uh.identify(arms, policy, cap=4000, replications=replications, seed=1)
    return int(found.answers["QLUCB"].wrong.sum())


@pytest.mark.compiled
@pytest.mark.parametrize(
    "replications", [400, pytest.param(4000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_a_wrong_answer_is_as_rare_as_it_says(replications):
    """Fails by chance with probability below 1e-4 where the error is δ = 0.01 (it is far less)."""
    assert errors(0.01, replications) <= binom.ppf(1 - 1e-4, replications, 0.01)


@pytest.mark.compiled
def test_which_a_tenth_of_the_threshold_would_break():
    """ln(1/δ) cut to a tenth. A third is too mild to be seen: two bounds must fail, or one far."""
    assert errors(0.01 ** (1 / 10), 400) > binom.ppf(1 - 1e-4, 400, 0.01)
