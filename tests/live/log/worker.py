"""A process that appends, for the tests: ``python -m tests.live.log.worker URL I COUNT``.

It says "ready", begins when it is given a line, and writes down as JSON what was acknowledged. With
COUNT 0 it goes on until it is given another line.
"""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from upperhand.errors import EventsLostError, StoreAwayError
from upperhand.live.log import Event, Kind, open_storage


class Worker:
    """The other end: start, begin, end."""

    def __init__(self, url, i, count=0, durable=True):
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(url), str(i), str(count), str(int(durable))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        assert self._process.stdout.readline() == "ready\n"

    def begin(self):
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def end(self):
        """Return what it wrote down."""
        text, _ = self._process.communicate("enough\n", timeout=200)
        assert self._process.returncode == 0
        return json.loads(text)


def work(log, i, count, durable, enough):
    """Append as long as it is wanted; return what was acknowledged, when, and how long it took."""
    told, times, worst, away, tries = [], [], 0.0, 0, 0
    while len(told) < count if count else not enough.is_set():
        tries += 1
        trial = i * 10**9 + tries
        started = time.monotonic()
        try:
            event = Event(Kind.TOLD, trial, arm=i, value=float(tries))
            log.transact(
                lambda found, e=event: found.append([e]), durable=durable or tries % 2 == 0
            )
        except (StoreAwayError, EventsLostError):
            away += 1
            time.sleep(0.02)
            continue
        times.append(time.monotonic())
        worst = max(worst, times[-1] - started)
        if durable or tries % 2 == 0:
            told.append(trial)
    return {"told": told, "worst": worst, "away": away, "times": times}


def main():
    url, i, count, durable = sys.argv[1], *map(int, sys.argv[2:])
    log = open_storage(url).log("a")
    log.last()
    enough = threading.Event()
    print("ready", flush=True)
    sys.stdin.readline()
    if not count:
        threading.Thread(target=lambda: (sys.stdin.readline(), enough.set()), daemon=True).start()
    json.dump(work(log, i, count, bool(durable), enough), sys.stdout)


if __name__ == "__main__":
    main()
