"""`upperhand identify`, end to end."""

import json

import pytest

import upperhand as uh
from upperhand.cli.simulate import _words

ARMS = ["--arm", "normal:0,1", "--arm", "normal:1,1", "--arm", "t:0.2,1,3"]
POLICY = ["--policy", "uniform-sampling:budget=60"]
SMALL = ["--replications", "8", "--tau", "0.5"]


def test_prints_arms_and_policies(call):
    code, out, err = call("identify", *ARMS, *POLICY, *SMALL)

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[1] == "3 arms, 8 replications of at most 1,000,000 pulls, seed 0"
    assert lines[3].split() == ["arm", "distribution", "p50"]
    assert lines[5].endswith("1 *best*")
    assert "lower bound" in lines[8]
    assert lines[9].startswith("Uniform sampling budget=60")


def test_json_holds_what_python_gives(call):
    code, out, _ = call("identify", *ARMS, *POLICY, *SMALL, "--seed", "3", "--json")
    arms = [uh.Normal(0, 1), uh.Normal(1, 1), uh.StudentT(0.2, 1, 3)]
    policies = {"Uniform sampling budget=60": uh.UniformSampling(0.5, budget=60)}
    expected = uh.identify(arms, policies, replications=8, seed=3).to_dict()

    assert code == 0
    told = json.loads(out)
    assert told["policies"][0].pop("lower_bound") is None
    assert told == json.loads(json.dumps(expected))


def test_costs(call):
    _, out, _ = call("identify", *ARMS, *POLICY, *SMALL, "--minimize")
    assert "Arms pay costs: the lowest is best." in out
    assert out.splitlines()[4].endswith("0 *best*")


def test_plot(call, tmp_path):
    code, _, _ = call("identify", *ARMS, *POLICY, *SMALL, "--plot", "samples.png")
    assert code == 0
    assert (tmp_path / "samples.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*ARMS[:2], *POLICY], "two arms or more; got one"),
        ([*ARMS, "--policy", "ucb1"], "UCB1 plays for a small regret and never stops"),
        ([*ARMS, "--policy", "uniform"], "Did you mean 'uniform-sampling'"),
        ([*ARMS, "--policy", "uniform-sampling"], "must be told budget: uniform-sampling:budget=…"),
        ([*ARMS, *POLICY, "--cap", "50"], "budget of 60 pulls, and the cap is 50"),
        ([*ARMS, *POLICY, "--tau", "1"], "tau must be"),
        ([*ARMS, *POLICY, *POLICY], "Each policy can take part once"),
        ([*ARMS, *POLICY, "--plot", "samples.gif"], "must end in .png, .pdf, .svg"),
        (
            [*ARMS, "--policy", "uniform-sampling:budget=60,tau=0.5", "--tau", "0.9"],
            "--tau 0.9 sets tau = 0.9, and --policy uniform-sampling:budget=60,tau=0.5 sets",
        ),
    ],
    ids=["arm", "plays on", "name", "budget", "cap", "tau", "twice", "suffix", "both"],
)
def test_mistakes(call, words, message):
    code, out, err = call("identify", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_policy_that_stops_is_none_for_simulate(call):
    code, _, err = call("simulate", *ARMS, "--policy", "uniform-sampling:budget=60")
    assert code == 2
    assert "Uniform sampling looks for the best arm" in err
    assert "Run it by identify" in err


def test_help_lists_the_policies_that_stop(call):
    _, out, _ = call("identify", "--help")
    listed = out.partition("Policies (")[2].partition("Laws:")[0]
    assert "uniform-sampling" in listed
    assert "ucb1" not in listed
    assert "uniform-sampling:budget=" in _words()
