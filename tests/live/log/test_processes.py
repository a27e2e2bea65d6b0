"""Several processes on one log: R6, and what a fork does."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.live.log.worker import Worker
from upperhand.errors import StoreError
from upperhand.live.log import Event, Kind, open_storage

SIZES = [(6, 50), pytest.param((32, 500), marks=pytest.mark.slow)]


@pytest.mark.parametrize("size", SIZES, ids=["small", "full"])
def test_all_are_stored_while_a_reader_polls(shared, size):
    processes, count = size
    log = shared.open().log("a")
    log.transact(lambda found: found.append([Event(Kind.CREATED)]), durable=True)
    workers = [Worker(shared.url, i, count) for i in range(processes)]
    [worker.begin() for worker in workers]
    polls, last, told = 0, 0, processes * count
    while last < told + 1 and polls < 60_000:
        found = log.read(after=last).n
        assert found.tolist() == list(range(last + 1, last + 1 + len(found)))
        last += len(found)
        polls += 1
        time.sleep(0.002)
    results = [worker.end() for worker in workers]

    columns = log.read(after=1)
    assert sorted(columns.trial.tolist()) == sorted(t for r in results for t in r["told"])
    assert len(columns.n) == told
    assert all(result["away"] == 0 for result in results)
    first = min(result["times"][-1] for result in results)  # until then all were at work
    shares = [sum(t <= first for t in result["times"]) for result in results]
    print(
        f"\n{processes} processes on {shared.kind}: worst wait "
        f"{max(r['worst'] for r in results) * 1000:.0f} ms; when the first was done, the slowest "
        f"had {min(shares)} and the fastest {max(shares)}; {polls} polls"
    )


def test_transactions_of_processes_exclude_each_other(shared):
    log = shared.open().log("a")
    code = (
        "import sys\n"
        "from upperhand.live.log import Event, Kind, open_storage\n"
        "log = open_storage(sys.argv[1]).log('a')\n"
        "print('ready', log.last(), flush=True)\n"
        "log.transact(lambda found: found.append([Event(Kind.NOTE)]), durable=True)\n"
        "print('done', flush=True)\n"
    )
    command = [sys.executable, "-c", code, str(shared.url)]
    other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def work(transaction):
        transaction.append([Event(Kind.NOTE)])
        assert other.stdout.readline() == "ready 0\n"
        time.sleep(0.3)
        assert other.poll() is None
        return log.name

    log.transact(work, durable=True)
    assert other.stdout.readline() == "done\n"
    other.communicate(timeout=20)
    assert other.returncode == 0
    assert log.last() == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
class TestForks:
    def child(self, work):
        """Run `work` in a forked process; return whether all went well."""
        pid = os.fork()
        if pid == 0:
            done = 1
            try:
                work()
                done = 0
            except BaseException as error:
                sys.stderr.write(f"in the child: {error!r}\n")
            finally:
                os._exit(done)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    def test_a_child_has_connections_of_its_own(self, shared):
        log = shared.open().log("a")

        def append(value):
            log.transact(lambda found: found.append([Event(Kind.NOTE, value=value)]), durable=True)

        append(1.0)
        assert self.child(lambda: (append(2.0), append(3.0)))
        append(4.0)
        assert self.child(lambda: append(5.0))
        assert log.read().value.tolist() == [1, 2, 3, 4, 5]
        assert log.last() == 5

    def test_a_child_born_in_a_turn_cannot_end_it(self, shared):
        log = shared.open().log("a")
        children = []

        def work(transaction):
            transaction.append([Event(Kind.NOTE, value=1.0)])
            children.append(os.fork())
            if children[0]:
                assert os.waitpid(children[0], 0)[1] == 0
            transaction.append([Event(Kind.NOTE, value=2.0)])

        try:
            log.transact(work, durable=True)
        except BaseException as error:
            os._exit(0 if not children[0] and isinstance(error, StoreError) else 1)
        if not children[0]:
            os._exit(2)
        log.transact(lambda found: found.append([Event(Kind.NOTE, value=3.0)]), durable=True)
        assert log.read().value.tolist() == [1, 2, 3]

    def test_such_a_child_is_refused_at_once(self, tmp_path):
        """It would wait in vain for SQLite's lock, which it inherited taken."""
        log, parent = open_storage(tmp_path / "a.db").log("a"), os.getpid()

        def work(transaction):
            pid = os.fork()
            if pid:
                assert os.waitpid(pid, 0)[1] == 0

        for _ in range(2):
            try:
                log.transact(work if os.getpid() == parent else lambda _: None, durable=True)
            except StoreError as error:
                said = str(error)
        if os.getpid() != parent:
            os._exit(0 if "was forked inside" in said else 1)

    def test_a_child_does_not_keep_the_lock(self, shared):
        """A child that lives on holds copies of all open files, the lock's too."""
        log = shared.open().log("a")
        read, write = os.pipe()

        def work(transaction):
            transaction.append([Event(Kind.NOTE)])
            pid = os.fork()
            if pid == 0:
                os.close(write)
                os.read(read, 1)  # until the parent closes its end
                os._exit(0)
            return pid

        pid = log.transact(work, durable=True)
        other = shared.open().log("a")
        other.transact(lambda found: found.append([Event(Kind.NOTE)]), durable=True)
        os.close(write)
        os.waitpid(pid, 0)
        os.close(read)
        assert log.last() == 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_no_files_are_left_open(shared):
    before = len(os.listdir("/proc/self/fd"))
    storage = shared.open()
    for _ in range(20):
        storage.log("a").transact(lambda found: found.append([Event(Kind.NOTE)]), durable=False)
    storage.log("a").read()
    storage.close()
    assert len(os.listdir("/proc/self/fd")) <= before
