"""Section 2, and section 2 with a law that says something else."""

import numpy as np
import pytest

from reproductions.claims import population
from upperhand.objectives import UpperTail
from upperhand.paper.claim import Verdict
from upperhand.theory import population as law

from .opposites import SMALL, altered, verdicts

HOLDS, NOTE, _, FAILS = Verdict


def test_section_2_holds():
    claims = population.claims(SMALL)

    assert verdicts(claims) == [HOLDS, NOTE] + [HOLDS] * 4
    assert claims[0].numbers["disagreements"] == "0"
    assert int(claims[0].numbers["with y on an end"]) > 0
    assert claims[1].numbers["rewards of each arm"] == "1,250"
    assert claims[3].numbers["cases"] == "72"
    assert claims[4].numbers["score quantile at 0"] == "72 of 72"
    assert claims[4].numbers["for laws with atoms"] == "12 of 12"
    assert claims[5].numbers["by rounds"] == claims[5].numbers["by arms"]


@pytest.mark.parametrize(
    ("place", "name", "change"),
    [
        (0, "score", lambda s: s + 1 / 16),
        (1, "score", lambda s: 2 * s),
        (1, "score_cdf", lambda g: g + 0.2),
        (2, "score_pdf", lambda g: g * 1.001),
        (3, "score_cdf", lambda g: g - 1e-9),
        (4, "score_cdf", lambda g: g - 1e-6),
        (4, "upper_endpoint", lambda v: v + 1e-6),
    ],
)
def test_section_2_fed_with_the_opposite(monkeypatch, place, name, change):
    altered(monkeypatch, law, name, change)
    assert population.claims(SMALL)[place].verdict is FAILS


def test_regret_fed_with_the_opposite(monkeypatch):
    altered(monkeypatch, UpperTail, "gaps", lambda gaps: gaps * 1.01)
    assert population.claims(SMALL)[5].verdict is FAILS


def test_a_law_with_a_gap_starts_above_z_min():
    """Uniform on [0, 1] or [9, 10]: the scores nearest to the middle, at 1 and 9, are −0.9."""
    start = population.lowest_with_a_gap(np.random.default_rng(0), 10_000)
    assert start == pytest.approx(0.9 / 4.9, abs=1e-3)
    assert population.law_verdict(True, start) is NOTE
    assert population.law_verdict(True, 1.0) is HOLDS
    assert population.law_verdict(False, 1.0) is FAILS


def test_the_distance_tells_two_close_laws_apart(monkeypatch):
    """At 50,000 rewards the check sees a shift of the scores by a hundredth of their spread."""
    altered(monkeypatch, law, "score_cdf", lambda g: np.minimum(g + 0.015, 1))
    effort = SMALL._replace(trials=2000)
    assert population._score_law(effort).verdict is FAILS
