"""Logs written with schema 2, before events had checksums, open and go on in the same way.

The script that wrote them: `git log -- tests/live/log/schema_2/write_logs.py`.
"""

import gzip
import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

import upperhand as uh
from tests.fixtures.v0_1_0.experiments import continued, seen
from tests.live.log.schema_2.states import known
from upperhand.cli import commands
from upperhand.live.log import open_storage

pytestmark = pytest.mark.filterwarnings("ignore::upperhand.errors.FitWarning")

WRITTEN = Path(__file__).with_name("schema_2")
EXPECTED = json.loads((WRITTEN / "logs.json").read_text(encoding="utf-8"))


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path):
    """Return the address of a copy of the logs."""
    if request.param == "sqlite":
        path = tmp_path / "logs.db"
        path.write_bytes(gzip.decompress((WRITTEN / "logs.db.gz").read_bytes()))
        return str(path)
    url = request.getfixturevalue("postgres")
    with psycopg.connect(url, autocommit=True) as connection:
        text = gzip.decompress((WRITTEN / "logs.sql.gz").read_bytes())
        connection.execute(text.decode())
    return url


def names(store):
    storage = open_storage(store, create=False)
    try:
        return storage.names()
    finally:
        storage.close()


def test_they_open_with_the_same_states(store):
    assert names(store) == list(EXPECTED)
    for name, expected in EXPECTED.items():
        with uh.Experiment(name, storage=store) as exp:
            assert known(exp) == expected["known"], name
            found = json.loads(json.dumps(seen(exp)))
        assert found["settings"].items() >= expected["seen"]["settings"].items(), name
        for key in ("arms", "outcomes", "counts", "events", "log"):
            assert found[key] == expected["seen"][key], (name, key)


def test_they_go_on_with_the_same_choices(store):
    for name, expected in EXPECTED.items():
        with uh.Experiment(name, storage=store) as exp:
            found = continued(exp)
            assert known(exp) == expected["known afterwards"], name
        with uh.Experiment(name, storage=store) as exp:
            assert known(exp) == expected["known afterwards"], name
        for key in ("asked", "told", "counts"):
            assert found[key] == expected["continued"][key], (name, key)


def test_a_replay_makes_the_same_choices(store):
    """Each logged choice comes out again, also those of policies that draw random numbers."""
    for name in EXPECTED:
        done = CliRunner().invoke(commands, ["check", name, "--storage", store, "--json"])
        assert done.exit_code == 0, (name, done.output)
