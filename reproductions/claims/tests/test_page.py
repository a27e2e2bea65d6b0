"""The claims at a small size, the rules for their verdicts, and the page in the docs."""

import re
from pathlib import Path

import numpy as np
import pytest

from reproductions.claims import definitions, evidence, lemmas, trade_off
from reproductions.claims.__main__ import check_all, count_table, main, with_tables
from reproductions.claims.evidence import Effort, Tail
from upperhand.paper.claims import Verdict

pytestmark = pytest.mark.compiled  # they play much
HOLDS, NOTE, UNDECIDED, FAILS = Verdict
SMALL = Effort(seed=0, trials=50)
PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| .+ \|$", re.M)


@pytest.fixture(scope="module")
def chapters():
    return check_all(2, SMALL)


@pytest.fixture(scope="module")
def claims(chapters):
    return [claim for own in chapters.values() for claim in own]


def plain(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


def test_verdicts_of_the_theory(claims):
    """The figures' claims have tests of their own."""
    theory = dict(enumerate((claim.verdict for claim in claims[:44]), start=1))
    assert [n for n, verdict in theory.items() if verdict is FAILS] == [24, 26, 27, 28, 37]
    assert [n for n, verdict in theory.items() if verdict is NOTE] == [2, 14, 42, 44]
    ours = [n for n, claim in enumerate(claims, start=1) if claim.ours]
    assert ours == [13, 24, 25, 26, 27, 34, 37, 38]


def test_some_numbers(claims):
    assert claims[4].numbers["score quantile at 0"] == "72 of 72"
    assert claims[11].numbers["largest f_min / f"] == "1.0000"  # equal deviations: exact
    assert claims[23].numbers["b at least"] == "2.16e5; 7.64e4; 115"
    assert claims[27].numbers["sd 0.15"] == "0.424"
    assert claims[36].numbers["α = 0.05"] == "2 δ_μ = 0.2000, a δ_σ = 0.1960"
    assert claims[43].numbers["largest Δ_μ at which it can be met, whatever σ_A"] == "0.0085 σ_j"


def test_the_page_states_the_same_claims(claims):
    """If it does not, run `make claims`."""
    rows = [tuple(map(plain, row)) for row in ROW.findall(PAGE.read_text("utf-8"))]
    assert [int(number) for number, *_ in rows] == list(range(1, 58))
    for (_, where, statement, _), claim in zip(rows, claims, strict=True):
        assert where == claim.where + (" (ours)" if claim.ours else "")
        assert statement == claim.statement
    verdicts = [verdict for *_, verdict in rows]
    assert verdicts[:44] == [claim.verdict for claim in claims[:44]]
    assert set(verdicts) == {HOLDS, NOTE, FAILS}


def test_the_page_counts_its_verdicts():
    rows = ROW.findall(PAGE.read_text("utf-8"))
    for whose, ours in ("of the paper", False), ("ours", True):
        found = [row[3] for row in rows if row[1].endswith("(ours)") is ours]
        counts = " | ".join(str(found.count(verdict)) for verdict in (HOLDS, NOTE, FAILS))
        assert f"\n| {whose} | {counts} |\n" in PAGE.read_text("utf-8")


def test_tables_replace_what_is_between_the_markers(chapters):
    page = with_tables(PAGE.read_text("utf-8"), chapters)
    assert page.startswith(PAGE.read_text("utf-8").split("<!--")[0])
    assert with_tables(page, chapters) == page
    assert count_table(chapters) in page
    assert not re.search(r"e−1[3-9]\b|numpy|scipy|/(home|tmp)/", page)  # the same on any machine


def test_a_small_run_writes_no_page(monkeypatch, chapters, capsys):
    before = PAGE.read_bytes()
    monkeypatch.setattr("reproductions.claims.__main__.check_all", lambda *_: chapters)
    main(["--replications", "2"])
    assert PAGE.read_bytes() == before
    assert "49 claims of the paper" in capsys.readouterr().out


def rare(*tails):
    return evidence.rare("", "", "", [Tail("m", np.arange(200) < n, 0.25) for n in tails]).verdict


def test_frequencies_and_their_bounds():
    assert rare(3) is HOLDS
    assert rare(3, 60) is NOTE
    assert rare(3, 60, 100) is FAILS
    first = next(n for n in range(200) if rare(n) is FAILS)
    assert rare(first, 0, 0) is NOTE  # several bounds share the chance to fail by luck


def grown(values):
    return evidence.logarithmic("", "", "", {"x": np.asarray(values, dtype=np.float64)})


def test_growth():
    claim = grown(7 * np.log(evidence.LONG_ROUNDS))
    assert claim.numbers == {"x": "48.4, 64.5, 80.6, 96.7; growth 1.00"}
    assert claim.verdict is HOLDS
    assert evidence.growth(-evidence.LONG_ROUNDS) == pytest.approx(10 * 5 / 6)
    assert grown(evidence.LONG_ROUNDS).verdict is FAILS
    assert grown(np.log(evidence.LONG_ROUNDS) * [1, 1, 1, 2]).verdict is NOTE


def test_rounding_is_shown_as_its_limit():
    assert evidence.shown(3.3e-16) == evidence.shown(0.0) == "at most 1e−12"
    assert evidence.shown(2.34e-7) == "2.3e−7"


def test_the_distance_of_a_sample():
    assert evidence.distance_to(np.array([0.1, 0.9])) == pytest.approx(0.4)
    assert evidence.distance_to(np.array([0.7, 0.9])) == pytest.approx(0.7)


def test_a_distribution_with_a_gap_starts_above_z_min():
    """Uniform on [0, 1] or [9, 10]: the scores nearest to the middle, at 1 and 9, are −0.9."""
    start = definitions.lowest_with_a_gap(np.random.default_rng(0), 10_000)
    assert start == pytest.approx(0.9 / 4.9, abs=1e-3)


def test_the_corner_of_lemma_1():
    assert lemmas.corner_error() == 3.0


@pytest.mark.parametrize("m", [40, 2000])
def test_the_supremum_is_that_over_many_levels(m):
    """Compare with 20,001 levels, straight from the definitions."""
    rewards = np.random.default_rng(2).uniform(0, 1, (5, m))
    slow = []
    for row in rewards:
        ordered = np.sort(row)
        low, high = ordered[m // 4 - 1], ordered[3 * m // 4 - 1]
        scores, masses = np.sort(np.maximum(low - row, row - high)), np.linspace(0.49, 0.51, 20_001)
        ranks = np.ceil(np.round(masses * m, 9)).astype(int)
        slow.append(np.max(np.abs(scores[ranks - 1] - (masses - 0.5) / 2)))
    found = lemmas.suprema(rewards)
    assert np.allclose(found, slow, atol=1e-6)
    assert np.all(found >= np.array(slow) - 1e-12)


def test_what_theorem_1_admits():
    """By hand: r = Δ/4 with Δ = 0.001 + 0.1 a, and b_0 = 64 · 1.1 / φ(a + r / 1.1)."""
    a, gap = 1.6448536269514722, 0.001 + 0.1 * 1.6448536269514722
    phi = np.exp(-((a + gap / 4 / 1.1) ** 2) / 2) / np.sqrt(2 * np.pi)
    ratio, needed = trade_off.admitted(0.001, 0.1)
    assert ratio == pytest.approx(gap / 0.001)
    assert needed == pytest.approx(2 * 64 * 1.1 / phi / 16)
    assert trade_off.admitted(7.0, 0.1)[1] == np.inf  # radii beyond the support of the scores


def test_what_auers_bound_implies():
    assert trade_off.implied_pulls(2.0) == pytest.approx(256 / 4 + 8)
