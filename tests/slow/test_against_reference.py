"""The reference implementations again, for longer, next to compiled policies."""

import pytest

from ..policies.test_against_reference import REFERENCES, check, check_acp_ucb1
from ..tables import TABLES, draw

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("alpha", "settings"),
    [
        ("0.1", {}),
        ("0.14", {"eta": 0.1, "b": 0.2}),
        ("0.3", {"eta_decay": 0.6, "eta": 0.5, "lam": 5.0, "tail": "lower"}),
        ("0.2", {"eta": 0.05, "b": 0.5, "scale": "auto"}),
    ],
    ids=["paper", "fast", "decaying-lower", "auto"],
)
@pytest.mark.parametrize("kind", TABLES)
def test_acp_ucb1(kind, alpha, settings):
    check_acp_ucb1(draw(kind, 3, 3000, seed=1), alpha, settings)


@pytest.mark.parametrize("kind", ["gaussian", "ties", "bernoulli", "heavy"])
def test_acp_ucb1_one_arm(kind):
    check_acp_ucb1(draw(kind, 1, 6000, seed=2), "0.059", {"eta": 0.03, "lam": 3.0})


@pytest.mark.parametrize("kind", ["gaussian", "ties"])
def test_acp_ucb1_many_arms(kind):
    check_acp_ucb1(draw(kind, 30, 1500, seed=3), "0.18", {"eta": 0.05, "b": 0.5})


LONG = {
    "UCB1": [{}],
    "Quantile-UCB": [{"alpha": "0.1", "b": 0.5}, {"alpha": "0.3", "b": 0.1, "tail": "lower"}],
    "KL-QUCB": [{"tau": "0.95"}, {"tau": "0.5", "plus": True}, {"tau": "0.8"}],
    "Quantile-TS": [{"tau": "0.95"}, {"tau": "0.5"}, {"tau": "0.07"}],
    "Quantile-IMED": [{"tau": "0.95"}, {"tau": "0.5"}, {"tau": "0.07"}],
    "QUCB": [{"tau": "0.95", "c": 0.02}, {"tau": "0.5"}],
    "UCB-CP": [{"score": "U"}, {"score": "comb", "alpha": 0.2, "eta": 0.05, "decay": 0.1}],
    "MaRaB": [{"level": "0.1"}, {"level": "0.5", "c": 0.1}],
    "UCB1-NORMAL": [{}],
    "KL-UCB gaussian": [{"sd": 0.5, "c": 3.0}],
    "UCB-V": [{"span": 0.5}],
    "Thompson beta": [{}],
    "Thompson gaussian known": [{"sd": 1.0}],
    "Thompson gaussian": [{"prior": -1.0}],
    "MV-LCB": [{"horizon": 2000, "span": 0.1}],
    "ExpExp": [{"horizon": 2000}],
}


SETTINGS = [(name, settings) for name, several in LONG.items() for settings in several]
every_setting = pytest.mark.parametrize(
    ("name", "settings"), SETTINGS, ids=[f"{name}-{settings}" for name, settings in SETTINGS]
)


@every_setting
def test_every_reference(name, settings):
    for kind in REFERENCES[name].kinds:
        check(REFERENCES[name], {"kind": kind, "arms": 3, **settings}, rounds=1000, seed=4)


@every_setting
def test_every_reference_with_many_arms(name, settings):
    check(REFERENCES[name], {"kind": "ties", "arms": 20, **settings}, rounds=1500, seed=5)
