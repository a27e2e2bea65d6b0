"""One call judges everything, and writes the same bytes every time."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reproductions.claims.evidence import Effort
from reproductions.claims.judge import judge_paper
from upperhand.errors import FileError, MissingExtraError, ParameterError
from upperhand.paper import families
from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.registry import EXPERIMENTS
from upperhand.paper.run import run_paper

PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
SMALL = {"replications": 3, "horizon": 200, "seed": 5, "trials": 20}


def one_claim(effort):
    numbers = {"seed": str(effort.seed), "trials": str(effort.trials)}
    return [Claim("A lemma.", "A look.", numbers, Verdict.FAILS, where="Lemma 1")]


@pytest.fixture(autouse=True)
def theory(monkeypatch):
    """Judge one claim of a theory that costs nothing."""
    monkeypatch.setattr("reproductions.claims.ledger.THEORY", (("Section 4: theory", one_claim),))


def test_theory_first_then_the_experiments(tmp_path):
    judged = judge_paper(tmp_path / "new" / "out", **SMALL)
    first, *rest = judged.claims

    assert first.claim == one_claim(Effort(5, 20))[0]
    figures = [f"Section 5: numerical experiments, Figure {n}" for n in (1, 2, 3)]
    assert [c.chapter for c in rest] == [figures[0]] * 5 + [figures[1]] * 4 + [figures[2]] * 4
    assert [c.number for c in judged.claims] == list(range(1, 15))
    assert judged.conditions.trials == 20
    assert judged.page == tmp_path / "new" / "out" / "claims.html"


def test_every_claim_says_where_it_stands(tmp_path):
    where = [c.where for c in judge_paper(tmp_path, **SMALL).claims[1:]]
    figure_1 = ["Appendix A.2"] * 2 + ["Section 5.1"] * 3
    assert where == figure_1 + ["Section 5.2"] * 4 + ["Section 5.3"] * 3 + ["Section 1"]


def test_the_page_in_the_docs_states_the_same_claims(tmp_path):
    page = PAGE.read_text(encoding="utf-8").replace("\\", "")
    for c in judge_paper(tmp_path, **SMALL).claims[1:]:
        assert f"{c.where}: {c.claim.statement}\n\n- {next(iter(c.claim.numbers))}" in page


def test_the_figures_are_judged_as_in_the_report(tmp_path):
    sizes = {key: value for key, value in SMALL.items() if key != "trials"}
    report = run_paper(tmp_path, **sizes)
    judged = judge_paper(tmp_path, **SMALL)

    expected = [claim for part in report.parts for claim in part.claims]
    assert [c.claim for c in judged.claims[1:]] == expected


def test_the_same_bytes_in_any_folder_with_any_workers(tmp_path, monkeypatch):
    judge_paper(tmp_path / "zaphod", workers=1, **SMALL)
    monkeypatch.setattr("time.perf_counter", lambda: 123.456)
    judge_paper(tmp_path / "b", workers=3, **SMALL)

    written = sorted(path.name for path in (tmp_path / "b").iterdir())
    assert written == ["claims.html", "claims.md"]
    for name in written:
        content = (tmp_path / "zaphod" / name).read_bytes()
        assert content == (tmp_path / "b" / name).read_bytes()
        assert b"zaphod" not in content


def test_nothing_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert judge_paper(tmp_path, **SMALL).page.exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trials": 0}, "trials must be a whole number, 1 or more; got 0"),
        ({"trials": 2.0}, "trials must be a whole number"),
        ({"replications": 0}, "replications"),
        ({"seed": -1}, "seed"),
        ({"workers": 0}, "workers"),
        ({"horizon": 5}, "the horizon must be 6 or more"),
    ],
)
def test_mistakes_come_before_the_folder_is_made(tmp_path, given, message):
    with pytest.raises(ParameterError, match=message):
        judge_paper(tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_without_the_laboratory_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtraError, match=r"upperhand\[lab\]"):
        judge_paper(tmp_path / "out", **SMALL)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_found_before_judging(tmp_path, monkeypatch):
    def never(effort):
        raise AssertionError("judged")

    monkeypatch.setattr("reproductions.claims.ledger.THEORY", (("Theory", never),))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match="Cannot write to the folder"):
        judge_paper(tmp_path / "file")


def test_an_interruption_leaves_an_earlier_ledger_as_it_was(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    page = judge_paper(tmp_path, **SMALL).page
    before = page.read_bytes()
    monkeypatch.setitem(EXPERIMENTS, "families", replace(families.EXPERIMENT, run=interrupted))
    with pytest.raises(KeyboardInterrupt):
        judge_paper(tmp_path, **SMALL | {"seed": 6})
    assert page.read_bytes() == before


def test_if_one_file_cannot_be_written_none_is(tmp_path):
    (tmp_path / "claims.html").mkdir()
    with pytest.raises(FileError, match="a folder or device is there"):
        judge_paper(tmp_path, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["claims.html"]
