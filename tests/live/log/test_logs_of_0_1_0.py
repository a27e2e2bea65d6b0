"""Logs that version 0.1.0 wrote still open, show the same numbers and go on in the same way.

The script that wrote them runs with 0.1.0 only: `git log -- tests/fixtures/v0_1_0/write_logs.py`.
"""

import gzip
import json
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

import upperhand as uh
from tests.fixtures.v0_1_0.experiments import continued, first_of_each_kind, seen
from upperhand.cli import commands
from upperhand.live.log import open_storage

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")

WRITTEN = Path(__file__).parents[2] / "fixtures" / "v0_1_0"
EXPECTED = json.loads((WRITTEN / "logs.json").read_text(encoding="utf-8"))
SERVER = ("latency", "default", "rounds", "mean")  # what was written to PostgreSQL as well
SNAPSHOTS = ("default", "window", "mean")
WRONG_SNAPSHOT = "rounds"
NAMED = {"leader", "best", "median"}  # 0.1.0 named an arm by its quantile, not by a bound on it


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path):
    """Return the address of a copy of the logs."""
    if request.param == "sqlite":
        path = tmp_path / "logs.db"
        path.write_bytes(gzip.decompress((WRITTEN / "logs.db.gz").read_bytes()))
        return str(path)
    url = request.getfixturevalue("postgres")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((WRITTEN / "logs.sql").read_text(encoding="utf-8"))
    return url


@contextmanager
def storage(store):
    opened = open_storage(store, create=False)
    yield opened
    opened.close()


def names(store):
    with storage(store) as opened:
        return opened.names()


def assert_same(found, expected, where):
    """Compare JSON; floating-point numbers may differ in the last digits between machines."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected.keys() - NAMED:
            value = expected[key]
            assert_same(found[key], value, f"{where}, {key}")
    elif isinstance(expected, list) and where.endswith("arms"):
        for arm, values in zip(found, expected, strict=True):
            cut = values[-1]  # its quantile was rounded to shares k/N, and is not any more
            assert_same(arm[:5] + arm[5 + bool(cut) :], values[:5] + values[5 + bool(cut) :], "arm")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, value in enumerate(expected):
            assert_same(found[place], value, f"{where}, {place}")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9), where
    else:
        assert found == expected, where


def test_all_experiments_are_there(store):
    wanted = [name for name in EXPECTED if store.endswith(".db") or name in SERVER]
    assert names(store) == wanted


def test_what_users_see_is_the_same(store):
    for name in names(store):
        with uh.Experiment(name, storage=store) as exp:
            assert_same(seen(exp), EXPECTED[name]["seen"], name)


def test_there_is_an_event_of_each_kind(store):
    with uh.Experiment("latency", storage=store) as exp:
        found = first_of_each_kind(exp)
    expected = EXPECTED["latency"]["records"]
    assert found.keys() == expected.keys()
    assert len(found) == 19
    for kind, record in expected.items():
        assert {key: found[kind].get(key) for key in record} == record


def test_a_replay_makes_the_same_choices(store):
    for name in names(store):
        done = CliRunner().invoke(commands, ["check", name, "--storage", store, "--json"])
        assert done.exit_code == 0, (name, done.output)
        found = json.loads(done.output)
        assert found["same"], name
        assert found["asks"] == EXPECTED[name]["seen"]["counts"]["asked"]


def test_they_go_on_as_0_1_0_went_on(store):
    for name in names(store):
        with uh.Experiment(name, storage=store) as exp:
            assert_same(continued(exp), EXPECTED[name]["continued"], name)
        with uh.Experiment(name, storage=store) as exp:
            assert len(exp) == EXPECTED[name]["continued"]["counts"]["outcomes"]


def test_a_snapshot_of_another_version_is_not_read(store):
    """One of the snapshots holds other outcomes than the log: reading it would show."""
    for name in {*SNAPSHOTS, WRONG_SNAPSHOT} & {*names(store)}:
        with storage(store) as opened:
            assert opened.log(name).snapshot() is None
        with uh.Experiment(name, storage=store) as exp:
            assert_same(seen(exp), EXPECTED[name]["seen"], name)
