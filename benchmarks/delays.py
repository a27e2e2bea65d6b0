"""Regret that pending asks cost: D of them at any time, against none.

The paper's headline arms, n = 10⁴ asks of which D are always under way. Regret of the arm asked
for, with W = N + pending and, for comparison, with pending asks left out of the count.
"""

import numpy as np

import upperhand as uh
from live_loop import play_live
from upperhand.comparison.instances import GAUSSIAN_ARMS
from upperhand.simulation.rewards import draw_table

HORIZON, RUNS, SEED, DELAYS = 10_000, 300, 11, (0, 64, 256)
POLICIES = {
    "KL-QUCB": uh.KLQUCB(0.95),
    "KL-QUCB+": uh.KLQUCB(0.95, plus=True),
    "frugal KL-QUCB+": uh.KLQUCB(0.95, plus=True, frugal=40, trust=3.0),
    "Quantile-IMED": uh.QuantileIMED(0.95),
    "Quantile-TS": uh.QuantileTS(0.95),
    "QUCB": uh.QUCB(0.95),
    "Quantile-UCB": uh.QuantileUCB(0.1),
    "ACP-UCB1": uh.ACPUCB1(0.1),
    "UCB-CP": uh.UCBCP(alpha=0.1),
}


def gaps():
    """Return how much worse each arm's p95 is than the best."""
    values = np.array([arm.quantile(0.95) for arm in GAUSSIAN_ARMS])
    return values.max() - values


def regrets(policy, delay):
    """Return the regret of each run; run r has the same rewards for all policies and delays."""
    worse, found = gaps(), np.empty(RUNS)
    for run in range(RUNS):
        table = draw_table(GAUSSIAN_ARMS, HORIZON, SEED, run)
        arms = play_live(policy, table, np.random.default_rng([SEED, run]), delay=delay)
        found[run] = worse[arms].sum()
    return found


def main():
    """Print a row a policy: regret without delay, and what each delay adds, paired."""
    total = gaps().sum()
    print("| policy | no delay | " + " | ".join(f"D = {d} adds" for d in DELAYS[1:]) + " |")
    print("|---" * (len(DELAYS) + 1) + "|")
    goals = [f"≤ {0.1 * d * total:.2f} + 2 s.e." for d in DELAYS[1:]]
    for name, policy in POLICIES.items():
        base, cells = regrets(policy, 0), []
        for delay in DELAYS[1:]:
            extra = regrets(policy, delay) - base
            error = extra.std(ddof=1) / np.sqrt(RUNS)
            met = extra.mean() <= 0.1 * delay * total + 2 * error
            cells.append(f"{extra.mean():.2f} ± {error:.2f}{'' if met else ' (missed)'}")
        print(f"| {name} | {base.mean():.1f} | {' | '.join(cells)} |", flush=True)
    print(f"| goal | | {' | '.join(goals)} |")


if __name__ == "__main__":
    main()
