"""Live ask + tell, next to river's pull + update in the same run."""

import warnings
from functools import cache, partial

import numpy as np

import upperhand as uh
from live_peers import live_policies, pairs
from measure import live
from speed.clock import duration, ratio, typical
from speed.peers import load
from speed.rows import Row, Section, at_most

SIZES = (3, 10, 100, 1_000)  # arms
SLOWEST = "the slowest policy"


@cache
def taken(arms):
    """Return the seconds of an ask + tell of every policy, and of river's, by turns."""
    load("river.bandit", "river")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uh.FitWarning)  # on purpose, some do not fit
        return pairs(live_policies(), arms)


def row(which, arms):
    """Return how many times faster than river."""
    times = dict(taken(arms))
    river = times.pop("river")
    label = max(times, key=lambda name: np.median(times[name])) if which == SLOWEST else which
    shown = "" if which == label else f"{label}: "
    spent = f"{duration(np.median(times[label]))} against {duration(np.median(river))}"
    return ratio(river, times[label], shown + spent)


def after_many():
    """Return the seconds of an ask + tell after 10⁵ rewards of each of ten arms."""
    return typical(np.array([live() for _ in range(5)]))


def section():
    """Return the rows."""
    name = "live ask + tell, {}, K = {:,}, times faster than river"
    rows = [
        Row(name.format(which, arms), partial(row, which, arms), "×")
        for which in ("ACP-UCB1", SLOWEST)
        for arms in SIZES
    ]
    after = "live ask + tell, K = 10 with 10⁵ rewards each"
    rows.append(Row(after, after_many, "µs", at_most(15)))
    return Section("Live use", tuple(rows))
