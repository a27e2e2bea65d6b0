"""Five first jobs, as a new user would do them: small here, and in full by `make test-slow`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import upperhand as uh

from .test_docs_commands import PROGRAM

ROOT = Path(__file__).parents[1]
SIZES = pytest.mark.parametrize(
    "size", [pytest.param(1, id="small"), pytest.param(10, id="full", marks=pytest.mark.slow)]
)
GREEDY = '''
class Greedy:
    """Play the arm with the largest mean, and any arm in every tenth round."""

    def __init__(self, every=10):
        self.every = every

    def start(self, n_arms, rng):
        self.rng, self.pulls, self.means = rng, [0] * n_arms, [0.0] * n_arms

    def select(self, t):
        if t % self.every == 0:
            return self.rng.integers(len(self.means))
        return self.means.index(max(self.means))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.means[arm] += (reward - self.means[arm]) / self.pulls[arm]
'''
# Sends requests to the application of the tutorial, as a worker of gunicorn does.
WORKER = """
import sys
from app import app, exp

for number in range(int(sys.argv[1])):
    status = []
    body = app({"QUERY_STRING": f"prompt {number}"}, lambda text, headers: status.append(text))
    assert status[0][:3] in ("200", "503") and body[0], (status, body)
exp.close()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder that Python imports from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(tmp_path)]))
    return tmp_path


def policy_class():
    known = {}
    exec(GREEDY, known)  # noqa: S102
    return known["Greedy"]


@SIZES
def test_figure_1_and_a_policy_of_ones_own_with_a_plot(size):
    arms = {"A": uh.Normal(0.1, 0.05), "B": uh.Normal(0, 0.15), "C": uh.Normal(0.04, 0.08)}
    policies = ["acp-ucb1", "ucb1", policy_class()]
    runs = uh.simulate(arms, policies, 200 * size, 2 * size, seed=0, quantile=0.95)
    axes = runs.plot()

    assert list(runs.policies) == ["ACP-UCB1", "UCB1", "Greedy"]
    assert axes.get_ylabel()
    assert "Greedy" in str(runs)


@SIZES
def test_four_workers_route_by_the_tutorial(size, folder):
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (app,) = PROGRAM.findall(page)
    (folder / "app.py").write_text(app)
    requests = 5 * size
    command = [sys.executable, "-c", WORKER, str(requests)]
    workers = [subprocess.Popen(command) for _ in range(4)]

    assert [worker.wait(timeout=120) for worker in workers] == [0, 0, 0, 0]
    with uh.Experiment("chat-model", storage="bandits.db") as exp:
        assert exp.counts()["outcomes"] == 4 * requests
        assert len(exp.to_frame()) == 4 * requests


@SIZES
def test_a_table_of_history_becomes_a_decision(size):
    rng, n = np.random.default_rng(0), 1_000 * size
    history = pd.DataFrame({"model": rng.choice(["slow", "fast"], n)})
    history["ms"] = rng.normal(history["model"].map({"slow": 200.0, "fast": 100.0}), 10)
    exp = uh.Experiment("history", ["slow", "fast"], quantile=0.95, direction="minimize")
    exp.record(history["model"], history["ms"])

    assert exp.best().arm == exp.leader().arm == exp.ask().arm == "fast"
    assert exp.leader(confidence=0.95).conclusive


@SIZES
def test_intervals_for_a_column(size):
    rng, n = np.random.default_rng(0), 300 * size
    frame = pd.DataFrame({"y": rng.normal(size=n).cumsum()})
    frame["forecast"] = frame["y"].shift(1).fillna(0)
    past = slice(0, n - 50)
    fitted = uh.ACI(0.1).fit(frame["y"][past], frame["forecast"][past])
    lower, upper = fitted.predict(frame["forecast"][n - 50 :])

    assert len(lower) == len(upper) == 50
    assert (lower < upper).all()
    assert len(uh.calibrate(frame["y"], frame["forecast"], methods=["aci"]).to_frame())


@SIZES
def test_a_policy_of_ones_own_everywhere(size, folder):
    (folder / "mine.py").write_text(GREEDY)
    own, n = policy_class(), 60 * size
    arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    assert len(uh.simulate(arms, [own(), "ucb1"], n, 2, seed=0).policies) == 2
    assert "Greedy" in str(uh.compare(arms, [own(), "ucb1"], horizon=n, replications=2))
    bandit = uh.Bandit(["a", "b"], own(), seed=0)
    for _ in range(n):
        arm = bandit.ask()
        bandit.tell(arm, float(arm == "b"))
    assert bandit.pulls("a") + bandit.pulls("b") == n

    words = ["simulate", "--arms", "normal:0,1", "normal:1,1", "--policies", "mine:Greedy", "ucb1"]
    words += ["--horizon", str(n), "--replications", "2", "--json"]
    command = [sys.executable, "-m", "upperhand", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Greedy" in json.dumps(json.loads(done.stdout))
