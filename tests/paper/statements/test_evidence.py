"""What the chapters share, and what holds for all of them."""

import math

import numpy as np
import pytest

from upperhand.paper.claim import Effort, Verdict
from upperhand.paper.ledger import THEORY
from upperhand.paper.statements import evidence

from .opposites import SMALL

HOLDS, NOTE, FAILS = Verdict


@pytest.fixture(scope="module")
def chapters():
    return {title: judge(SMALL) for title, judge in THEORY}


def test_every_claim_says_where_what_and_how(chapters):
    claims = [claim for own in chapters.values() for claim in own]

    assert len(claims) == 42
    assert len({claim.statement for claim in claims}) == 42
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
        "Lemma 1",
        "equations (18) and (19)",
        "section 4.3.3",
    ]


def test_what_is_held_against_the_experiments_by_us(chapters):
    ours = [claim for own in chapters.values() for claim in own if claim.ours]
    assert [(c.where, c.verdict) for c in ours] == [
        ("Theorem 1", HOLDS),
        ("section 5", FAILS),
        ("section 5.1", FAILS),
        ("section 5.3", FAILS),
        ("equations (12) and (13)", NOTE),
        ("equation (15)", FAILS),
        ("equation (15)", HOLDS),
    ]
    assert not any("“" in claim.statement for claim in ours)  # the paper does not say it


@pytest.mark.parametrize(("title", "judge"), THEORY)
def test_the_seed_is_all_the_luck(chapters, title, judge):
    assert judge(SMALL) == chapters[title]


def test_another_seed_is_other_luck(chapters):
    drawing = [title for title, judge in THEORY if judge(Effort(1, 50)) != chapters[title]]
    assert len(drawing) == len(THEORY)


def test_one_trial_is_enough_to_run():
    for _, judge in THEORY:
        assert judge(Effort(3, 1))


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
    rounds = np.array([100, 1000])
    assert evidence.growth(rounds, 7 * np.log(rounds)) == pytest.approx(1)
    linear = evidence.growth(rounds, rounds)
    assert linear == pytest.approx(10 * 2 / 3)
    assert evidence.growth(rounds, -rounds) == linear
    assert evidence.growth_verdict(1.2, linear) is HOLDS
    assert evidence.growth_verdict(2.0, linear) is NOTE
    assert evidence.growth_verdict(3.5, linear) is FAILS
    assert "6.7 if linearly" in evidence.growth_check(rounds)


def test_distance_of_a_sample():
    assert evidence.distance_to(np.array([0.5])) == 0.5
    assert evidence.distance_to(np.array([0.1, 0.9])) == pytest.approx(0.4)
    assert evidence.distance_to(np.array([0.7, 0.9])) == pytest.approx(0.7)


def test_the_radii_of_figure_1_are_a_quarter_of_the_widest_gap():
    """The gap of N(0.04, 0.08²) to N(0, 0.15²) at 0.95: 0.07 · 1.6448536 − 0.04."""
    local = evidence.figure_1_constants()
    assert local.r_y == local.r_s == pytest.approx((0.07 * 1.6448536269514722 - 0.04) / 4)
