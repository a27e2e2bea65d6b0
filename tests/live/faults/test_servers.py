"""PostgreSQL: several machines on one experiment, and a server that is killed under them."""

import random
import time

import psycopg
import pytest

from tests.live.faults.test_processes import check_kept
from tests.live.faults.worker import ARMS, MADE, Worker
from tests.live.log.cluster import Cluster
from tests.live.states import assert_replay
from upperhand.live import Experiment
from upperhand.live.engine import Engine
from upperhand.live.log import Kind
from upperhand.live.snapshot import to_bytes
from upperhand.live.trial import parse_id


@pytest.fixture(scope="module")
def own():
    own = Cluster()
    yield own
    own.remove()


@pytest.fixture
def url(own):
    with psycopg.connect(own.url, autocommit=True) as connection:
        connection.execute("drop schema if exists upperhand cascade")
        connection.execute("alter system reset all")
        connection.execute("select pg_reload_conf()")
    return own.url


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_machines_see_each_others_tells(url, count):
    with Experiment("a", ARMS, storage=url, **MADE) as exp:
        crew = [Worker(url, count=count, base=1000.0 * i) for i in (1, 2)]
        for worker in crew:
            worker.begin()
        mine = {}
        for n in range(count):
            trial = exp.ask()
            assert exp.tell(trial, float(n)) == "told"
            mine[trial.id] = float(n)
        told = dict(mine)
        for worker in crew:
            said = [each for each in worker.end() if "told" in each]
            assert all(each["answer"] == "told" for each in said)
            told |= {each["told"]: each["value"] for each in said}
        assert len(told) == 3 * count
        assert exp.counts()["outcomes"] == 3 * count
        for text, value in told.items():
            if text not in mine:  # another machine's: known here
                assert exp.tell(text, value) == "again"
                break
        check_kept(exp, told)
        assert_replay(exp)


def lost_asks(own, url):
    """Let a server lose an ask that it had answered, while the process that asked lives on."""
    exp = Experiment("a", ARMS, storage=url, **MADE)
    exp.tell(exp.ask(), 1.0)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter system set wal_writer_delay = '10s'")
        connection.execute("select pg_reload_conf()")
    for _ in range(8):  # now and then the server's writer is awake, and nothing is lost
        time.sleep(0.6)  # until it sleeps that long
        lost = [exp.ask() for _ in range(4)]
        own.kill()
        own.start()
        with psycopg.connect(url, autocommit=True) as connection:
            rows = connection.execute("select trial from upperhand.events").fetchall()
        there = {trial for (trial,) in rows}
        if any(parse_id(trial.id).number not in there for trial in lost):
            return exp, lost
    raise AssertionError("the server lost nothing in eight kills")


def check_lost(exp, lost):
    fresh = exp.ask_many(3)
    ids = [trial.id for trial in (*lost, *fresh)]
    assert len({parse_id(text).number for text in ids}) == len(ids), "a number came again"
    there = set(exp._log.read().trial.tolist())
    gone = [trial for trial in lost if parse_id(trial.id).number not in there]
    assert [exp.tell(trial, 9.0) for trial in gone] == ["lost"] * len(gone)
    assert exp.counts()["lost"] == len(gone)
    assert [exp.tell(trial, 2.0) for trial in fresh] == ["told"] * 3
    assert_replay(exp)
    return len(gone)


def test_a_server_that_loses_an_ask_of_a_process_that_lives_on(own, url):
    exp, lost = lost_asks(own, url)
    assert check_lost(exp, lost) >= 1
    exp.close()
    with Experiment("a", storage=url) as again:
        assert_replay(again)


def test_a_process_that_goes_on_counting_is_caught(own, url, monkeypatch):
    """A planted fault: it does not notice that its epoch lost asks."""
    exp, lost = lost_asks(own, url)

    def careless(engine):
        engine._changing = True
        engine._renew()

    monkeypatch.setattr(Engine, "_forget", careless)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        check_lost(exp, lost)


def test_a_snapshot_of_what_a_server_lost_is_not_kept(own, url):
    exp, lost = lost_asks(own, url)
    exp._replay.save = lambda state, log: log.save_snapshot(state.n, to_bytes(state))
    exp.close()
    with Experiment("a", storage=url) as again:
        again.tell(again.ask(), 1.0)
        events = assert_replay(again)
        assert again.counts()["asked"] == (events.kind == Kind.ASKED).sum() <= len(lost) + 2


@pytest.mark.parametrize("kills", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_a_server_killed_under_workers(own, url, kills):
    generator = random.Random(kills)
    Experiment("a", ARMS, storage=url, **MADE).close()
    crew = [
        Worker(url, do="patient", base=1e6 * (i + 1), seconds=1.5 * kills + 1) for i in range(4)
    ]
    for worker in crew:
        worker.begin()
    for _ in range(kills):
        time.sleep(generator.uniform(0.2, 0.8))
        own.kill()
        own.start()
    said = [worker.end() for worker in crew]
    told = {each["told"]: each["value"] for lines in said for each in lines if "told" in each}
    answers = [each["answer"] for lines in said for each in lines if "told" in each]
    assert set(answers) <= {"told", "again", "lost"}
    with Experiment("a", storage=url) as exp:
        check_kept(exp, told)
        assert exp.counts()["outcomes"] == len(told)
        events = assert_replay(exp)
        assert (events.kind == Kind.OPENED).sum() >= 4
    away = sum(lines[-1]["away"] for lines in said)
    assert away, "the kills were not felt"
    print(f"\n{kills} kills: {len(told)} acknowledged, {answers.count('lost')} of lost asks")
