"""What a step costs as arms grow many: all arms alike, after their first pulls."""

from functools import cache, partial

import numpy as np

import upperhand as uh
from measure import final_state
from speed.clock import cpu, duration, typical
from speed.rows import Row, Section, at_most

SIZES = (10, 100, 1_000, 10_000)
DOUBLES = 50_000_000  # of a table at most: 400 MB
MOST_ROUNDS = 10_000
INDEX_POLICIES = {
    "UCB1": uh.UCB1(),
    "ACP-UCB1": uh.ACPUCB1(),
    "Quantile-UCB": uh.QuantileUCB(),
    "QUCB": uh.QUCB(),
    "KL-QUCB": uh.KLQUCB(),
    "UCB-CP": uh.UCBCP(),
    "KL-UCB (sd)": uh.KLUCB("gaussian", sd=1.0),
    "UCB-V (span 1)": uh.UCBV(span=1.0),
    "Quantile-IMED": uh.QuantileIMED(),
}
# Of an arm that is not pulled, these indices only rise: who leads need not be found anew.
RISING = ("UCB1", "ACP-UCB1", "Quantile-UCB", "QUCB", "KL-QUCB", "UCB-CP", "KL-UCB (sd)",
          "UCB-V (span 1)")  # fmt: skip


def table_for(arms):
    """Return rewards of equal normal arms, as many as the rounds that are timed may need."""
    columns = min(MOST_ROUNDS, DOUBLES // arms)
    return np.random.default_rng(0).standard_normal((arms, columns + 2))


def step_at(policy, table):
    """Return CPU seconds a step after the first pulls: a long run without its beginning."""
    arms, columns = table.shape
    first = arms * policy.initial_pulls
    more = columns - policy.initial_pulls
    long, short = (
        cpu(partial(final_state, policy, table, rounds, rounds)) for rounds in (first + more, first)
    )
    return max(long - short, 0.0) / more


@cache
def steps_at(arms, names=tuple(INDEX_POLICIES), turns=5):
    """Return the seconds a step of each policy with so many arms, (turns,), by turns."""
    table = table_for(arms)
    few = table[:, : 1 + max(INDEX_POLICIES[name].initial_pulls for name in names)].copy()
    for name in names:  # compiled before it is timed
        policy = INDEX_POLICIES[name]
        final_state(policy, few, arms, policy.initial_pulls * arms)
    found = [[step_at(INDEX_POLICIES[name], table) for name in names] for _ in range(turns)]
    return dict(zip(names, np.array(found).T, strict=True))


def row(name):
    """Return a policy's step at the most arms, with those at fewer."""
    few = {size: np.median(steps_at(size)[name]) for size in SIZES[:-1]}
    fewer = ", ".join(f"{size:,}: {duration(taken)}" for size, taken in few.items())
    return typical(steps_at(SIZES[-1])[name], f"K = {fewer}")


def section():
    """Return a row for each index policy."""
    rows = tuple(
        Row(f"A step with K = 10⁴ arms: {name}", partial(row, name), "µs",
            at_most(2) if name in RISING else None)
        for name in INDEX_POLICIES
    )  # fmt: skip
    return Section("A step with many arms", rows)
