"""A process that asks and tells, for the tests: ``python -m tests.live.faults.worker URL JSON``.

It says "ready", begins when it is given a line, and writes a line of JSON for each thing that was
acknowledged, at once, so that what it was told before it is killed is known.
"""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from upperhand.errors import StoreError
from upperhand.live import Experiment

NAME = "a"
MADE = {"quantile": 0.9, "direction": "minimize", "seed": 3}
ARMS = ["x", "y", "z"]


def made(storage, **how):
    """Make the experiment that workers share."""
    return Experiment(NAME, ARMS, storage=storage, **{**MADE, **how})


class Worker:
    """The other end: start it, let it begin, kill it or wait for its end; see what it said."""

    def __init__(self, url, **task):
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(url), json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )

    def begin(self, **more):
        """Let it begin, with what was not known when it was started."""
        assert self.process.stdout.readline() == "ready\n"
        self.process.stdin.write(json.dumps(more) + "\n")
        self.process.stdin.flush()

    def line(self):
        """Return the next thing that it says."""
        return json.loads(self.process.stdout.readline())

    def end(self, *, killed=False):
        """Return what it said; a last line that a kill cut off was never said."""
        text, _ = self.process.communicate(timeout=250)
        assert killed or self.process.returncode == 0, text[-500:]
        whole = text[: text.rfind("\n") + 1]
        return [json.loads(line) for line in whole.splitlines()]


def say(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def pairs(exp, task):
    """Ask and tell so many times, and what is given as `retry` first."""
    for text, value in task.get("retry", []):
        say(told=text, value=value, answer=exp.tell(text, value))
    number, base = 0, task.get("base", 0.0)
    times, worst = [], 0.0
    while task.get("count") is None or number < task["count"]:
        number += 1
        started = time.monotonic()
        trial = exp.ask()
        value = base + number
        if task.get("announce"):
            say(asked=trial.id, arm=trial.arm, value=value)
        try:
            answer = exp.tell(trial, value)
        except StoreError:
            if not task.get("patient"):
                raise
            continue
        times.append(time.monotonic())
        worst = max(worst, times[-1] - started)
        if not task.get("quiet"):
            say(told=trial.id, value=value, answer=answer)
    say(times=times, worst=worst)


def patient(exp, task):
    """Ask and tell for so many seconds, whatever becomes of the store."""
    end, number, away = time.monotonic() + task["seconds"], 0, 0
    while time.monotonic() < end:
        number += 1
        try:
            trial = exp.ask()
        except StoreError:
            away += 1
            time.sleep(0.02)
            continue
        say(asked=trial.id)
        value = task["base"] + number
        for _ in range(2000):
            try:
                say(told=trial.id, value=value, answer=exp.tell(trial, value), arm=trial.arm)
                break
            except StoreError:
                away += 1
                time.sleep(0.02)
    say(away=away)


def late(exp, task):
    """Ask, say so, tell when a line comes, twice."""
    trial = exp.ask()
    say(asked=trial.id)
    sys.stdin.readline()
    say(answers=[exp.tell(trial, 1.0), exp.tell(trial, 1.0)])


def signals(exp, task):
    """Ask and tell while a timer interrupts; say what was acknowledged, and how often it rang."""
    armed, rung, told, pairs = [], 0, {}, 0

    def ring(number, frame):
        if armed:
            armed.clear()
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, ring)
    generator = random.Random(1)
    while rung < task["interrupts"]:
        trial, pairs = None, pairs + 1
        signal.setitimer(signal.ITIMER_REAL, generator.uniform(0.00005, 0.0012))
        try:
            armed.append(True)
            trial = exp.ask()
            exp.tell(trial, float(pairs))
            armed.clear()
        except KeyboardInterrupt:
            rung += 1
        armed.clear()
        if trial is not None:
            assert exp.tell(trial, float(pairs)) in ("told", "again")
            told[trial.id] = float(pairs)
    signal.setitimer(signal.ITIMER_REAL, 0)
    say(told=told, rung=rung, pairs=pairs)


def main():
    url, task = sys.argv[1], json.loads(sys.argv[2])
    exp = Experiment(NAME, storage=url)
    print("ready", flush=True)
    task |= json.loads(sys.stdin.readline())
    {"pairs": pairs, "late": late, "patient": patient, "signals": signals}[task.get("do", "pairs")](
        exp, task
    )


if __name__ == "__main__":
    main()
