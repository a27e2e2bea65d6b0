"""What a step of the compiled loop costs: next to plain Python, to UCB1, and as rounds go on."""

import time
from functools import cache, partial

import numpy as np

import upperhand as uh
from measure import final_state, reward_rows, seconds, step, typical_step
from naive_numpy import LADDER
from speed.clock import duration, ratio, typical
from speed.rows import Row, Section, at_least, at_most
from upperhand.comparison.default_policies import default_policies
from upperhand.comparison.instances import INSTANCES
from upperhand.simulation.player import NOTHING, Runner, arms_of
from upperhand.simulation.rewards import GivenRewards, reward_table

HORIZON = 10_000
ON_QUANTILES = (
    "KL-QUCB", "KL-QUCB+", "H-KL-QUCB+", "Quantile-TS", "Quantile-IMED", "H-Quantile-IMED",
    "ACP-UCB1", "ACP-UCB1 auto", "Quantile-UCB", "QUCB", "UCB-CP",
)  # fmt: skip


def policies():
    """Return every policy by its label, set for the headline."""
    return {
        **default_policies(INSTANCES["headline"], HORIZON),
        "KL-UCB (Bernoulli)": uh.KLUCB(),
        "Thompson sampling (Beta)": uh.ThompsonSampling(),
        "Thompson sampling (sd)": uh.ThompsonSampling("gaussian", sd=0.15),
    }


@cache
def ladder(horizon=HORIZON, tables=5):
    """Return how many times faster ACP-UCB1 is than each rung of `LADDER`, table by table.

    A rung is timed only if it chooses our arms, on a short table before and on each table that it
    is timed on. Our side is timed before and after each.
    """
    policy, short = uh.ACPUCB1(), reward_rows(2_000)
    for name, play in LADDER.items():
        check_same(name, play(short), policy, short)
    ratios = {name: [] for name in LADDER}
    for seed in range(tables):
        table = reward_rows(horizon, seed)
        for name, play in LADDER.items():
            before, start = typical_step(policy, horizon), time.process_time()
            arms = play(table)
            slow = (time.process_time() - start) / horizon
            check_same(name, arms, policy, table)
            ratios[name].append(2 * slow / (before + typical_step(policy, horizon)))
    return {name: typical(np.array(each)) for name, each in ratios.items()}


def rung(name):
    """Return one rung of it."""
    return ladder()[name]


def check_same(name, arms, policy, table):
    """Refuse a rung of the ladder that chose other arms than the library."""
    if not np.array_equal(arms, uh.play(policy, table).arms):
        raise ValueError(f"{name!r} chose other arms than the library, and is not timed")


@cache
def every_step(tables=40):
    """Return the seconds a round of each policy, (tables,); played by turns on fresh tables.

    On a table that it has met before, the processor predicts the branches of UCB1.
    """
    players = policies()
    rows = [reward_rows(HORIZON, seed) for seed in range(tables + 1)]
    _, *turns = [[step(policy, table, 1) for policy in players.values()] for table in rows]
    return dict(zip(players, np.array(turns).T, strict=True))  # the first turn may compile


def in_ucb1_steps(name):
    """Return the cost of a policy's step in UCB1 steps: the median, and the middle half."""
    steps = every_step()
    quotients = steps[name] / steps["UCB1"]
    low, high = np.quantile(quotients, [0.25, 0.75])
    note = f"{duration(np.median(steps[name]))} against {duration(np.median(steps['UCB1']))}"
    return ratio(steps[name], steps["UCB1"], note)._replace(low=float(low), high=float(high))


@cache
def qlucb_step(arms=10, horizon=100_000, turns=7):
    """Return the cost of a QLUCB step in UCB1 steps, with ten equal arms."""
    table = reward_table(np.random.default_rng(0).normal(0.0, 1.0, (arms, horizon)))
    policy, mean = uh.QLUCB(0.95), uh.UCB1()
    source, f = GivenRewards(table), policy.functions

    def searched():
        state = f.start(policy.parameters, arms, 2 * horizon)
        runner = Runner(policy, state, source, arms_of(NOTHING))
        ended = runner.play(np.random.default_rng(0), horizon)
        assert (ended.rounds, ended.stopped) == (horizon, False)

    searched()
    times = np.array([
        (seconds(searched, 1, time.process_time) / horizon, step(mean, table, 1))
        for _ in range(turns)
    ])  # fmt: skip
    own, ucb = np.median(times, axis=0)
    return ratio(times[:, 0], times[:, 1], f"{duration(own)} against {duration(ucb)}")


def growth(horizon, turns=5):
    """Return the cost of an ACP-UCB1 step over so many rounds, in steps over 10⁴."""
    policy, large = uh.ACPUCB1(), reward_rows(horizon)
    final_state(policy, large[:, :100].copy(), 100)
    times = np.array([
        (step(policy, large, 1), typical_step(policy, HORIZON)) for _ in range(turns)
    ])  # fmt: skip
    long, short = np.median(times, axis=0)
    return ratio(times[:, 0], times[:, 1], f"{duration(long)} against {duration(short)}")


def section():
    """Return the rows on ACP-UCB1 and on growth."""
    rungs = [
        Row(f"ACP-UCB1 step, times faster than Python: {name}", partial(rung, name), "×",
            at_least(1_000) if name.startswith("only the pulled arm") else None)
        for name in reversed(LADDER)
    ]  # fmt: skip
    rest = (
        Row("ACP-UCB1 step, in UCB1 steps", partial(in_ucb1_steps, "ACP-UCB1"), "×", at_most(3)),
        Row("Quantile-IMED step, in UCB1 steps", partial(in_ucb1_steps, "Quantile-IMED"), "×",
            at_most(1.8)),
        Row("QLUCB step, in UCB1 steps, K = 10", qlucb_step, "×", at_most(10)),
        Row("ACP-UCB1 step over 10⁶ rounds, in steps over 10⁴", partial(growth, 10**6), "×",
            at_most(1.5)),
        Row("ACP-UCB1 step over 10⁷ rounds, in steps over 10⁴", partial(growth, 10**7), "×",
            at_most(2)),
    )  # fmt: skip
    words = (
        "On the headline's three arms, n = 10⁴, rewards drawn before. The first rows are a ladder "
        "of scripts that people would write, the most careful first; all choose our arms. A step "
        "over n rounds is the mean of all of them."
    )
    return Section("A step, and how it grows", words, (*rungs, *rest))


def every_policy():
    """Return a row for each policy."""
    rows = tuple(
        Row(f"A step of {name}", partial(in_ucb1_steps, name), "×",
            at_most(6) if name in ON_QUANTILES else None)
        for name in policies()
    )  # fmt: skip
    words = "K = 3, n = 10⁴, in UCB1 steps on the same tables; in brackets the middle half of 40."
    return Section("A step of every policy", words, rows)
