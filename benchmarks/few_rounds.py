"""What few rounds cost: KL-QUCB+ plain, hedged and frugal, from 10 to 1,000 rounds an arm.

Honest arms are of six families with random parameters; of the others, a deceptive one looks poor
for long and is best. All figures are relative to KL-QUCB+ on the same rewards: of honest arms the
regret as a ratio, of the others what more is lost, in % of n × the second gap.

    python benchmarks/few_rounds.py                ten minutes on one core
"""

import argparse
import math
import time
from dataclasses import replace

import numpy as np
from scipy import stats

import upperhand as uh
from upperhand.comparison.instances import INSTANCES, PAPER
from upperhand.objectives import oriented

SEED, PLAIN = 2031, "KL-QUCB+"
RATES = 10, 30, 100, 300, 1000  # rounds an arm
LENGTHS = 300, 1000, 4000  # rounds


def players(tau, horizon):
    """Return the columns of the tables."""
    plain = uh.KLQUCB(tau, plus=True)
    frugal = plain.replace(frugal=40)
    return {
        PLAIN: plain,
        "trust=3": plain.replace(trust=3.0),
        "frugal=40": frugal,
        "both": frugal.replace(trust=3.0),
        "frugal, horizon": frugal.replace(horizon=horizon),
        "both, horizon": frugal.replace(trust=3.0, horizon=horizon),
    }


def family(name, rng):
    """Return random arms, with the level and the direction to play for."""
    match name:
        case "log-normal cost, p95, K = 8":
            m, s = rng.normal(0, 0.4, 8), rng.uniform(0.3, 0.8, 8)
            return list(map(uh.LogNormal, m, s)), 0.95, "minimize"
        case "normal reward, p90, K = 5":
            m, s = rng.normal(0, 0.7, 5), rng.uniform(0.5, 1.5, 5)
            return list(map(uh.Normal, m, s)), 0.9, "maximize"
        case "exponential cost, p99, K = 10":
            return [uh.Exponential(s) for s in np.exp(rng.normal(0, 0.5, 10))], 0.99, "minimize"
        case "Gumbel, best of 8, K = 10":
            m, s = rng.normal(0, 1, 10), rng.uniform(0.5, 1.2, 10)
            return list(map(stats.gumbel_r, m, s)), 2 ** (-1 / 8), "maximize"
        case "Student-t cost, p90, K = 4":
            m, s = rng.normal(0, 1, 4), rng.uniform(0.5, 1.5, 4)
            return [uh.StudentT(*each, 3) for each in zip(m, s, strict=True)], 0.9, "minimize"
        case _:
            a, b = rng.uniform(2, 8, 20), rng.uniform(1, 4, 20)
            return list(map(stats.beta, a, b)), 0.75, "maximize"


FAMILIES = {
    "log-normal cost, p95, K = 8": 8,
    "normal reward, p90, K = 5": 5,
    "exponential cost, p99, K = 10": 10,
    "Gumbel, best of 8, K = 10": 10,
    "Student-t cost, p90, K = 4": 4,
    "beta reward, p75, K = 20": 20,
}


def mixed(*parts):
    """Return a mixture of normal distributions: share, mean and standard deviation of each."""
    return uh.Mixture([uh.Normal(m, s) for _, m, s in parts], [share for share, _, _ in parts])


def normals(means, scale=1.0):
    """Return normal arms."""
    return [uh.Normal(m, scale) for m in means]


TAIL = (0.06, 10, 1)
DECEPTIVE = {
    "deceptive": ([*normals([0]), mixed((0.94, -1, 0.3), TAIL)], 0.95, "maximize"),
    "deceptive, far": ([*normals([0]), mixed((0.94, -10, 0.3), TAIL)], 0.95, "maximize"),
    "deceptive, K = 3": ([*normals([0, -0.5]), mixed((0.94, -3, 1), TAIL)], 0.95, "maximize"),
    "deceptive, K = 12": (
        [*normals(-0.1 * k for k in range(11)), mixed((0.94, -3, 1), TAIL)], 0.95, "maximize"),
    "skewed and narrow": ([uh.Normal(3.5, 0.5), uh.Exponential(1 / 1.5)], 0.95, "maximize"),
    "wide and low": ([uh.Normal(2.0, 0.1), uh.Normal(-3, 3.5)], 0.95, "maximize"),
    "cost, fails 3.5 %, p95": (
        [uh.Normal(0, 1), mixed((0.965, -1, 0.3), (0.035, 30, 1))], 0.95, "minimize"),
    "cost, fails 4 %, p95": (
        [uh.Normal(1, 0.5), mixed((0.96, 0, 0.3), (0.04, 50, 1))], 0.95, "minimize"),
    "cost, fails 4 %, p95, K = 12": (
        [*normals((1 + 0.02 * k for k in range(11)), 0.5), mixed((0.96, 0, 0.3), (0.04, 50, 1))],
        0.95, "minimize"),
    "cost, fails 27 %, p70, K = 12": (
        [*normals((1 + 0.02 * k for k in range(11)), 0.5), mixed((0.73, 0, 0.3), (0.27, 50, 1))],
        0.7, "minimize"),
    "cost, fails 45 %, p50, K = 3": (
        [*normals((1, 1.2), 0.5), mixed((0.55, 0, 0.3), (0.45, 50, 1))], 0.5, "minimize"),
}  # fmt: skip
OTHERS = {
    "deceptive, K = 30": (
        [*normals(-0.05 * k for k in range(29)), mixed((0.94, -3, 1), TAIL)], 0.95, "maximize"),
    "Student-t, df 1.5": (
        [uh.StudentT(0, 1, 1.5), uh.StudentT(0.5, 1, 1.5), uh.StudentT(0, 0.7, 1.2)],
        0.95, "maximize"),
    "log-normal": (
        [uh.LogNormal(0, 1.5), uh.LogNormal(0.5, 1), uh.LogNormal(1, 0.5)], 0.95, "maximize"),
    "as the headline": (
        [uh.Normal(0, 1), uh.Normal(0.5, 1), uh.Normal(0.25, 1.5)], 0.95, "maximize"),
    "small gaps": (normals([0, 0.1, 0.2]), 0.9, "maximize"),
    "many": (normals(0.1 * k for k in range(10)), 0.95, "maximize"),
    "far apart": (normals([0, 5, 10]), 0.95, "maximize"),
    "log-normal cost, K = 8": (
        [uh.LogNormal(0.1 * k, 0.3 + 0.1 * (k % 3)) for k in range(8)], 0.95, "minimize"),
    "exponential cost, K = 4": (
        [uh.Exponential(1 / (1 - 0.1 * k)) for k in range(4)], 0.99, "minimize"),
}  # fmt: skip


def regrets(problem, n, replications, seed, others=None):
    """Return the regret of each policy in each replication."""
    arms, tau, direction = problem
    played = players(tau, n) | (others or {})
    runs = uh.simulate(
        arms, played, n, replications, seed, rounds=1, direction=direction, progress=False
    )
    return {name: curve.final for name, curve in runs.regret(uh.Quantile(tau)).items()}


def ratio(found, name, to=PLAIN):
    """Return ln of the ratio to another policy's mean regret, its standard error, and the distance.

    Runs with the same arms count as one. The distance is that of the means in standard errors.
    """
    own, plain = (found[each].mean(axis=1) for each in (name, to))
    relative = own / own.mean() - plain / plain.mean()
    error, apart = (each.std(ddof=1) / math.sqrt(len(own)) for each in (relative, own - plain))
    return math.log(own.mean() / plain.mean()), error, (own - plain).mean() / max(apart, 1e-300)


def cells_of(logs):
    """Return a row of ratios with standard errors, and in brackets the largest distance."""
    table = np.array(logs)  # (rows, policies, 3)
    mean = np.exp(table[:, :, 0].mean(axis=0))
    error = mean * np.sqrt((table[:, :, 1] ** 2).sum(axis=0)) / len(table)
    each = zip(mean, error, table[:, :, 2].max(axis=0), strict=True)
    return " | ".join(f"{g:.2f} ± {e:.3f} ({z:+.1f})" for g, e, z in each)


def honest(lengths, instances, replications):
    """Print the ratio of each family and length, with geometric means; the lengths are by K."""
    names, all_logs = list(players(0.5, None)), []
    print(f"| honest arms | {' | '.join(names[1:])} |\n|{'---|' * len(names)}")
    for label, length in lengths.items():
        logs = []
        for i, (each, k) in enumerate(FAMILIES.items()):
            found = {name: np.empty((instances, replications)) for name in names}
            for run in range(instances):
                problem = family(each, np.random.default_rng([SEED, i, run]))
                final = regrets(problem, length(k), replications, SEED + run)
                for name in names:
                    found[name][run] = final[name]
            logs.append([ratio(found, name) for name in names[1:]])
            print(f"| {each}, {label} | {cells_of(logs[-1:])} |", flush=True)
        print(f"| **all, {label}** | {cells_of(logs)} |", flush=True)
        all_logs += logs
    print(f"| **all** | {cells_of(all_logs)} |\n", flush=True)


def real(runs):
    """Print the ratio on the shipped data, drawn with replacement."""
    others = {"mean of last 10": uh.MeanOfLast()}
    names, flights = [*players(0.5, None), *others], uh.datasets.load_flights()
    data = {
        f"flights to {dest}, p95": (flights.arms(dest=dest, failure=900.0), 0.95, "minimize")
        for dest in ("BWI", "CHS", "PDX")
    }
    tuning = uh.datasets.load_network_tuning().arms()
    data["tuning, best of 8"] = (tuning, 2 ** (-1 / 8), "maximize")
    print(f"| shipped data | {' | '.join(names[1:])} |\n|{'---|' * len(names)}")
    for name, problem in data.items():
        for n in (rate * len(problem[0]) for rate in RATES):
            found = regrets(problem, n, runs, SEED, others)
            logs = [[ratio({k: v[:, None] for k, v in found.items()}, each) for each in names[1:]]]
            print(f"| {name}, {n:,} rounds | {cells_of(logs)} |", flush=True)
    print()


def deceptive(problems, n, replications):
    """Print what each policy loses more than KL-QUCB+."""
    names = list(players(0.5, None))
    print(f"| {n:,} rounds | loss of {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for name, problem in problems.items():
        arms, tau, direction = problem
        gaps = np.sort(oriented(uh.Quantile(tau), direction == "minimize").gaps(arms))
        found = regrets(problem, n, replications, SEED)
        unit = 100 / (n * gaps[gaps > 0][0])
        more = [unit * (found[each] - found[PLAIN]) for each in names[1:]]
        cells = [f"{x.mean():+.1f} ± {x.std(ddof=1) / math.sqrt(len(x)):.1f}" for x in more]
        print(f"| {name} | {unit * found[PLAIN].mean():.1f} | {' | '.join(cells)} |", flush=True)
    print()


def paper(runs):
    """Print the regret on the paper's ten settings, and in the far tail, × that of ACP-UCB1."""
    names = list(players(0.5, None))[:4]
    print(f"| 10,000 rounds | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    far = [replace(INSTANCES["far-tail"], alpha=alpha) for alpha in (0.01, 0.002)]
    for instance in (*PAPER, *far):
        level = uh.Quantile(1 - instance.alpha / 2)
        chosen = {name: players(level.tau, None)[name] for name in names}
        both = {**chosen, "ACP": uh.ACPUCB1(instance.alpha)}
        found = uh.simulate(instance.arms, both, 10_000, runs, SEED, rounds=1, progress=False)
        final = {name: curve.final[:, None] for name, curve in found.regret(level).items()}
        logs = [ratio(final, name, "ACP") for name in names]
        cells = [f"{math.exp(x):.3f} ± {math.exp(x) * e:.3f}" for x, e, _ in logs]
        print(f"| {instance.name}, α = {instance.alpha:g} | {' | '.join(cells)} |", flush=True)
    print()


def steps(arms=8, n=4000, tries=15):
    """Print what a compiled step costs, relative to that of KL-QUCB+."""
    table = np.random.default_rng(SEED).normal(0.3 * np.arange(arms)[:, None], 1.0, (arms, n))
    costs = dict.fromkeys(players(0.95, n), math.inf)
    for name, policy in [*players(0.95, n).items()] * tries:
        begun = time.process_time()
        uh.play(policy, table, compiled=True)
        costs[name] = min(costs[name], time.process_time() - begun)
    cells = [f"{name} {cost / costs[PLAIN]:.2f}" for name, cost in costs.items()]
    print(f"a step of {arms} arms in {n:,} rounds: {', '.join(cells)}")


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300, help="instances of a family")
    runs = parser.parse_args().runs
    honest({f"{n:,} rounds": lambda _, n=n: n for n in LENGTHS}, runs, 2)
    honest({f"{r:,} rounds an arm": lambda k, r=r: r * k for r in RATES}, runs // 2, 2)
    real(2 * runs)
    for n, times in ((2_000, 5), (10_000, 2)):
        deceptive(DECEPTIVE | OTHERS, n, times * runs)
    paper(runs)
    steps()


if __name__ == "__main__":
    main()
