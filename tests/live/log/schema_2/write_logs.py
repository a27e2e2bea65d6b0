"""How the logs of this folder were written, with schema 2, before events had checksums.

Run from the root of the repository, with PostgreSQL installed, at the commit that added this file:
``python -m tests.live.log.schema_2.write_logs``. It need not run with later versions. Times come
from a clock of its own, so it writes the same events each time, apart from the random keys of
outcomes without an ask.
"""

import gzip
import json
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from unittest import mock

import numpy as np

import upperhand as uh
from tests.fixtures.v0_1_0.experiments import continued, first_of_each_kind, seen
from tests.live.log.cluster import Cluster
from tests.live.log.schema_2.states import known
from upperhand.errors import RewardError
from upperhand.live.log import open_storage
from upperhand.live.snapshot import to_bytes

HERE = Path(__file__).parent
START = 1_700_000_000.0
ARMS = ("small", "medium", "large")
LOW, HIGH = {"direction": "minimize"}, {"direction": "maximize"}
FULL = {
    "latency": {"quantile": 0.95, "duration": "s", "lease": 20.0, **LOW},
    "sketch": {"quantile": 0.9, "policy": "kl-qucb:sketch=64", "lease": 20.0, **HIGH},
    "rounds": {"quantile": 0.5, "policy": "quantile-ts", "window": "40 rounds", **HIGH},
    "half-life": {"quantile": 0.8, "policy": "quantile-imed", "half_life": "60s", **HIGH},
    "draws": {"quantile": 0.8, "policy": "quantile-ts", "draws": 5, **LOW},
    "mean": {"quantile": 0.5, "policy": "ucb1", **HIGH},
}
SNAPSHOTS = ("latency", "rounds", "draws")  # in the middle: newer events follow


class Clock:
    """Stands for the time."""

    now = START

    def __call__(self):
        return self.now


def live(url, name, steps, clock, **settings):
    """Make an experiment with a past: all kinds of events if there are enough steps."""
    seed = sum(map(ord, name))
    rng, trials, told = np.random.default_rng(seed), [], []
    exp = uh.Experiment(name, ARMS, storage=url, seed=seed, **settings)
    exp.note("Begun.")
    if name == "sketch":  # so many that not all are kept
        exp.record(["small", "medium", "large"] * 120, (rng.random(360).round(2)).tolist())
    for step in range(steps):
        clock.now += float(rng.choice([0.0, 0.5, 3.25]))
        by = [None, "region=eu"][rng.integers(2)]
        if rng.random() < 0.55:
            key = f"user {rng.integers(5)}" if rng.random() < 0.2 else None
            among = ["small", "large"] if rng.random() < 0.2 else None
            trials.append(exp.ask(by=by, key=key, among=among))
        elif trials:
            trial = trials.pop(int(rng.integers(len(trials))))
            outcome = kind_of_outcome(round(float(rng.random()), 2), rng.random())
            if outcome is None:
                exp.release(trial)
            else:
                told.append(trial.id)
                tell(exp, trial, **outcome)
        if steps > 100 and step % 50 == 20:
            exp = steered(exp, url, step // 50, told, trials, clock)
    exp.record([*exp.arms, "small"], [0.25, 0.5, 0.75, 0.25][: len(exp.arms) + 1], by="region=us")
    exp.close()


def kind_of_outcome(value, how):
    """Return an outcome as arguments of `tell`; None: the trial is given back."""
    if how < 0.1:
        return {"value": None, "failed": True}
    if how < 0.2:
        return {"value": None, "at_least": value}
    return None if how < 0.27 else {"value": value}


def tell(exp, trial, value, **outcome):
    """Tell an outcome; the half if the policy takes values only."""
    try:
        exp.tell(trial, value, **outcome)
    except RewardError:
        exp.tell(trial, 0.5)


def steered(exp, url, part, told, trials, clock):
    """Do what people do to a running experiment; return it, opened again."""
    if part == 0:
        exp.shares({"small": 0.2}, least=0.05)
        exp.correct(told[0], 0.125)
        exp.add_arm("new")
    elif part == 1:
        exp.retire("medium")
        exp.retire("new")
        exp.pin("large")
        exp.ask()
        exp.pin(None)
        exp.shares()
        if exp.name in SNAPSHOTS:
            save_snapshot(exp)
    else:
        exp.add_arm("new")  # taken back
        with suppress(RewardError):  # of a policy that takes values only
            exp.correct(told[1], failed=True)
            exp.correct(told[2], at_least=0.5)
        clock.now += 60.0  # what is told now is late
        late = [exp.tell(trial, 0.5) for trial in trials[:2]]
        assert "late" in late or exp.settings.lease > 60
        del trials[:2]
        other = open_storage(url)
        with other.log(exp.name).turn(durable=False):  # the store is busy
            stand_in = exp.ask(default="small", timeout=0.05)
        other.close()
        exp.tell(stand_in, 0.5)
        exp.tell(arm="large", value=0.75, by="region=eu")
    exp.close()
    exp = uh.Experiment(exp.name, storage=url)
    if part == 1:  # a power cut had lost the ask
        assert exp.tell("1.999.0", 0.5) == "lost"
    return exp


def save_snapshot(exp, data=None):
    """Write the snapshot that closing writes after 20,000 events."""
    with exp._look() as machine:
        exp._log.save_snapshot(machine.n, data or to_bytes(machine))


def write(url):
    """Write experiments into a store."""
    clock = Clock()
    with mock.patch("time.time", clock):
        for name, settings in FULL.items():
            clock.now = START
            live(url, name, 150, clock, **settings)
        bulk(url)


def bulk(url):
    """Write an experiment that is long enough to learn in bulk."""
    made = {"quantile": 0.95, "policy": "acp-ucb1", "seed": 1, **LOW}
    with uh.Experiment("bulk", ARMS, storage=url, **made) as exp:
        rng = np.random.default_rng(1)
        arms = [ARMS[i] for i in rng.integers(3, size=2_300)]
        exp.record(arms, rng.integers(30, size=2_300).astype(float))
        for _ in range(30):
            exp.tell(exp.ask(), float(rng.integers(30)))
        exp.ask()


def look(database):
    """Return what users see of each experiment, and how it goes on, on a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = str(Path(folder, "copy.db"))
        shutil.copy(database, copy)
        storage = open_storage(copy)
        found = {name: {} for name in storage.names()}
        storage.close()
        for name, entry in found.items():
            with uh.Experiment(name, storage=copy) as exp:
                entry["seen"], entry["known"] = seen(exp), known(exp)
                if name == "latency":
                    entry["records"] = first_of_each_kind(exp)
                entry["continued"] = continued(exp)
                entry["known afterwards"] = known(exp)
    return found


def dump(cluster):
    """Return the database as SQL that any version of the server takes."""
    command = [cluster.bin / "pg_dump", "--inserts", "--rows-per-insert=500", "--no-owner",
               "--schema=upperhand", cluster.url]  # fmt: skip
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"^(--|\\|SET ).*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{2,}", "\n", text).lstrip()


def main():
    """Write the three files."""
    database = HERE / "logs.db"
    database.unlink(missing_ok=True)
    write(str(database))
    expected = look(database)
    database.with_name("logs.db.lock").unlink(missing_ok=True)
    (HERE / "logs.db.gz").write_bytes(gzip.compress(database.read_bytes(), mtime=0))
    database.unlink()
    cluster = Cluster()
    try:
        write(cluster.url)
        (HERE / "logs.sql.gz").write_bytes(gzip.compress(dump(cluster).encode(), mtime=0))
    finally:
        cluster.remove()
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in expected.items()]
    (HERE / "logs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
