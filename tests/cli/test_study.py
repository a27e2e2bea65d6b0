"""``upperhand study``, as typed."""

import shutil

from ..studies.files import TEXT, written


def test_run_status_report_and_again(tmp_path, call):
    written(tmp_path)
    code, said, _ = call("study", "run", "study.toml", "--out", "out")
    assert code == 0
    assert "blocks played, 0 were there" in said
    assert "100 %" in call("study", "status", "out")[1]
    code, said, _ = call("study", "report", "out")
    assert code == 0
    assert "report.html" in said
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Which b?")
    assert "headline, 60 rounds" in page
    assert "| Quantile-UCB b=0.5 |" in page
    assert (tmp_path / "out" / "figure-1.png").stat().st_size > 10_000
    head = (tmp_path / "out" / "results.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert head.startswith("instance,horizon,replications,policy,objective")
    assert call("study", "run", "study.toml", "--out", "out")[1].startswith("0 blocks played")
    said = call("study", "run", "study.toml", "--out", "my out", "--quiet")[1]
    assert said.endswith("Next: upperhand study report 'my out'\n")


MISTAKES = [
    (["run", "none.toml", "--out", "x"], 1, "Cannot read the study"),
    (["status", "nowhere"], 1, "There is no study in"),
    (["report", "nowhere"], 1, "There is no study in"),
    (["run", "wrong.toml", "--out", "x"], 2, "Unknown key 'sead'. Did you mean 'seed'?"),
    (["run", "other.toml", "--out", "out"], 4, "are of seed 3, and the file says 4"),
    (["status", "damaged"], 1, "is missing, damaged, or of another version"),
    (["report", "damaged"], 1, "Its blocks are kept: upperhand study run FILE --out"),
]


def test_mistakes_get_a_sentence(tmp_path, call):
    written(tmp_path, TEXT.replace("seed = 3", "sead = 3"), "wrong.toml")
    written(tmp_path, TEXT.replace("seed = 3", "seed = 4"), "other.toml")
    written(tmp_path)
    call("study", "run", "study.toml", "--out", "out", "--quiet")
    shutil.copytree(tmp_path / "out", tmp_path / "damaged")
    (tmp_path / "damaged" / "study.json").write_text("{", encoding="utf-8")
    for arguments, wanted, words in MISTAKES:
        code, _, said = call("study", *arguments)
        assert (code, words in said) == (wanted, True), said
        assert "Traceback" not in said
    assert not (tmp_path / "x").exists()
