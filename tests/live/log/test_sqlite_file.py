"""The file of a log: whose it is, its versions (R12), and what is refused."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import apsw
import psycopg
import pytest

from upperhand.errors import MissingExtraError, ParameterError, StoreError
from upperhand.live.log import Event, Kind, open_storage
from upperhand.live.log import postgres as postgres_store
from upperhand.live.log import sqlite as sqlite_store
from upperhand.live.log.schema import STEPS

OLD = Path(__file__).with_name("schema_1.sql").read_text()
OLD_EVENTS = [
    Event(Kind.CREATED, at=1.7e9, extra={"arms": ["a", "b"]}),
    Event(Kind.ASKED, 11, 0, 1, 0.5, 1700000001.0),
    Event(Kind.TOLD, 11, 0, 1, 2.25, 1700000002.5),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.db"


@pytest.fixture
def old(path):
    connection = apsw.Connection(str(path))
    connection.execute(OLD).fetchall()
    connection.close()
    return path


def note(log, *events):
    log.transact(lambda found: found.append(events or [Event(Kind.NOTE)]), durable=True)


def found(storage, name="old"):
    columns = storage.log(name).read()
    return [columns.event(i) for i in range(len(columns.n))]


@pytest.mark.parametrize(
    ("version", "bad"),
    [
        ("3.7.0", True),
        ("3.40.1", True),
        ("3.44.5", True),
        ("3.44.6", False),
        ("3.45.0", True),
        ("3.50.6", True),
        ("3.50.7", False),
        ("3.51.2", True),
        ("3.51.3", False),
        ("3.54.1", False),
    ],
)
def test_versions_that_lose_writes(version, bad):
    if bad:
        with pytest.raises(StoreError, match=r"pip install --upgrade"):
            sqlite_store.refuse_old(version)
    else:
        sqlite_store.refuse_old(version)


def test_they_are_refused(path, monkeypatch):
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.45.0")
    with pytest.raises(StoreError, match="WAL-reset"):
        open_storage(path)
    assert not path.exists()


class TestAddresses:
    def test_all_forms_mean_one_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for url in ("x.db", "sqlite:///x.db", f"sqlite:///{tmp_path}/x.db", tmp_path / "x.db"):
            storage = open_storage(url)
            note(storage.log("a"))
            storage.close()
        assert open_storage("x.db").log("a").last() == 4
        open_storage("y.sqlite").close()
        assert (tmp_path / "y.sqlite").exists()

    @pytest.mark.parametrize("url", ["", "x.txt", "sqlite://", "sqlite:///", "mysql://u:pw@h/x"])
    def test_no_store(self, url):
        with pytest.raises(ParameterError, match=r"\.db or \.sqlite") as caught:
            open_storage(url)
        assert "pw" not in str(caught.value)

    def test_not_made_unless_wanted(self, path):
        with pytest.raises(StoreError, match="no file"):
            open_storage(path, create=False)
        assert list(path.parent.iterdir()) == []

    @pytest.mark.parametrize("package", ["apsw", "psycopg"])
    def test_an_extra_that_is_not_installed(self, path, package, monkeypatch):
        for name in [name for name in sys.modules if name.startswith("upperhand.live.log.")]:
            if "sqlite" in name or "postgres" in name:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)
        url, extra = (path, "live") if package == "apsw" else ("postgresql://x", "postgres")
        with pytest.raises(MissingExtraError, match=rf"upperhand\[{extra}\]"):
            open_storage(url)


class TestFilesThatAreNotOurs:
    @pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00" + bytes(4080)])
    def test_are_left_as_they_are(self, path, content):
        path.write_bytes(content)
        with pytest.raises(StoreError, match="left as it is"):
            open_storage(path)
        assert path.read_bytes() == content
        assert [each.name for each in path.parent.iterdir()] == ["log.db"]

    def test_a_folder(self, path):
        path.mkdir()
        with pytest.raises(StoreError, match="path of a file"):
            open_storage(path)

    def test_no_such_folder(self, path):
        with pytest.raises(StoreError, match="folder must be there"):
            open_storage(path / "deeper" / "x.db")

    def test_a_newer_schema(self, old):
        connection = apsw.Connection(str(old))
        connection.execute("pragma user_version = 99").fetchall()
        connection.close()
        before = old.read_bytes()
        with pytest.raises(StoreError, match=r"schema 99.*Upgrade"):
            open_storage(old)
        assert old.read_bytes() == before

    def test_a_damaged_file(self, old):
        whole = old.read_bytes()
        old.write_bytes(whole[:100] + os.urandom(len(whole) - 100))
        with pytest.raises(StoreError, match="damaged"):
            open_storage(old).log("old").read()

    def test_one_that_may_not_be_written(self):
        """As nobody, if we are root, who may write everything."""
        code = (
            "import os, sys\n"
            "from upperhand.live.log import open_storage, sqlite\n"
            "if os.getuid() == 0: os.setuid(65534)\n"
            "try: open_storage(sys.argv[1])\n"
            "except OSError as error: print(type(error).__name__, error)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.db")
            open_storage(path).close()
            before = Path(path).read_bytes()
            os.chmod(path, 0o444)
            os.chmod(folder, 0o555)
            command = [sys.executable, "-c", code, path]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            os.chmod(folder, 0o755)
            assert Path(path).read_bytes() == before
        assert said.startswith("StoreError")
        assert "cannot be written" in said


class TestOlderSchemas:
    def test_the_first_one_is_brought_up_to_date(self, old):
        storage = open_storage(old)
        assert found(storage) == OLD_EVENTS
        log = storage.log("old")
        log.save_snapshot(3, b"new")
        assert log.transact(lambda found: found.outcome(11), durable=False) == OLD_EVENTS[2]
        note(log)
        storage.close()
        again = open_storage(old)
        assert again.log("old").snapshot() == (3, b"new")
        assert again.log("old").check() == 4
        again.close()
        connection = apsw.Connection(str(old))
        assert sqlite_store.version(connection) == len(STEPS) == 3

    def test_it_is_what_the_first_step_makes(self, old, tmp_path):
        sqlite_store.make(str(tmp_path / "made.db"), STEPS[:1])

        def tables(path):
            connection = apsw.Connection(str(path))
            query = "select name, replace(replace(sql, ' ', ''), char(10), '') from sqlite_schema"
            return connection.execute(query).fetchall()

        assert tables(tmp_path / "made.db") == tables(old)

    @pytest.mark.parametrize("dies", ["before", "after"])
    def test_killed_half_way(self, old, dies):
        """The process dies inside the step, before or after its statements."""
        code = (
            "import os, sys, apsw\n"
            "from upperhand.live.log import sqlite\n"
            "from upperhand.live.log.schema import STEPS\n"
            "path, dies = sys.argv[1:]\n"
            "c = apsw.Connection(path)\n"
            "c.create_scalar_function('die', lambda: os._exit(9), 0)\n"
            "die = 'select die();'\n"
            "step = die + STEPS[1] if dies == 'before' else STEPS[1] + die\n"
            "sqlite.migrate(c, path, (STEPS[0], step))\n"
        )
        done = subprocess.run([sys.executable, "-c", code, str(old), dies], check=False)
        assert done.returncode == 9
        connection = apsw.Connection(str(old))
        assert sqlite_store.version(connection) == 1
        assert not connection.table_exists("main", "snapshots")
        connection.close()
        assert found(open_storage(old)) == OLD_EVENTS

    def test_several_at_once(self, old):
        storages, errors = [], []

        def work():
            try:
                storages.append(open_storage(old))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert errors == []
        assert all(found(storage) == OLD_EVENTS for storage in storages)

    def test_on_a_server_too(self, postgres):
        with psycopg.connect(postgres, autocommit=True) as connection:
            postgres_store.migrate(connection, "", create=True, steps=STEPS[:1])
            assert postgres_store.version(connection) == 1
            broken = (STEPS[0], STEPS[1] + "nonsense;")
            with pytest.raises(psycopg.errors.SyntaxError):
                postgres_store.migrate(connection, "", create=True, steps=broken)
            assert postgres_store.version(connection) == 1
            connection.execute("insert into upperhand.experiments (name) values ('old')")
        storage = open_storage(postgres)
        assert storage.names() == ["old"]
        log = storage.log("old")
        note(log, *OLD_EVENTS)
        log.save_snapshot(3, b"new")
        assert log.snapshot() == (3, b"new")


def test_a_damaged_snapshot_counts_as_none(path):
    storage = open_storage(path)
    log = storage.log("a")
    note(log)
    for harm in ("data = x'00'", "n = 0", "sha256 = x''"):
        log.save_snapshot(1, b"good")
        assert log.snapshot() == (1, b"good")
        connection = apsw.Connection(str(path))
        connection.execute(f"update snapshots set {harm}").fetchall()  # noqa: S608
        connection.close()
        assert log.snapshot() is None
    log.save_snapshot(1, b"good")
    assert log.snapshot() == (1, b"good")


def test_a_new_file_is_there_whole(path, monkeypatch):
    monkeypatch.setattr(sqlite_store, "migrate", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        open_storage(path)
    assert [each.name for each in path.parent.iterdir()] == ["log.db.lock"]
