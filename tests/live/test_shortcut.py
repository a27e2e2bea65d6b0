"""Compiled asks and tells: the same choices, states, machines and journals as event by event."""

import copy
import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.compiler import kinds_of
from upperhand._kernels.loop import make_ask, make_tell
from upperhand._kernels.states import to_arrays
from upperhand.live import compiling
from upperhand.live.compiling import Steps, steps_now
from upperhand.live.shortcut import Shortcut
from upperhand.objectives import DIRECTIONS

from ..looping import for_each
from ..policies.examples import EXAMPLES, UNIT_REWARDS
from .interrupting import interrupted
from .states import assert_same

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
NAMES = ["a", "b", "c", "d"]
MINIMIZE = {True: (False,), False: (False, True)}  # by whether rewards must be in [0, 1]
QUICK = ("ACP-UCB1", "UCB1", "Thompson gaussian", "Quantile-TS")  # all others take a minute or more
# Explore-then-commit keeps its exploration alone: a bandit keeps the rest itself, uncompiled.
SHORTENED = [name for name in EXAMPLES if name != "Explore-then-commit"]
SLOW = [name for name in SHORTENED if name not in QUICK]
needs_compiler = pytest.mark.compiled
compiled_ones = pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)


def uncompiled(policy, parameters):
    """Return the steps of a policy as they are: the shortcut's own work shows at once."""
    f = policy.functions
    example = compiling._example(policy, parameters)
    ask, tell = make_ask(f.index, f.select, ""), make_tell(f.update, f.full, f.interval, "")
    return Steps(ask, tell, kinds_of(example.contents))


def shortened(bandit, make):
    """Let a bandit take the shortcut."""
    bandit._use(make(bandit.policy, bandit._known.learners[0].parameters))
    assert isinstance(bandit._way, Shortcut)
    return bandit


def pair(policy, make, **settings):
    """Return a bandit that takes the shortcut, and an equal one that does not."""
    one, plain = (uh.Bandit(NAMES, policy, 5, compiled=False, **settings) for _ in range(2))
    return shortened(one, make), plain


def play(one, plain, rounds, rng):
    """Ask and tell both alike, in any order; look now and then."""
    waiting = []
    for _ in range(rounds):
        what = rng.random()
        if what < 0.5 and len(waiting) < 6:
            asked = one.ask()
            assert asked == plain.ask()
            waiting.append(asked)
        elif what < 0.93:
            name = waiting.pop(rng.integers(len(waiting))) if waiting else "b"
            tell_both(one, plain, name, rng)
        elif what < 0.96:
            tell_both(one, plain, NAMES[rng.integers(4)], rng)
        else:
            assert_alike(one, plain)
    assert_alike(one, plain)


def tell_both(one, plain, name, rng):
    value = round(float(rng.random()), 2)
    one.tell(name, value)
    plain.tell(name, value)


def assert_alike(one, plain):
    """Compare all there is: machines, journals, and states with what choosing leaves behind."""
    assert_same(one, plain)
    assert one._journal.arms == plain._journal.arms
    assert one._journal.values == plain._journal.values
    ours, theirs = to_arrays(one.state), to_arrays(plain.state)
    assert ours.keys() == theirs.keys()
    memory = one.policy.functions.memory
    for name in ours:
        if name.partition(".")[0] not in memory:
            np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


@for_each("name, minimize", [(n, m) for n in SHORTENED for m in MINIMIZE[n in UNIT_REWARDS]])
def test_every_policy_by_the_shortcut(name, minimize):
    play(
        *pair(EXAMPLES[name], uncompiled, direction=DIRECTIONS[minimize]),
        250,
        np.random.default_rng(1),
    )


@needs_compiler
@compiled_ones
def test_every_policy_compiled(name):
    for minimize in MINIMIZE[name in UNIT_REWARDS]:
        one, plain = pair(EXAMPLES[name], steps_now, direction=DIRECTIONS[minimize])
        play(one, plain, 1500, np.random.default_rng(2))
        assert isinstance(one._way, Shortcut)


@needs_compiler
def test_ties_are_broken_by_the_same_numbers():
    policy = uh.UCB1(random_ties=True)
    play(*pair(policy, steps_now), 600, np.random.default_rng(3))


def test_a_burst_before_the_first_answers():
    """Arms that have not answered wait, which the machine decides."""
    one, plain = pair(uh.KLQUCB(0.9), uncompiled)
    one.tell("a", 1.0)
    plain.tell("a", 1.0)
    assert [one.ask() for _ in range(60)] == [plain.ask() for _ in range(60)]
    assert_alike(one, plain)
    play(one, plain, 100, np.random.default_rng(0))


def test_what_is_counted_late_is_what_is_counted_at_once():
    """However many events there are between two looks."""
    for events in (1, 2, 7, 300):
        one, plain = pair(uh.UCB1(), uncompiled)
        rng = np.random.default_rng(events)
        for name in NAMES:
            tell_both(one, plain, name, rng)
        for _ in range(events):
            for bandit in (one, plain):
                bandit.ask()
            tell_both(one, plain, NAMES[rng.integers(4)], rng)
        assert one._known.n == 0
        assert_alike(one, plain)
        assert one._known.n == 4 + 2 * events


@pytest.mark.parametrize("make", [uncompiled, pytest.param(steps_now, marks=needs_compiler)])
@pytest.mark.parametrize("policy", [uh.UCB1(random_ties=True), uh.ACPUCB1()], ids=["UCB1", "ACP"])
def test_an_interrupt_leaves_no_half(policy, make):
    start, _ = pair(policy, make)
    rng = np.random.default_rng(4)
    for _ in range(20):
        start.tell(start.ask(), float(rng.integers(5)))
    asked, told = copy.copy(start), copy.copy(start)
    asked.ask()
    told.tell("b", 2.0)
    calls = ((asked, lambda bandit: bandit.ask()), (told, lambda bandit: bandit.tell("b", 2.0)))
    for after, call in calls:
        place, seen = 1, set()
        while interrupted(partial(call, bandit := shortened(copy.copy(start), make)), place):
            happened = bandit._journal.arms == after._journal.arms
            assert len(bandit) == len(after if happened else start)
            assert_same(bandit, after if happened else start)
            replayed = copy.copy(bandit)
            replayed._changing = True
            assert_same(bandit, replayed)
            bandit.ask()
            assert isinstance(bandit._way, Shortcut)  # the shortcut learns it again
            seen.add(happened)
            place += 1
        assert seen == {True, False}


def test_an_interrupt_of_a_look_counts_nothing_twice():
    """What the machine did not see is counted when somebody looks, whole or not at all."""
    start, plain = pair(uh.UCB1(), uncompiled)
    rng = np.random.default_rng(4)
    for _ in range(30):
        start.ask()
        plain.ask()
        tell_both(start, plain, NAMES[rng.integers(4)], rng)
    place = 1
    while True:
        bandit = copy.copy(plain)
        bandit.compiled = False
        bandit = shortened(bandit, uncompiled)
        later = copy.copy(plain)
        for _ in range(8):
            assert bandit.ask() == later.ask()
            tell_both(bandit, later, "b", rng)
        if not interrupted(lambda looked=bandit: looked.state, place):
            break
        assert_alike(bandit, later)
        assert bandit.ask() == later.ask()
        place += 1
    assert place > 20


@needs_compiler
@pytest.mark.parametrize(
    "another",
    [copy.copy, copy.deepcopy, lambda bandit: pickle.loads(pickle.dumps(bandit))],  # noqa: S301
)
def test_copies_go_on_alike_and_apart(another):
    one, plain = pair(uh.ThompsonSampling("gaussian"), steps_now)
    play(one, plain, 100, np.random.default_rng(5))
    one.ask()
    plain.ask()
    other = another(one)
    play(other, another(plain), 100, np.random.default_rng(6))
    assert_alike(one, plain)


@needs_compiler
def test_threads_lose_and_tear_nothing():
    bandit, _ = pair(uh.UCB1(), steps_now)

    def work(seed):
        rng = np.random.default_rng(seed)
        for turn in range(500):
            bandit.tell(bandit.ask(), rng.random())
            if turn % 100 == 0:
                assert repr(bandit)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(bandit) == bandit.counts()["asked"] == 4000
    replayed = copy.copy(bandit)
    replayed._changing = True
    assert_same(replayed, bandit)


class Changing(uh.QuantileUCB):
    """A policy of a user's own, whose state changes its types as it grows."""


def test_a_state_that_changes_its_types_goes_the_plain_way():
    usual = uh.QuantileUCB.functions
    grow = lambda state: usual.grow(state)._replace(lower=state.lower.astype(np.longdouble))  # noqa: E731
    Changing.functions = replace(usual, grow=grow)
    one, plain = pair(Changing(), uncompiled)
    play(one, plain, 3000, np.random.default_rng(7))
    assert not isinstance(one._way, Shortcut)
    one._changing = True
    assert_alike(one, plain)


class TestPlantedFaults:
    """What the checks above must catch."""

    def test_a_count_that_is_not_caught_up(self, monkeypatch):
        monkeypatch.setattr(Shortcut, "catch_up", lambda self: self._state)
        with pytest.raises(AssertionError):
            play(*pair(uh.UCB1(), uncompiled), 100, np.random.default_rng(1))

    def test_asks_under_way_that_do_not_count(self):
        def forgetful(policy, parameters):
            steps = uncompiled(policy, parameters)

            def ask(address):
                from upperhand._kernels.compiler import record_at

                pending = record_at(address, "")[3]
                kept = pending.copy()
                pending[:] = 0
                arm = steps.ask(address)
                pending += kept
                return arm

            return steps._replace(ask=ask)

        with pytest.raises(AssertionError):
            play(*pair(uh.ACPUCB1(), forgetful), 300, np.random.default_rng(1))


class TestWhen:
    """When compiled functions are asked for, and used."""

    @needs_compiler
    def test_after_many_outcomes(self, monkeypatch):
        monkeypatch.setattr(compiling, "_compiled_elsewhere", lambda *_: True)
        monkeypatch.setattr("upperhand.live.bandit.AFTER", 300)
        bandit, plain = (uh.Bandit(NAMES, uh.UCB1(), 5, compiled=each) for each in (None, False))
        rng, limit = np.random.default_rng(0), time.monotonic() + 60
        while not isinstance(bandit._way, Shortcut) and time.monotonic() < limit:
            play(bandit, plain, 200, rng)
            time.sleep(0.01)
        assert len(bandit) >= 300
        assert isinstance(bandit._way, Shortcut)
        play(bandit, plain, 200, rng)

    @needs_compiler
    def test_at_once_never_and_not_with_a_lease(self):
        assert isinstance(uh.Bandit(NAMES, uh.UCB1(), compiled=True)._way, Shortcut)
        for settings in ({"compiled": False}, {"lease": 10.0}, {"lease": 9.0, "compiled": True}):
            bandit = uh.Bandit(NAMES, uh.UCB1(), **settings)
            assert bandit._next_compiled == np.inf
            assert not isinstance(bandit._way, Shortcut)

    def test_a_lease_ends_though_compiled_functions_are_there(self):
        bandit = uh.Bandit(NAMES, uh.UCB1(), 5, lease=0.01, compiled=True)
        for _ in range(5):
            bandit.ask()
        time.sleep(0.05)
        bandit.ask()
        assert bandit._known.counts["expired"] == 5

    def test_a_policy_that_cannot_be_sent_starts_no_process(self, monkeypatch):
        monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
        own = type("Own", (uh.UCB1,), {"__module__": __name__})
        with pytest.raises((pickle.PicklingError, AttributeError)):
            compiling._compiled_elsewhere(own(), own().parameters)

    def test_a_policy_that_does_not_compile_is_played_all_the_same(self, monkeypatch):
        monkeypatch.setattr("upperhand.live.bandit.AFTER", 5)
        fail = lambda *_: 1 / 0  # noqa: E731
        monkeypatch.setattr(compiling, "_compiled_elsewhere", fail)
        bandit = uh.Bandit(NAMES, uh.UCBV(1.0), 5)
        for _ in range(400):
            bandit.tell(bandit.ask(), 0.5)
        assert not isinstance(bandit._way, Shortcut)

    def test_what_a_script_defines_is_left_to_the_script(self, monkeypatch):
        monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
        own = type("Own", (uh.UCB1,), {"__module__": "__main__"})
        assert not compiling._compiled_elsewhere(own(), own().parameters)
        monkeypatch.setattr(sys, "executable", "/opt/app/bin/app")
        assert not compiling._compiled_elsewhere(uh.UCB1(), uh.UCB1().parameters)

    @needs_compiler
    def test_another_process_compiles(self, tmp_path, monkeypatch):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        policy = uh.UCB1()
        assert compiling._compiled_elsewhere(policy, policy.parameters)
        assert len(list(tmp_path.rglob("*.nbc"))) == 2

    @needs_compiler
    def test_the_other_process_runs_nothing_from_where_it_is(self, tmp_path, monkeypatch):
        (tmp_path / "numba.py").write_text("open('found', 'w')\nraise SystemExit(3)\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
        assert compiling._compiled_elsewhere(uh.UCB1(), uh.UCB1().parameters)
        assert not (tmp_path / "found").exists()

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_a_fork_forgets_what_its_parent_was_making(self, monkeypatch):
        monkeypatch.setitem(compiling._made, "being made", None)
        child = os.fork()
        if child == 0:
            os._exit("being made" in compiling._made or compiling._loading.locked())
        assert os.waitpid(child, 0)[1] == 0
        assert not compiling._loading.locked()
