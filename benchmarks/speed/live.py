"""Live ask + tell, next to river's pull + update in the same run; and without Numba."""

import importlib
import importlib.util
from functools import cache, partial

import numpy as np

import upperhand as uh
from measure import live
from speed.clock import by_turns, cpu, duration, ratio, typical
from speed.peers import load
from speed.rows import Row, Section, at_least, at_most
from upperhand.studies.instances import INSTANCES
from upperhand.studies.line_up import line_up

SIZES = {3: 1, 10: 1, 100: None, 1_000: 10}  # arms, and how many times river's speed is the goal
BEFORE, ROUNDS = 2_000, 1_000
TRIED = 300


def names(arms):
    """Return names of arms."""
    return [f"arm {j}" for j in range(arms)]


def asked(bandit, rewards):
    """Ask and tell, once for each reward."""
    ask, tell = bandit.ask, bandit.tell
    for reward in rewards:
        tell(ask(), reward)


def pulled(policy, arms, rewards):
    """Do the same with river."""
    pull, update = policy.pull, policy.update
    for reward in rewards:
        update(pull(arms), reward)


@cache
def slowest():
    """Return the label and the policy whose ask + tell takes the longest, with ten arms."""
    rewards = np.random.default_rng(0).normal(size=TRIED).tolist()
    found = {}
    for label, policy in line_up(INSTANCES["headline"], 10_000).items():
        bandit = uh.Bandit(names(10), policy, seed=0)
        asked(bandit, rewards)
        found[label] = cpu(partial(asked, bandit, rewards)), policy
    label = max(found, key=lambda each: found[each][0])
    return label, found[label][1]


@cache
def next_to_river(which, arms):
    """Return the label, and by turns the seconds of an ask + tell of ours and of river's."""
    river = load("river.bandit", "river").UCB(delta=1, seed=0)
    label, policy = ("ACP-UCB1", uh.ACPUCB1()) if which == "ACP-UCB1" else slowest()
    bandit = uh.Bandit(names(arms), policy, seed=0)
    rng = np.random.default_rng(0)
    rewards = rng.normal(size=BEFORE + 3 * arms).tolist()
    rounds = ROUNDS if arms <= 100 else ROUNDS // 5
    asked(bandit, rewards)
    pulled(river, names(arms), rewards[: 3 * arms + rounds])
    more = rng.normal(size=rounds).tolist()
    sides = {
        "ours": lambda: cpu(partial(asked, bandit, more)) / rounds,
        "river": lambda: cpu(partial(pulled, river, names(arms), more)) / rounds,
    }
    return label, by_turns(sides)


def row(which, arms):
    """Return how many times faster than river."""
    label, taken = next_to_river(which, arms)
    ours, river = (duration(np.median(taken[side])) for side in ("ours", "river"))
    name = "" if which == label else f"{label}: "
    return ratio(taken["river"], taken["ours"], f"{name}{ours} against {river}")


def after_many():
    """Return the seconds of an ask + tell after 10⁵ rewards of each of ten arms."""
    return typical(np.array([live() for _ in range(5)]))


def section():
    """Return the rows, with those of `live_peers` if it is there."""
    name = "live ask + tell, {}, K = {:,}, times faster than river"
    rows = [
        Row(name.format(which, arms), partial(row, which, arms), "×", goal and at_least(goal))
        for which in ("ACP-UCB1", "the slowest policy")
        for arms, goal in SIZES.items()
    ]
    after = "live ask + tell, K = 10 with 10⁵ rewards each, without Numba"
    rows.append(Row(after, after_many, "µs", at_most(15)))
    if importlib.util.find_spec("live_peers"):
        rows.extend(getattr(importlib.import_module("live_peers"), "rows", tuple)())
    words = (
        "A Bandit in memory next to river.bandit.UCB(delta=1), CPU time, by turns; river's UCB "
        "plays for means, the library's policies here for quantiles."
    )
    return Section("Live use", words, tuple(rows))
