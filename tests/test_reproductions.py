"""The rule by which published numbers are held against ours, and a small run of everything."""

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from reproductions import ar1, friedman, howard_ramdas, published, q_sar, run, sequences
from reproductions.judging import ERROR, Line, Verdict, critical, verdict
from reproductions.section import Comparison, Effort, Section

ROOT = Path(__file__).parents[1]
FULL = ROOT / "docs" / "reproductions.md"


def line(ours, published=100.0, **settings):
    return Line(("number",), published, ours, **settings)


# The rule, and its opposites.


def test_z_is_bonferronis():
    """Also by SciPy, which the rule does not use."""
    lines = [line(100.0, our_se=1.0)] * 40 + [line(None)] * 7 + [line(1.0, judged=False)] * 3
    assert critical(lines) == pytest.approx(stats.norm.isf(ERROR / (2 * 40)), abs=1e-9)
    assert critical([]) == 0.0


@pytest.mark.parametrize("sign", [-1, 1])
def test_means_agree_up_to_z_standard_errors_of_the_difference(sign):
    """√(3² + 4²) = 5, so with z = 4 they may differ by 20, and by no more."""
    near = line(100 + sign * 19.9, published_se=3.0, our_se=4.0)
    far = line(100 + sign * 20.1, published_se=3.0, our_se=4.0)
    assert verdict(near, 4.0) is Verdict.AGREES
    assert verdict(far, 4.0) is Verdict.DIFFERS


def test_the_slack_is_added_once():
    assert verdict(line(100.49, slack=0.5), 4.0) is Verdict.AGREES
    assert verdict(line(100.51, slack=0.5), 4.0) is Verdict.DIFFERS
    assert verdict(line(104.49, slack=0.5, our_se=1.0), 4.0) is Verdict.AGREES
    assert verdict(line(104.51, slack=0.5, our_se=1.0), 4.0) is Verdict.DIFFERS


def test_numbers_without_an_error_must_be_equal():
    assert verdict(line(47750.0, 47750.0), 4.0) is Verdict.AGREES
    assert verdict(line(47751.0, 47750.0), 4.0) is Verdict.DIFFERS
    assert verdict(line(0.1 + 0.2, 0.3), 4.0) is Verdict.AGREES  # but for rounding


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_never_agrees(broken):
    assert verdict(line(broken, our_se=1.0), 4.0) is Verdict.DIFFERS
    assert verdict(line(100.0, our_se=broken), 4.0) is Verdict.DIFFERS


def test_what_is_missing_is_named():
    assert verdict(line(1.0, published=None), 4.0) is Verdict.NOT_FOUND
    assert verdict(line(None), 4.0) is Verdict.NOT_REPRODUCED
    assert verdict(line(1.0, judged=False), 4.0) is Verdict.NOT_JUDGED


def test_theory_in_the_place_of_a_number_is_judged_and_named():
    assert verdict(line(100.0, theory=True), 4.0) is Verdict.THEORY
    assert verdict(line(101.0, theory=True), 4.0) is Verdict.DIFFERS


def test_the_rule_has_its_error():
    """Of pages with 50 numbers that are all right, few have a "differs"; of wrong ones, all.

    At z for 1 % the count is at most Binomial(2000, 0.01): above 40 with chance 3e-5. One number
    that is off by 8 standard errors of the difference is seen but for Φ(−8 + 3.7) = 9e-6.
    """
    rng = np.random.default_rng(5)
    z, pages, numbers = critical([line(1.0)] * 50), 2000, 50
    off = rng.normal(0, 5.0, (pages, numbers))  # √(3² + 4²)
    judged = [
        [verdict(line(100 + d, published_se=3.0, our_se=4.0), z) for d in row] for row in off[:200]
    ]
    assert all(set(row) <= {Verdict.AGREES, Verdict.DIFFERS} for row in judged)
    assert sum(Verdict.DIFFERS in row for row in judged) == int(
        (abs(off[:200]) > 5 * z).any(axis=1).sum()
    )
    assert (abs(off) > 5 * z).any(axis=1).sum() <= 40
    assert verdict(line(100 + 8 * 5.0 + off[0, 0], published_se=3.0, our_se=4.0), z) is (
        Verdict.DIFFERS
    )


# Planted faults: a wrong formula must come out as "differs".


def faults(section):
    z = critical(section.lines)
    return [line.what for line in section.lines if verdict(line, z) is Verdict.DIFFERS]


def test_a_wrong_radius_differs(monkeypatch):
    assert faults(sequences.section(Effort())) == []
    monkeypatch.setattr(
        sequences, "dkw_radius", lambda t, delta: math.sqrt(math.log(2 / delta) / t)
    )
    assert faults(sequences.section(Effort())) == [
        ("quantilecs", "DKW radius: t = 100; error 0.05")
    ]


def test_doubled_max_q_gives_the_published_count_to_the_pull():
    """And with another δ it does not."""
    (row,) = (
        r
        for r in published.rows("howard_ramdas")
        if (r["arms"], r["p"], r["policy"]) == ("uniform", "0.95", "Doubled Max-Q")
    )
    assert (row["mean"], row["se"]) == ("47750", "0")
    arms = howard_ramdas.uniform(0.95, 10)
    counts = [
        uh.identify(
            arms, uh.DoubledMaxQ(0.95, epsilon=0.025), d, cap=10**6, replications=2, seed=1
        ).answers["Doubled Max-Q"]
        for d in (0.05, 0.04)
    ]
    assert counts[0].samples.tolist() == [47750, 47750]
    assert counts[1].samples.tolist() != [47750, 47750]


def test_aci_on_an_ar1_series_equals_a_plain_recursion():
    """Quantiles by SciPy at each step, as in the authors' script."""
    seed, steps = 3, 300
    found = ar1.lengths(seed, steps)
    stream = np.random.RandomState(seed)
    for phi in ar1.PHIS:
        innovations, e = np.sqrt(1 - phi**2) * stream.standard_normal(steps), [0.0]
        for value in innovations:
            e.append(phi * e[-1] + value)
        size = np.abs(e[1:])
        for place in ar1.SHOWN:
            level, gamma, lengths = 0.1, ar1.GAMMAS[place], []
            for value in size:
                half = 0.0 if level >= 1 else math.inf if level <= 0 else stats.norm.isf(level / 2)
                lengths.append(2 * min(half, size.max()))
                level += gamma * (0.1 - (value > half or level >= 1))
            assert found[phi, place, "mean"] == pytest.approx(np.mean(lengths), rel=1e-9)
            assert found[phi, place, "median"] == pytest.approx(np.median(lengths), rel=1e-9)


def test_the_linear_forecasts_are_least_squares():
    x, y = friedman.series(0.9, 0)
    forecasts = friedman.linear_forecasts(x, y)
    for t in (100, 150, 200, 201, 299):
        past = slice(max(0, t - 200), t)
        design = np.column_stack([np.ones(t - past.start), x[:, past].T])
        weights = np.linalg.lstsq(design, y[past], rcond=None)[0]
        assert forecasts[t - 100] == pytest.approx(weights @ [1, *x[:, t]])


def test_the_law_of_the_absolute_normal():
    law, reference = q_sar.AbsoluteNormal(3.5, 2), stats.foldnorm(3.5 / 2, scale=2)
    levels = np.array([0.01, 0.5, 0.8, 0.99])
    assert law.quantile(levels) == pytest.approx(reference.ppf(levels))
    assert law.cdf(np.array([-1.0, 0.5, 4.0])) == pytest.approx(reference.cdf([-1.0, 0.5, 4.0]))
    assert stats.kstest(law.sample(2000, np.random.default_rng(0)), reference.cdf).pvalue > 1e-4


# The numbers and the page.


@pytest.mark.parametrize("path", sorted(published.FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_published_numbers_say_where_they_come_from(path):
    assert re.search(r"commit [0-9a-f]{40}|github\.com/mlresearch/v19", published.source(path.stem))
    rows = published.rows(path.stem)
    assert rows
    assert all(None not in row and None not in row.values() for row in rows)


def test_what_differs_is_counted():
    good, bad = line(100.0), Line(("a", "b"), 100.0, 150.0)
    both = Comparison("T", ("x",), (good,)), Comparison("U", ("x", "y"), (bad,))
    found = run.page_tables([Section("Title", both)])
    overview = dict(zip(found["overview"].header, found["overview"].rows[0], strict=True))

    assert (overview["agrees"], overview["differs"]) == ("1", "1")
    assert found["U"].rows[0][-1] == "differs by 50 %"
    assert found["T"].rows[0][-1] == "agrees"
    assert run.summary([good, bad]) == "2 numbers: 1 agrees, 1 differs."


def test_a_small_run_of_the_papers_that_compile_little(tmp_path, capsys):
    """The others run the same way; all of them together are `make reproductions`."""
    page = tmp_path / "page.md"
    shutil.copy(FULL, page)
    papers = ["sequences", "decaying_steps", "kl_ucb"]
    assert run.main(["--quick", "--only", *papers, "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") != FULL.read_text(encoding="utf-8")
    assert "Wrote" in capsys.readouterr().out


@pytest.mark.slow
def test_a_small_run_of_all_papers(tmp_path):
    page = tmp_path / "page.md"
    shutil.copy(FULL, page)
    assert run.main(["--quick", "--page", str(page)]) == 0
    places = re.compile(r"<!-- .* -->")
    assert places.findall(page.read_text("utf-8")) == places.findall(FULL.read_text("utf-8"))


def test_the_page_in_the_docs_has_all_papers():
    assert FULL.read_text(encoding="utf-8").count("\n## ") == len(run.PAPERS)
