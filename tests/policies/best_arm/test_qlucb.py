"""QLUCB against whole histories, its published figures, and its chance of error."""

import numpy as np
import pytest
from scipy.stats import binom

import upperhand as uh
from upperhand.simulation.player import search
from upperhand.simulation.rewards import GivenRewards

from ...reference.qlucb import qlucb
from ...tables import draw

RADII = ["beta-binomial", "stitched", "dkw"]
TABLES = ["gaussian", "ties", "heavy", "bernoulli", "constant", "rising"]


def sequence(policy, table, cap):
    """Return the arms pulled, interpreted, whether it stopped, and the answer."""
    f, p = policy.functions, policy.parameters
    state, arms = f.start(p, len(table), 0), []
    for t in range(1, cap + 1):
        arms.append(f.choose(p, state, t, None))
        if f.full(p, state, arms[-1]):
            state = f.grow(state)
        f.update(p, state, arms[-1], float(table[arms[-1], state.pulls[arms[-1]]]))
        if f.stop(p, state, t):
            return arms, True, f.recommend(p, state)[0]
    return arms, False, f.recommend(p, state)[0]


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("kind", TABLES)
def test_against_the_whole_histories(radius, kind):
    for arms, tau, epsilon in ((2, 0.5, 0.0), (3, 0.8, 0.1), (4, 0.1, 0.05)):
        check_against_the_whole_histories(radius, kind, arms, tau, epsilon)


def check_against_the_whole_histories(radius, kind, arms, tau, epsilon):
    cap = 300
    table = draw(kind, arms, cap) * np.array([1.0, *[3.0] * (arms - 1)])[:, None]
    settings = {"tau": tau, "epsilon": epsilon, "radius": radius, "t_opt": 100, "delta": 0.2}
    pulled, stopped, answer = qlucb(table, cap=cap, **settings)
    assert sequence(uh.QLUCB(**settings), table, cap) == (pulled, stopped, answer)

    policy = uh.QLUCB(**settings)
    rewards = GivenRewards(np.asarray(table, float))
    found = search(policy, rewards, np.random.default_rng(0), cap)
    assert (found.samples, found.decided, found.recommended) == (len(pulled), stopped, [answer])
    assert found.pulls.tolist() == np.bincount(pulled, minlength=arms).tolist()


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
