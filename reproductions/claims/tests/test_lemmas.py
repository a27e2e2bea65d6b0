"""Lemmas 1 and 2: the corner that the first leaves open, and bounds that are too small."""

from math import comb

import numpy as np
import pytest

from reproductions.claims import lemmas
from reproductions.claims.evidence import Effort, Tail, tails_verdict
from reproductions.claims.lemmas import Corner, corner, inverse_verdict
from upperhand.paper.claim import Verdict
from upperhand.theory import concentration

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_the_lemmas():
    claims = lemmas.claims(SMALL)

    assert verdicts(claims) == [NOTE] + [HOLDS] * 5
    assert claims[0].numbers["equality at δ = r"] == (
        "sup |Ĝ − G| = 0.25 = g₀ δ, |q̂ − q| = 3, δ = 1"
    )
    assert claims[1].numbers["Figure 1, vacuous up to m"] == "1.1e10"
    assert "bound 0.164" in claims[1].numbers["τ = 0.5, m = 20, ε = 0.25"]


def test_one_trial_is_one_sample():
    said = [claim.check for claim in lemmas.claims(Effort(0, 1)) if "of each size" in claim.check]
    assert len(said) == 2
    assert all(" 1 sample of each size" in check for check in said)


def test_the_corner_is_one():
    """G and Ĝ written out: the distance is 1/4 from −3 to 3, and Ĝ reaches 1/2 at −3."""
    assert corner() == Corner(distance=0.25, g_0_delta=0.25, error=3.0, delta=1.0)


def test_lemma_1_verdicts():
    equality = Corner(0.25, 0.25, 3.0, 1.0)
    assert inverse_verdict(0.99, equality) is NOTE
    assert inverse_verdict(1.01, equality) is FAILS
    assert inverse_verdict(0.99, equality._replace(error=1.0)) is HOLDS  # the lemma kept its word
    assert inverse_verdict(0.99, equality._replace(distance=0.26)) is HOLDS  # not admitted


def test_lemma_1_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, concentration, "quantile_error", lambda delta: delta / 2)
    assert lemmas._local_inverse(Effort(0, 300)).verdict is FAILS


def test_lemma_2_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, concentration, "reward_quantile_tail", lambda bound: bound / 1000)
    assert lemmas._reward_quantile(Effort(0, 2000)).verdict is FAILS


def test_lemma_2_counts_errors_beyond_epsilon():
    """The 10th of 20 uniform rewards errs by more than 1/4 with a chance of 0.018, by hand."""
    above = sum(comb(20, k) * 0.75**k * 0.25 ** (20 - k) for k in range(10))  # fewer than 10 ≤ 3/4
    below = sum(comb(20, k) * 0.25**k * 0.75 ** (20 - k) for k in range(10, 21))  # 10 or more < 1/4
    tail = lemmas.quantile_tails(np.random.default_rng(0), 20_000)[0]

    assert above + below == pytest.approx(0.0178, abs=1e-4)
    assert tail.exceeded / tail.trials == pytest.approx(above + below, abs=0.004)  # 4 sd


def test_vacuous_until():
    m = lemmas.vacuous_until(0.5, 0.1)
    assert concentration.reward_quantile_tail(m, 0.1, f_min=0.5, r_y=0.2) == pytest.approx(1)


def test_tails():
    kept, luck, broken = (Tail("m", count, 200, 0.25) for count in (3, 60, 100))
    assert str(kept) == "0.0150, bound 0.25"
    assert tails_verdict([kept]) is HOLDS
    assert tails_verdict([kept, luck]) is NOTE
    assert tails_verdict([kept, luck, broken]) is FAILS


def test_several_tails_share_the_chance_to_fail_by_luck():
    """The first count that fails on its own is still luck as one of three."""
    first = next(k for k in range(200) if tails_verdict([Tail("m", k, 200, 0.25)]) is FAILS)
    edge, kept = Tail("m", first, 200, 0.25), Tail("m", 0, 200, 0.25)
    assert tails_verdict([edge, kept, kept]) is NOTE
