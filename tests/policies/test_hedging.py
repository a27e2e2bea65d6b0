"""Policies with trust: equal to their references, and inside the band of Theorem Q5."""

import math

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.sorted_samples import values_of
from upperhand._kernels.special import bernoulli_kl
from upperhand.checks import FAILED
from upperhand.policies.kl_qucb import index

from .. import reference
from .late import Worker, play_late

REFERENCES = {"KL-QUCB": reference.kl_qucb, "Quantile-IMED": reference.quantile_imed}
POLICIES = {"KL-QUCB": uh.KLQUCB, "Quantile-IMED": uh.QuantileIMED}
every_policy = pytest.mark.parametrize("name", list(REFERENCES))


def apart(kind, rounds=400, seed=0):
    """Return rewards of three arms that lie apart, so that shapes have much to say."""
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        return rng.normal([[0.0], [4.0], [2.0]], [[1.0], [1.0], [0.5]], (3, rounds))
    if kind == "log-normal":
        return rng.lognormal([[0.0], [1.0], [0.5]], [[0.5], [0.3], [1.0]], (3, rounds))
    if kind == "deceptive":
        rare = rng.random(rounds) < 0.1
        best = np.where(rare, rng.normal(9, 1, rounds), rng.normal(-1, 0.3, rounds))
        return np.stack([rng.normal(0, 1, rounds), best, rng.normal(-3, 1, rounds)])
    few = np.round(rng.normal([[0.0], [4.0], [2.0]], 1.0, (3, rounds)), 2)
    few[1] += 0.001 * rng.random(rounds)  # the best arm alone never repeats itself
    return few


KINDS = ("gaussian", "log-normal", "deceptive", "repeating")


@every_policy
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_arms_as_the_reference(name, kind):
    table = apart(kind)
    settings = {"plus": True} if name == "KL-QUCB" else {}
    for tau, trust in (("0.9", 3.0), ("0.95", 8.0), ("0.8", 1.0)):
        expected = REFERENCES[name](table.tolist(), tau=tau, trust=trust, **settings)
        policy = POLICIES[name](float(tau), trust=trust, **settings)
        assert uh.play(policy, table).arms.tolist() == expected, policy


@every_policy
@pytest.mark.parametrize("tau", [0.9, 0.95])
def test_the_shape_saves_pulls_where_arms_lie_apart(name, tau):
    """Else the references above would agree on nothing new."""
    table, plain = apart("gaussian"), POLICIES[name](tau)
    pulls = [
        np.bincount(uh.play(policy, table).arms, minlength=3)
        for policy in (plain, plain.replace(trust=5.0))
    ]
    assert pulls[0][1] + 10 < pulls[1][1]


@every_policy
@pytest.mark.parametrize("kind", ["gaussian", "repeating"])
def test_the_same_arms_as_the_reference_where_rewards_come_late(name, kind):
    table, rng = apart(kind, 250), np.random.default_rng(3)
    late = rng.integers(0, 12, 250).tolist()
    found, waited = play_late(POLICIES[name](0.9, trust=3.0), table, late, seed=0)
    assert found == REFERENCES[name](table.tolist(), tau="0.9", trust=3.0, late=late)
    assert waited > 200


@every_policy
def test_no_trust_is_the_policy_on_order_alone(name):
    table = apart("gaussian")
    plain = POLICIES[name](0.9)
    assert plain.trust == 0
    almost = plain.replace(trust=1e-12)  # no evidence that counts
    assert uh.play(plain, table).arms.tolist() == uh.play(almost, table).arms.tolist()


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("trust", [0.5, 3.0, 20.0])
def test_the_index_is_inside_the_band_of_theorem_q5(trust, plus):
    """Between U((b − λ)₊) and U(b), U(b) the bound of plain KL-QUCB with budget b."""
    policy, rng = uh.KLQUCB(0.9, plus=plus, trust=trust), np.random.default_rng(0)
    inside = 0
    for kind in KINDS:
        worker, table = Worker(policy, 3), apart(kind)
        for i in range(300):
            arm = int(rng.integers(3))
            worker.learn(arm, table[arm, i])
            t = int(rng.integers(i + 1, 20 * (i + 1)))
            worker.choose(t)
            for arm in range(3):
                found, state = worker.index(arm, t), worker.state
                if state.pulls[arm] == 0:
                    continue
                budget = math.log(t / state.pulls[arm] if plus else t)
                values = values_of(state.samples, arm)
                low = bound(values, 0.9, max(budget - trust, 0.0))
                high = bound(values, 0.9, budget)
                assert low <= found <= high
                inside += found < high
    assert inside > 20


def bound(values, tau, budget):
    """Return U(budget) from its definition: the largest value that so few are below."""
    n = len(values)
    r = max(
        r for r in range(n + 1) if r <= tau * n + 1e-9 or n * bernoulli_kl(r / n, tau) <= budget
    )
    return values[r] if r < n else math.inf


class TestTheSample:
    """What is remembered of a shape follows from the sample, however it came about."""

    def learned(self, policy, values):
        worker = Worker(policy, 2)
        for value in values:
            worker.learn(0, value)
        worker.learn(1, 50.0)
        worker.choose(10_000)
        return worker

    @every_policy
    @pytest.mark.parametrize("seed", range(4))
    def test_followed_or_looked_at_again(self, name, seed):
        rng = np.random.default_rng(seed)
        values, policy = rng.normal(0, 1, 45), POLICIES[name](0.95, trust=20.0)
        one, other = self.learned(policy, values), self.learned(policy, rng.permutation(values))
        other.functions.refresh(other.parameters, other.state, 0)
        other.choose(10_000)
        ours, theirs = (w.state.shapes for w in (one, other))
        assert ours.followed[0] == theirs.followed[0] == 45
        assert ours.moments.mean[0] == theirs.moments.mean[0]
        assert ours.moments.squares[0] == theirs.moments.squares[0]
        assert one.index(0, 10_000) == other.index(0, 10_000)

    @every_policy
    def test_a_repeat_that_is_forgotten_counts_no_more(self, name):
        values = np.random.default_rng(0).normal(0, 1, 45)
        policy = POLICIES[name](0.95, trust=20.0)
        plain = self.learned(policy, values)
        worker = self.learned(policy, [*values, values[7]])
        assert worker.state.shapes.repeats[0] == 1
        worker.forget(0, values[7])
        worker.choose(10_000)
        assert worker.state.shapes.repeats[0] == 0
        assert worker.index(0, 10_000) == plain.index(0, 10_000)

    @every_policy
    def test_one_reward_goes_and_another_comes(self, name):
        values = np.random.default_rng(0).normal(0, 1, 45)
        policy = POLICIES[name](0.95, trust=20.0)
        worker = self.learned(policy, [*values[1:], -9.0])
        worker.forget(0, -9.0)
        worker.learn(0, values[0])
        plain = self.learned(policy, values)
        for t in (45, 300, 10_000):
            worker.choose(t)
            plain.choose(t)
            assert worker.index(0, t) == plain.index(0, t)
        assert worker.state.shapes.moments.mean[0] == plain.state.shapes.moments.mean[0]

    @every_policy
    def test_an_arm_without_a_reward_is_not_looked_at(self, name):
        """Asked for ten times, none told: at a round that is long gone too."""
        worker = self.learned(POLICIES[name](0.95, trust=20.0), [])
        worker.pending[0] = 10
        assert [worker.index(0, t) for t in (1, 2, 10, 10_000)] == [math.inf] * 4

    @every_policy
    def test_a_failed_trial_is_no_shape(self, name):
        values = np.random.default_rng(0).normal(0, 1, 45)
        policy = POLICIES[name](0.95, trust=20.0)
        worker, plain = (
            self.learned(each, [*values, -FAILED]) for each in (policy, policy.replace(trust=0.0))
        )
        assert worker.index(0, 10_000) == plain.index(0, 10_000)
        worker.forget(0, -FAILED)
        worker.choose(10_000)
        assert worker.index(0, 10_000) == self.learned(policy, values).index(0, 10_000)

    def test_arms_of_many_rewards_are_not_followed(self):
        """From N ln(1/τ) > 44 on, the order says enough at any round."""
        policy = uh.KLQUCB(0.5, trust=3.0)
        worker = Worker(policy, 2)
        for value in np.random.default_rng(0).normal(0, 1, 200):
            worker.learn(0, value)
        assert 63 <= worker.state.shapes.followed[0] <= 65
        assert math.isfinite(index(policy.parameters, worker.state, 0, 2**63 - 1))


def test_only_so_much_trust():
    with pytest.raises(uh.ParameterError, match="trust must be"):
        uh.KLQUCB(trust=-1.0)
    with pytest.raises(uh.ParameterError, match="trust must be"):
        uh.QuantileIMED(trust=21.0)
