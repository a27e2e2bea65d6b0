"""Proposition 1: the κ-regret of pull counts, its linear leading term, and the error of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.theory.gaussian import leading_term, transfer_error, utility_regret

from .instances import PROPERTY

MEANS, SDS = [0.10, 0.00, 0.04], [0.05, 0.15, 0.08]
KAPPA = np.linspace(0, 1.6448536269514722, 12)


@st.composite
def played(draw):
    """Return means, sds and pull counts of some arms."""
    count = draw(st.integers(1, 5))
    numbers = st.integers(-100, 100).map(lambda k: k / 50)
    means = draw(st.lists(numbers, min_size=count, max_size=count))
    sds = [abs(x) for x in draw(st.lists(numbers, min_size=count, max_size=count))]
    return means, sds, draw(st.lists(st.integers(0, 10_000), min_size=count, max_size=count))


@pytest.fixture(scope="module")
def runs():
    arms = [uh.Normal(mu, sd) for mu, sd in zip(MEANS, SDS, strict=True)]
    policies = [uh.ACPUCB1(), uh.UCB1()]
    return uh.simulate(arms, policies, horizon=400, replications=5, seed=1)


def test_it_is_the_regret_of_runs(runs):
    for name, pulls in runs.pulls.items():
        found = utility_regret(pulls, MEANS, SDS, KAPPA)
        assert found.shape == (*pulls.shape[:2], len(KAPPA))
        for place, kappa in enumerate(KAPPA):
            curve = runs.regret(uh.Utility(kappa))[name]
            assert found[..., place].mean(axis=0) == pytest.approx(curve.mean, rel=1e-12, abs=1e-12)
            assert utility_regret(pulls, MEANS, SDS, kappa) == pytest.approx(found[..., place])


def test_it_is_the_sum_over_the_rounds():
    """Equation 8, round by round, for one trajectory."""
    table = np.random.default_rng(0).normal(np.array(MEANS)[:, None], 0.1, (3, 300))
    trajectory = uh.play(uh.ACPUCB1(), table)
    pulls = np.bincount(trajectory.arms, minlength=3)
    for kappa in KAPPA:
        values = [mu + kappa * sd for mu, sd in zip(MEANS, SDS, strict=True)]
        brute = sum(max(values) - values[arm] for arm in trajectory.arms)
        assert utility_regret(pulls, MEANS, SDS, kappa) == pytest.approx(brute)


@PROPERTY
@given(played(), st.floats(0.1, 4))
def test_the_leading_term_errs_by_no_more_than_the_proof_says(instance, a):
    """|R − D_g(κ) n| ≤ 2 D_max Σ_{h≠g} T_h: an identity of each run, for every g and κ."""
    means, sds, pulls = instance
    kappa = np.linspace(0, a, 25)
    regret = utility_regret(pulls, means, sds, kappa)
    for arm in range(len(means)):
        leading = leading_term(sum(pulls), means, sds, arm, kappa)
        bound = transfer_error(pulls, means, sds, arm, a)
        assert np.all(np.abs(regret - leading) <= bound + 1e-9)


@PROPERTY
@given(played(), st.floats(0.1, 4))
def test_d_max_is_the_largest_shortfall_on_the_path(instance, a):
    means, sds, pulls = instance
    kappa = np.linspace(0, a, 101)
    values = np.array(means) + kappa[:, None] * np.array(sds)
    d_max = (values.max(axis=1)[:, None] - values).max()
    for arm in range(len(means)):
        others = sum(pulls) - pulls[arm]
        assert transfer_error(pulls, means, sds, arm, a) == pytest.approx(2 * d_max * others)


def test_leading_terms_of_the_paper():
    """Catalogue, claim 19: D_M(a) n = 645 and δ_μ n = 1000 at n = 10⁴."""
    a = 1.6448536269514722
    assert leading_term(10_000, MEANS, SDS, 0, a) == pytest.approx(645, abs=0.5)
    assert leading_term(10_000, MEANS, SDS, 1, 0) == pytest.approx(1000)
    assert leading_term(10_000, MEANS, SDS, 1, a) == 0
    assert isinstance(leading_term(10_000, MEANS, SDS, 1, 0), float)
    assert leading_term([[10], [20]], MEANS, SDS, 1, [0.0, 0.5]).shape == (2, 2)


def test_shapes():
    pulls = np.arange(24).reshape(2, 4, 3)
    assert utility_regret(pulls, MEANS, SDS, 0.5).shape == (2, 4)
    assert utility_regret([1, 2, 3], MEANS, SDS, KAPPA).shape == KAPPA.shape
    assert isinstance(utility_regret([1, 2, 3], MEANS, SDS, 0.5), float)
    assert transfer_error(pulls, MEANS, SDS, 0, 1).shape == (2, 4)


@pytest.mark.parametrize("shape", [(3, 4), (2, 2), (4, 3)])
def test_a_table_of_kappa(shape):
    """Each κ on its own, or a refusal; never another number."""
    kappa = np.linspace(0, 2, shape[0] * shape[1]).reshape(shape)
    pulls = np.arange(15).reshape(5, 3)
    try:
        found = utility_regret(pulls, MEANS, SDS, kappa)
    except ParameterError:
        return
    assert found.shape == (5, *shape)
    for place in np.ndindex(shape):
        single = utility_regret(pulls, MEANS, SDS, kappa[place])
        assert found[(slice(None), *place)] == pytest.approx(single)


def test_refused():
    for pulls in ([1, 2], [[1, 2]], 3):
        with pytest.raises(ParameterError, match="pulls must have 3 arms along the last axis; got"):
            utility_regret(pulls, MEANS, SDS, 0)
        with pytest.raises(ParameterError, match="pulls must have 3 arms along the last axis; got"):
            transfer_error(pulls, MEANS, SDS, 0, 1)
    with pytest.raises(ParameterError, match=r"pulls must be (?:a )?finite numbers? ≥ 0"):
        utility_regret([1, 2, -1], MEANS, SDS, 0)
    with pytest.raises(ParameterError, match="a must be a finite number > 0"):
        transfer_error([1, 2, 3], MEANS, SDS, 0, 0)
