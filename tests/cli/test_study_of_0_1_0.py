"""A study's folder that version 0.1.0 wrote: `status` and `report` open it, `run` leaves it."""

import csv
import shutil
from pathlib import Path

import pytest

WRITTEN = Path(__file__).parents[1] / "fixtures" / "v0_1_0"
BLOCK = "000000050-000000099.2ea5fab6fce63312.npy"  # of Quantile-UCB b=0.5, headline, 4,000 rounds


@pytest.fixture(params=["complete", "incomplete"])
def study(request, tmp_path, call):
    """Return the name of a CSV file, after copying the folder; a block may lack."""
    shutil.copytree(WRITTEN / "study", tmp_path / "study")
    shutil.copy(WRITTEN / "study.toml", tmp_path)
    if request.param == "incomplete":
        (block,) = (tmp_path / "study").rglob(BLOCK)
        block.unlink()
    return request.param


def files(folder):
    return {path: path.read_bytes() for path in sorted((folder / "blocks").rglob("*.*"))}


def assert_same_table(found, expected, lacking=None):
    """Compare tables; numbers may differ in the last digits between machines.

    Until 0.1.0 results had a last column, step_ns, which was empty; now settings follow. A policy
    that lacks a block at a horizon has other numbers, and leaves those of the others as they are.
    """
    found, expected = (list(csv.DictReader(p.read_text().splitlines())) for p in (found, expected))
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        wanted.pop("step_ns", None)
        mine = {name: _value(text) for name, text in row.items() if name in wanted}
        same = mine == {name: _value(text) for name, text in wanted.items()}
        assert same == ([row["instance"], row.get("horizon"), row["policy"]] != lacking)


def _value(text):
    try:
        return pytest.approx(float(text), rel=1e-9)
    except ValueError:
        return text


def test_status(study, call):
    code, said, _ = call("study", "status", "study")
    assert code == 0
    assert said.lstrip().startswith("Before 0.2.0")
    lines = [line.split() for line in said.splitlines()]
    played = "450 of 450 100 %" if study == "complete" else "400 of 450 88 %"
    assert ["headline", "play", "4,000", "3", *played.split()] in lines
    assert ["two", "search", "400", "1", "150", "of", "150", "100", "%"] in lines


def test_report(study, call, tmp_path):
    before = files(tmp_path / "study")
    code, _, said = call("study", "report", "study")
    assert code == 0, said
    lacking = ["headline", "4000", "Quantile-UCB b=0.5"] if study == "incomplete" else []
    assert_same_table(tmp_path / "study" / "results.csv", WRITTEN / "complete.csv", lacking)
    assert_same_table(tmp_path / "study" / "searches.csv", WRITTEN / "searches.csv")
    page = (tmp_path / "study" / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Before 0.2.0")
    assert "| Quantile-UCB b=0.5 |" in page
    assert (tmp_path / "study" / "figure-1.png").stat().st_size > 10_000
    assert files(tmp_path / "study") == before


@pytest.mark.parametrize("lost", ["nothing", "plan.json", "study.json"])
def test_run_refuses_it_in_a_sentence(study, lost, call, tmp_path):
    """Blocks of two versions do not belong into one study."""
    before = files(tmp_path / "study")
    (tmp_path / "study" / lost).unlink(missing_ok=True)
    told = "plan.json of the study in 'study', of 0.1.0, is lost"
    assert (told in call("study", "status", "study")[2]) == (lost == "plan.json")
    code, said, error = call("study", "run", "study.toml", "--out", "study", "--quiet")
    assert (code, said) == (4, "")
    assert error.count("\n") == 1
    assert "upperhand 0.1.0 wrote it, in another format" in error
    assert files(tmp_path / "study") == before


def test_a_block_that_was_moved_counts_for_nothing(study, call, tmp_path):
    """Two that are the same are refused, as one of them is another's copy."""
    (block,) = (tmp_path / "study").rglob("000000100-*.6a841dd53262c843.npy")
    shutil.copy(block, block.with_name(BLOCK.replace("2ea5fab6fce63312", "6a841dd53262c843")))
    (tmp_path / "study").joinpath("blocks", block.parent.name, BLOCK).unlink(missing_ok=True)
    said = call("study", "status", "study")[1]
    assert "350 of 450" in said
    assert "Without 2 damaged blocks" in said
