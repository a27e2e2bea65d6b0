"""`upperhand list`: experiments, and the words of simulations; `upperhand policies`."""

import json

import pytest
from click.testing import CliRunner

from upperhand.cli import commands
from upperhand.errors import UnknownNameError
from upperhand.policies import BEST_ARM_POLICIES, POLICIES

EVERYONE = POLICIES | BEST_ARM_POLICIES


def shown(*arguments):
    done = CliRunner().invoke(commands, ["policies", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_everyone_is_listed():
    output = shown()
    for cls in EVERYONE.values():
        assert "-".join(cls.name.lower().split()) in output


def test_each_setting_is_shown_with_its_default_and_range():
    for name, cls in EVERYONE.items():
        output = " ".join(shown(name).split())
        for setting, (kind, stated) in cls.declared().items():
            assert setting in output
            assert stated.about.split()[0] in output
            assert stated.described(kind) in output


def test_what_only_the_user_knows_is_asked_for():
    assert "[needed; > 0]" in shown("ucb-v")
    assert "--policy ucb-v:span=…" in shown("ucb-v")


def test_as_json():
    (acp,) = json.loads(shown("acp-ucb1", "--json"))
    assert [each["name"] for each in acp["settings"]] == POLICIES["ACP-UCB1"].setting_names()
    assert acp["settings"][0]["default"] == 0.1


def test_the_name_to_type_is_in_the_json():
    for each in json.loads(shown("--json")):
        assert json.loads(shown(each["typed"], "--json")) == [each]


def test_the_horizon_is_the_commands():
    output = " ".join(shown("mv-lcb").split())
    assert "[needed, on the command line --horizon;" in output
    assert "--policy mv-lcb:span=…" in output


def test_an_unknown_policy():
    with pytest.raises(UnknownNameError, match="Did you mean 'ucb1'"):
        shown("ucb11")


def test_what_simulations_are_made_of_fits_a_screen(call):
    code, out, _ = call("list")
    assert (code, out.count("\n") < 40) == (0, True)
    for word in ("headline", "kl-qucb", "quantile-evidence", "normal:loc,scale", "cvar:ALPHA"):
        assert word in out
    known = json.loads(call("list", "--json")[1])
    for kind, words in known.items():
        shown = " ".join(call("list", kind)[1].split())
        assert all(f"{word} " in f"{shown} " for word in words)
    assert "Settings: alpha, memory." in known["methods"]["dtaci"]


def test_experiments_of_a_store(call):
    store = ["--storage", "bandits.db"]
    call("new", "model", "--arms", "a", "b", "--quantile", "0.9", "--minimize", *store)
    assert "model" in call("list", *store)[1]
    assert json.loads(call("list", *store, "--json")[1])[0]["experiment"] == "model"
    code, _, err = call("list", "experiments")
    assert (code, "Say where experiments are kept" in err) == (2, True)
