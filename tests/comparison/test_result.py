"""What a comparison gives: CSV, JSON, tables of rows, and bounds that are proved."""

import csv
import json
import math

import numpy as np
import pytest

import upperhand as uh
from upperhand.comparison.instances import INSTANCES
from upperhand.comparison.result import MOST_DISTRIBUTIONS, Row, proved_bound
from upperhand.distributions.registry import from_spec
from upperhand.errors import FileError, UnknownNameError
from upperhand.objectives import Minimized
from upperhand.policies import policy_class
from upperhand.theory import quantile_policies

from .samples import POLICIES, TIED, small


@pytest.fixture(scope="module")
def comparison():
    return small(["headline", TIED])


def test_csv_round_trip(comparison, tmp_path):
    path = tmp_path / "rows.csv"
    comparison.to_csv(path)
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))

    assert list(read[0]) == list(Row._fields)
    assert len(read) == len(comparison.rows)
    for cells, row in zip(read, comparison.rows, strict=True):
        for name, value in row._asdict().items():
            if isinstance(value, float):
                assert float(cells[name] or "nan") == pytest.approx(value, rel=0, nan_ok=True)
            else:
                assert cells[name] == str(value)


def test_csv_into_nowhere(comparison, tmp_path):
    with pytest.raises(FileError, match="Cannot write"):
        comparison.to_csv(tmp_path / "missing" / "rows.csv")


def test_json_round_trip(comparison):
    told = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))

    assert (told["horizon"], told["replications"], told["seed"]) == (300, 4, 3)
    assert told["reference"] == "ACP-UCB1"
    assert told["versions"]["upperhand"] == uh.__version__
    for entry, row in zip(told["rows"], comparison.rows, strict=True):
        numbers = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row._asdict().items()
        }
        assert entry == numbers


def test_json_says_enough_to_do_it_again(comparison):
    for told, instance in zip(comparison.to_dict()["instances"], comparison.instances, strict=True):
        assert tuple(from_spec(arm["spec"]) for arm in told["arms"]) == instance.arms
        assert told["alpha"] == instance.alpha
        made = {p["label"]: policy_class(p["name"])(**p["settings"]) for p in told["policies"]}
        assert made == POLICIES


def test_matrix_and_main_are_the_rows(comparison):
    matrix, main = comparison.matrix("tied"), comparison.main("tied")

    assert list(matrix) == list(main) == list(POLICIES)
    for label, by_objective in matrix.items():
        assert list(by_objective) == [o.label for o in comparison.objectives["tied"]]
        assert main[label] is by_objective["ACP value (p95)"]
        assert all(row in comparison.rows for row in by_objective.values())


def test_an_instance_that_did_not_take_part(comparison):
    for look in (comparison.matrix, comparison.main):
        with pytest.raises(
            UnknownNameError, match=r"Unknown instance 'ties'\. Did you mean 'tied'"
        ):
            look("ties")


def test_what_a_prompt_shows_is_short(comparison):
    lines = repr(comparison).splitlines()
    assert lines[0] == "Regret in units of ACP-UCB1's"
    assert lines[2].split() == ["policy", "headline", "tied"]


FAR = INSTANCES["far-apart"].arms
KNOWN = {
    "mine": uh.KLQUCB(0.95),
    "plus": uh.KLQUCB(0.95, plus=True),
    "median": uh.KLQUCB(0.5),
    "UCB1": uh.UCB1(),
}


def test_the_least_of_all():
    """181 pulls of either arm by KL-QUCB, and 92 by KL-QUCB+, at n = 10⁴."""
    found = proved_bound(KNOWN, FAR, uh.UpperTail(0.1), 10_000)
    assert found.label == "plus"
    assert found.rounds[[0, -1]].tolist() == [10, 10_000]
    exact = quantile_policies.regret_curve(KNOWN["plus"], FAR, found.rounds)
    assert found.regret.tolist() == exact.tolist()
    assert found.most == pytest.approx(10)


def test_between_its_points():
    found = proved_bound(KNOWN, FAR, uh.UpperTail(0.1), 10_000)
    t = np.array([1.0, 10.0, found.rounds[-2] + 1, 10_000.0])
    expected = [10, 100, found.regret[-1], found.regret[-1]]  # 10 a round can be lost at most
    assert found.at(t) == pytest.approx(expected)


@pytest.mark.parametrize("instance", ["far-apart", "lognormal"])
def test_the_line_is_nowhere_below_what_is_proved(instance):
    arms = INSTANCES[instance].arms
    found = proved_bound(KNOWN, arms, uh.UpperTail(0.1), 10_000)
    for t in np.geomspace(12, 10_000, 25 if instance == "far-apart" else 5).round():
        proved = quantile_policies.regret(KNOWN[found.label], arms, int(t))
        assert found.at(np.array([t]))[0] >= min(proved, t * found.most) * (1 - 1e-9)


def test_of_very_many_distributions_there_is_none():
    arms = [uh.Normal(0.1 * j, 1) for j in range(MOST_DISTRIBUTIONS + 1)]
    assert proved_bound(KNOWN, arms, uh.UpperTail(0.1), 10_000) is None


def test_each_policy_at_its_own_level():
    medians = proved_bound(KNOWN, FAR, uh.Quantile(0.5), 1000)
    assert medians.label == "median"


@pytest.mark.parametrize(
    ("arms", "objective", "n"),
    [
        (FAR, uh.Mean(), 1000),  # no quantile
        (FAR, uh.Quantile(0.9), 1000),  # that nobody plays for
        (INSTANCES["headline"].arms, uh.UpperTail(0.1), 300),  # 22.5 can be lost at most
        (INSTANCES["exact-tie"].arms, uh.UpperTail(0.1), 1000),  # A(j) fails
        ([uh.Normal(0, 1)] * 2, uh.UpperTail(0.1), 1000),  # nothing to lose
    ],
    ids=["mean", "level", "few rounds", "exact tie", "tie"],
)
def test_none(arms, objective, n):
    assert proved_bound(KNOWN, arms, objective, n) is None


def test_costs():
    costs = [uh.Normal(-arm.loc, arm.scale) for arm in FAR]
    objective, policies = Minimized(uh.Quantile(0.05)), {"plus": uh.KLQUCB(0.05, plus=True)}
    found = proved_bound(policies, costs, objective, 1000)
    rewards = proved_bound(KNOWN, FAR, uh.UpperTail(0.1), 1000)
    assert found.regret == pytest.approx(rewards.regret, rel=1e-6)
