"""What commands share: the lists in the help, and words for the shell."""

import pytest
from click.shell_completion import ShellComplete

from upperhand.cli import commands
from upperhand.policies import POLICIES


def completed(*words, incomplete=""):
    shell = ShellComplete(commands, {}, "upperhand", "_UPPERHAND_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_the_help_lists_policies_and_their_settings(call, command):
    code, out, _ = call(command, "--help")
    words = " ".join(out.split())

    assert code == 0
    for name in POLICIES:
        assert f" {'-'.join(name.lower().split())} " in words
    assert "Settings: span (needed), zeta, c, random_ties." in words
    assert "--minimize" in words


def test_the_help_of_theory_lists_the_one_policy_that_it_takes(call):
    _, out, _ = call("theory", "--help")

    assert "level_max" in out
    assert "kl-qucb" not in out


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_values_complete(command):
    assert completed(command, "--policy", incomplete="kl-q") == [
        "kl-qucb", "kl-qucb:tau=", "kl-qucb:trust=", "kl-qucb:plus=",
        "kl-qucb:sketch=", "kl-qucb:random_ties=",
    ]  # fmt: skip
    assert completed(command, "--arm", incomplete="e") == ["exponential:", "empirical:"]
    assert completed("theory", "--arm", incomplete="norm") == ["normal:"]


def test_instances_and_objectives_complete():
    assert completed("compare", "--instance", incomplete="he") == ["headline"]
    extremes = ["extreme", *(f"extreme-{place}" for place in range(1, 9))]
    assert completed("compare", "--instance", incomplete="ext") == extremes
    assert completed("compare", "--objective", incomplete="m") == ["mean", "mean-variance:"]
