"""What goes wrong on some days: arms that do not answer, lost answers, forks, mixed-up trials."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import StoreAwayError, UnknownNameError
from upperhand.live.log import open_storage

from .opened import Wrapped

MADE = {"quantile": 0.9, "direction": "minimize", "seed": 0}
POLICIES = ["kl-qucb", "quantile-imed", "quantile-ts", "qucb", "acp-ucb1:scale=auto", "ucb1"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("duration", [None, "s"])
def test_an_arm_that_never_answers_does_not_draw_all_asks(policy, duration):
    exp = uh.Experiment("x", ["good", "dead", "ok"], policy=policy, duration=duration, **MADE)
    rng, dead = np.random.default_rng(1), 0
    for _ in range(400):
        trial = exp.ask()
        if trial.arm == "dead":
            dead += 1
        else:
            exp.tell(trial, rng.normal(1 if trial.arm == "good" else 3, 0.1))
    assert 2 <= dead <= 13  # ⌈2 ln 400⌉ = 12 at a time, and none of them expires


def test_a_new_arm_is_tried_and_then_waits():
    exp = uh.Experiment("x", ["a", "b"], **MADE)
    for i in range(100):
        exp.tell(exp.ask(), 1.0 + i % 7)
    exp.add_arm("new")
    asked = [exp.ask() for _ in range(40)]
    assert [trial.arm for trial in asked[:5]] == ["new"] * 5
    assert asked[-1].arm != "new"
    exp.tell(next(trial for trial in asked if trial.arm == "new"), 0.1)
    assert exp.pulls("new") == 1


def lose_the_answer():
    raise StoreAwayError("the connection broke")


def test_a_commit_whose_answer_is_lost_counts_once():
    exp = uh.Experiment("x", ["a", "b"], **MADE)
    exp.tell(exp.ask(), 1.0)
    log = Wrapped(exp, after=lose_the_answer)
    assert exp.record(["b"] * 3, [1.0, 2.0, 3.0]) == 3
    assert exp.tell(arm="b", value=4.0) == "told"
    trial = exp.ask()
    assert exp.tell(trial, 5.0) == "told"
    log.after = lambda: None
    assert exp.pulls("b") in (4, 5)
    assert len(exp) == 6


def test_a_trial_of_another_experiment_is_refused():
    one, other = (uh.Experiment(name, ["a", "b"], **MADE) for name in ("one", "other"))
    trial, _ = other.ask(), one.ask()
    with pytest.raises(UnknownNameError, match="of the experiment 'other'"):
        one.tell(trial, 999.0)
    assert len(one) == 0
    assert other.tell(trial, 1.0) == "told"


def test_the_error_of_a_block_is_not_hidden():
    exp = uh.Experiment("x", ["a", "b"], policy="ucb1", **MADE)  # on means: failures are refused
    with pytest.raises(ZeroDivisionError) as found, exp.trial():
        1 / 0  # noqa: B018
    assert "could not note" in found.value.__notes__[0]
    assert exp.counts()["pending"] == 0


def test_a_measured_function_takes_what_ask_takes():
    exp = uh.Experiment("x", ["a", "b"], **MADE)

    @exp.measured(among=["b"], by="eu")
    def call(arm, number):
        return arm * number

    assert call(2) == "bb"
    assert exp.pulls("b", by="eu") == 1


def test_an_experiment_is_true_and_is_not_pickled():
    exp = uh.Experiment("x", ["a", "b"], **MADE)
    assert exp
    with pytest.raises(TypeError, match="open it again by its name"):
        exp.__reduce__()


@pytest.mark.parametrize("kind", ["bandit", "experiment"])
def test_a_fork_while_other_threads_ask(kind):
    if kind == "bandit":
        live = uh.Bandit(["a", "b"], uh.KLQUCB(0.9))
    else:
        live = uh.Experiment("x", ["a", "b"], **MADE)
    over = threading.Event()

    def work():
        while not over.is_set():
            live.tell(live.ask(), 1.0)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # ends a child that hangs
                for _ in range(20):
                    live.tell(live.ask(), 2.0)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_second_opening_leaves_the_locks_of_the_first(tmp_path):
    """To close any handle of a file ends all POSIX locks of the process on it."""

    def locks():
        inode = f":{os.stat(tmp_path / 'b.db').st_ino} "
        shm = f":{os.stat(tmp_path / 'b.db-shm').st_ino} "
        with open("/proc/locks", encoding="ascii") as file:
            return sum(" POSIX " in line and (inode in line or shm in line) for line in file)

    first = open_storage(tmp_path / "b.db")
    first.log("x").read()
    before = locks()
    second = open_storage(tmp_path / "b.db")
    assert locks() >= before > 0
    second.close()
    first.close()
