"""Replay is exact: event by event, in bulk, from a snapshot and live, to the bit."""

import time
from itertools import cycle

import numpy as np
import pytest

from upperhand.errors import ParameterError
from upperhand.live import bulk, replay
from upperhand.live.log import open_storage
from upperhand.live.log.event import Kind
from upperhand.live.replay import Replay, corrections
from upperhand.live.snapshot import from_bytes, to_bytes
from upperhand.live.state import ExperimentState
from upperhand.live.verify import difference, verify

from ..looping import for_each
from ..policies.examples import EXAMPLES, UNIT_REWARDS
from .opened import Clock, events, machine, memory, opened

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")


def level(policy):
    return getattr(policy.objective, "tau", None) or 0.5


FORGETTING = {
    "window": {"window": 3}, "rounds": {"window": "12 rounds"},
    "seconds": {"window": "40s"}, "half-life": {"half_life": 4},
}  # fmt: skip


def live(monkeypatch, name, *, steps=150, seed=0, **settings):
    """Return an experiment with a past: bursts, late and lost tells, failures, cuts, segments."""
    policy, clock = EXAMPLES[name], Clock().set(monkeypatch)
    made = {"quantile": level(policy), "direction": "minimize", "lease": 30.0} | settings
    if name in UNIT_REWARDS:
        made["direction"] = "maximize"
    exp = opened(open_storage(None), arms=["a", "b", "c"], policy=policy, seed=3, draws=3, **made)
    rng, trials = np.random.default_rng(seed), []
    fails = policy.functions.refresh is not None
    censors = fails and getattr(policy, "sketch", None) is None
    for step in range(steps):
        clock.now += float(rng.choice([0.0, 0.5, 3.0]))
        by = [None, "eu"][rng.integers(2)]
        if rng.random() < 0.55:
            trials.append(exp.ask(by=by, key=f"u{rng.integers(9)}" if rng.random() < 0.2 else None))
        elif trials:
            trial = trials.pop(int(rng.integers(len(trials))))
            value, how = round(float(rng.random()), 2), rng.random()
            if fails and how < 0.15:
                exp.tell(trial, failed=True)
            elif censors and how < 0.3:
                exp.tell(trial, at_least=value)
            elif how < 0.35:
                exp.release(trial)
            else:
                exp.tell(trial, value)
        if step == steps // 3:
            exp.shares({"a": 0.2}, least=0.05)
        if step == steps // 2:
            exp.add_arm("d")
            exp.retire("b")
    exp.record(["a", "d", "a"], [0.25, 0.5, 0.25])
    return exp


def stepwise(exp):
    columns = exp._log.read()
    found = ExperimentState(exp.settings, corrections(columns))
    for place in range(len(columns.n)):
        found.apply(columns.event(place))
    return found


def in_bulk(exp):
    columns = exp._log.read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "MANY", 2)
        return Replay(exp.settings).from_events(columns)


def from_snapshot(exp, after):
    """Return a machine from a snapshot after so many events, and the rest of the log."""
    columns = exp._log.read()
    found = ExperimentState(exp.settings, corrections(columns))
    for place in range(after):
        found.apply(columns.event(place))
    found = from_bytes(to_bytes(found), exp.settings)
    for place in range(after, len(columns.n)):
        found.apply(columns.event(place))
    return found


@for_each("name", EXAMPLES)
def test_all_ways_give_the_same_machine(monkeypatch, name):
    exp = live(monkeypatch, name)
    now = machine(exp)
    assert difference(now, stepwise(exp)) is None
    assert difference(now, in_bulk(exp)) is None
    for after in (1, 40, 100, now.n):
        assert difference(now, from_snapshot(exp, after)) is None
    found = verify(exp._log, exp.settings, now)
    assert found.first_difference is None
    assert found.choices_equal
    assert found.state_equal


@for_each("forgets", ["window", "rounds", "seconds", "half-life"])
@for_each("name", [n for n in EXAMPLES if EXAMPLES[n].forgets and n != "Frugal to the end"])
def test_what_is_forgotten_is_forgotten_in_a_replay(monkeypatch, name, forgets):
    exp = live(monkeypatch, name, steps=100, **FORGETTING[forgets])
    now = machine(exp)
    assert now.learners[0].remembered < now.learners[0].outcomes
    assert difference(now, stepwise(exp)) is None
    for after in (40, 80):
        assert difference(now, from_snapshot(exp, after)) is None
    assert verify(exp._log, exp.settings, now).first_difference is None


@for_each("name", [name for name in EXAMPLES if not EXAMPLES[name].forgets])
def test_a_policy_that_cannot_forget_is_refused(monkeypatch, name):
    with pytest.raises(ParameterError, match="cannot forget"):
        live(monkeypatch, name, window=10)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_durations_are_replayed_from_logged_times(monkeypatch, direction):
    exp = live(monkeypatch, "KL-QUCB", duration="s", direction=direction, steps=250)
    assert verify(exp._log, exp.settings, machine(exp)).first_difference is None
    assert difference(machine(exp), in_bulk(exp)) is None


def test_a_clock_that_is_put_back_is_put_back_in_bulk(monkeypatch):
    clock = Clock(time.time() + 5000.0).set(monkeypatch)
    exp = memory(lease=30.0)
    exp.ask()
    clock.now -= 5000.0
    assert exp.reset_clock() > 4000.0
    exp.tell(exp.ask(), 1.0)
    assert difference(machine(exp), stepwise(exp)) is None
    assert difference(machine(exp), in_bulk(exp)) is None


slow = pytest.mark.slow  # compiling takes most of the time


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["UCB1", *(pytest.param(n, marks=slow) for n in ("KL-QUCB plus", "ACP-UCB1", "QUCB"))]
)
def test_bulk_compiled_and_interpreted_are_equal(monkeypatch, name):
    pytest.importorskip("numba")
    exp = live(monkeypatch, name)
    interpreted = in_bulk(exp)
    monkeypatch.setattr(bulk, "COMPILE", 1)
    assert difference(interpreted, in_bulk(exp)) is None


def test_opening_takes_many_events_in_bulk(monkeypatch):
    exp = live(monkeypatch, "KL-QUCB")
    calls = []
    monkeypatch.setattr(replay, "MANY", 4)
    monkeypatch.setattr(
        replay, "learn_all", lambda *a, **k: (calls.append(1), bulk.learn_all(*a, **k))
    )
    assert difference(machine(opened(exp.storage)), machine(exp)) is None
    assert calls


class TestSnapshots:
    @pytest.fixture
    def exp(self, monkeypatch):
        exp = live(monkeypatch, "KL-QUCB")
        exp._log.save_snapshot(machine(exp).n, to_bytes(machine(exp)))
        exp.tell(exp.ask(), 0.5)
        return exp

    def test_it_is_used(self, exp, monkeypatch):
        monkeypatch.setattr(Replay, "from_events", None)  # would fail
        assert difference(machine(opened(exp.storage)), machine(exp)) is None

    def test_it_has_all_that_choices_depend_on(self, exp, monkeypatch):
        """Not by comparing what is listed: by asking the one that was opened from it."""
        exp.shares({"c": 0.3}, least=0.1)
        exp.retire("a")
        held = exp.ask(among="c", key="ann")
        one = self.reopened(exp, monkeypatch)
        assert one.ask(key="ann").how == "sticky"
        assert exp.ask(key="ann", among=[held.arm]).how == "sticky"
        assert all(one.ask().propensity < 1 for _ in range(3))
        assert one.ask(among=["a", "d"]).arm == "d"
        exp.pin("d")
        one = self.reopened(exp, monkeypatch)
        assert [one.ask().how for _ in range(3)] == ["pinned"] * 3
        assert one.segments == exp.segments == ("eu",)
        assert verify(exp._log, exp.settings, machine(one)).first_difference is None

    def reopened(self, exp, monkeypatch):
        exp._log.save_snapshot(machine(exp).n, to_bytes(machine(exp)))
        with monkeypatch.context() as patched:
            patched.setattr(Replay, "from_events", None)  # would fail
            return opened(exp.storage)

    def test_any_damage_means_a_replay_of_the_events(self, exp):
        """Bytes flipped all over it, and truncated at many places: never an error, one state."""
        n, data = exp._log.snapshot()
        expected = machine(exp)
        damaged = [data[:cut] for cut in range(0, len(data), len(data) // 40)]
        places = [*range(0, len(data), 211), *range(60), *range(len(data) - 400, len(data), 3)]
        for place, flip in zip(places, cycle((0x01, 0x80, 0xFF)), strict=False):
            one = bytearray(data)
            one[place] ^= flip
            damaged.append(bytes(one))
        for each in damaged:
            exp._log._snapshot = (n, each)
            assert difference(Replay(exp.settings).state(exp._log), expected) is None

    def test_of_another_version(self, exp, monkeypatch):
        monkeypatch.setattr("upperhand.live.snapshot.__version__", "0.0.1")
        with pytest.raises(ParameterError, match="another version"):
            from_bytes(exp._log.snapshot()[1], exp.settings)
        assert difference(machine(opened(exp.storage)), machine(exp)) is None

    def test_corrections_before_and_after(self, exp):
        told = [e for e in events(exp) if e.kind == Kind.TOLD and e.trial]
        ids = [f"{divmod(e.trial, 2**40)[0]}.{e.trial % 2**40}.{e.arm}.{e.segment}" for e in told]
        exp.correct(ids[0], 17.0)
        exp._log.save_snapshot(machine(exp).n, to_bytes(machine(exp)))
        assert difference(machine(opened(exp.storage)), machine(exp)) is None
        exp.correct(ids[1], failed=True)
        exp.correct(ids[0], 18.0)
        again = machine(opened(exp.storage))
        assert difference(again, machine(exp)) is None
        known = again.learners[told[0].segment].known(told[0].arm).tolist()
        assert 18.0 in known
        assert 17.0 not in known
        assert difference(again, in_bulk(exp)) is None
        assert verify(exp._log, exp.settings, again).first_difference is None
