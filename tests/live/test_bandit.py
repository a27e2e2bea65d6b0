"""The live bandit: growing states, asks that wait, clear errors."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import upperhand as uh
from upperhand.live.settings import DEFAULT

from ..looping import for_each
from .test_bad_input import NO_REWARDS


def test_the_state_grows_and_stays_exact():
    rewards = np.random.default_rng(0).normal(size=(2, 3000)).round(1)
    bandit, state = uh.Bandit(["a", "b"], uh.ACPUCB1()), uh.play(uh.ACPUCB1(), rewards).state
    for _ in range(rewards.shape[1]):
        name = bandit.ask()
        bandit.tell(name, rewards["ab".index(name), bandit.pulls(name)])

    assert bandit.interval("a") == (state.lower[0], state.upper[0])
    for field in ("lower", "upper"):
        np.testing.assert_array_equal(getattr(bandit.state, field), getattr(state, field))
    for found, simulated in zip(bandit.state.calibration, state.calibration, strict=True):
        np.testing.assert_array_equal(found, simulated)


def test_before_the_first_reward_the_interval_is_everything():
    bandit = uh.Bandit(["a", "b"], uh.ACPUCB1())

    assert bandit.interval("a") == uh.Interval(-np.inf, np.inf)


def test_pending_asks_count_so_that_a_burst_spreads():
    bandit = uh.Bandit(["a", "b", "c"], uh.KLQUCB(0.9), seed=3)
    assert [bandit.ask() for _ in range(6)] == ["a", "b", "c"] * 2
    assert bandit.counts()["pending"] == 6
    assert len(bandit) == 0
    for value, name in enumerate("abcabc"):
        bandit.tell(name, value)
    assert bandit.counts()["pending"] == 0
    assert [bandit.pulls(name) for name in "abc"] == [2, 2, 2]


def test_a_burst_does_not_herd():
    """Of 60 asks at once not all may go to one arm; if pending ones do not count, they do."""
    for policy in (uh.KLQUCB(0.9), uh.QuantileIMED(0.9), uh.ACPUCB1(), uh.UCB1()):
        bandit = uh.Bandit(["a", "b"], policy)
        rng = np.random.default_rng(0)
        for _ in range(40):
            name = bandit.ask()
            bandit.tell(name, rng.normal())
        asked = [bandit.ask() for _ in range(60)]
        assert set(asked) == {"a", "b"}, policy


def test_telling_another_arm_than_the_one_asked_is_learned():
    bandit = uh.Bandit(["a", "b"], uh.ACPUCB1())
    bandit.tell("b", 1.0)
    bandit.tell("b", 2.0)

    assert bandit.pulls("b") == 2
    assert bandit.ask() == "a"
    assert len(bandit) == 2


def test_negative_zero_is_zero():
    bandit = uh.Bandit(["a"], uh.ACPUCB1(), direction="minimize")
    bandit.tell("a", 0.0)

    assert not np.signbit(bandit.state.low[0])


@for_each("reward", [*NO_REWARDS, None])
def test_a_reward_that_is_no_finite_number_or_too_large_is_refused_and_nothing_is_learned(reward):
    bandit = uh.Bandit(["a", "b"], uh.ACPUCB1())
    bandit.tell("a", 1.0)
    before = repr(bandit)

    with pytest.raises(uh.RewardError, match=r"finite number.*arm 'b'.*Nothing was learned"):
        bandit.tell("b", reward)

    assert repr(bandit) == before
    assert len(bandit) == 1


@pytest.mark.parametrize("call", ["tell", "interval", "pulls"])
def test_an_unknown_arm_is_refused_with_near_matches(call):
    bandit = uh.Bandit(["europe", "asia"], uh.ACPUCB1())
    arguments = ("eurpe", 1.0) if call == "tell" else ("eurpe",)

    with pytest.raises(uh.UnknownNameError, match=r"Unknown arm 'eurpe'.*Did you mean 'europe'"):
        getattr(bandit, call)(*arguments)


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ([], "at least one arm"),
        ("abc", "at least one arm"),
        (None, "at least one arm"),
        (0, "arms must be a whole number, 1 or more"),
        (["a", "b", "a"], "given twice: a"),
        ([{"b": 1}, {"b": 2}, {"b": 1}], "given twice: {'b': 1}"),
        ({"a", "b"}, "got a set, which has none. Give a list"),
        (frozenset("ab"), "got a frozenset"),
    ],
)
def test_bad_arms_are_refused(arms, message):
    with pytest.raises(uh.ParameterError, match=message):
        uh.Bandit(arms, uh.ACPUCB1())


@pytest.mark.parametrize(
    "arms", [("b", "a"), {"b": 1, "a": 2}, {"b": 1, "a": 2}.keys(), (name for name in "ba")]
)
def test_whatever_has_an_order_names_the_arms(arms):
    assert uh.Bandit(arms, uh.UCB1()).arms == ("b", "a")


def test_something_other_than_a_policy_is_refused():
    with pytest.raises(uh.ParameterError, match="A policy must be given, such as ACPUCB1"):
        uh.Bandit(["a"], 3)


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        ({}, uh.KLQUCB(0.95, **DEFAULT)),
        ({"quantile": 0.8, "direction": "minimize"}, uh.KLQUCB(0.8, **DEFAULT)),
        (
            {"best_of": 8, "direction": "minimize"},
            uh.KLQUCB(uh.BestOf(8).for_costs().tau, **DEFAULT),
        ),
        ({"policy": "acp-ucb1:b=0.5"}, uh.ACPUCB1(b=0.5)),
        ({"policy": uh.QUCB, "quantile": 0.8}, uh.QUCB(0.8)),
        ({"policy": uh.KLQUCB(0.3)}, uh.KLQUCB(0.3)),
    ],
)
def test_the_policy_gets_the_quantile_unless_it_has_its_own(settings, policy):
    bandit = uh.Bandit(3, **settings)
    assert bandit.policy == policy
    assert bandit.settings.quantile == pytest.approx(policy.objective.tau)


def test_a_quantile_is_kept_for_a_policy_on_means():
    bandit = uh.Bandit(2, "ucb1", quantile=0.5)
    for value in (1.0, 2.0, 3.0):
        bandit.tell(0, value)
    assert bandit.quantile(0) == 2.0


def test_two_levels_and_old_keywords_are_refused():
    with pytest.raises(uh.ParameterError, match=r"level 0.95, and quantile=0.9 is asked for"):
        uh.Bandit(2, uh.KLQUCB(0.95), quantile=0.9)
    with pytest.raises(TypeError, match=r'^Bandit\(\) takes no minimize=: write direction="min'):
        uh.Bandit(2, minimize=True)
    with pytest.raises(TypeError, match=r"takes no compiled=: it takes arms, .*direction, rounds"):
        uh.Bandit(2, compiled=True)
    with pytest.raises(uh.UnknownNameError, match="Did you mean 'kl-qucb'"):
        uh.Bandit(2, "kl-qucbb")


def test_arms_are_any_values():
    """A configuration comes back as it was given, and an equal one finds its arm."""
    grid = np.array([1.0, 2.0])
    arms = [{"lr": 0.1}, {"lr": 0.01}, grid, 7, "x"]
    bandit = uh.Bandit(arms, seed=0)
    asked = [bandit.ask() for _ in arms]
    assert all(found is given for found, given in zip(asked, arms, strict=True))
    for value in range(10):
        bandit.tell({"lr": 0.01}, value)
    bandit.tell(grid, 3.0)
    assert [bandit.pulls(arm) for arm in arms] == [0, 10, 1, 0, 0]
    assert bandit.best().arm is arms[1]
    assert "{'lr': 0.01}" in repr(bandit)
    assert uh.Bandit(3).arms == (0, 1, 2)
    with pytest.raises(uh.UnknownNameError, match=r"Unknown arm \{'lr': 0.3\}"):
        bandit.tell({"lr": 0.3}, 1.0)


@pytest.mark.parametrize("options", [{}, {"policy": "quantile-ts", "seed": 3}])
def test_a_saved_bandit_goes_on_as_it_would_have(tmp_path, options):
    bandit = uh.Bandit([1, "1", 0.5], direction="minimize", **options)
    rng = np.random.default_rng(0)
    for _ in range(40):
        bandit.tell(bandit.ask(), rng.normal())
    waiting = bandit.ask()
    bandit.save(tmp_path / "b.json")
    again = uh.Bandit.load(tmp_path / "b.json")
    assert repr(again) == repr(bandit)
    for _ in range(30):
        arm, value = bandit.ask(), rng.normal()
        assert again.ask() == arm
        bandit.tell(arm, value)
        again.tell(arm, value)
    bandit.tell(waiting, 1.0)


def test_a_file_keeps_no_configurations(tmp_path):
    with pytest.raises(uh.ParameterError, match=r"strings, numbers or truth values; got \{"):
        uh.Bandit([{"lr": 1}]).save(tmp_path / "b")


def test_a_saved_bandit_that_is_impossible_is_refused(tmp_path):
    bandit = uh.Bandit(2)
    bandit.tell(1, 2.0)
    bandit._values[0] = np.nan
    bandit.save(tmp_path / "b")
    with pytest.raises(uh.FileError, match="its asks and outcomes do not fit its arms"):
        uh.load(tmp_path / "b")


def test_a_file_of_a_bandit_with_a_lease_opens():
    """Its times are left aside: asks without an outcome stay under way."""
    bandit = uh.Bandit(["a", "b"], seed=0)
    for value in (1.0, 2.0, 3.0):
        bandit.tell(bandit.ask(), value)
    bandit.ask()
    settings, arrays = bandit.parts()
    assert set(arrays) == {"arms", "values"}
    old = {**settings, "lease": 10.0}, {**arrays, "times": np.arange(7.0)}
    again = uh.Bandit.from_parts(*old)
    assert repr(again) == repr(bandit)
    assert [again.ask() for _ in range(5)] == [bandit.ask() for _ in range(5)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_can_use_a_bandit_that_a_thread_of_its_parent_was_using():
    bandit = uh.Bandit(["a", "b"], seed=0)
    bandit.tell("a", 1.0)
    with bandit._look():
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a child that waits for the lock would wait for ever
            os._exit(0 if bandit.ask() == "b" else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_policy_without_intervals_says_so():
    with pytest.raises(uh.ParameterError, match="UCB1 keeps no prediction intervals"):
        uh.Bandit(["a"], uh.UCB1()).interval("a")


def test_repr_is_a_table():
    bandit = uh.Bandit(["eu", "us"], uh.ACPUCB1())
    for reward in (0.25, 0.5, 0.75, 1.0):
        bandit.tell(bandit.ask(), reward)
    bandit.ask()
    lines = repr(bandit).splitlines()

    assert (
        lines[0] == "Bandit: the highest p95 of 2 arms by ACP-UCB1, 5 asks, 4 outcomes, 1 pending"
    )
    assert re.split(r"\s{2,}", lines[2]) == [
        "arm", "pulls", "pending", "share", "p95", "next one within", "covered",
    ]  # fmt: skip
    assert lines[3].split() == ["eu", "2", "50.0%", "0.75", "0.25", "…", "0.75", "0%"]
    assert lines[4].split() == ["us", "2", "1", "50.0%", "1", "0.5", "…", "1", "0%"]
    assert lines[6].startswith("No arm leads yet")


def test_in_a_notebook_it_is_a_table_too():
    bandit = uh.Bandit(["<b>", "us"], uh.ACPUCB1())
    bandit.tell("us", 1.0)
    assert "<td>&lt;b&gt;</td>" in bandit._repr_html_()


def test_repr_of_many_arms_is_cut():
    bandit = uh.Bandit([str(j) for j in range(1000)], uh.UCB1())

    assert "… and 950 more arms" in repr(bandit).splitlines()


def test_live_use_loads_neither_numba_nor_scipy():
    code = (
        "import sys, upperhand as uh\n"
        "b = uh.Bandit(['a', 'b'], uh.ACPUCB1())\n"
        "for _ in range(500): b.tell(b.ask(), 1.0)\n"
        "repr(b), b.interval('a')\n"
        "print([m for m in ('numba', 'scipy', 'matplotlib', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_tables_and_figures_are_loaded_when_they_are_shown():
    code = (
        "import sys, upperhand as uh\n"
        "b, e = uh.Bandit(2), uh.Experiment('x', ['a'], quantile=0.5, direction='minimize')\n"
        "b.tell(b.ask(), 1.0); e.ask().tell(1.0); b.best(); e.report(); e.history()\n"
        "shown = ('upperhand.reports', 'upperhand.figures', 'pandas', 'matplotlib')\n"
        "print([m for m in shown if m in sys.modules])\n"
        "repr(b), e._repr_html_()\n"
        "print([m for m in shown if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split("\n")[:2] == ["[]", "['upperhand.reports']"]


@pytest.mark.parametrize("policy", [None, "ucb1"])
def test_frames_and_a_plot(policy):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    bandit = uh.Bandit([{"lr": 0.1}, 2], policy)
    with pytest.raises(uh.ParameterError, match="no outcomes yet"):
        bandit.plot()
    for value in range(30):
        bandit.tell(2 if value % 3 else {"lr": 0.1}, value)
    assert bandit.to_frame()["value"].tolist() == list(range(30))
    assert bandit.to_frame()["arm"][0] == {"lr": 0.1}
    numbers = bandit.summary().to_frame()
    assert numbers["pulls"].tolist() == [10, 20]
    axes = bandit.plot()
    kind = "Share of the latest outcomes" if policy == "ucb1" else "p95 so far"
    assert axes.get_title(loc="left") == f"{kind}: 30 outcomes, 2 arms"
    assert axes.get_xlabel().startswith("Outcomes")
    assert "UTC" not in axes.get_xlabel()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["{'lr': 0.1}", "2"]
    assert bandit.plot(axes) is axes
    pyplot.close("all")
