"""Live use of a policy that keeps a sketch: the same promises, and confidence that stays valid."""

from itertools import permutations

import numpy as np
import pytest

import upperhand as uh
from upperhand.errors import ParameterError, RewardError
from upperhand.live import snapshot
from upperhand.live.best import best_of, counted, least_evidence
from upperhand.live.sketched import around, possible
from upperhand.policies import KLQUCB

from ..tables import draw
from .opened import assert_equal, machine, memory, replayed

TAU, N = 0.9, 1_500
TABLE = draw("gaussian", 3, N) + np.array([[0.0], [0.5], [1.0]])


def told(direction="minimize", sketch=64, kind="kl-qucb", n=N, **settings):
    """Return an experiment that was told of all arms in turn."""
    policy = {
        "kl-qucb": KLQUCB(TAU, plus=True, sketch=sketch),  # learns negated costs
        "quantile-ucb": uh.QuantileUCB(2 * (1 - TAU), b=0.3, sketch=sketch),  # learns costs
    }[kind]
    exp = memory(policy=policy, direction=direction, quantile=TAU, **settings)
    exp.record(["abc"[i % 3] for i in range(n)], [float(TABLE[i % 3, i]) for i in range(n)])
    return exp


@pytest.fixture(
    scope="module",
    params=[(d, k) for d in ("minimize", "maximize") for k in ("kl-qucb", "quantile-ucb")],
    ids="-".join,
)
def pair(request):
    """The same outcomes told to an experiment with a sketch, and to one without."""
    direction, kind = request.param
    return [told(direction, sketch, kind) for sketch in (64, None)]


def test_intervals_hold_those_of_all_outcomes(pair):
    sketched, exact = (exp.report() for exp in pair)
    for one, other in zip(sketched, exact, strict=True):
        assert one.confidence.lower <= other.confidence.lower
        assert one.confidence.upper >= other.confidence.upper
        assert one.confidence.upper - one.confidence.lower < 2.0  # and say something
        assert one.quantile == pytest.approx(other.quantile, abs=0.2)
        assert one.pulls == other.pulls == N // 3


def test_a_leader_is_never_surer_than_with_all_outcomes(pair):
    sketched, exact = (exp.best() for exp in pair)
    assert sketched.arm == exact.arm
    assert 0.5 < sketched.confidence <= exact.confidence


def test_no_pair_of_arms_is_told_apart_with_more_evidence(pair):
    """Of any two arms, whichever leads, and at any level."""
    player = machine(pair[0]).learners[0]
    exact = [counted(TABLE[arm, arm::3]) for arm in range(3)]
    least, most = zip(*(possible(player, arm) for arm in range(3)), strict=True)
    for tau in (0.5, 0.9, 0.99):
        for one, leader in permutations(range(3), 2):
            of_all = least_evidence(exact[one], exact[leader], tau, 2)
            assert least_evidence(most[one], least[leader], tau, 2) <= of_all


def test_what_outcomes_can_be(pair):
    """The worst and the best sample lie on either side of the true one, outcome by outcome."""
    sketched = machine(pair[0]).learners[0]
    for arm in range(3):
        true = np.sort(TABLE[arm, arm::3])
        least, most = possible(sketched, arm)
        assert least.total == most.total == len(true)
        for place in range(1, len(true) + 1):
            assert least.at(place) <= true[place - 1] <= most.at(place)
        assert possible(machine(pair[1]).learners[0], arm) is None


def test_what_is_known_lies_between_itself_and_itself(pair):
    """In a sketch that was never full, every outcome is known."""
    settings = pair[0].settings
    direction = "minimize" if settings.minimize else "maximize"
    few = told(direction, kind=settings.policy.name.lower(), n=150)
    player = machine(few).learners[0]
    for arm in range(3):
        for place in range(1, 51):
            value = float(np.sort(TABLE[arm, arm:150:3])[place - 1])
            assert around(player, arm, place) == (value, value)
            assert player.ordered(arm, place) == value


def test_counted_samples_are_judged_as_plain_ones():
    values = [np.round(row, 1) for row in TABLE[:, :400]]
    plain = [counted(row) for row in values]
    short = []
    for row in values:
        kept, counts = np.unique(row, return_counts=True)
        short.append(uh.live.best.Counted(kept, np.cumsum(counts)))
    for minimize in (False, True):
        one, other = (best_of("abc", told, TAU, minimize=minimize) for told in (plain, short))
        assert (one.arm, one.rival) == (other.arm, other.rival)
        assert one.confidence == pytest.approx(other.confidence, rel=1e-12)


def test_a_replay_is_the_same(pair):
    replayed(pair[0])


def test_a_snapshot_is_the_same():
    found = machine(told())
    data = snapshot.to_bytes(found)
    assert_equal(snapshot.from_bytes(data, found.settings), found)
    assert len(data) == pytest.approx(len(snapshot.to_bytes(machine(told(n=300)))), rel=0.01)


def test_asks_spread_arms_come_and_go():
    exp = told(n=600)
    asked = [exp.ask() for _ in range(20)]
    exp.add_arm("d")
    for _ in range(100):
        trial = exp.ask()
        exp.tell(trial, 0.1 if trial.arm == "d" else 0.3)
    exp.retire("a")
    for trial in asked:
        exp.tell(trial, 0.2)
    assert exp.ask().arm != "a"
    assert exp.pulls("d") > 0
    replayed(exp)


def test_failures_have_a_place_in_it():
    exp, exact = told(n=600), told(n=600, sketch=None)
    for each in (exp, exact):
        for _ in range(150):
            each.tell(each.ask(), failed=True)
    assert exp.counts()["failed"] == exact.counts()["failed"] == 150
    assert [arm.failed for arm in exp.report()] == [arm.failed for arm in exact.report()]
    replayed(exp)


def test_a_correction_makes_it_anew():
    exp = told(n=300)
    trial = exp.ask()
    exp.tell(trial, 5.0)
    exp.correct(trial, 0.5)
    replayed(exp)
    with pytest.raises(RewardError, match="only a bound is known"):
        exp.correct(trial, at_least=0.5)


def test_a_bandit():
    bandit, exact = (
        uh.Bandit(["a", "b"], KLQUCB(0.9, sketch=sketch), seed=0) for sketch in (64, None)
    )
    for value in np.round(TABLE[0, :500], 1).tolist():
        for each in (bandit, exact):
            arm = each.ask()
            each.tell(arm, value + (arm == "b"))
    assert [bandit.pulls(arm) for arm in "ab"] == [exact.pulls(arm) for arm in "ab"]


class TestRefused:
    def test_windows(self):
        with pytest.raises(ParameterError, match=r"cannot forget.* or leave out sketch\."):
            memory(policy=KLQUCB(0.9, sketch=64), quantile=0.9, window=100)

    def test_outcomes_of_which_a_bound_is_known(self):
        exp = told(n=30)
        trial = exp.ask()
        with pytest.raises(RewardError, match=r"KL-QUCB \(plus=True, sketch=64\) keeps few"):
            exp.tell(trial, at_least=3.0)
        exp.tell(trial, 3.0)  # nothing was lost

    def test_requests_that_still_run(self):
        with pytest.raises(ParameterError, match="leave out sketch"):
            memory(policy="kl-qucb:sketch=64", duration="ms")
