"""Arms that pay costs: what is negated inside shows nowhere outside."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import upperhand as uh
from upperhand.simulation.seeds import reward_stream
from upperhand.simulation.summary import summarise

COSTS = [uh.LogNormal(4.5, 0.2), uh.LogNormal(4.2, 0.6), uh.Empirical([140, 150, 160.5])]
POLICIES = {
    "ACP": uh.ACPUCB1(b=20),
    "KL-QUCB": uh.KLQUCB(0.9),
    "UCB1": uh.UCB1(),
    "MaRaB": uh.MaRaB(0.1),
    "TS": uh.QuantileTS(0.9),
    "CP": uh.UCBCP("U"),
}


@dataclass(frozen=True)
class Negative(uh.Distribution):
    """The law of −X, for samples alone."""

    family: ClassVar[str] = "negative"
    law: uh.Distribution

    @property
    def mean(self):
        return -self.law.mean

    @property
    def sd(self):
        return self.law.sd

    def _quantile(self, p):
        raise NotImplementedError

    def _cdf(self, x):
        raise NotImplementedError

    def _sample(self, rng, shape):
        return -self.law.sample(rng, shape)


def test_costs_are_negated_rewards_of_mirrored_policies():
    runs = uh.simulate(COSTS, POLICIES, 300, 3, seed=1, minimize=True)
    mirrored = {name: policy.mirrored() for name, policy in POLICIES.items()}
    twin = uh.simulate([Negative(law) for law in COSTS], mirrored, 300, 3, seed=1)

    for name in POLICIES:
        assert np.array_equal(runs.pulls[name], twin.pulls[name])
    assert runs.policies == POLICIES
    mean = runs.regret(uh.Mean())["UCB1"].final
    np.testing.assert_allclose(mean, twin.regret(uh.Mean())["UCB1"].final, rtol=1e-12)


def test_a_live_bandit_makes_the_same_choices():
    policy = uh.KLQUCB(0.9)
    runs = uh.simulate(COSTS, policy, 200, 1, seed=5, rounds=200, minimize=True)
    tables = [law.sample(reward_stream(5, 0, arm), 200) for arm, law in enumerate(COSTS)]
    bandit = uh.Bandit(["a", "b", "c"], policy, seed=0, minimize=True)
    for _ in range(200):
        arm = bandit.ask()
        bandit.tell(arm, tables["abc".index(arm)][bandit.pulls(arm)])

    assert [bandit.pulls(arm) for arm in "abc"] == runs.pulls["KL-QUCB"][0, -1].tolist()


def test_the_lowest_p95_is_crowned_and_costs_keep_their_sign():
    runs = uh.simulate(COSTS, [uh.ACPUCB1(), uh.UCB1()], 100, 2, seed=0, minimize=True)
    told = summarise(runs, 0.1)

    assert told["minimize"] is True
    assert told["best"] == {"tail": 0, "mean": 1}  # p95s 125, 179, 160.5; means 92, 80, 150
    assert [round(arm["tail"], 1) for arm in told["arms"]] == [125.1, 178.9, 160.5]
    assert all(policy["regret"]["tail"]["mean"] >= 0 for policy in told["policies"])


def test_saved_runs_remember_that_they_are_of_costs(tmp_path):
    runs = uh.simulate(COSTS, uh.UCB1(), 50, 2, seed=0, minimize=True)
    runs.save(tmp_path / "runs.npz")
    loaded = uh.Runs.load(tmp_path / "runs.npz")

    assert loaded.minimize is True
    final = [each.regret(uh.UpperTail(0.1))["UCB1"].final for each in (runs, loaded)]
    assert np.array_equal(*final)


def test_a_comparison_of_costs():
    found = uh.compare(COSTS, [uh.KLQUCB(0.95), uh.UCB1()], horizon=400, replications=3,
                       timing=False, minimize=True)  # fmt: skip
    rows = found.main("your arms")

    assert found.instances[0].note == "3 arms (costs: the lowest is best)"
    assert found.objectives["your arms"][0].best(COSTS) == 0
    assert found.as_dict()["minimize"] is True
    assert rows["KL-QUCB"].own
    assert rows["KL-QUCB"].regret < rows["UCB1"].regret
    assert rows["KL-QUCB"].best_share > 0.7
    assert 0 < rows["KL-QUCB"].bound < np.inf


def test_a_policy_that_cannot_be_mirrored_is_refused_before_anything_is_played():
    with pytest.raises(uh.ParameterError, match="negated costs are not"):
        uh.simulate(COSTS, uh.KLUCB(), 50, 1, minimize=True)
    with pytest.raises(uh.ParameterError, match="minimize must be True or False; got 1"):
        uh.simulate(COSTS, uh.UCB1(), 50, 1, minimize=1)
