"""Arms that pay costs: what is negated inside shows nowhere outside."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import upperhand as uh
from upperhand.distributions.derived import Negated
from upperhand.simulation.player import play_rounds
from upperhand.simulation.rewards import draw_table

from ..looping import for_each
from ..policies.examples import EXAMPLES, UNIT_REWARDS
from ..reference.keyed import keyed

COSTS = [uh.LogNormal(4.5, 0.2), uh.LogNormal(4.2, 0.6), uh.Empirical([140, 150, 160.5])]
POLICIES = {
    "KL-QUCB": uh.KLQUCB(0.9),
    "UCB1": uh.UCB1(),
    "MaRaB": uh.MaRaB(0.1),
    "TS": uh.QuantileTS(0.9),
    "CP": uh.UCBCP("U"),
}
AS_THEY_ARE = {  # these learn costs as they are
    "ACP": uh.ACPUCB1(0.2),
    "lower": uh.ACPUCB1(0.2, tail="lower", calibrator="aci"),
    "Quantile-UCB": uh.QuantileUCB(0.2, b=5.0),
}


@dataclass(frozen=True)
class Negative(uh.Distribution):
    """The distribution of −X, for samples alone."""

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
        return -self.law.sample(shape, rng)


def test_costs_are_negated_rewards_of_mirrored_policies():
    runs = uh.simulate(COSTS, POLICIES, 150, 3, seed=1, direction="minimize")
    mirrored = {name: policy.mirrored() for name, policy in POLICIES.items()}
    plain = uh.simulate([Negative(law) for law in COSTS], mirrored, 150, 3, seed=1)

    for name in POLICIES:
        assert np.array_equal(runs.pulls[name], plain.pulls[name])
    assert runs.policies == POLICIES
    mean = runs.regret(uh.Mean())["UCB1"].final
    np.testing.assert_allclose(mean, plain.regret(uh.Mean())["UCB1"].final, rtol=1e-12)


def test_policies_that_learn_costs_as_they_are_get_the_very_costs():
    """Ties and zeros too: negated and negated back, they are the same bits."""
    arms = [*COSTS, uh.Empirical([-0.0, 0.0, -3.0, 2.0]), uh.Bernoulli(0.3)]
    runs = uh.simulate(arms, AS_THEY_ARE, 200, 3, seed=1, direction="minimize")
    for r in range(3):
        table = draw_table(arms, 200, 1, r)
        assert np.array_equal(table, 0.0 - draw_table(list(map(Negated, arms)), 200, 1, r))
        for name, policy in AS_THEY_ARE.items():
            assert policy.learns_costs
            parameters, chosen = policy.parameters_for(True), np.empty(200, np.int64)
            assert parameters == policy.parameters._replace(sign=-1.0)
            state = policy.functions.start(parameters, 5, 200)
            play_rounds(policy, state, table, np.random.default_rng(0), chosen,
                        parameters=parameters)  # fmt: skip
            assert runs.pulls[name][r, -1].tolist() == np.bincount(chosen, minlength=5).tolist()


@pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
@for_each("name", [name for name in EXAMPLES if name not in UNIT_REWARDS])
def test_a_live_bandit_makes_the_same_choices(name):
    """Counts, so that ranks are whole numbers now and then, and the two inverses differ."""
    policy = EXAMPLES[name]
    table = np.random.default_rng(5).integers(0, 30, (3, 120)).astype(float)
    parameters = policy.parameters_for(True)
    paid = table if policy.learns_costs else 0.0 - table
    arms = keyed(policy, paid, 0, parameters=parameters)
    bandit = uh.Bandit(["a", "b", "c"], policy, seed=0, direction="minimize")
    chosen = []
    for _ in range(120):
        arm = bandit.ask()
        chosen.append("abc".index(arm))
        bandit.tell(arm, table[chosen[-1], bandit.pulls(arm)])

    assert chosen == arms


def test_ends_of_costs_are_their_quantiles_in_simulations_too():
    """By hand: of costs 1 … 20 the p95 is 19, not 20; so an arm that pays 19.5 is worse."""
    rising = np.arange(1.0, 21.0)
    law = uh.Empirical([19.5])
    policy = uh.QuantileUCB(0.1, b=0, init=20)
    parameters = policy.parameters_for(True)
    table = np.concatenate([[np.r_[rising, np.full(40, 1.0)]], law.data[0] * np.ones((1, 60))])
    arms, state = np.empty(41, np.int64), policy.functions.start(parameters, 2, 60)
    play_rounds(policy, state, table, np.random.default_rng(0), arms, parameters=parameters)
    assert arms[40] == 0


def test_the_lowest_p95_is_crowned_and_costs_keep_their_sign():
    runs = uh.simulate(COSTS, [uh.ACPUCB1(), uh.UCB1()], 100, 2, seed=0, direction="minimize")
    told, label = runs.to_dict(), uh.UpperTail(0.1).label

    assert told["minimize"] is True
    assert told["best"] == {label: [0], "mean": [1]}  # p95s 125, 179, 160.5; means 92, 80, 150
    assert [round(arm["values"][label], 1) for arm in told["arms"]] == [125.1, 178.9, 160.5]
    assert all(policy["regret"][label]["mean"] >= 0 for policy in told["policies"])


def test_saved_runs_remember_that_they_are_of_costs(tmp_path):
    runs = uh.simulate(COSTS, uh.UCB1(), 50, 2, seed=0, direction="minimize")
    runs.save(tmp_path / "runs.npz")
    loaded = uh.Runs.load(tmp_path / "runs.npz")

    assert loaded.minimize is True
    final = [each.regret(uh.UpperTail(0.1))["UCB1"].final for each in (runs, loaded)]
    assert np.array_equal(*final)


def test_a_comparison_of_costs():
    found = uh.compare(COSTS, [uh.KLQUCB(0.95), uh.UCB1()], horizon=400, replications=3,
                       direction="minimize")  # fmt: skip
    rows = found.main("your arms")

    assert found.instances[0].note == "3 arms (costs: the lowest is best)"
    assert found.objectives["your arms"][0].best(COSTS) == 0
    assert found.to_dict()["minimize"] is True
    assert rows["KL-QUCB"].own
    assert rows["KL-QUCB"].regret < rows["UCB1"].regret
    assert rows["KL-QUCB"].best_share > 0.7
    assert 0 < rows["KL-QUCB"].bound < np.inf


def test_a_policy_that_cannot_be_mirrored_is_refused_before_anything_is_played():
    with pytest.raises(uh.ParameterError, match="negated costs are not"):
        uh.simulate(COSTS, uh.KLUCB(), 50, 1, direction="minimize")
    with pytest.raises(uh.ParameterError, match="direction must be one of 'maximize', 'minimize'"):
        uh.simulate(COSTS, uh.UCB1(), 50, 1, direction="min")
    with pytest.raises(TypeError, match='simulate\\(\\) takes no minimize=: write direction="mini'):
        uh.simulate(COSTS, uh.UCB1(), 50, 1, minimize=True)
