"""Thompson sampling: its distributions, equal draws in both worlds, refusals."""

import math

import numpy as np
import pytest
from scipy import stats

from upperhand.errors import ParameterError
from upperhand.policies import ThompsonSampling
from upperhand.policies.thompson_sampling import index, plausible_mean, select, start
from upperhand.simulation.player import play

from ..kernels.closures import closure
from ..tables import draw
from .late import state_of

MODELS = {
    "beta": ThompsonSampling("beta"),
    "known": ThompsonSampling("gaussian", sd=0.5),
    "unknown": ThompsonSampling("gaussian"),
    "unknown, other prior": ThompsonSampling("gaussian", prior=-0.25),
}
every_model = pytest.mark.parametrize("policy", MODELS.values(), ids=MODELS)


def draws(policy, state, count=4000):
    rng = np.random.default_rng(0)
    return [plausible_mean(policy, state, 0, rng) for _ in range(count)]


def of_many_arms(policy, arms=3000):
    """Return a state of arms with all sorts of counts, sums and squares."""
    rng, state = np.random.default_rng(1), start(policy, arms, 0)
    state.pulls[:] = np.concatenate([range(1, 301), 10 ** rng.uniform(0, 8, arms - 300)])
    share = rng.choice([0.0, 0.5, 1.0, rng.random()], arms)
    state.successes.rounded[:] = np.where(
        share == 0.5, np.rint(share * state.pulls), share * state.pulls
    )
    state.moments.mean[:] = rng.normal(size=arms)
    state.moments.squares[:] = 10 ** rng.uniform(-9, 9, arms)
    return state


def make_select(index, select):
    def one_round(policy, state, rng):
        return select(index, policy, state, 1, rng)

    return one_round


class TestBeta:
    def test_the_distribution(self):
        """Two successes and a half in four: Beta(3.5, 2.5). The error probability is 1e-3."""
        policy = ThompsonSampling()
        values = draws(policy, state_of(policy, [1.0, 0.0, 1.0, 0.5]))
        assert stats.kstest(values, stats.beta(3.5, 2.5).cdf).pvalue > 1e-3

    def test_the_posterior_of_one_success_is_what_numpy_draws(self):
        policy, rng = ThompsonSampling(), np.random.default_rng(0)
        assert draws(policy, state_of(policy, [1.0]), 5) == [rng.beta(2.0, 1.0) for _ in range(5)]

    def test_successes_are_exact_and_rewards_outside_are_clipped(self):
        policy = ThompsonSampling()
        state = state_of(policy, [*[1.0, 0.0, 1.0] * 1000, 7.0, -7.0])
        assert (state.successes.rounded[0], state.pulls[0]) == (2001.0, 3002)

    def test_successes_never_exceed_the_pulls(self):
        policy = ThompsonSampling()
        state = state_of(policy, [math.nextafter(1.0, 0.0)] * 5000)
        assert state.successes.rounded[0] <= 5000.0


class TestGaussian:
    def test_the_distribution_with_a_known_sd(self):
        policy = ThompsonSampling("gaussian", sd=0.5)
        values = draws(policy, state_of(policy, [1.0, 2.0, 6.0, 3.0]))
        assert stats.kstest(values, stats.norm(3, 0.25).cdf).pvalue > 1e-3

    @pytest.mark.parametrize("a", [-1.0, -0.25, 0.0])
    def test_the_distribution_with_an_unknown_sd(self, a):
        """Mean 3, SS = 22, N = 6: 3 + √(22 / 6ν) t with ν = 5 + 2a."""
        policy, freedom = ThompsonSampling("gaussian", prior=a), 5 + 2 * a
        values = draws(policy, state_of(policy, [1.0, 2.0, 6.0, 3.0, 5.0, 1.0]))
        expected = stats.t(freedom, 3, math.sqrt(22 / (6 * freedom)))
        assert stats.kstest(values, expected.cdf).pvalue > 1e-3

    def test_an_arm_that_never_varies_draws_its_mean(self):
        policy = ThompsonSampling("gaussian")
        assert set(draws(policy, state_of(policy, [0.5] * 5), 10)) == {0.5}

    @pytest.mark.parametrize(
        ("a", "pulls"), [(-1, 5), (-1.25, 6), (-0.5, 4), (-0.25, 4), (0, 3), (0.5, 2), (5, 2)]
    )
    def test_the_initial_pulls(self, a, pulls):
        """max(2, 3 − ⌊2a⌋): with them a draw has a degree of freedom or more."""
        policy = ThompsonSampling("gaussian", prior=a)
        assert policy.initial_pulls == pulls
        assert pulls + 2 * policy.prior - 1 >= 1
        arms = play(policy, draw("gaussian", 3, 100), 0).arms
        assert arms[: 3 * pulls].tolist() == [0, 1, 2] * pulls


@every_model
class TestEveryModel:
    @pytest.mark.compiled
    def test_draw_for_draw_the_same_in_both_worlds(self, policy):
        """Numba's samplers against NumPy's, over counts from 1 to 10⁸."""
        found = {}
        for compiled in (True, False):
            state, rng = of_many_arms(policy), np.random.default_rng(2)
            arm = closure(make_select, index, select, compiled=compiled)(
                policy.parameters, state, rng
            )
            found[compiled] = (arm, state.drawn.tolist(), rng.random())
        assert found[True] == found[False]

    def test_no_draw_in_the_initial_pulls(self, policy):
        state, rng = start(policy, 3, 0), np.random.default_rng(0)
        assert select(index, policy, state, 1, rng) == 0
        assert state.drawn.tolist() == [math.inf] * 3
        assert rng.random() == np.random.default_rng(0).random()

    def test_the_seed_decides(self, policy):
        table = draw("bernoulli", 3, 300)
        by_seed = {tuple(play(policy, table, seed).arms) for seed in range(5)}
        assert len(by_seed) == 5

    def test_it_finds_the_best_mean(self, policy):
        table = draw("bernoulli", 2, 5000)
        assert play(policy, table, 0).state.pulls[1] > 4500


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="model must be one of 'beta', 'gaussian'; got"):
        ThompsonSampling("bernoulli")
    with pytest.raises(ParameterError, match='sd belongs to model="gaussian"; got sd=1'):
        ThompsonSampling(sd=1)
    with pytest.raises(ParameterError, match="prior must be a finite number"):
        ThompsonSampling("gaussian", prior=-1e10)
    for settings in ({"model": "beta"}, {"model": "gaussian", "sd": 1}):
        with pytest.raises(ParameterError, match='prior belongs to model="gaussian" without sd'):
            ThompsonSampling(**settings, prior=-2)
