"""One policy as a special case of another, or of something obvious: by equality, arm for arm."""

import math
from fractions import Fraction

import pytest

import upperhand as uh
from upperhand.simulation.player import play

from .. import reference
from ..tables import TABLES, draw
from .pairwise import pairwise

every_kind = pytest.mark.parametrize("kind", TABLES)


def arms(policy, table, seed=3):
    return play(policy, table, seed).arms.tolist()


def greedy(table, worth):
    """Return the arms of one pull each, then always the arm that has looked best so far."""
    return reference.play_index(table.tolist(), lambda past, _t: worth(past) if past else math.inf)


def test_quantile_ucb_is_acp_ucb1_without_adaptation():
    for case in pairwise(
        {
            "kind": tuple(TABLES),
            "alpha": (0.05, 0.1, 0.14, 0.3, 0.5),
            "b": (1.0, 0.0, 0.2),
            "init": (1, 2, 5),
            "tail": ("upper", "lower"),
            "random_ties": (False, True),
            "arms": (1, 2, 3, 7),
        }
    ):
        table = draw(case.pop("kind"), case.pop("arms"), 400)
        assert arms(uh.QuantileUCB(**case), table) == arms(uh.ACPUCB1(**case, eta=0), table), case


def test_gaussian_kl_ucb_of_unit_variance_is_ucb1():
    for kind in TABLES:
        for ties in (False, True):
            model, table = uh.KLUCB("gaussian", sd=1, random_ties=ties), draw(kind, 3, 500)
            assert arms(model, table) == arms(uh.UCB1(random_ties=ties), table)


def test_gaussian_kl_ucb_is_ucb1_in_units_of_the_sd():
    """Powers of two are exact units, except at the edge of the floats."""
    for kind in TABLES.keys() - {"huge", "subnormal"}:
        table = draw(kind, 3, 400)
        expected = arms(uh.UCB1(), table)
        for sd in (2.0**-30, 2.0**-3, 2.0**15):
            assert arms(uh.KLUCB("gaussian", sd=sd), table * sd) == expected, (kind, sd)


@every_kind
def test_marab_at_a_level_below_all_is_greedy_on_the_minimum(kind):
    """The MIN of the same article: ⌈N/1000⌉ = 1 reward, the smallest, as long as N ≤ 1000."""
    table = draw(kind, 3, 300)
    assert arms(uh.MaRaB(0.001), table) == greedy(table, min)


@pytest.mark.compiled
def test_the_sum_of_marab_does_not_drift():
    """After 30,000 additions and subtractions it is still the sum, rounded once."""
    for kind in TABLES:
        for level in ("0.1", "0.5", "1"):
            table, policy = draw(kind, 1, 30_000), uh.MaRaB(float(level), c=0)
            state = play(policy, table).state
            k = reference.exact_rank(Fraction(level), 30_000)
            expected = math.fsum(sorted(table[0].tolist())[:k]) / k
            assert policy.functions.index(policy, state, 0, 30_001) == expected, (kind, level)


def test_exp_exp_learns_nothing_after_the_commitment():
    table, policy = draw("gaussian", 3, 600), uh.ExpExp(600, rho=2)
    first = play(policy, table)
    explored = [reference.exact_moments(row[: policy.initial_pulls].tolist()) for row in table]
    assert first.state.explored.mean.tolist() == [mean for _, mean, _ in explored]
    assert [policy.functions.index(policy, first.state, arm, 601) for arm in range(3)] == [
        2 * mean - squares / n for n, mean, squares in explored
    ]
    table[:, policy.initial_pulls :] = -1e6
    assert arms(policy, table) == first.arms.tolist()


def test_exp_exp_commits_to_one_of_those_that_tie():
    policy, committed = uh.ExpExp(100, random_ties=True), set()
    for seed in range(20):
        found = arms(policy, draw("constant", 3, 200), seed)[3 * policy.initial_pulls :]
        assert len(set(found)) == 1
        committed.update(found)
    assert committed == {0, 1, 2}


@pytest.mark.parametrize("kind", ["gaussian", "heavy", "ties"])
def test_thompson_of_no_variance_is_greedy_on_the_mean(kind):
    table = draw(kind, 3, 300)
    expected = greedy(table, reference.exact_mean)
    assert arms(uh.ThompsonSampling("gaussian", sd=1e-300), table) == expected


class TestExactRanks:
    """Rewards 1, 2, 3, … make every order statistic its rank; plain ceilings and floors err."""

    LEVELS = ("0.07", "0.14", "0.28", "0.5", "0.55", "0.7", "0.95")

    @staticmethod
    def told(policy, most=300):
        """Yield the state after each of the rewards 1, 2, 3, … of a single arm, and how many."""
        state = policy.functions.start(policy, 1, most)
        for m in range(1, most + 1):
            policy.functions.update(policy, state, 0, float(m))
            yield m, state

    @pytest.mark.parametrize("level", LEVELS)
    def test_quantile_ucb(self, level):
        alpha = Fraction(level)
        for m, state in self.told(uh.QuantileUCB(float(level))):
            assert state.lower[0] == reference.exact_rank(alpha / 2, m)
            assert state.upper[0] == reference.exact_rank(1 - alpha / 2, m)

    @pytest.mark.parametrize("level", LEVELS)
    def test_qucb(self, level):
        policy = uh.QUCB(float(level), c=0)
        for m, state in self.told(policy):
            found = policy.functions.index(policy, state, 0, m + 1)
            assert found == reference.exact_rank(Fraction(level), m)

    @pytest.mark.parametrize("level", LEVELS)
    def test_quantile_imed(self, level):
        for m, state in self.told(uh.QuantileIMED(float(level))):
            assert state.quantile[0] == reference.exact_rank(Fraction(level), m)

    @pytest.mark.parametrize("level", [*LEVELS, "1"])
    def test_marab(self, level):
        """The mean of 1, …, k is (k + 1)/2."""
        policy = uh.MaRaB(float(level), c=0)
        for m, state in self.told(policy):
            k = reference.exact_rank(Fraction(level), m)
            assert policy.functions.index(policy, state, 0, m + 1) == (k + 1) / 2

    @pytest.mark.parametrize("level", [*LEVELS, "1"])
    def test_the_caution_of_marab(self, level):
        policy, k, m = uh.MaRaB(float(level), c=2), uh.MaRaB.functions, 100
        *_, (_, state) = self.told(policy, m)
        kept = reference.exact_rank(Fraction(level), m)
        for t in (101, 150, 200, 300, 1000, 10**6):
            caution = 2 * math.sqrt(math.log(reference.exact_rank(Fraction(level), t)) / kept)
            assert k.index(policy, state, 0, t) == (kept + 1) / 2 - caution


class TestConformalBandits:
    @pytest.mark.parametrize(("lam", "score"), [(0.0, "U"), (1.0, "L"), (0.5, "UL")])
    def test_comb_lies_between_the_others(self, lam, score):
        for kind in ("gaussian", "ties", "heavy", "rising"):
            table = draw(kind, 3, 300)
            assert arms(uh.UCBCP("comb", lam=lam), table) == arms(uh.UCBCP(score), table)

    @pytest.mark.parametrize(("alpha", "rewards"), [(0.7, 11), (0.18, 151), (0.82, 51), (0.44, 26)])
    def test_ranks_that_a_plain_ceiling_misses(self, alpha, rewards):
        """(1 − α) times the rewards but one is whole: 0.3 · 10 = 3, 0.82 · 150 = 123, …"""
        table = draw("gaussian", 1, rewards)
        settings = {"alpha": alpha, "eta": 0.0, "level_max": 0.9}
        state = play(uh.UCBCP(**settings), table).state
        assert state.upper.tolist() == reference.ucb_cp(table.tolist(), seed=0, **settings).upper
