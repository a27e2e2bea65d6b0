"""UCB1 by other libraries, as a careful user of each would run it: one replication, draws included.

A peer that is not there, or does not run with what is installed, is skipped by name, with the
reason. What is timed is choosing and learning, not an experiment class around them.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import sys
from functools import cache
from pathlib import Path

import numpy as np

from speed.rows import SkippedError


def drawn(means, sds, horizon, rng):
    """Return the rewards of each round as lists of floats, which Python reads fastest."""
    return (means + sds * rng.standard_normal((horizon, len(means)))).tolist()


def river(means, sds, horizon, rng):
    """Play river's UCB, which is UCB1 at δ = 1; return how often it pulled each arm."""
    policy, arms = load("river.bandit", "river").UCB(delta=1, seed=0), list(range(len(means)))
    pulls = [0] * len(means)
    for rewards in drawn(means, sds, horizon, rng):
        arm = policy.pull(arms)
        policy.update(arm, rewards[arm])
        pulls[arm] += 1
    return pulls


def smpybandits(means, sds, horizon, rng):
    """Play SMPyBandits' UCB by itself, without its evaluator."""
    policy = smpybandits_ucb()(len(means))
    policy.startGame()
    with np.errstate(all="ignore"):  # its first indices are 0 / 0
        for rewards in drawn(means, sds, horizon, rng):
            arm = policy.choice()
            policy.getReward(arm, rewards[arm])
    return policy.pulls.tolist()


def mabwiser(means, sds, horizon, rng):
    """Play MABWiser's UCB1 a round at a time, by predict and partial_fit."""
    library = load("mabwiser.mab", "MABWiser")
    arms, pulls = list(range(len(means))), [1] * len(means)
    rows = drawn(means, sds, horizon, rng)
    policy = library.MAB(arms, library.LearningPolicy.UCB1(alpha=1.0), seed=0)
    policy.fit(arms, [rows[arm][arm] for arm in arms])
    for rewards in rows[len(arms) :]:
        arm = policy.predict()
        policy.partial_fit([arm], [rewards[arm]])
        pulls[arm] += 1
    return pulls


@cache
def load(module, name):
    """Return a peer's module, or skip by its name."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # some print when they are imported
            return importlib.import_module(module)
    except ImportError as error:
        raise SkippedError(f"{name} does not import ({error})") from error


@cache
def smpybandits_ucb():
    """Return SMPyBandits' class UCB, without importing the whole package.

    Its last release (2019) needs functions that SciPy and NumPy no longer have, elsewhere than in
    UCB. Its files can also be imported by themselves from their folder, which is what this does.
    """
    package = importlib.util.find_spec("SMPyBandits")
    if package is None or not package.submodule_search_locations:
        raise SkippedError("SMPyBandits is not installed")
    folder = str(Path(package.submodule_search_locations[0], "Policies"))
    errors = np.geterr()
    sys.path.insert(0, folder)
    try:
        return load("UCB", "SMPyBandits").UCB
    finally:
        sys.path.remove(folder)
        np.seterr(**errors)  # its modules change it for everybody


PEERS = {"river": river, "SMPyBandits": smpybandits, "MABWiser": mabwiser}


def versions():
    """Return which versions the peers have, in words; empty for what is not there."""
    found = []
    for name in (*PEERS, "NumPy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)
