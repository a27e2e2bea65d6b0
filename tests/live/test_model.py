"""The machine against the naive model, on random events with a clock that the test moves."""

from functools import partial

import numpy as np
import pytest

from upperhand.live.log import open_storage

from .opened import Clock, opened
from .pair import Pair

VALUES = [float(v) for v in (0, 1, 1, 2, 3, 5, 8, 13, 40)]


def play(pair, rng, steps, *, kinds=("told",), segments=(None,), steering=True):
    """Make random steps with both."""
    for _ in range(steps):
        what = rng.choice(
            ["ask", "tell", "tell", "wait", "record", "release", "steer", "correct"],
            p=[0.35, 0.2, 0.15, 0.15, 0.05, 0.03, 0.03, 0.04],
        )
        trials, by = pair.trials, segments[rng.integers(len(segments))]
        kind, value = str(rng.choice(kinds)), VALUES[rng.integers(len(VALUES))]
        if what == "ask":
            size = rng.integers(1, 4)
            among = (
                [str(a) for a in rng.choice(pair.model.arms, size)] if rng.random() < 0.2 else None
            )
            key = f"user {rng.integers(5)}" if rng.random() < 0.2 else None
            pair.ask(among=among, by=by, key=key)
        elif what == "tell" and trials:
            late = rng.random() < 0.2
            pair.tell(trials[rng.integers(0 if late else max(0, len(trials) - 6), len(trials))],
                      kind, value)  # fmt: skip
        elif what == "wait":
            pair.clock.now += float(rng.choice([0.25, 1.0, 4.0, 9.0]))
        elif what == "record":
            pair.record(str(rng.choice(pair.model.arms)), kind, value, by)
        elif what == "release" and trials:
            pair.release(trials[rng.integers(len(trials))])
        elif what == "correct" and trials:
            pair.correct(trials[rng.integers(len(trials))], kind, value)
        elif what == "steer" and steering:
            steer(pair, rng)
    pair.compare()
    pair.verify()


def steer(pair, rng):
    name = str(rng.choice(pair.model.arms))
    what = rng.integers(5)
    if what == 0 and len(pair.model.arms) < 6:
        pair.add_arm(f"new {len(pair.model.arms)}")
    elif what == 1 and len(pair.model.active) > 1:
        pair.retire(name)
    elif what == 2:
        pair.add_arm(name)
    elif what == 3:
        pair.pin(name if rng.random() < 0.3 else None)
    else:
        pair.share({name: 0.25} if rng.random() < 0.5 else {}, float(rng.choice([0.0, 0.125])))


ALL = ("told", "told", "told", "failed", "at least")
SITUATIONS = {
    "plain": {},
    "maximize": {"direction": "maximize", "quantile": "0.37"},
    "failures and cuts": {"kinds": ALL},
    "failures and cuts of rewards": {"kinds": ALL, "direction": "maximize"},
    "segments": {"segments": (None, "eu", "us"), "kinds": ALL},
    "window": {"window": 5, "kinds": ALL, "segments": (None, "eu")},
    "window of rounds": {"window": "12rounds", "kinds": ALL, "segments": (None, "eu")},
    "window in seconds": {"window": "30s", "kinds": ALL},
    "half-life": {"half_life": 4, "kinds": ALL},
    "half-life in rounds": {"half_life": "10 rounds", "kinds": ALL},
    "half-life in seconds": {"half_life": "25s", "kinds": ALL},
    "durations": {"duration": "s", "lease": 60.0},
    "durations with time-outs": {"duration": "ms", "kinds": ALL, "lease": 60.0},
    "durations and a window": {"duration": "s", "window": 20, "segments": (None, "eu")},
}


def situation(monkeypatch, name, seed, steps):
    settings = dict(SITUATIONS[name])
    how = {key: settings.pop(key) for key in ("kinds", "segments") if key in settings}
    pair = Pair(
        Clock().set(monkeypatch),
        partial(opened, open_storage(None)),
        **settings,
    )
    play(pair, np.random.default_rng(seed), steps, **how)
    return pair


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("name", SITUATIONS)
def test_machine_and_model_agree(monkeypatch, name, seed):
    pair = situation(monkeypatch, name, seed, 160)
    counts = pair.model.counts()
    assert min(counts["asked"], counts["outcomes"]) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 105))
@pytest.mark.parametrize("name", SITUATIONS)
def test_machine_and_model_agree_for_long(monkeypatch, name, seed):
    situation(monkeypatch, name, seed, 400)
