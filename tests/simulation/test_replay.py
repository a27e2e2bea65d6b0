"""Policies on tables and logs of real outcomes."""

import math

import numpy as np
import pandas as pd
import pytest

import upperhand as uh
from upperhand.policies import Policy
from upperhand.simulation.rewards import policy_stream, row_stream

from .. import reference

POLICIES = {
    "ucb1": uh.UCB1(),
    "greedy": uh.EpsilonGreedy(0.8),
    "klqucb": uh.KLQUCB(0.8, plus=True),
    "acp": uh.ACPUCB1(0.4),
}
SIZE = {"replications": 4, "seed": 3, "progress": False}
COSTS = {"direction": "minimize", "quantile": 0.8}


def table(rows=60, arms=3, seed=0):
    """Return costs above 0 of paired rows."""
    rng = np.random.default_rng(seed)
    return np.round(rng.lognormal(np.linspace(0, 0.5, arms), 0.6, (rows, arms)), 2) + 0.01


def exact(values, tau):
    return float(reference.quantile(list(values), tau))


def slowly(given, policy: Policy, order, horizon, replication, costs=True, seed=3):
    """Return the arms and the outcomes of one replication, and those of all arms in its rounds."""
    arms, rng = [np.asarray(each) for each in given], row_stream(seed, replication)
    columns = rng.permutation(len(arms)).tolist()
    if order == "resample":
        rows = [rng.integers(len(values), size=horizon) for values in arms]
    elif order == "shuffle":
        rows = [rng.permutation(len(arms[0]))[:horizon]] * len(arms)
    else:
        rows = [(rng.integers(len(arms[0])) + np.arange(horizon)) % len(arms[0])] * len(arms)
    outcomes = np.array([values[at] for values, at in zip(arms, rows, strict=True)])
    sign = -1.0 if costs and not policy.learns_costs else 1.0
    f, parameters = policy.functions, policy.parameters_for(costs)
    state, chosen = f.start(parameters, len(arms), horizon), []
    stream = policy_stream(seed, replication)
    for t in range(horizon):
        column = f.choose(parameters, state, t + 1, stream)
        chosen.append(columns[column])
        f.update(parameters, state, column, float(sign * outcomes[chosen[-1], t]))
        state = f.grow(state) if f.full(parameters, state, column) else state
    return np.array(chosen), outcomes[chosen, np.arange(horizon)], outcomes


@pytest.mark.parametrize(("order", "horizon"), [("time", 90), ("shuffle", 50), ("resample", 80)])
def test_each_order_by_hand(order, horizon):
    given = table()
    found = uh.replay(given, POLICIES, order=order, horizon=horizon, **COSTS, **SIZE)
    values = [exact(column, "0.8") for column in given.T]
    best = int(np.argmin(values))
    assert list(found.arms.values()) == values
    for name, policy in POLICIES.items():
        for replication in range(SIZE["replications"]):
            arms, own, all_arms = slowly(given.T, policy, order, horizon, replication)
            each = found[name]
            ratio = exact(own, "0.8") / exact(all_arms[best], "0.8")
            assert each.realised[replication] == pytest.approx(ratio, rel=1e-14)
            gaps = np.array(values)[arms] - values[best]
            assert each.excess[replication] == pytest.approx(gaps.mean(), abs=1e-14)
            assert each.best_arm[replication] == np.mean(arms == best)


def test_rewards_and_differences():
    given = {"a": [1.0, 2, 3, -4], "b": [2.0, 5, 1], "c": [0.0, 0.5]}
    found = uh.replay(given, "ucb1", quantile=0.8, horizon=40, measure="difference", **SIZE)
    for replication in range(4):
        arms, own, everyone = slowly(
            given.values(), uh.UCB1(), "resample", 40, replication, costs=False
        )
        loss = exact(everyone[1], "0.8") - exact(own, "0.8")
        assert found["UCB1"].realised[replication] == loss
        assert found["UCB1"].excess[replication] == np.mean(np.array([2.0, 0.0, 4.5])[arms])
    assert list(found.arms.values()) == [3.0, 5.0, 0.5]


def test_failures_cost_what_is_said_and_are_counted():
    given = table()
    given[::4, 0] = np.inf
    with pytest.raises(uh.ParameterError, match=r"15 outcomes are infinite.*failure="):
        uh.replay(given, "ucb1", **COSTS, **SIZE)
    found = uh.replay(given, "round-robin", failure=100, **COSTS, **SIZE)
    filled = np.where(np.isinf(given), 100, given)
    assert found.to_frame().realised.equals(
        uh.replay(filled, "round-robin", **COSTS, **SIZE).to_frame().realised
    )
    assert found["Round robin"].failures.mean() == pytest.approx(1 / 12, abs=0.08)
    with pytest.warns(uh.errors.FitWarning, match="a failure would count as a success"):
        uh.replay(given, "round-robin", failure=1, **COSTS, **SIZE)


def test_what_is_shown():
    frame = pd.DataFrame(table(), columns=["eu", "us", "ap"])
    found = uh.replay(frame, ["kl-qucb", "mean-of-last"], **COSTS, **SIZE)
    rows = found.to_frame()
    assert list(rows.columns) == [
        "policy", "realised", "realised_se", "bad_run", "excess", "excess_se", "failures",
        "best_arm_share",
    ]  # fmt: skip
    logs = np.log(found["KL-QUCB"].realised)
    assert rows.realised[0] == pytest.approx(math.exp(logs.mean()))
    assert rows.realised_se[0] == pytest.approx(rows.realised[0] * logs.std(ddof=1) / 2)
    assert rows.bad_run[0] == found["KL-QUCB"].realised.max()  # of four
    assert "3 arms, 4 replications of 60 rounds (time), seed 3" in repr(found)
    assert "Arms by p80, the lowest first: eu" in repr(found)
    assert found.plot().get_xlabel().startswith("Realised p80: ratio")
    with pytest.raises(uh.UnknownNameError, match="Known: KL-QUCB, Mean of last"):
        found["UCB1"]


@pytest.mark.compiled
def test_compiled_and_any_number_of_workers_are_the_same():
    given, several = table(), {"replications": 9, "seed": 1, "progress": False}
    runs = [uh.replay(given, POLICIES, horizon=500, workers=w, **COSTS, **several) for w in (1, 4)]
    alone = uh.replay(given, POLICIES["greedy"], horizon=500, **COSTS, **several)
    assert runs[0].to_frame().equals(runs[1].to_frame())
    assert np.array_equal(alone["Epsilon-greedy"].realised, runs[0]["greedy"].realised)
    _, own, everyone = slowly(given.T, POLICIES["klqucb"], "time", 500, 3, seed=1)
    best = everyone[int(np.argmin(list(runs[0].arms.values())))]
    assert runs[0]["klqucb"].realised[3] == exact(own, "0.8") / exact(best, "0.8")


def test_a_dataset_says_what_it_is_about():
    tuning = uh.datasets.load_network_tuning()
    found = uh.replay(tuning, "ucb1", horizon=20, measure="difference", **SIZE)
    assert (found.quantile, found.minimize, found.order) == (tuning.quantile, False, "resample")
    with pytest.raises(uh.ParameterError, match="Say which dest"):
        uh.replay(uh.datasets.load_flights(), "ucb1", horizon=20)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ([[1, 2], [3, math.nan], [1, 1]], {}, r"arm '1' has 1 value that are NaN.*fillna\(inf\)"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), {}, "the column 'b' holds no numbers"),
        ([[1, 2]], {}, "two arms and two rows"),
        ([[1], [2]], {}, "two arms and two rows"),
        (np.ones((3, 9)), {}, r"write table\.T"),
        ([[1, 2], [3]], {}, "rows of equal length"),
        ({"a": [1, 2], "b": [1, 2]}, {"order": "time"}, "a dict of arms has none"),
        ({"a": [1, 2], "b": [1, 2]}, {}, "horizon=1000"),
        ({"a": 1.0, "b": [1, 2]}, {}, "arm 'a' must be a list of numbers; got 1.0"),
        (np.ones((9, 2)), {"order": "shuffle", "horizon": 10}, "the table has 9; got horizon=10"),
        (np.ones((9, 2)), {"horizon": 0}, "horizon must be a whole number, 1 or more"),
        (np.ones((9, 2)), {"order": "random"}, "order must be one of 'time'"),
        (np.ones((9, 2)), {"measure": "regret"}, "measure must be one of 'ratio'"),
        (-np.ones((9, 2)), {}, 'quantiles above 0; got -1. Choose measure="difference"'),
        (np.full((9, 2), 1e200), {}, "Choose a larger unit"),
        (np.ones((9, 2)), {"policies": "qlucb"}, "QLUCB looks for the best arm"),
        (np.ones((9, 2)), {"quantile": 0.9, "best_of": 8}, "both say"),
    ],
)
def test_bad_tables(given, options, words):
    with pytest.raises(uh.UpperhandError, match=words):
        uh.replay(given, **({"policies": "ucb1"} | options))


def chosen(rows=3000, seed=0, p=(0.5, 0.3, 0.2)):
    """Return a log of choices with these probabilities: arm c is best by far."""
    rng = np.random.default_rng(seed)
    arm = rng.choice(3, rows, p=p)
    cost = rng.exponential(np.array([3.0, 2.0, 1.0])[arm])
    return pd.DataFrame(
        {"arm": np.array(["a", "b", "c"])[arm], "cost": cost, "p": np.array(p)[arm]}
    )


COLUMNS = {"arm": "arm", "reward": "cost", "propensity": "p"}


class Third:
    """Play the arm that pays best at first, for ever: here by its number."""

    def __init__(self, column=0):
        self.column = column

    def select(self):
        return self.column

    def start(self): ...

    def update(self): ...


class TestLogs:
    def test_by_hand(self):
        log = chosen(400)
        found = uh.replay(log, POLICIES, **COLUMNS, p_min=0.2, **COSTS, **SIZE)
        arm = log.arm.map({"a": 0, "b": 1, "c": 2}).to_numpy()
        values = [exact(log.cost[arm == j], "0.8") for j in range(3)]
        for name, policy in POLICIES.items():
            rng = row_stream(3, 2)
            columns = rng.permutation(3).tolist()
            kept = rng.random(400) < 0.2 / log.p
            f, parameters = policy.functions, policy.parameters_for(True)
            state, stream, used = f.start(parameters, 3, 400), policy_stream(3, 2), []
            sign = 1.0 if policy.learns_costs else -1.0
            choice = None
            for i in np.flatnonzero(kept):
                if choice is None or policy.draws:
                    choice = f.choose(parameters, state, len(used) + 1, stream)
                if columns[choice] == arm[i]:
                    f.update(parameters, state, choice, float(sign * log.cost[i]))
                    used.append(i)
                    choice = None
            best = log.cost[kept & (arm == int(np.argmin(values)))]
            assert found[name].rows[2] == len(used)
            ratio = exact(log.cost[used], "0.8") / exact(best, "0.8")
            assert found[name].realised[2] == pytest.approx(ratio, rel=1e-14)
            assert found[name].best_arm[2] == np.mean(arm[used] == 2)

    def test_what_is_left_is_uniform_and_rows_are_reported(self):
        """Round robin meets each arm in a third of its rows, whatever was logged."""
        found = uh.replay(chosen(), ["round-robin"], **COLUMNS, p_min=0.2, **COSTS, **SIZE)
        frame = found.to_frame()
        assert frame.best_arm_share[0] == pytest.approx(1 / 3, abs=0.01)
        assert frame.rows[0] == pytest.approx(600, rel=0.15)  # 0.2 · 3,000, a third of 0.6
        assert "rows" in repr(found)
        assert "(log)" in repr(found)

    def test_a_uniform_log_needs_no_column(self):
        log = {name: column.to_numpy() for name, column in chosen(p=(1 / 3,) * 3).items()}
        options = {"arm": "arm", "reward": "cost", **COSTS, **SIZE}
        stated = uh.replay(log, "kl-qucb", propensity="uniform", **options)
        assert stated["KL-QUCB"].rows.min() > 900
        assert stated["KL-QUCB"].best_arm.mean() > 0.8

    def test_an_experiment_with_shares(self):
        exp = uh.Experiment("a", arms=["a", "b", "c"], seed=0, **COSTS)
        rng = np.random.default_rng(0)

        def run(n):
            for _ in range(n):
                trial = exp.ask()
                slow = rng.exponential({"a": 3.0, "b": 2.0, "c": 1.0}[trial.arm])
                trial.tell(failed=True) if slow > 9 else trial.tell(slow)

        run(20)  # deterministic: none of these counts
        with pytest.raises(uh.ParameterError, match=r"exp\.shares\(least=0\.02\)"):
            uh.replay(exp, "ucb1")
        with pytest.raises(uh.ParameterError, match="A log is an experiment alone"):
            uh.replay(exp, "ucb1", arm="arm")
        exp.shares(least=0.2)
        run(600)
        exp.ask()  # no outcome
        found = uh.replay(exp, ["round-robin", "kl-qucb"], failure=20, **SIZE)
        assert (found.quantile, found.minimize) == (0.8, True)
        assert 80 < found["Round robin"].rows.mean() < 200
        assert found["Round robin"].best_arm.mean() == pytest.approx(1 / 3, abs=0.02)
        assert found["Round robin"].failures.mean() > 0

    @pytest.mark.parametrize(
        ("changed", "words"),
        [
            ({"p_min": None}, r"a frame give propensity= and p_min="),
            ({"propensity": None}, r"a frame give propensity= and p_min="),
            ({"p_min": 0.3}, r"p_min must be a finite number > 0 and ≤ 0\.2"),
            ({"p_min": 0.3, "propensity": "uniform", "reward": None}, "names of its columns"),
            ({"given": chosen(400).assign(p=1.0)}, "choices of this log are deterministic"),
            ({"given": chosen(400).assign(arm="a")}, "two arms or more; got 1"),
            ({"given": chosen(0)}, "two arms or more; got 0"),
            ({"given": {**chosen(400), "cost": [1.0]}}, "must have equal lengths"),
            ({"p_min": 0.001}, "met .* rows.*needs 30"),
            ({"reward": "price"}, "Unknown column 'price'"),
            ({"order": "time"}, "played in its own order"),
            ({"horizon": 100}, "played in its own order"),
            ({"policies": {"third": Third(1)}, "p_min": 0.01}, "third met .* rows.*needs 30"),
        ],
    )
    def test_bad_logs(self, changed, words):
        options = {"policies": "ucb1", "p_min": 0.2, **COLUMNS, **COSTS, **SIZE} | changed
        with pytest.raises(uh.UpperhandError, match=words):
            uh.replay(**({"given": chosen(400)} | options))

    @pytest.mark.parametrize("wrong", [0.0, -0.1, 1.5])
    def test_propensities_outside_their_range(self, wrong):
        log = chosen(400)
        log.loc[7, "p"] = wrong
        with pytest.raises(uh.ParameterError, match="p must be finite numbers > 0 and ≤ 1"):
            uh.replay(log, "ucb1", **COLUMNS, p_min=0.1, **COSTS)

    def test_an_arm_that_never_occurs(self):
        exp = uh.Experiment("b", arms=["a", "b", "c"], seed=0, **COSTS)
        exp.shares({"a": 0.5, "b": 0.5 - 1e-9, "c": 1e-9})
        for _ in range(100):
            exp.ask().tell(1.0)
        with pytest.raises(uh.TableError, match="Arm 'c' never occurs in the log"):
            uh.replay(exp, "ucb1")
