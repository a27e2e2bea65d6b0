"""What leaves a store and comes back: log, export, import, check, copy."""

import csv
import io
import json

import pytest

from upperhand.live import Experiment
from upperhand.live.opening import stored
from upperhand.live.records import records
from upperhand.live.replay import corrections

ARMS = ["small", "=large"]  # a name that a spreadsheet would run


@pytest.fixture
def shell(call, monkeypatch):
    """Return `call` on a store with an experiment of all kinds of outcomes."""
    monkeypatch.setenv("UPPERHAND_STORAGE", "b.db")
    with Experiment(
        "old", ARMS, quantile=0.5, direction="minimize", storage="b.db", seed=1, draws=4,
        policy="quantile-ts",
    ) as exp:  # fmt: skip
        trials = exp.ask_many(4)
        exp.tell(trials[0], 1.5)
        exp.tell(trials[1], failed=True)
        exp.tell(trials[2], -2.0)
        exp.correct(trials[2], 0.1 + 0.2)
        exp.tell(arm="=large", at_least=40.0, by="-eu")
        exp.tell(arm="small", value=7.0)
        exp.note("wide;\tand, long\n")

    def called(*words, code=0):
        found, out, err = call(*words)
        assert found == code, err
        return out if code == 0 else err

    return called


def expected():
    with Experiment("old", storage="b.db") as exp:
        log = exp.storage.log("old")
        events = log.read()
        return list(records(stored(log), [events], corrections(events)))


def test_log_as_json_is_the_records(shell):
    lines = shell("log", "old", "--json").splitlines()
    assert [json.loads(line) for line in lines] == expected()
    assert shell("log", "old", "--json", "--since", "5").splitlines() == lines[5:]


def test_log_for_people_is_one_line_an_event(shell):
    lines = shell("log", "old").splitlines()
    assert len(lines) == len(expected())
    asked = next(line for line in lines if " asked " in line)
    for said in ("trial=1.1.", "candidates=small,=large", "probability=", "how=monte-carlo"):
        assert said in asked
    assert lines[-1].endswith(r"note        text=wide;\tand, long\n")


def test_log_follows(shell, monkeypatch):
    class EnoughError(Exception):
        pass

    looks = []

    def meanwhile(_seconds):
        looks.append(len(looks))
        if len(looks) > 2:
            raise EnoughError
        with Experiment("old", storage="b.db") as exp:
            exp.tell(arm="small", value=float(len(looks)))

    monkeypatch.setattr("time.sleep", meanwhile)
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    with pytest.raises(EnoughError):
        shell("log", "old", "--follow", "--json", "--since", str(len(expected())))
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [each["value"] for each in told if each["event"] == "told"] == [1.0, 2.0]


@pytest.mark.parametrize("words", [[], ["--out", "x.csv"]], ids=["printed", "file"])
def test_export_as_csv(shell, tmp_path, words):
    text = shell("export", "old", *words) or (tmp_path / "x.csv").read_text()
    rows, wanted = list(csv.DictReader(io.StringIO(text))), expected()
    assert [int(row["n"]) for row in rows] == [record["n"] for record in wanted]
    for row, record in zip(rows, wanted, strict=True):
        assert row["event"] == record["event"]
        assert row["trial"] == record.get("trial", "")
        assert row["arm"].removeprefix("'") == record.get("arm", "")
        assert row["value"] == str(record.get("value", ""))
        if record["event"] == "asked":
            assert json.loads(row["candidates"]) == record["candidates"]
            assert json.loads(row["policy"]) == record["policy"]
            assert float(row["probability"]) == record["probability"]
            assert (row["seed"], int(row["stream"])) == tuple(record["stream"].values())
            assert (row["hits"], row["draws"]) == (str(record["hits"]), "4")
    assert not any(cell.startswith(("=", "-e")) for row in rows for cell in row.values())


@pytest.mark.parametrize("file", ["x.csv", "x.jsonl"])
def test_what_was_exported_comes_back(shell, file):
    shell("export", "old", "--out", file)
    words = ["--arm", "=large", "--arm", "small", "--quantile", "0.9", "--minimize"]
    shell("new", "fresh", *words, "--policy", "kl-qucb")
    assert shell("import", "fresh", file) == "5 outcomes recorded for 'fresh'.\n"
    with Experiment("old", storage="b.db") as old, Experiment("fresh", storage="b.db") as fresh:
        for segment in (None, "-eu"):
            before = {each.arm: each for each in old.report(by=segment)}
            after = {each.arm: each for each in fresh.report(by=segment)}
            for arm in ARMS:
                for what in ("pulls", "failed", "at_least"):
                    assert getattr(after[arm], what) == getattr(before[arm], what)
        with old._look() as one, fresh._look() as other:
            for arm in ARMS:
                known = [m.learners[0].known(m.arms.index(arm)).tolist() for m in (one, other)]
                assert known[0] == known[1]  # the corrected value, with every digit


def test_import_of_a_table_of_ones_own(shell, tmp_path):
    (tmp_path / "t.csv").write_text("when;model;ms\n1;small;2.5\n2;=large;3\n\n3;small;4\n")
    words = ["--arm-column", "model", "--value-column", "3", "--by", "us"]
    assert shell("import", "old", "t.csv", *words) == "3 outcomes recorded for 'old'.\n"
    with Experiment("old", storage="b.db") as exp:
        assert [each.pulls for each in exp.report(by="us")] == [2, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arm,value\nsmall,1\nsmal,2\n", "row 3: Unknown arm 'smal'. Did you mean 'small'?"),
        ("arm,value\nsmall,1\nsmall,x\n", "row 3: 'x' is not a finite number"),
        ("arm,value\nsmall,1\nsmall,\n", "1 of 2 values missing, in row 3"),
        ("arm,value\nsmall,1\nsmall,1e200\n", "row 3: a value must be a finite number from"),
        ("arm,values\nsmall,1\n", "has no column 'value'. Did you mean 'values'?"),
        ("arm,value\n", "holds no values"),
        ("", "holds no values"),
    ],
)
def test_import_is_all_or_nothing(shell, tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    before = expected()
    assert message in shell("import", "old", "t.csv", code=1)
    assert expected() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"status": "late", "arm": "small", "outcome": "told", "value": 1}\n{]', "row 2: not a"),
        ('{"status": "late", "arm": "small"}', "row 1: not a line"),
        ("[]\n", "row 1: not a line"),
        ('{"status": "late", "arm": "small", "outcome": "told", "value": "1"}', "row 1: a value"),
        ('{"n": 1}', "holds no outcomes"),
        ("", "holds no outcomes"),
    ],
)
def test_lines_that_were_not_exported(shell, tmp_path, text, message):
    (tmp_path / "t.jsonl").write_text(text)
    before = expected()
    assert message in shell("import", "old", "t.jsonl", code=1)
    assert expected() == before


def test_check_finds_the_same(shell):
    pytest.importorskip("upperhand.live.verify")
    assert "4 choices the same" in shell("check", "old")
    told = json.loads(shell("check", "old", "--json"))
    assert told["same"] is True
    assert (told["asks"], told["outcomes"], told["first_difference"]) == (4, 5, None)


def test_check_says_what_differs(shell, monkeypatch):
    verify = pytest.importorskip("upperhand.live.verify")
    right = verify.verify

    def wrong(*given):
        return right(*given)._replace(choices_equal=False, first_difference="event 3: small")

    monkeypatch.setattr(verify, "verify", wrong)
    shell("check", "old", code=1)


def test_a_copy_goes_its_own_way(shell):
    words = ["copy", "old", "--from", "b.db"]
    assert "copied and checked" in shell(*words, "--to", "c.db")
    assert "already where the copy" in shell(*words, "--to", "c.db", code=4)
    assert "4 choices the same" in shell("check", "old", "--storage", "c.db")
    shell(*words, "--to", "d.db", "--until", "3")
    assert "until must be one of" in shell(*words, "--to", "e.db", "--until", "300", code=2)


def test_the_clock_is_right(shell):
    assert "not ahead" in shell("clock", "old")
