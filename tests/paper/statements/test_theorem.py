"""Theorem 1: its proof's numbers, the play, and the same with constants that are too small."""

import numpy as np
import pytest

from upperhand.paper.claim import Verdict
from upperhand.paper.statements import theorem
from upperhand.paper.statements.theorem import Bounded, bound_verdict
from upperhand.theory import theorem_1

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, FAILS = Verdict


def test_theorem_1_holds():
    claims = theorem.claims(SMALL)

    assert verdicts(claims) == [HOLDS] * 4
    assert claims[0].numbers["b_0 for f_min = 1, g_min = 2"] == (
        "64; the proof needs 22.6, without adaptation 2.83"
    )
    assert [claims[0].numbers[key] for key in list(claims[0].numbers)[:3]] == ["512", "128", "32"]
    assert claims[2].numbers == {
        "bound": "227,185.8, of which B_j 28.3",
        "runs": "1",
        "pulls, mean": "227,158.0",
        "of which initial": "227,158",
        "afterwards": "0.0 of 145,684 rounds",
    }
    assert claims[3].numbers == {
        "bound": "222,551.2",
        "runs": "1",
        "ACP regret, mean": "222,524.0",  # 227,158 · 0.9796
    }


def test_exponents_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, theorem_1, "b_0", lambda b: b / 3)
    claim = theorem._exponents(SMALL)
    assert claim.verdict is FAILS
    assert claim.numbers["plugged-in ends, least power"] == "4"  # 3.56


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


def test_the_theorem_fed_with_the_opposite(monkeypatch):
    monkeypatch.setattr(theorem_1, "REMAINDER", -1.0)
    assert verdicts(theorem.claims(SMALL)[2:]) == [FAILS, FAILS]


def test_a_regret_bound_that_is_too_small_is_noticed(monkeypatch):
    altered(monkeypatch, theorem_1, "regret_bound", lambda bound: bound - 30)  # B_j Δ_j is 27.7
    assert verdicts(theorem.claims(SMALL)[2:]) == [HOLDS, FAILS]


def test_a_play_outside_the_theorem_is_a_note(monkeypatch):
    monkeypatch.setattr(theorem, "RADIUS", 0.24)  # below Δ/4, as the arms stay where they are
    assert not theorem.played(1, 0).admitted
