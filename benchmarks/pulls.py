"""Pulls of bad arms next to what is proved of them: the table in docs/proofs.md."""

import math

import numpy as np

import upperhand as uh
from upperhand.comparison.instances import INSTANCES
from upperhand.theory import lower_bounds, quantile_policies

N, RUNS, SEED = 10_000, 200, 2028
TABLE = {  # the arms, τ, and whose pulls are counted
    "far-apart, p95": (INSTANCES["far-apart"].arms, 0.95, 0),
    "Uniform(0, 1), Uniform(0.4, 1.4), median": ([uh.Uniform(0, 1), uh.Uniform(0.4, 1.4)], 0.5, 0),
    "N(0, 1), N(1.5, 1), p75": ([uh.Normal(0, 1), uh.Normal(1.5, 1)], 0.75, 0),
    "headline, p95": (INSTANCES["headline"].arms, 0.95, 0),
    "0 or 1: 40 % and 80 % ones, median": (
        [uh.Empirical([0] * 3 + [1] * 2), uh.Empirical([0] + [1] * 4)], 0.5, 0),
}  # fmt: skip


def policies(tau):
    """Return the columns."""
    plus = uh.KLQUCB(tau, plus=True)
    return {"KL-QUCB": uh.KLQUCB(tau), "KL-QUCB+": plus} | {
        policy.name: policy for policy in (uh.QuantileIMED(tau), uh.QuantileTS(tau))
    }


def row(arms, tau, arm):
    """Return ln n times the constant of the lower bound, then mean pulls and bound of each."""
    cells = [f"{math.log(N) * lower_bounds.quantile_pulls(arms, tau)[arm]:.1f}"]
    runs = uh.simulate(arms, policies(tau), N, RUNS, SEED, rounds=1, progress=False)
    for name, policy in runs.policies.items():
        pulls, bound = runs.pulls[name][:, -1, arm], quantile_policies.pulls(policy, arms, N)[arm]
        error = pulls.std(ddof=1) / np.sqrt(RUNS)
        cells.append(f"{pulls.mean():.1f} ({error:.1f}) / {bound:,.1f}")
    return cells


def main():
    """Print a row an instance."""
    print(f"| arms, τ | ln n / kl | {' | '.join(policies(0.5))} |\n|{'---|' * 6}")
    for name, instance in TABLE.items():
        print(f"| {name} | {' | '.join(row(*instance))} |", flush=True)


if __name__ == "__main__":
    main()
