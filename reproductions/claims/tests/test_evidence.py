"""What the chapters share, and what holds for all of them."""

import math
import re
from functools import cache

import numpy as np
import pytest

from reproductions.claims import coverage, evidence, proposition
from reproductions.claims.evidence import Effort
from reproductions.claims.ledger import THEORY
from upperhand.paper.claim import Verdict

from .opposites import SMALL

HOLDS, NOTE, _, FAILS = Verdict


@pytest.fixture(scope="module")
def chapters():
    return {title: judge(SMALL) for title, judge in THEORY}


def test_every_claim_says_where_what_and_how(chapters):
    claims = [claim for own in chapters.values() for claim in own]

    assert len(claims) == 44
    assert len({claim.statement for claim in claims}) == 44
    for claim in claims:
        assert claim.where
        assert claim.numbers
        assert claim.statement.endswith((".", ".)"))
        assert claim.check.endswith((".", ".)"))


def test_what_does_not_hold_and_what_does_with_a_note(chapters):
    claims = [claim for own in chapters.values() for claim in own]
    papers = [claim for claim in claims if not claim.ours]
    assert [c.where for c in papers if c.verdict is FAILS] == ["section 4.3"]
    assert [c.where for c in papers if c.verdict is NOTE] == [
        "section 2.2",
        "Lemma 1",
        "equations (18) and (19)",
        "section 4.3.3",
    ]


def test_what_is_ours(chapters):
    ours = [claim for own in chapters.values() for claim in own if claim.ours]
    assert [(c.where, c.verdict) for c in ours] == [
        ("Theorem 1", HOLDS),
        ("section 5", FAILS),
        ("section 5", HOLDS),
        ("section 5.1", FAILS),
        ("section 5.3", FAILS),
        ("equations (12) and (13)", HOLDS),
        ("equation (15)", FAILS),
        ("equation (15)", HOLDS),
    ]
    assert not any("“" in claim.statement for claim in ours)  # the paper does not say it


@pytest.mark.parametrize(("title", "judge"), THEORY)
def test_the_seed_is_all_that_is_random(chapters, title, judge):
    assert judge(SMALL) == chapters[title]


@pytest.fixture
def shorter(monkeypatch):
    """Make the long runs short: a tenth of their rounds."""
    monkeypatch.setattr(evidence, "LONG_ROUNDS", evidence.LONG_ROUNDS // 10)
    played = cache(evidence.long_runs.__wrapped__)
    for chapter in (coverage, proposition):
        monkeypatch.setattr(chapter, "long_runs", played)


@pytest.mark.usefixtures("shorter")
def test_another_seed_gives_other_numbers():
    efforts = Effort(0, 50), Effort(1, 50)
    drawing = [title for title, judge in THEORY if judge(efforts[0]) != judge(efforts[1])]
    assert len(drawing) == len(THEORY) - 1  # section 4.1 shows limits of rounding only


@pytest.mark.usefixtures("shorter")
def test_one_trial_is_enough_to_run():
    for _, judge in THEORY:
        assert judge(Effort(1, 1))


def test_streams_differ_by_key_and_by_seed():
    keys = [(Effort(0), 1, 2), (Effort(0), 2, 1), (Effort(1), 1, 2), (Effort(0), 1)]
    drawn = {evidence.stream(*key).random() for key in keys}
    assert len(drawn) == 4
    assert evidence.seed_of(Effort(0), 1) == evidence.seed_of(Effort(0, 9), 1)
    assert evidence.stream(Effort(2**127), 1).random() < 1  # a seed from fresh entropy


def test_frequencies_and_their_bounds():
    assert evidence.frequency_verdict(10, 100, 0.1) is HOLDS
    assert evidence.frequency_verdict(0, 1, 2.0) is HOLDS  # a vacuous bound
    assert evidence.frequency_verdict(13, 100, 0.1) is NOTE
    assert evidence.frequency_verdict(40, 100, 0.1) is FAILS
    assert evidence.frequency_verdict(13, 100, 1e-9) is FAILS


def test_a_frequency_fails_no_more_often_than_stated():
    """P(Bin(200, 0.1) ≥ k) at the first k that fails, summed by hand."""
    first = next(k for k in range(201) if evidence.frequency_verdict(k, 200, 0.1) is FAILS)
    chance = sum(math.comb(200, k) * 0.1**k * 0.9 ** (200 - k) for k in range(first, 201))
    assert 0 < chance <= evidence.ERROR


def test_growth():
    logarithm = 7 * np.log(evidence.LONG_ROUNDS)
    assert evidence.growth(logarithm) == pytest.approx(1)
    assert evidence.growth(-evidence.LONG_ROUNDS) == pytest.approx(10 * 5 / 6)
    assert pytest.approx(10 * 5 / 6) == evidence.LINEAR_GROWTH
    assert evidence.growth_verdict(1.2) is HOLDS
    assert evidence.growth_verdict(2.0) is NOTE
    assert evidence.growth_verdict(4.2) is FAILS
    assert evidence.growths_verdict([logarithm, evidence.LONG_ROUNDS]) is FAILS
    assert "8.3 if linearly" in evidence.GROWTH_CHECK
    assert evidence.described({"x": logarithm})["x"] == "48.4, 64.5, 80.6, 96.7; growth 1.00"


def test_all_growths_are_judged_by_one_yardstick(chapters):
    """Whatever is said to grow like a logarithm has the same check, over the same decade."""
    claims = [claim for own in chapters.values() for claim in own]
    grown = [c for c in claims if any("; growth" in number for number in c.numbers.values())]
    assert len(grown) == 5
    assert all(evidence.GROWTH_CHECK in claim.check for claim in grown)


def test_rounding_is_shown_as_its_limit():
    assert evidence.shown(3.3e-16) == evidence.shown(0.0) == "at most 1e−12"
    assert evidence.shown(2.34e-7, 1e-6) == "at most 1e−6"
    assert evidence.shown(2.34e-7) == "2.3e−7"


def test_halves_are_rounded_alike():
    for value in (64.65, 418.5):
        texts = {evidence._three_digits(value * (1 + ulp * 1e-16)) for ulp in range(-8, 9)}
        assert len(texts) == 1


def test_no_claim_shows_rounding(chapters):
    for own in chapters.values():
        for claim in own:
            for number in claim.numbers.values():
                assert "e−1" not in re.sub("at most 1e−1[02]", "", number), claim.statement


def test_distance_of_a_sample():
    assert evidence.distance_to(np.array([0.5])) == 0.5
    assert evidence.distance_to(np.array([0.1, 0.9])) == pytest.approx(0.4)
    assert evidence.distance_to(np.array([0.7, 0.9])) == pytest.approx(0.7)
