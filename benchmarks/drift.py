"""Regret on arms that change, with and without forgetting; docs/live.md has two of the rows.

Three normal arms of standard deviation 0.2, whose means change over n = 20,000 rounds; the best
mean is also the best p95, so that sliding-window UCB, which plays for means, is no straw man, and
its bonus fits rewards of this size. Window and half-life were fixed before the first run. Regret is
that of the arm's p95 at the time.
"""

import numpy as np

import upperhand as uh
from live_loop import HALF_LIFE, NEVER, OWN_WINDOW, WINDOW, play_live

HORIZON, RUNS, SEED, SD = 20_000, 60, 12, 0.2
MEANS = np.array([0.6, 0.4, 0.2])
RULES = {
    "never forget": (NEVER, 0),
    'window="2000 rounds"': (WINDOW, 2_000),
    "window=700": (OWN_WINDOW, 700),
    'half_life="1000 rounds"': (HALF_LIFE, 1_000),
}
POLICIES = {
    "KL-QUCB+": uh.KLQUCB(0.95, plus=True),
    "frugal KL-QUCB+": uh.KLQUCB(0.95, plus=True, frugal=40, trust=3.0),
    "Quantile-TS": uh.QuantileTS(0.95),
    "Quantile-UCB": uh.QuantileUCB(0.1),
    "ACP-UCB1": uh.ACPUCB1(0.1),
    "UCB1": uh.UCB1(),
}


def constant():
    """Let nothing change: what forgetting costs."""
    return np.repeat(MEANS[:, None], HORIZON, axis=1)


def abrupt():
    """Let the arms change places at a third and at two thirds."""
    thirds = np.arange(HORIZON) * 3 // HORIZON
    return np.stack([MEANS[(j + thirds) % 3] for j in range(3)])


def slow():
    """Let the last arm rise from the worst to the best, evenly, and the first fall."""
    share = np.linspace(0, 1, HORIZON)
    first, last = MEANS[0], MEANS[2]
    rising = last + share * (first - last)
    return np.stack([first + last - rising, np.full(HORIZON, MEANS[1]), rising])


def seasonal():
    """Let the first and the last arm swing in opposite ways, four times."""
    wave = 0.2 * np.sin(2 * np.pi * 4 * np.arange(HORIZON) / HORIZON)
    return np.stack([0.4 + wave, np.full(HORIZON, 0.4), 0.4 - wave])


INSTANCES = {"constant": constant, "abrupt": abrupt, "slow": slow, "seasonal": seasonal}


def regrets(policy, means, rule, length):
    """Return the regret of each run; run r has the same noise for all."""
    worse, found = means.max(axis=0) - means, np.empty(RUNS)
    for run in range(RUNS):
        rng = np.random.default_rng([SEED, run])
        table = means + rng.normal(0, SD, means.shape)
        arms = play_live(policy, table, rng, rule=rule, length=length)
        found[run] = worse[arms, np.arange(HORIZON)].sum()
    return found


def main():
    """Print a row a policy and rule."""
    print("| policy | remembers | " + " | ".join(INSTANCES) + " |")
    print("|---" * (len(INSTANCES) + 2) + "|")
    for name, policy in POLICIES.items():
        for rule, (kind, length) in RULES.items():
            cells = []
            for means in INSTANCES.values():
                found = regrets(policy, means(), kind, length)
                cells.append(f"{found.mean():,.0f} ± {found.std(ddof=1) / np.sqrt(RUNS):.0f}")
            print(f"| {name} | {rule} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
