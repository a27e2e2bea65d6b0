"""R1, R6 and R8: processes that are killed, crowd one file, or sleep past their leases."""

import os
import random
import signal
import time

import pytest

from tests.live.faults.worker import Worker, made
from tests.live.states import assert_replay
from upperhand.live import Experiment
from upperhand.live.log import OUTCOMES, Kind
from upperhand.live.trial import parse_id


def outcomes(exp):
    """Return what the log says was told: (arm, value) by trial number; each once."""
    events = exp._log.read()
    found = {}
    for i in range(len(events.n)):
        event = events.event(i)
        if event.kind in OUTCOMES:
            assert event.trial not in found, "an outcome is there twice"
            found[event.trial] = (event.arm, event.value)
    return found


def check_kept(exp, told):
    """All that was acknowledged stands in the log as it was told, under its own trial."""
    found = outcomes(exp)
    for text, value in told.items():
        identity = parse_id(text)
        assert found.get(identity.number) == (identity.arm, value), text
    return found


def killed_again_and_again(url, kills, seed, workers=2):
    """Kill workers under load; the next ones retry what was not acknowledged. Return all told."""
    generator, told, open_tells = random.Random(seed), {}, {}
    following = [Worker(url, announce=True) for _ in range(workers)]
    for kill in range(kills):
        retry, crew = list(open_tells.items()), following
        for i, worker in enumerate(crew):
            worker.begin(base=1e6 * (kill * workers + i), retry=retry[i::workers])
        following = [Worker(url, announce=True) for _ in range(workers if kill < kills - 1 else 0)]
        time.sleep(generator.uniform(0.02, 0.3))
        for worker in crew:
            os.kill(worker.process.pid, signal.SIGKILL)
        for worker in crew:
            for said in worker.end(killed=True):
                if "asked" in said:
                    open_tells[said["asked"]] = said["value"]
                else:
                    told[said["told"]] = said["value"]
                    open_tells.pop(said["told"], None)
    return told, open_tells


@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_workers_lose_nothing(tmp_path, kills):
    url = tmp_path / "log.db"
    with made(url) as exp:
        told, open_tells = killed_again_and_again(url, kills, seed=kills)
        answers = [exp.tell(text, value) for text, value in open_tells.items()]
        assert set(answers) <= {"told", "again", "late"}
        found = check_kept(exp, told | open_tells)
        assert len(found) == exp.counts()["outcomes"] == len(told) + len(open_tells)
        assert exp.counts()["lost"] == 0
        assert_replay(exp)
    assert len(told) > kills
    print(f"\n{kills} × 2 workers killed: {len(told)} acknowledged, {len(open_tells)} retried")
    text = next(iter(told))
    with Experiment("a", storage=url) as exp:  # planted faults: one changed, one lost
        for fault in ({text: told[text] + 1}, {"1.999999.0": 1.0}):
            with pytest.raises(AssertionError):
                check_kept(exp, told | fault)


@pytest.mark.parametrize("size", [(4, 40), pytest.param((32, 500), marks=pytest.mark.slow)])
def test_a_crowd_on_one_file_while_somebody_looks(tmp_path, size):
    processes, count = size
    url = tmp_path / "log.db"
    with made(url) as exp:
        crew = [Worker(url, count=count, base=1000.0 * i, quiet=True) for i in range(processes)]
        for worker in crew:
            worker.begin()
        looks = 0
        while exp.counts()["outcomes"] < processes * count and looks < 100_000:
            assert len(exp.report()) == 3
            looks += 1
            time.sleep(0.002)
            if all(worker.process.poll() is not None for worker in crew):
                break
        last = [worker.end()[-1] for worker in crew]
        assert exp.counts()["outcomes"] == processes * count
        values = sorted(value for _, value in outcomes(exp).values())
        assert values == sorted(1000.0 * i + n + 1 for i in range(processes) for n in range(count))
        assert_replay(exp)
    begin = max(each["times"][0] for each in last)  # from when all run, until one is done
    done = min(each["times"][-1] for each in last)
    shares = [sum(begin <= t <= done for t in each["times"]) for each in last]
    worst = max(each["worst"] for each in last) * 1000
    print(
        f"\n{processes} processes × {count}: worst wait of a pair {worst:.0f} ms; while all ran, "
        f"the slowest made {min(shares)} pairs and the fastest {max(shares)}; {looks} looks"
    )
    if processes > 4:
        assert min(shares) >= max(shares) / 2, shares


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP on this system")
def test_workers_stopped_past_their_lease(tmp_path):
    """Their trials are released; what they tell then counts, and is flagged once."""
    with made(tmp_path / "log.db", lease=0.2) as exp:
        crew = [Worker(tmp_path / "log.db", do="late") for _ in range(3)]
        for worker in crew:
            worker.begin()
        asked = [worker.line()["asked"] for worker in crew]
        for worker in crew:
            os.kill(worker.process.pid, signal.SIGSTOP)
        time.sleep(0.3)
        mine = exp.ask()  # time goes on in the log
        assert exp.counts()["expired"] == 3
        assert exp.counts()["pending"] == 1
        for worker in crew:
            os.kill(worker.process.pid, signal.SIGCONT)
        answers = [worker.process.communicate("tell\n", timeout=60)[0] for worker in crew]
        assert all('"answers": ["late", "again"]' in answer for answer in answers), answers
        exp.release(mine)
        counts = exp.counts()
        assert (counts["late"], counts["outcomes"], counts["lost"]) == (3, 3, 0)
        check_kept(exp, dict.fromkeys(asked, 1.0))
        assert_replay(exp)


@pytest.mark.parametrize("storage", ["memory", "sqlite"])
def test_what_is_told_after_the_lease_is_late_even_if_nothing_else_happened(tmp_path, storage):
    url = tmp_path / "log.db" if storage == "sqlite" else None
    with made(url, lease=0.05) as exp:
        trial = exp.ask()
        time.sleep(0.1)
        assert exp.tell(trial, 1.0) == "late"
        assert exp.tell(trial, 1.0) == "again"
        assert (exp.counts()["late"], exp.counts()["expired"]) == (1, 1)
        events = assert_replay(exp)
        assert (events.kind == Kind.TOLD).sum() == 1
