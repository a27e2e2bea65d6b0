"""The scripts that the library's speed is measured against choose its arms."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh

LADDER = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "naive_numpy.py"))["LADDER"]


@pytest.mark.parametrize("rung", LADDER)
@pytest.mark.parametrize("decimals", [12, 1])
def test_every_rung_of_the_ladder_chooses_our_arms(rung, decimals):
    """Also with ties: to one decimal, few rewards differ."""
    rng = np.random.default_rng(3)
    table = np.round(
        rng.normal([[0.1], [0.0], [0.04]], [[0.05], [0.15], [0.08]], (3, 400)), decimals
    )

    assert np.array_equal(LADDER[rung](table), uh.play(uh.ACPUCB1(), table).arms)


def test_the_live_benchmark_measures_a_bandit_that_has_learned(monkeypatch):
    """It asserts what it prepares; here it is only run, on few observations."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import measure

    assert measure.live(arms=2, observations=200, tries=3) > 0


RULES = {
    "never": ({}, "NEVER", 0),
    "of all arms": ({"window": "60 rounds"}, "WINDOW", 60),
    "of each arm": ({"window": 20}, "OWN_WINDOW", 20),
    "half-life": ({"half_life": "25 rounds"}, "HALF_LIFE", 25),
}


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "policy",
    [uh.KLQUCB(0.9, plus=True), uh.QuantileIMED(0.9), uh.ACPUCB1(0.2)],
    ids=lambda policy: policy.name,
)
def test_the_loop_of_the_tables_makes_the_choices_of_live_use(monkeypatch, policy, rule, delay):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import live_loop

    given, name, length = RULES[rule]
    table = np.random.default_rng(5).normal([[0.1], [0.0], [0.04]], 0.3, (3, 250)).round(1)
    live = uh.Experiment(
        "x", list("abc"), quantile=0.9, direction="maximize", policy=policy, **given
    )
    trials, arms = [], []
    for t in range(table.shape[1]):
        trials.append(live.ask())
        arms.append("abc".index(trials[-1].arm))
        if t >= delay:
            live.tell(trials[t - delay], table[arms[t - delay], t - delay])
    how = {"delay": delay, "rule": getattr(live_loop, name), "length": length, "interpreted": True}
    assert live_loop.play_live(policy, table, None, **how).tolist() == arms


def within_the_bound(monkeypatch, name, runs):
    """Tell whether 64 and 256 asks under way add at most 0.1 D ΣΔ and two standard errors."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import delays

    monkeypatch.setattr(delays, "RUNS", runs)
    policy, total = delays.POLICIES[name], delays.gaps().sum()
    base = delays.regrets(policy, 0)
    for delay in (64, 256):
        extra = delays.regrets(policy, delay) - base
        error = extra.std(ddof=1) / np.sqrt(runs)
        if not extra.mean() <= 0.1 * delay * total + 2 * error:
            return False
    return True


def test_asks_under_way_cost_little(monkeypatch):
    """Fixed seeds; at the true mean the chance of a failure would be some 2 % for each delay."""
    assert within_the_bound(monkeypatch, "KL-QUCB+", 20)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["KL-QUCB", "KL-QUCB+", "Quantile-IMED", "Quantile-TS", "QUCB", "Quantile-UCB",
             "ACP-UCB1", "UCB-CP"],
)  # fmt: skip
def test_asks_under_way_cost_little_for_every_policy_on_quantiles(monkeypatch, name):
    assert within_the_bound(monkeypatch, name, 60)
