"""What a comparison gives: CSV, JSON and tables of rows."""

import csv
import json
import math

import pytest

import upperhand as uh
from upperhand.comparison.result import Row
from upperhand.distributions.registry import from_spec
from upperhand.errors import FileError, UnknownNameError
from upperhand.policies import policy_class

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
    told = json.loads(json.dumps(comparison.as_dict(), allow_nan=False))

    assert (told["horizon"], told["replications"], told["seed"]) == (300, 5, 3)
    assert told["reference"] == "ACP-UCB1"
    assert told["versions"]["upperhand"] == uh.__version__
    for entry, row in zip(told["rows"], comparison.rows, strict=True):
        numbers = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row._asdict().items()
        }
        assert entry == numbers


def test_json_says_enough_to_do_it_again(comparison):
    for told, instance in zip(comparison.as_dict()["instances"], comparison.instances, strict=True):
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
    assert repr(comparison) == (
        "Comparison of 3 policies on headline, tied: 5 × 300 rounds, seed 3"
    )
