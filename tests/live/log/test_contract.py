"""What every store promises, one suite for all three."""

import math
import threading

import numpy as np
import pytest

from upperhand.errors import ParameterError, StoreError
from upperhand.live.log import Columns, Event, Kind

ASK = Event(Kind.ASKED, trial=7, segment=2, arm=1, value=0.25, at=1.7e9)
TELL = Event(Kind.TOLD, trial=7, segment=2, arm=1, value=-1.5, at=1.7e9 + 0.1)


def write(log, *events, durable=True):
    log.transact(lambda transaction: transaction.append(events), durable=durable)


def within(log, work, durable=True):
    """Return what a function of a transaction returns."""
    return log.transact(work, durable=durable)


def news(transaction, after):
    """Return events as a list, whichever way a store gives them."""
    found = transaction.news(after)
    return found.events() if isinstance(found, Columns) else list(found)


def events(columns):
    return [columns.event(i) for i in range(len(columns.n))]


def note(i):
    return Event(Kind.NOTE, value=float(i))


class TestAppending:
    def test_a_new_log_is_empty(self, log):
        assert len(log.read().n) == log.last() == 0
        assert within(log, lambda transaction: transaction.news(0)) == ()
        assert within(log, lambda transaction: transaction.outcome(7)) is None

    def test_what_was_appended_comes_back(self, log):
        write(log, ASK, TELL)
        columns = log.read()
        assert isinstance(columns, Columns)
        assert events(columns) == [ASK, TELL]
        assert columns.n.tolist() == [1, 2]
        assert log.last() == 2
        types = [array.dtype.name for array in columns[:-1]]
        assert types == ["int64", "uint8", "int64", "int32", "int32", "float64", "float64"]

    def test_numbers_go_on_over_turns(self, log):
        for i in range(5):
            write(log, note(i), note(10 + i), durable=i % 2 == 0)
        assert log.read().n.tolist() == list(range(1, 11))
        assert log.read().value.tolist() == [0, 10, 1, 11, 2, 12, 3, 13, 4, 14]

    def test_only_what_is_new(self, log):
        write(log, *map(note, range(10)))
        assert log.read(after=7).n.tolist() == [8, 9, 10]
        assert len(log.read(after=10).n) == len(log.read(after=99).n) == 0

        def work(transaction):
            assert [event.value for event in news(transaction, 8)] == [8, 9]
            transaction.append([note(10)])
            transaction.append([note(11), note(12)])
            assert [event.value for event in news(transaction, 9)] == [9, 10, 11, 12]
            assert [event.value for event in news(transaction, 11)] == [11, 12]
            assert news(transaction, 13) == []

        within(log, work, durable=False)
        assert log.last() == 13

    def test_many_at_once(self, log):
        many = [Event(Kind.NOTE, i, i % 5, i % 3, i / 7, i / 3) for i in range(1, 5001)]
        write(log, *many)
        write(log, Event(Kind.NOTE, extra={"last": True}))
        found = log.read()
        assert events(found)[:-1] == many
        assert found.extra == {5001: {"last": True}}
        assert (np.diff(found.n) == 1).all()

    def test_the_numbers_to_the_last_bit(self, log):
        values = [5e-324, 1e150, -1e150, 0.1, 1 / 3, math.nextafter(1, 2), 0.0, 123456789.123456789]
        write(log, *(Event(Kind.NOTE, value=v, at=v) for v in values))
        assert log.read().value.tolist() == log.read().at.tolist() == values
        trials = [2**63 - 1, -(2**63), 1, -1]
        write(log, *(Event(Kind.ASKED, t, 2**31 - 1, -(2**31)) for t in trials))
        found = log.read(len(values))
        assert found.trial.tolist() == trials
        assert (found.segment[0], found.arm[0]) == (2**31 - 1, -(2**31))

    def test_extra_is_json_of_any_text(self, log):
        odd = {
            "naïve 日本 🎲": ["'; drop table events; --", '"', "\\", "\ud800", "\x00", None, 1.5]
        }
        write(log, ASK, TELL._replace(extra=odd), note(1)._replace(extra={"t": (1, 2)}))
        found = log.read()
        assert found.extra == {2: odd, 3: {"t": [1, 2]}}
        assert found.event(1).extra == odd

        def work(transaction):
            assert transaction.outcome(7).extra == odd
            transaction.append([note(2)._replace(extra={"t": (1, 2)})])
            assert news(transaction, 3)[0].extra == {"t": [1, 2]}

        within(log, work)

    @pytest.mark.parametrize(
        "bad",
        [
            note(math.nan),
            note(math.inf),
            ASK._replace(at=-math.inf),
            ASK._replace(trial=2**63),
            ASK._replace(arm=2**31),
            ASK._replace(kind=0),
            ASK._replace(extra={"x": math.nan}),
            ASK._replace(extra={"x": object()}),
            ASK._replace(extra=[1]),
        ],
    )
    def test_what_cannot_be_kept_is_refused_whole(self, log, bad):
        with pytest.raises(StoreError):
            write(log, note(1), bad)
        assert log.last() == 0

        def work(transaction):
            with pytest.raises(StoreError):
                transaction.append([note(1), bad])
            transaction.append([note(2)])  # it goes on, without the refused ones

        within(log, work)
        assert log.read().value.tolist() == [2]


class TestTransactions:
    def test_an_exception_leaves_nothing(self, log):
        write(log, ASK)

        def work(transaction):
            transaction.append([TELL, note(1)._replace(extra={"a": 1})])
            assert transaction.outcome(7) == TELL
            return 1 / 0

        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                within(log, work)
        assert events(log.read()) == [ASK]
        write(log, TELL, note(2))
        assert events(log.read()) == [ASK, TELL, note(2)]
        assert log.read().extra == {}

    def test_a_first_one_that_fails_makes_no_experiment(self, place):
        storage = place.open()
        with pytest.raises(ZeroDivisionError):
            within(storage.log("new"), lambda transaction: transaction.append([note(1)]) or 1 / 0)
        within(storage.log("idle"), lambda transaction: None)
        assert storage.names() == []

    def test_others_see_it_when_it_has_ended(self, place):
        log, other = place.open().log("a"), place.open().log("a")
        write(log, note(0))

        def work(transaction):
            transaction.append([note(1)])
            assert other.read().value.tolist() == [0]
            assert other.last() == 1

        within(log, work)
        assert other.read().value.tolist() == [0, 1]

    def test_threads_never_share_one(self, place):
        log, inside, overlaps = place.open().log("a"), [], []

        def work(i):
            def alone(transaction):
                inside.append(i)
                overlaps.extend(inside[:-1])
                n = len(news(transaction, 0))
                transaction.append([Event(Kind.NOTE, value=float(n), arm=i, segment=j)])
                inside.pop()

            for j in range(25):
                log.transact(alone, durable=j % 2 == 0)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        found = log.read()
        assert overlaps == []
        assert found.value.tolist() == list(range(150))  # each saw all that came before
        for i in range(6):
            assert found.segment[found.arm == i].tolist() == list(range(25))

    def test_what_is_synced_later(self, log):
        log.transact(lambda found: found.append([note(1)]), durable=True, wait=False)
        log.transact(lambda found: found.append([note(2)]), durable=True, wait=False)
        log.sync(log.commits)
        assert log.read().value.tolist() == [1, 2]
        assert log.check() == 2


class TestOutcomes:
    @pytest.mark.parametrize("kind", [Kind.TOLD, Kind.FAILED, Kind.AT_LEAST])
    def test_one_for_each_trial(self, log, kind):
        write(log, ASK, TELL._replace(kind=kind))
        found = within(log, lambda transaction: [transaction.outcome(n) for n in (7, 8)])
        assert found == [TELL._replace(kind=kind), None]
        for again in (Kind.TOLD, Kind.FAILED):
            with pytest.raises(StoreError):
                write(log, note(1), TELL._replace(kind=again, value=3.0))
        assert events(log.read()) == [ASK, TELL._replace(kind=kind)]

    def test_also_within_a_transaction(self, log):
        with pytest.raises(StoreError):
            write(log, TELL, TELL)
        assert log.last() == 0
        write(log, TELL)
        assert log.last() == 1

    def test_without_a_trial_there_may_be_many(self, log):
        free = TELL._replace(trial=0)
        write(log, free, free)
        assert within(log, lambda found: found.append([free]) or found.outcome(0)) is None
        assert events(log.read()) == [free] * 3

    def test_other_kinds_do_not_count(self, log):
        write(log, ASK, ASK._replace(kind=Kind.CORRECTED), ASK._replace(kind=Kind.RELEASED))

        def work(transaction):
            assert transaction.outcome(7) is None
            transaction.append([TELL])
            assert transaction.outcome(7) == TELL

        within(log, work)


class TestSnapshots:
    def test_the_newest_is_kept(self, log):
        assert log.snapshot() is None
        write(log, *map(note, range(9)))
        log.save_snapshot(4, b"four")
        log.save_snapshot(9, bytes(range(256)) * 1000)
        log.save_snapshot(8, b"late")
        assert log.snapshot() == (9, bytes(range(256)) * 1000)
        log.save_snapshot(9, b"")
        assert log.snapshot() == (9, b"")
        assert log.last() == 9

    def test_a_log_without_events_needs_none(self, log):
        log.save_snapshot(0, b"x")
        assert log.snapshot() is None


class TestStorage:
    def test_names_in_order_of_creation(self, place):
        storage = place.open()
        names = ["zeta", "alpha", "naïve 日本", "o'neil"]
        for name in names:
            storage.log(name)
            write(storage.log(name), note(1))
        write(storage.log("alpha"), note(2))
        assert storage.names() == names == place.open().names()

    def test_experiments_do_not_mix(self, place):
        storage = place.open()
        a, b = storage.log("a"), storage.log("b")
        write(a, ASK, TELL)
        write(b, note(1))
        write(b, TELL)
        a.save_snapshot(1, b"a")
        b.save_snapshot(2, b"b")
        assert events(a.read()) == [ASK, TELL]
        assert events(b.read()) == [note(1), TELL]
        assert b.read().n.tolist() == [1, 2]
        assert (a.snapshot(), b.snapshot()) == ((1, b"a"), (2, b"b"))

    def test_opened_again(self, shared):
        first = shared.open()
        write(first.log("a"), ASK, TELL)
        first.log("a").save_snapshot(2, b"s")
        first.close()
        log = shared.open().log("a")
        assert events(log.read()) == [ASK, TELL]
        assert log.snapshot() == (2, b"s")
        write(log, note(1))
        assert log.last() == 3

    def test_closed(self, place):
        storage = place.open()
        log = storage.log("a")
        write(log, ASK)
        storage.close()
        storage.close()
        for use in (log.read, log.last, log.snapshot, storage.names, lambda: write(log, TELL)):
            with pytest.raises(StoreError, match=r"closed.*open_storage"):
                use()

    @pytest.mark.parametrize("name", ["", "x" * 201, "a\x00b", "a\nb", "\ud800", 7, None])
    def test_names_that_not_every_store_could_keep(self, place, name):
        with pytest.raises(ParameterError, match="printable"):
            place.open().log(name)


def test_the_first_events_only(log):
    write(log, *(Event(Kind.NOTE, value=float(n)) for n in range(5000)))
    assert log.read(most=1).value.tolist() == [0.0]
    assert log.read(after=3, most=3).n.tolist() == [4, 5, 6]
    assert log.read(most=4500).n.tolist() == list(range(1, 4501))
    assert len(log.read(after=4990, most=50).n) == 10
    assert len(log.read(most=2000).n) == 2000
    assert len(log.read().n) == 5000
