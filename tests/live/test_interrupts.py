"""An interrupt at any line or bytecode: it happened or it did not, never half."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import upperhand as uh
from upperhand._kernels.sorted_rows import BLOCK
from upperhand.objectives import DIRECTIONS

from ..looping import for_each
from .interrupting import interrupted
from .states import assert_same

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
each_policy = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)


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
    bandit = uh.Bandit(ARMS, policy, seed=2, direction=DIRECTIONS[minimize])
    if rounds == "splits":
        for value in range(BLOCK):
            bandit.tell("b", value % 5)
        bandit.tell("a", 1)
        bandit.tell("c", 1)
    else:
        advance(bandit, rounds)
    return bandit


def check_everywhere(start, *, opcodes=False, step=1):
    """Interrupt an ask and a tell at each place; compare with twins; return how often.

    After an interrupt the bandit is the twin that was asked, or told, or the one that was not; its
    counts say which; and it chooses as that one does.
    """
    asked = copy.copy(start)
    asked.ask()
    told = copy.copy(asked)
    told.tell("b", 2)
    futures = {id(twin): advance(copy.copy(twin), 6) for twin in (start, asked, told)}
    times = 0
    for before, after, count, call in (
        (start, asked, "asked", lambda bandit: bandit.ask()),
        (asked, told, "outcomes", lambda bandit: bandit.tell("b", 2)),
    ):
        place, seen = 1, set()
        while interrupted(partial(call, bandit := copy.copy(before)), place, opcodes=opcodes):
            length = len(bandit)
            happened = bandit.counts()[count] == after.counts()[count]
            twin = after if happened else before
            assert length == len(twin)
            assert_same(bandit, twin)
            assert advance(bandit, 6) == futures[id(twin)], place
            check_journal(bandit)
            seen.add(happened)
            place, times = place + step, times + 1
        assert seen == {False, True} if step == 1 else seen
        assert times > 10
    return times


def check_journal(bandit):
    """What it knows is what its journal says, also of what came after the interrupt."""
    replayed = copy.copy(bandit)
    replayed._changing = True
    assert_same(bandit, replayed)


@each_policy
def test_at_every_line(policy):
    check_everywhere(past(policy, 16))


def test_at_bytecodes():
    check_everywhere(past(uh.KLQUCB(0.5, random_ties=True), 16), opcodes=True, step=3)


@pytest.mark.slow
@each_policy
def test_at_every_bytecode(policy):
    times = check_everywhere(past(policy, 16), opcodes=True)
    print(f"\n{policy.name}: interrupted {times} times")


@pytest.mark.slow
@each_policy
@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("rounds", [0, 1, 12, 13, 40, "splits"])
def test_at_every_line_of_more_pasts(policy, rounds, minimize):
    check_everywhere(past(policy, rounds, minimize=minimize))


def test_where_a_block_splits_and_the_state_grows():
    check_everywhere(past(uh.QuantileUCB(), "splits"), step=2)


def test_where_it_commits():
    """Which of the tied arms it commits to is drawn by an ask, and noted at its reward."""
    bandit = uh.Bandit(ARMS, uh.ExpExp(60, random_ties=True), seed=2)
    for _ in range(9):
        bandit.tell(bandit.ask(), 1.0)
    assert not bandit.state.chosen.any()
    check_everywhere(bandit)


def test_while_it_learns_all_anew():
    start = past(uh.KLQUCB(0.5), 5)
    twin, line = copy.copy(start), 1
    twin.ask()
    while True:
        bandit = copy.copy(start)
        assert interrupted(partial(bandit.tell, "a", 1), 40)
        if not interrupted(bandit.ask, line):
            break
        if bandit.counts()["asked"] < twin.counts()["asked"]:
            bandit.ask()
        assert_same(bandit, twin)
        line += 7
    assert line > 300


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


class TestPlantedFaults:
    """What the checks above must catch."""

    def test_a_bandit_that_does_not_learn_anew(self, monkeypatch):
        monkeypatch.setattr(uh.Bandit, "_settled", lambda bandit: bandit._known)
        with pytest.raises(AssertionError):
            check_everywhere(past(uh.KLQUCB(0.5), 16))

    def test_a_journal_that_keeps_half_an_event(self, monkeypatch):
        monkeypatch.setattr(uh.Bandit, "_outcomes", lambda bandit: len(bandit._values))
        with pytest.raises((AssertionError, ValueError)):
            check_everywhere(past(uh.UCB1(), 16))


def pickled(bandit):
    return pickle.loads(pickle.dumps(bandit))  # noqa: S301


@for_each("policy", POLICIES)
@for_each("another", [copy.copy, copy.deepcopy, pickled])
def test_copies_and_pickles_go_on_alike_and_apart(policy, another):
    bandit = past(policy, 30)
    bandit.ask()
    other, kept = another(bandit), another(bandit)
    assert_same(other, bandit)
    choices = advance(bandit, 40)
    assert_same(other, kept)  # as it was
    assert advance(other, 40) == choices
    assert_same(other, bandit)
