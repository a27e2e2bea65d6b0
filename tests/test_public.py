"""What is public: every name loads, and importing stays light."""

import json
import subprocess
import sys

import pytest

import upperhand
import upperhand as uh

from .looping import for_each

HEAVY = ("numba", "scipy", "matplotlib", "click", "rich")


def loaded_after(code):
    """Return which of the heavy packages a fresh process has loaded after running the code."""
    report = f"import json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{code}\n{report}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@for_each("name", upperhand.__all__)
def test_every_name_loads(name):
    assert getattr(upperhand, name) is not None
    assert name in dir(upperhand)


def test_no_name_twice():
    assert len(set(upperhand.__all__)) == len(upperhand.__all__)


def test_a_name_that_there_is_not():
    with pytest.raises(AttributeError, match="Nothing"):
        upperhand.Nothing  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import upperhand",
        "import upperhand as uh; uh.__version__; dir(uh); uh.ACPUCB1(), uh.UCB1()",
        "import upperhand as uh; uh.Normal(0, 1); uh.UpperTail(0.1); uh.FileError",
        "import upperhand as uh; b = uh.Bandit(['a', 'b'], uh.ACPUCB1()); b.tell(b.ask(), 1.0)",
        "import upperhand as uh; s = uh.QuantileSequence(0.5); s.update(1.0); s.interval()",
    ],
    ids=["import", "policies", "laws", "live", "intervals"],
)
def test_light(code):
    assert loaded_after(code) == []


def test_policies_know_no_laws():
    """A policy takes the constants of Theorem 1; the laws that other statements need stay away."""
    code = "import upperhand.policies, sys; print([m for m in sys.modules if 'distributions' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert loaded_after("import upperhand.policies") == []


def test_data_are_loaded_when_asked_for():
    code = "import upperhand as uh, sys; uh.KLQUCB(); print('upperhand.datasets' in sys.modules)"
    code += "; uh.datasets.load_flights(); print('upperhand.datasets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert loaded_after("import upperhand as uh; uh.datasets.load_network_tuning().arms()") == []


def test_loading_the_modules_that_simulate_does_not_load_the_compiler():
    loaded = loaded_after("import upperhand as uh; uh.play; uh.simulate; uh.Runs")
    assert not {"numba", "matplotlib", "click", "rich"} & set(loaded)


def test_what_a_prompt_shows_is_short():
    arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    runs = uh.simulate(arms, uh.ACPUCB1(), horizon=300, replications=3, seed=0)
    trajectory = uh.play(uh.ACPUCB1(), [[1.0, 2.0, 3.0]])

    lines = repr(runs).splitlines()
    assert lines[0] == "2 arms, 3 replications of 300 rounds, seed 0"
    assert lines[2] == "policy    regret, ACP value (p95)  pulls of 0  pulls of 1"
    assert lines[5:] == [
        "Arms by ACP value (p95), the highest first: 1 (2.6449), 0 (1.6449).",
        "Arms by mean, the highest first: 1 (1), 0 (0).",
        "Regret ± one standard error; pulls on average.",
    ]
    assert repr(trajectory) == "Trajectory of 3 rounds, pulls (3)"
    assert "SortedSamples of 1 arms, 3 values" in repr(trajectory.state)
    assert repr(runs.regret(uh.Mean())["ACP-UCB1"]).startswith("Curve of 200 points, regret ")
