"""R5: the server is killed under load. What it acknowledged as durable stays; clients go on."""

import random
import time

import psycopg
import pytest

from tests.live.log.cluster import Cluster
from tests.live.log.worker import Worker
from upperhand.errors import EventsLostError, ParameterError, StoreAwayError, StoreError
from upperhand.live.log import Event, Kind, open_storage


def note(log, value=0.0, kind=Kind.NOTE, durable=True):
    """Append an event; return what there was before it."""

    def work(transaction):
        found = transaction.news(0)
        before = found.value.tolist() if found else []
        transaction.append([Event(kind, value=value)])
        return before

    return log.transact(work, durable=durable)


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost(kills, cluster):
    own = Cluster()  # the others' server is not ours to kill
    generator = random.Random(kills)
    try:
        log = open_storage(own.url).log("a")
        note(log, kind=Kind.CREATED)
        workers = [Worker(own.url, i, durable=i % 2 == 0) for i in range(8)]
        [worker.begin() for worker in workers]
        for _ in range(kills):
            time.sleep(generator.uniform(0.1, 0.6))
            own.kill()
            own.start()
        before = open_storage(own.url).log("a").last()
        time.sleep(0.5)
        results = [worker.end() for worker in workers]
        found = open_storage(own.url).log("a").read()
    finally:
        own.remove()
    told = [trial for result in results for trial in result["told"]]
    stored = found.trial.tolist()
    assert found.n.tolist() == list(range(1, len(stored) + 1))
    assert len(set(stored[1:])) == len(stored) - 1
    assert set(told) <= set(stored)
    assert len(told) > 20 * kills
    assert all(result["away"] for result in results)  # the kills were felt,
    assert len(stored) > before  # and work went on by itself
    print(f"\n{kills} kills: {len(told)} acknowledged, {len(stored) - 1} stored")


class TestServerAway:
    @pytest.fixture
    def own(self, cluster):
        own = Cluster()
        yield own
        own.remove()

    def test_it_is_said_and_over_when_it_is_back(self, own):
        log = open_storage(own.url).log("a")
        note(log, 1.0)
        own.kill()
        for use in (log.last, log.read, lambda: note(log)):
            with pytest.raises(StoreAwayError, match="Try again later"):
                use()
        with pytest.raises(StoreAwayError):
            open_storage(own.url)
        own.start()
        note(log, 2.0)  # at once, without an error in between
        own.kill()
        own.start()
        assert log.read().value.tolist() == [1, 2]

    def test_it_goes_away_inside_a_transaction(self, own):
        log = open_storage(own.url).log("a")

        def work(transaction):
            transaction.append([Event(Kind.NOTE, value=1.0)])
            own.kill()

        with pytest.raises(StoreAwayError, match=r"not known|away"):
            log.transact(work, durable=True)
        own.start()
        assert log.last() == 0

    def test_events_that_it_showed_and_lost(self, own):
        """A commit that is not durable is seen by others before it is on the server's disk."""
        mine, other = open_storage(own.url).log("a"), open_storage(own.url).log("a")
        note(mine, 1.0)
        with psycopg.connect(own.url, autocommit=True) as connection:
            connection.execute("alter system set wal_writer_delay = '10s'")
            connection.execute("select pg_reload_conf()")
        time.sleep(0.6)  # the server's writer reads that after its present nap of 0.2 s
        note(mine, 2.0, durable=False)
        assert other.read(1).value.tolist() == [2]
        own.kill()
        own.start()
        # it is gone, and its number free
        assert note(open_storage(own.url).log("a"), 3.0) == [1]
        for use in (lambda: note(mine), other.read):
            with pytest.raises(EventsLostError, match="again from its beginning"):
                use()
        assert note(mine, 4.0) == [1, 3]
        assert other.read().value.tolist() == [1, 3, 4]


class TestOpening:
    def test_tables_are_made_only_if_wanted(self, postgres):
        with pytest.raises(StoreError, match="no tables"):
            open_storage(postgres, create=False)
        open_storage(postgres).close()
        open_storage(postgres, create=False).close()

    def test_a_newer_schema(self, postgres):
        open_storage(postgres).close()
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("update upperhand.version set version = 99")
        with pytest.raises(StoreError, match=r"schema 99.*Upgrade"):
            open_storage(postgres)

    def test_no_such_database_and_no_password_in_words(self, cluster):
        wrong = f"postgresql://tester:secret@/nowhere?host={cluster.folder}"
        with pytest.raises(StoreError, match="nowhere") as caught:
            open_storage(wrong)
        assert "secret" not in str(caught.value)

    def test_no_server(self, tmp_path):
        with pytest.raises(StoreAwayError, match="away"):
            open_storage(f"postgresql://nobody@/x?host={tmp_path}")

    def test_no_address(self):
        with pytest.raises(ParameterError, match="postgresql://user"):
            open_storage("postgresql://a b?x")

    def test_a_damaged_snapshot_counts_as_none(self, postgres):
        log = open_storage(postgres).log("a")
        note(log)
        log.save_snapshot(1, b"good")
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("update upperhand.snapshots set data = 'bad!'")
        assert log.snapshot() is None
