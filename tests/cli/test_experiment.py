"""Live experiments from the shell: new, ask, tell, show, watch, steer."""

import io
import json
import re
import sys

import pytest

from upperhand.errors import StoreAwayError
from upperhand.live import Experiment
from upperhand.live.log import open_storage

NEW = ["new", "model", "--arm", "small", "--arm", "large", "--quantile", "0.95", "--minimize"]


@pytest.fixture
def shell(call, monkeypatch):
    """Return `call` with a store in the environment, which must succeed: the output."""
    monkeypatch.setenv("UPPERHAND_STORAGE", "b.db")

    def called(*words, code=0):
        found, out, err = call(*words)
        assert found == code, err
        return out if code == 0 else err

    return called


@pytest.fixture
def model(shell):
    shell(*NEW, "--seed", "7")
    return shell


def events(name="model"):
    store = open_storage("b.db", create=False)
    try:
        return store.log(name).read()
    finally:
        store.close()


def ask(shell, *words):
    trial, arm = shell("ask", "model", *words).rstrip("\n").split("\t")
    return trial, arm


def test_new_ask_tell_show(model):
    trial, arm = ask(model)
    assert (trial, arm) == ("1.1.0", "small")
    assert model("tell", "model", trial, "120.5") == "told\n"
    assert ask(model) == ("2.1.1", "large")  # each command is an opening of its own
    assert model("tell", "model", "2.1.1", "-5") == "told\n"
    shown = model("show", "model")
    assert shown.splitlines()[0].endswith("2 asks, 2 outcomes, 0 pending")
    assert "120.5" in shown
    assert "−5" in shown
    assert model("list").splitlines()[1].split() == ["model", str(len(events().n))]


def test_the_storage_is_an_option_or_a_variable(call, monkeypatch, tmp_path):
    monkeypatch.delenv("UPPERHAND_STORAGE", raising=False)
    for words in (NEW, ["list", "experiments"], ["ask", "model"]):
        code, _, err = call(*words)
        assert code == 2
        assert "--storage bandits.db" in err
        assert "export UPPERHAND_STORAGE=bandits.db" in err
    assert call(*NEW, "--storage", "one.db")[0] == 0
    monkeypatch.setenv("UPPERHAND_STORAGE", "two.db")
    assert call("list", "--storage", "one.db")[1].startswith("experiment")
    assert not (tmp_path / "two.db").exists()


def test_new_again_is_the_same_or_a_conflict(model):
    before = len(events().n)
    assert "is there already" in model(*NEW)
    assert "quantile is 0.95, and 0.9 was given" in model(*NEW[:-2], "0.9", "--minimize", code=4)
    assert len(events().n) == before


def test_settings_of_new(shell):
    words = ["--lease", "30", "--duration", "ms", "--policy", "kl-qucb", "--seed", "1e3"]
    told = json.loads(shell(*NEW, *words, "--window", "10m", "--json"))
    assert told["made"] is True
    settings = told["settings"]
    assert (settings["lease"], settings["duration"], settings["seed"]) == (30.0, "ms", "1000")
    assert settings["forgetting"] == [False, "seconds", 600.0]
    assert settings["policy"]["settings"]["tau"] == 0.95
    shell("new", "other", "--arm", "a", "--quantile", "0.5", "--maximize", "--half-life", "500")
    first = events("other").extra[1]["settings"]
    assert first["forgetting"] == [True, "rewards", 500.0]
    assert first["minimize"] is False


def test_ask_as_json_has_everything(model):
    told = json.loads(model("ask", "model", "--by", "region=eu", "--json"))
    assert told["trial"] == "1.1.0.1"
    assert (told["arm"], told["probability"], told["how"]) == ("small", 1.0, "deterministic")
    assert told["segment"] == "region=eu"
    assert told["deadline"] == told["at"] + 600
    assert isinstance(json.loads(model("ask", "model", "-n", "2", "--json")), list)


def test_ask_many_among_and_key(model):
    lines = model("ask", "model", "-n", "5").splitlines()
    assert [line.split("\t")[0].rpartition(".")[0] for line in lines] == [
        f"1.{n}" for n in range(1, 6)
    ]
    assert ask(model, "--among", "large")[1] == "large"
    first = ask(model, "--key", "ann")[1]
    assert {ask(model, "--key", "ann")[1] for _ in range(4)} == {first}
    told = json.loads(model("ask", "model", "--key", "ann", "--json"))
    assert told["how"] == "sticky"


def test_tell_again_late_and_otherwise(model):
    trial, _ = ask(model)
    model("tell", "model", trial, "1")
    assert model("tell", "model", trial, "1.0") == "again\n"
    conflict = model("tell", "model", trial, "2", code=4)
    assert f"upperhand steer model --correct {trial} VALUE" in conflict
    for unknown in ("7.1.0", "nonsense"):
        assert "No trial has the id" in model("tell", "model", unknown, "2", code=4)
    assert "upperhand tell model --arm ARM VALUE" in model("tell", "model", "7.1.0", "2", code=4)


def test_tell_failed_at_least_and_an_arm(model):
    model("tell", "model", ask(model)[0], "--failed")
    model("tell", "model", ask(model)[0], "--at-least", "30")
    model("tell", "model", "--arm", "small", "-1.5")
    model("tell", "model", "--arm", "small", "--by", "eu", "--failed")
    assert model("tell", "model", "arm=large", "4") == "told\n"
    found = json.loads(model("tell", "model", ask(model)[0], "9", "--json"))
    assert found == {"trial": "3.1.0", "arm": None, "answer": "told"}
    told = [(k, v) for k, v in zip(events().kind, events().value, strict=True) if k in (4, 5, 6)]
    assert told == [(5, 0), (6, 30), (4, -1.5), (5, 0), (4, 4), (4, 9)]


class TestLines:
    """`tell NAME -`: many trials in one commit."""

    def told(self, shell, monkeypatch, text, code=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return shell("tell", "model", "-", code=code)

    def test_all_in_one(self, model, monkeypatch):
        trials = [line.split("\t")[0] for line in model("ask", "model", "-n", "3").splitlines()]
        text = f"{trials[0]} 12\n\n{trials[1]}\tfailed\n {trials[2]}  >=40 \n"
        assert self.told(model, monkeypatch, text) == "3 told\n"
        assert self.told(model, monkeypatch, text) == "3 again\n"
        found = events()
        outcomes = [(found.event(i).kind, found.event(i).at) for i in range(len(found.n))]
        assert len({at for kind, at in outcomes if kind in (4, 5, 6)}) == 1  # one turn
        assert [kind for kind, _ in outcomes if kind in (4, 5, 6)] == [4, 5, 6]

    @pytest.mark.parametrize(
        ("line", "code", "message"),
        [
            ("1.2.1 12 13", 2, "Line 2 must be TRIAL VALUE"),
            ("1.2.1 x", 2, "Line 2: An outcome must be a number"),
            ("1.2.1 1e200", 2, "Line 2: A reward must be"),
            ("arm=small 3", 2, "Line 2 must be TRIAL VALUE"),
            ("9.1.0 3", 4, "No trial has the id '9.1.0'"),
            ("1.1.0 4", 4, "was told before"),
        ],
    )
    def test_all_or_none(self, model, monkeypatch, line, code, message):
        model("ask", "model", "-n", "2")
        before = len(events().n)
        said = self.told(model, monkeypatch, f"1.1.0 12\n{line}\n", code)
        assert message in said
        assert len(events().n) == before


def test_show_as_json_is_what_python_gives(model):
    with Experiment("model", storage="b.db") as exp:
        exp.record(["small"] * 200, [*range(190), *[7.0] * 10])
    model("tell", "model", "--arm", "large", "--failed")
    shown = json.loads(model("show", "model", "--confidence", "0.9", "--json"))
    with Experiment("model", storage="b.db") as exp:
        report = exp.report(0.9)
        assert shown["counts"] == exp.counts()
    assert [each["pulls"] for each in shown["arms"]] == [each.pulls for each in report] == [200, 1]
    assert shown["arms"][0]["quantile"] == report[0].quantile == 179
    assert shown["arms"][1]["quantile"] == "inf"
    assert shown["leader"]["arm"] == "small"
    assert shown["settings"]["seed"] == "7"


def test_show_a_segment_and_a_plot(model, tmp_path):
    assert "nothing to draw" in model("show", "model", "--plot", "p.png", code=2)
    for value in ("5", "6"):
        model("tell", "model", "--arm", "small", "--by", "eu", value)
    assert "2" in model("show", "model", "--by", "eu").splitlines()[3].split()
    assert "Did you mean 'eu'" in model("show", "model", "--by", "eux", code=2)
    assert "must end in .png" in model("show", "model", "--plot", "p.gif", code=2)
    model("show", "model", "--by", "eu", "--plot", "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_watch_shows_what_changes(model, monkeypatch):
    def told_meanwhile(_seconds):
        with Experiment("model", storage="b.db") as exp:
            exp.tell(arm="small", value=3.0)

    monkeypatch.setattr("time.sleep", told_meanwhile)
    looks = model("watch", "model", "--times", "3", "--every", "0.1")
    assert re.findall(r"(\d+) outcomes?, 0", looks) == ["0", "1", "2"]


def test_arms_that_are_numbers_are_typed_as_text(model):
    with Experiment("half", [0.5, "b"], quantile=0.9, direction="minimize", storage="b.db") as exp:
        exp.ask()
    assert model("ask", "half", "--default", "0.5", "--among", "0.5").endswith("\t0.5\n")
    model("tell", "half", "--arm", "0.5", "7")
    model("export", "half", "--out", "half.csv")
    model("import", "half", "half.csv")
    with Experiment("half", storage="b.db") as exp:
        assert exp.pulls(0.5) == 2


def test_steer(model):
    model("steer", "model", "--pin", "large")
    assert ask(model)[1] == "large"
    model("steer", "model", "--unpin")
    assert ask(model)[1] == "small"
    model("steer", "model", "--add", "tiny")
    assert "tiny" in {ask(model)[1] for _ in range(3)}
    model("steer", "model", "--retire", "tiny")
    assert "tiny (retired)" in model("show", "model")
    model("steer", "model", "--share", "small=0.1", "--share", "large=0.9")
    assert json.loads(model("ask", "model", "--json"))["how"] == "exact"
    model("steer", "model", "--no-shares")
    assert json.loads(model("ask", "model", "--json"))["how"] == "deterministic"
    model("steer", "model", "--note", "a long\nday")
    assert events().extra[int(events().n[-1])] == {"text": "a long\nday"}
    trial, _ = ask(model)
    assert "nothing to correct" in model("steer", "model", "--correct", trial, "3", code=4)
    model("tell", "model", trial, "5")
    model("steer", "model", "--correct", trial, "-3")
    assert "−3" in model("show", "model")


class TestDefault:
    """With --default, `ask` always answers."""

    def test_while_another_holds_the_store(self, model):
        store = open_storage("b.db")
        words = ["ask", "model", "--timeout", "0.2"]
        said = []

        def busy(_transaction):
            said.append(model(*words, code=3))
            said.append(model(*words, "--default", "large", "--by", "eu", "--json"))

        store.log("model").transact(busy, durable=False)
        assert "did not answer within 0.2 seconds" in said[0]
        told = json.loads(said[1])
        assert (told["trial"], told["arm"], told["how"]) == ("arm=large", "large", "default")
        assert told["segment"] == "eu"
        store.close()
        assert not ask(model, "--timeout", "60", "--default", "large")[0].startswith("arm=")

    def test_while_the_store_is_away(self, model, monkeypatch):
        def away(*_given, **_options):
            raise StoreAwayError("The server is away.")

        monkeypatch.setattr("upperhand.live.log.open_storage", away)
        assert model("ask", "model", "--default", "large") == "arm=large\tlarge\n"
        assert model("ask", "model", code=3) == "Error: The server is away.\n"
        assert model("tell", "model", "1.1.0", "3", code=3) == "Error: The server is away.\n"

    def test_a_default_that_is_no_arm_is_said_while_the_store_is_there(self, model):
        assert "Did you mean 'large'" in model("ask", "model", "--default", "larg", code=2)
