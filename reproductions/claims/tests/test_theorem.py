"""Theorem 1: its proof's numbers, the play, and the same with constants that are too small."""

import numpy as np
import pytest

from reproductions.claims import theorem
from reproductions.claims.theorem import Bounded, bound_verdict
from upperhand.paper.claim import Verdict
from upperhand.theory import theorem_1

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_theorem_1_holds():
    claims = theorem.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 4
    assert claims[0].numbers["b_0 for f_min = 1, g_min = 2"] == (
        "64; the proof needs 22.6, without adaptation 2.83"
    )
    powers = [claims[0].numbers[key] for key in list(claims[0].numbers)[1:4]]
    assert powers == ["512", "128", "32"]
    assert claims[2].numbers["bound"] == "1,485,715 of 2,000,000 rounds, of which B_j 28"
    assert claims[2].numbers["pulls, mean"].endswith("of which initial 141,527")
    assert claims[3].numbers["bound"] == "594,286"  # times 0.4


def test_arms_are_pulled_after_the_initial_pulls_too():
    play = theorem.played(1, 0)
    assert play.admitted
    assert play.pulls.values.min() > 1.1 * play.init


def test_a_policy_that_pulls_the_wrong_arm_is_refused():
    """Arms exchanged: what the bound is about is then pulled in most rounds."""
    play = theorem.played(1, 0)
    wrong = play.pulls._replace(values=theorem.ROUNDS - play.pulls.values)
    assert theorem._pulls(play._replace(pulls=wrong)).verdict is FAILS


def test_exponents_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, theorem_1, "b_0", lambda b: 0.35 * b)  # the proof needs 0.354 of it
    assert theorem._exponents(SMALL).verdict is FAILS


@pytest.mark.parametrize("change", [lambda s: s + 3, lambda s: max(2, s // 2)])
def test_initial_pulls_fed_with_the_opposite(monkeypatch, change):
    altered(monkeypatch, theorem_1, "s_loc", change)
    assert theorem._initial_pulls(SMALL).verdict is FAILS


def test_bounds():
    kept = Bounded(np.array([90.0, 99.0]), 100.0)
    assert bound_verdict(kept, admitted=True) is HOLDS
    assert bound_verdict(kept, admitted=False) is NOTE
    assert bound_verdict(kept._replace(values=np.array([90.0, 101.0])), admitted=True) is NOTE
    assert bound_verdict(kept._replace(values=np.array([101.0, 102.0])), admitted=True) is FAILS


def test_a_play_outside_the_theorem_is_a_note(monkeypatch):
    monkeypatch.setattr(theorem, "R_S", 0.09)  # below Δ/4
    assert not theorem.played(1, 0).admitted
