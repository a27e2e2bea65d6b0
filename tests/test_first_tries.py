"""What people type who know Optuna, scikit-learn, river and pandas works, or says what does."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import upperhand as uh

ARMS = [uh.Normal(0, 1), uh.Normal(0.5, 1)]
SMALL = {"horizon": 60, "replications": 2, "seed": 0}


def test_arms_and_policies_in_the_forms_that_users_type():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(50, 2))
    for arms in (
        [data[:, 0], data[:30, 1]],
        pd.DataFrame(data, columns=["a", "b"]),
        [stats.norm(0, 1), stats.gamma(2)],
        {"a": uh.Normal(0, 1), "b": stats.t(3)},
    ):
        assert len(uh.simulate(arms, uh.ACPUCB1(), **SMALL).arms) == 2
    for policies in (["ucb1", "acp-ucb1"], {"x": "ucb1", "y": uh.UCB1}, [uh.UCB1(), uh.KLQUCB]):
        assert len(uh.simulate(ARMS, policies, **SMALL).policies) == 2
    assert uh.simulate(ARMS, "ucb1", 1e2, 2, seed=0).horizon == 100


def test_results_show_draw_and_save_themselves(tmp_path):
    runs = uh.simulate(ARMS, ["ucb1", "acp-ucb1"], **SMALL)
    assert {"policy", "round"} <= set(runs.to_frame().columns)
    assert "UCB1" in str(runs.summary())
    assert runs.plot() is not None
    runs.save(tmp_path / "runs.npz")
    assert uh.load(tmp_path / "runs.npz").horizon == 60
    found = uh.compare(ARMS, ["ucb1", "qucb"], horizon=60, replications=2)
    assert found.plot() is not None
    found = uh.identify(ARMS, ["qlucb", "qpac"], delta=0.1, replications=1, seed=0, cap=200)
    assert "QLUCB" in str(found)


def test_bandits_take_numbers_names_and_configurations_as_arms(tmp_path):
    bandit = uh.Bandit(2, "acp-ucb1", seed=0)
    bandit.tell(bandit.ask(), 0.3)
    bandit.save(tmp_path / "bandit.json")
    assert uh.Bandit.load(tmp_path / "bandit.json").pulls(0) == 1
    configurations = [{"lr": 0.1}, {"lr": 0.01}]
    assert uh.Bandit(configurations).ask() in configurations


def test_experiments_take_outcomes_in_each_way(tmp_path):
    storage = tmp_path / "llm.db"
    exp = uh.Experiment(
        "llm", ["gpt", "other"], quantile=0.95, direction="minimize", storage=storage
    )
    exp.ask().tell(0.8)
    exp.tell(exp.ask(), 0.7)
    exp.tell("gpt", 0.9)
    with exp.trial() as trial:
        trial.tell(0.6)
    assert len(exp.to_frame()) == 4
    exp.close()
    with uh.Experiment("llm", storage=storage) as again:
        assert again.counts()["outcomes"] == 4


def test_calibrators_predict_and_then_update():
    aci = uh.ACI(0.1)
    for y in np.random.default_rng(0).normal(size=50):
        aci.predict(0.0)
        aci.update(y)
    assert len(aci) == 50


def test_a_wrong_habit_gets_the_line_that_works():
    bandit = uh.Bandit(["a", "b"], "ucb1")
    bandit.tell(bandit.ask(), 0.5)
    for habit, answer in (
        (lambda: uh.simulate(ARMS, "ucb1", 60, 2, random_state=0), "seed"),
        (lambda: uh.simulate(ARMS, "ucb1", 60, 2, n_jobs=2), "workers"),
        (lambda: uh.simulate(ARMS, "ucb1", 60, 2, tau=0.9), "quantile"),
        (lambda: uh.simulate(ARMS, "ucb1", 60, 2, minimize=True), "direction"),
        (lambda: uh.simulate(ARMS, "ubc1", 60, 2), "ucb1"),
        (lambda: uh.AcpUcb1, "ACPUCB1"),
        (lambda: bandit.tell("zzz", 0.3), "a, b"),
        (lambda: uh.simulate([0.1, 0.5], "ucb1", 60, 2), "Bernoulli"),
    ):
        with pytest.raises((TypeError, ValueError, KeyError, AttributeError)) as caught:
            habit()
        assert answer in str(caught.value), caught.value
