"""A log that is not as it was written: noticed, said which event it is, and the good part kept."""

import random
import shutil

import apsw
import psycopg
import pytest
from click.testing import CliRunner

import upperhand as uh
from upperhand.cli import commands
from upperhand.errors import DamagedError, StoreError
from upperhand.live.log import Event, Kind, open_storage

MADE = {"quantile": 0.9, "direction": "minimize", "seed": 1}
HARM = {
    "kind": "kind = 12",
    "trial": "trial = trial + 1",
    "segment": "segment = 1",
    "arm": "arm = 1 - arm",
    "value": "value = value + 1e-12",
    "at": "at = at + 1",
    "extra": "extra = '{}'",
    "mark": "mark = mark + 1",
}


def play(store):
    """Ask and tell; return the number of events, of which the last ones are tells of trials."""
    with uh.Experiment("a", ["x", "y"], storage=store, **MADE) as exp:
        for n in range(40):
            exp.tell(exp.ask(), float(n % 7))
        return exp._log.last()


def execute(store, *statements):
    """Change a store behind our back."""
    if str(store).startswith("postgresql"):
        with psycopg.connect(store, autocommit=True) as connection:
            connection.execute("set search_path = upperhand")
            for statement in statements:
                connection.execute(statement)
        return
    connection = apsw.Connection(str(store))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def found(store):
    """Return the error that opening gives, and the one of a check."""
    errors = []
    for use in (lambda log: uh.Experiment("a", storage=store), lambda log: log.check()):
        storage = open_storage(store, create=False)
        try:
            use(storage.log("a"))
        except DamagedError as error:
            errors.append(error)
        storage.close()
    assert len(errors) == 2
    return errors


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path):
    return tmp_path / "a.db" if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.mark.parametrize("column", HARM)
def test_a_changed_column_is_found_at_its_event(store, column):
    play(store)
    execute(store, f"update events set {HARM[column]} where n = 17")  # noqa: S608
    for error in found(store):
        assert error.n == 17
        assert "event 17 of 'a'" in str(error)
        assert "16 events before it are whole" in str(error)
        assert "upperhand copy a --from … --to new.db --until 16" in str(error)


@pytest.mark.parametrize(
    ("harm", "n"),
    [
        ("delete from events where n = 20", 20),
        ("delete from events where n > 70", 71),
        ("update events set n = 5000 where n = 9", 9),
        ("update ends set n = n - 1", None),
        ("update ends set mark = mark + 1", None),
        ("delete from ends", 1),
        ("update ends set n = 0", 1),
        ("update experiments set name = 'b'", 1),
    ],
)
def test_rows_that_are_missing_or_moved(store, harm, n):
    last = play(store)
    execute(store, harm)
    if "name" in harm:
        with pytest.raises(DamagedError, match="event 1 of 'b'"):
            open_storage(store).log("b").read()
        told = CliRunner().invoke(commands, ["check", "a", "--storage", str(store)])
        assert "event 1 of 'b' is not as it was written" in str(told.exception)
        for made in ({}, {"arms": ["x", "y"], **MADE}):  # and no new one beside it
            with pytest.raises(uh.DamagedError, match="event 1 of 'b'"):
                uh.Experiment("a", storage=store, **made)
        return
    expected = {last - 1, last} if n is None else {n}
    assert {error.n for error in found(store)} <= expected


ANOTHER = "insert into events select experiment, {}, 12, 0, 0, 0, 0, 0, null, 0 from ends"


@pytest.mark.parametrize("n", ["0", "n + 1", "n + 9"])
def test_rows_outside_of_the_log(store, n):
    play(store)
    execute(store, ANOTHER.format(n))
    storage = open_storage(store)
    with pytest.raises(DamagedError, match="outside of the log"):
        storage.log("a").check()
    storage.close()
    with uh.Experiment("a", storage=store) as exp:
        if n == "n + 1":
            with pytest.raises(DamagedError, match="an event lies behind the end of a log"):
                exp.tell("x", 1.0)


@pytest.mark.parametrize(
    "harm",
    [
        "update events set extra = replace(hex(zeroblob(60000)), '00', '[') where n = 17 "
        "and experiment = 1",
        "update events set extra = cast(x'7bff7d' as text) where n = 1 and experiment = 1",
        "update experiments set name = cast(x'61ff' as text) where id = 1",
    ],
)
def test_what_cannot_be_read_has_no_traceback(tmp_path, harm):
    play(tmp_path / "a.db")
    with uh.Experiment("b", ["x", "y"], storage=tmp_path / "a.db", **MADE):
        pass
    execute(tmp_path / "a.db", harm)
    storage = open_storage(tmp_path / "a.db")
    uses = [storage.log("b").check, storage.log("c").read, storage.log("a").read]
    for use in uses if "n = 17" not in harm else uses[2:]:
        with pytest.raises(DamagedError):
            use()
    storage.close()


def test_exchanged_rows(store):
    play(store)
    execute(store, "update events set n = -n where n in (10, 11)",
            "update events set n = 21 + n where n in (-10, -11)")  # fmt: skip
    assert {error.n for error in found(store)} == {10}


def test_an_open_experiment_notices_a_lost_end(store):
    """Another process wrote the last event, and it is gone before it was read."""
    with uh.Experiment("a", ["x", "y"], storage=store, **MADE) as exp:
        exp.tell(exp.ask(), 1.0)
        with uh.Experiment("a", storage=store) as other:
            other.tell(other.ask(), 2.0)
            last = other._log.last()
        execute(store, "delete from events where n = (select max(n) from events)")
        with pytest.raises(DamagedError, match=f"event {last} of 'a' is missing"):
            exp.ask()


def test_the_good_part_is_kept(store, tmp_path):
    play(store)
    execute(store, "update events set arm = 1 - arm where n = 30")
    storage, kept = open_storage(store), tmp_path / "kept.db"
    with pytest.raises(DamagedError):
        uh.live.copying.copy_log(storage.log("a"), open_storage(kept))
    assert uh.live.copying.copy_log(storage.log("a"), open_storage(kept), until=29) == 29
    storage.close()
    with uh.Experiment("a", storage=kept) as exp:
        assert exp._log.check() == 30  # and that it is a copy
        exp.tell(exp.ask(), 1.0)


def test_single_bits(tmp_path):
    """Each one that changes what is read is found out, when the log is opened or checked."""
    play(tmp_path / "a.db")
    whole, generator, changed = (tmp_path / "a.db").read_bytes(), random.Random(1), 0
    storage = open_storage(tmp_path / "a.db")
    rows = storage.log("a").read().events()
    storage.close()
    for _ in range(300):
        bit = generator.randrange(8 * 100, 8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path = tmp_path / "b.db"
        for each in tmp_path.glob("b.db*"):
            each.unlink()
        path.write_bytes(flipped)
        try:
            storage = open_storage(path, create=False)
            try:
                log = storage.log("a")
                names, read = storage.names(), log.read().events()
                log.check()
            finally:
                storage.close()
        except StoreError:
            changed += 1
            continue
        assert (names, read) == (["a"], rows), f"bit {bit} was approved"
    assert changed > 20


@pytest.mark.parametrize(
    "harm",
    [
        "update snapshots set n = -n",
        "update snapshots set data = (select data from snapshots where experiment = 2), sha256 = "
        "(select sha256 from snapshots where experiment = 2) where experiment = 1",
    ],
)
def test_a_snapshot_that_is_damaged_or_of_another_experiment_counts_as_none(tmp_path, harm):
    for name in "ab":
        with uh.Experiment(name, ["x", "y"], storage=tmp_path / "a.db", **MADE) as exp:
            exp.record(["x"] * 5, [float(ord(name))] * 5)
            exp._replay.save(exp._engine.state, exp._log, least=1)
    execute(tmp_path / "a.db", harm)
    with uh.Experiment("a", storage=tmp_path / "a.db") as exp:
        assert exp.quantile("x") == float(ord("a"))


class TestCopies:
    def test_ids_of_a_lost_part_never_credit_another_trial(self, tmp_path):
        """After restoring an older copy, ids are not issued a second time."""
        play(tmp_path / "a.db")
        exp = uh.Experiment("a", storage=tmp_path / "a.db")
        assert exp.copy(tmp_path / "b.db") == exp._log.last()
        lost = [exp.ask() for _ in range(3)]
        with uh.Experiment("a", storage=tmp_path / "b.db") as restored:
            fresh = [restored.ask() for _ in range(3)]
            assert not {t.id for t in fresh} & {t.id for t in lost}
            for trial in lost:
                with pytest.raises(uh.UnknownNameError):
                    restored.tell(trial.id, 99.0)
            assert restored.counts()["pending"] == 3
            assert [restored.tell(trial, 1.0) for trial in fresh] == ["told"] * 3
        exp.close()

    def test_arms_of_a_lost_part_are_not_those_of_the_copy(self, tmp_path):
        with uh.Experiment("a", ["x", "y"], storage=tmp_path / "a.db", **MADE) as exp:
            exp.ask()
            last = exp._log.last()
            exp.add_arm("lost")
            lost = [exp.ask(among=["lost"]), exp.ask()]
            exp.copy(tmp_path / "b.db", until=last)
        with uh.Experiment("a", storage=tmp_path / "b.db") as restored:
            restored.add_arm("new")
            for trial in lost:
                with pytest.raises(uh.UnknownNameError):
                    restored.tell(trial.id, 99.0)

    @pytest.mark.parametrize("until", [0, 1.5, "x", True])
    def test_until_must_be_a_number_of_events(self, tmp_path, until):
        exp = uh.Experiment("a", ["x", "y"], storage=tmp_path / "a.db", **MADE)
        with exp, pytest.raises(uh.ParameterError, match="until must be"):
            exp.copy(tmp_path / "b.db", until=until)

    def test_an_unequal_copy_is_a_plain_error(self, tmp_path, monkeypatch):
        monkeypatch.setattr(uh.live.copying, "difference", lambda *_: "arms")
        play(tmp_path / "a.db")
        source, target = open_storage(tmp_path / "a.db"), open_storage(tmp_path / "b.db")
        with pytest.raises(StoreError, match="not equal to the original: arms differs"):
            uh.live.copying.copy_log(source.log("a"), target)

    def test_between_stores_while_it_runs(self, store, tmp_path):
        play(store)
        with uh.Experiment("a", storage=store) as exp:
            copied = exp.copy(tmp_path / "other.db")
            exp.tell(exp.ask(), 1.0)
            with uh.Experiment("a", storage=tmp_path / "other.db") as other:
                assert len(other) == len(exp) - 1
                assert [r["n"] for r in other.events()][-1] == copied + 1

    def test_a_file_that_was_copied_by_hand_opens(self, tmp_path):
        play(tmp_path / "a.db")
        shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
        with uh.Experiment("a", storage=tmp_path / "b.db") as exp:
            assert len(exp) == 40


def test_marks_are_never_null_after_a_migration(store):
    play(store)
    with pytest.raises(Exception, match=r"(?i)null|columns"):  # as a program of schema 2 writes
        execute(store, "insert into events values (1, 999, 12, 0, 0, 0, 0, 0, null)")
    storage = open_storage(store)
    storage.log("a").transact(lambda found: found.append([Event(Kind.NOTE)]), durable=True)
    storage.close()
