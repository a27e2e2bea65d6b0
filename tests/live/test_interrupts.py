"""An interrupt at any line: it was told or it was not, never half. Copies go their own way."""

import copy
import pickle
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.sorted_rows import BLOCK
from upperhand.live import bandit as bandit_source

from .states import assert_same

PACKAGES = tuple(str(Path(module.__file__).parent) for module in (uh, np))
pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")
ARMS = ["a", "b", "c"]
POLICIES = [
    uh.ACPUCB1(scale="auto", random_ties=True),
    uh.QuantileUCB(random_ties=True),
    uh.UCB1(random_ties=True),
    uh.KLQUCB(0.5, random_ties=True),
    uh.QuantileIMED(0.5, random_ties=True),
    uh.QuantileTS(0.5, random_ties=True),
    uh.UCBCP(random_ties=True),
    uh.ExpExp(60, random_ties=True),  # explores 9 rounds, then commits
]


class Interrupt(BaseException):
    """Raised at a line, as a signal's handler may."""


def interrupted(call, line):
    """Run the call and raise at its line-th line; tell whether it got there.

    Not on a line that takes or gives back the lock: between a lock and its `with`, CPython looks at
    no signals.
    """
    lines = 0

    def trace(frame, event, _):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(PACKAGES):
            return None
        if event == "line" and not holds_lock(frame):
            lines += 1
            if lines == line:
                raise Interrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


LOCKS = {
    number
    for number, text in enumerate(Path(bandit_source.__file__).read_text().splitlines(), 1)
    if text.strip() == "with self._lock:"
}


def holds_lock(frame):
    return frame.f_code.co_filename == bandit_source.__file__ and frame.f_lineno in LOCKS


def advance(bandit, rounds, seed=4):
    """Ask and tell; now and then tell an arm that nobody asked for. Return the choices."""
    choices = []
    for value in np.random.default_rng(seed).integers(0, 4, rounds).tolist():
        if value < 3 or not choices:
            choices.append(bandit.ask())
        bandit.tell(choices[-1] if value else "b", value)
    return choices


def past(policy, rounds, *, minimize=False):
    """Return a bandit with a past; with "splits", its next reward of b splits a block and grows."""
    bandit = uh.Bandit(ARMS, policy, seed=2, minimize=minimize)
    if rounds == "splits":
        for value in range(BLOCK):
            bandit.tell("b", value % 5)
        bandit.tell("a", 1)
        bandit.tell("c", 1)
    else:
        advance(bandit, rounds)
    return bandit


def check_every_line(start):
    """Interrupt an ask and a tell at each of their lines; compare with twins that were not."""
    asked = copy.copy(start)
    asked.ask()
    told = copy.copy(asked)
    told.tell("b", 2)
    futures = {len(twin): advance(copy.copy(twin), 6) for twin in (asked, told)}

    def compare(bandit, twin):
        assert_same(bandit, twin)
        assert advance(bandit, 6) == futures[len(twin)]

    line = 1
    while interrupted((bandit := copy.copy(start)).ask, line):
        bandit.ask()
        compare(bandit, asked)
        line += 1
    assert line > 10

    line, lengths = 1, set()
    while interrupted(partial((bandit := copy.copy(asked)).tell, "b", 2), line):
        lengths.add(len(bandit))
        compare(bandit, told if len(bandit) == len(told) else asked)
        line += 1
    assert line > 20
    assert lengths == {len(asked), len(told)}


each_policy = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)


@each_policy
def test_interrupted_at_every_line(policy):
    check_every_line(past(policy, 16))


@pytest.mark.slow
@each_policy
@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("rounds", [0, 1, 12, 13, 40, "splits"])
def test_interrupted_at_every_line_of_more_pasts(policy, rounds, minimize):
    check_every_line(past(policy, rounds, minimize=minimize))


def test_interrupted_where_a_block_splits_and_the_state_grows():
    check_every_line(past(uh.QuantileUCB(), "splits"))


def test_interrupted_where_it_commits():
    """Which of the tied arms it commits to is drawn by an ask, and noted at its reward."""
    bandit = uh.Bandit(ARMS, uh.ExpExp(60, random_ties=True), seed=2)
    for _ in range(9):
        bandit.tell(bandit.ask(), 1.0)
    assert not bandit.state.chosen.any()
    check_every_line(bandit)


def test_interrupted_while_it_learns_all_anew():
    start = past(uh.KLQUCB(0.5), 5)
    twin, line = copy.copy(start), 1
    twin.tell("a", 1)
    while True:
        bandit = copy.copy(start)
        assert interrupted(partial(bandit.tell, "a", 1), 40)
        if not interrupted(bandit.ask, line):
            break
        twin.ask()
        bandit.ask()
        assert_same(bandit, twin)
        line += 7
    assert line > 500


class Superstitious(uh.UCB1):
    """A policy of a user's own, with a fault."""


def refuse_13(policy, state, arm, reward):
    state.pulls[arm] += 1
    if reward == 13:
        raise ZeroDivisionError("13")


def test_what_a_policy_fails_on_was_not_told():
    Superstitious.functions = replace(uh.UCB1.functions, update=refuse_13)
    bandit = past(Superstitious(random_ties=True), 10)
    twin = copy.copy(bandit)
    with pytest.raises(ZeroDivisionError):
        bandit.tell("b", 13)
    assert_same(bandit, twin)
    assert advance(bandit, 20) == advance(twin, 20)


def test_an_interrupt_while_a_failure_is_taken_back():
    """The reward stands in the journal, and learning it again fails again: it was not told."""
    Superstitious.functions = replace(uh.UCB1.functions, update=refuse_13)
    bandit = past(Superstitious(random_ties=True), 10)
    twin, journal = copy.copy(bandit), bandit._journal
    journal._changing = True
    journal._rewards.append(13.0)
    journal._arms.append(~1)
    assert advance(bandit, 20) == advance(twin, 20)
    assert_same(bandit, twin)


def pickled(bandit):
    return pickle.loads(pickle.dumps(bandit))  # noqa: S301


@each_policy
@pytest.mark.parametrize("another", [copy.copy, copy.deepcopy, pickled])
def test_copies_and_pickles_go_on_alike_and_apart(policy, another):
    bandit = past(policy, 30)
    bandit.ask()
    other, kept = another(bandit), another(bandit)
    assert_same(other, bandit)
    choices = advance(bandit, 40)
    assert_same(other, kept)  # as it was
    assert advance(other, 40) == choices
    assert_same(other, bandit)
