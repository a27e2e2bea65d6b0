"""Samples of Quantile-Evidence and QLUCB on instances of our own: the table in docs/best-arm.md."""

import numpy as np
from scipy import stats

import upperhand as uh
from upperhand.theory.lower_bounds import identification_bound

RUNS, SEED, CAP = 24, 2027, 1_000_000
INSTANCES = {
    "5 exponential arms, scales 1, 1.05, 1.1, 1.15, 1.4; p = 0.9, ε = 0.02": (
        [stats.expon(scale=scale) for scale in (1, 1.05, 1.1, 1.15, 1.4)], 0.9, 0.02),
    "5 log-normal arms (σ = 1), medians 1.25, 1, 1, 0.9, 0.8; p = 0.5, ε = 0.02": (
        [stats.lognorm(1, scale=median) for median in (1.25, 1, 1, 0.9, 0.8)], 0.5, 0.02),
    "20 Student-t arms (3 degrees of freedom), the last shifted by 0.3; p = 0.8, ε = 0.03": (
        [*[uh.StudentT(0, 1, 3)] * 19, uh.StudentT(0.3, 1, 3)], 0.8, 0.03),
    "3 uniform arms, the second shifted by 0.008; p = 0.99, ε = 0.004": (
        [uh.Uniform(0, 1), uh.Uniform(0.008, 1.008), uh.Uniform(0, 1)], 0.99, 0.004),
    "10 uniform arms, the last shifted by 0.1; p = 0.5, ε = 0": (
        [*[uh.Uniform(0, 1)] * 9, uh.Uniform(0.1, 1.1)], 0.5, 0.0),
    "10 normal arms, the first shifted by 0.4; p = 0.9, ε = 0": (
        [uh.Normal(0.4, 1), *[uh.Normal(0, 1)] * 9], 0.9, 0.0),
    "4 binomial arms, n = 5, chances 0.5, 0.5, 0.5, 0.62; p = 0.5, ε = 0.05": (
        [stats.binom(5, chance) for chance in (0.5, 0.5, 0.5, 0.62)], 0.5, 0.05),
}  # fmt: skip


def main():
    """Print a row an instance, both policies on the same rewards, then the wrong answers."""
    wrong = 0
    print("| arms | Quantile-Evidence | QLUCB | ratio | lower bound |\n|---|---|---|---|---|")
    for name, (arms, tau, epsilon) in INSTANCES.items():
        policies = {"ours": uh.QuantileEvidence(tau), "theirs": uh.QLUCB(tau)}
        found = uh.identify(arms, policies, 0.05, epsilon, CAP, RUNS, SEED, progress=False)
        ours, theirs = (found.answers[label].samples for label in policies)
        wrong += sum(int(each.wrong.sum()) for each in found.answers.values())
        said = [f"{s.mean():,.0f} ({s.std(ddof=1) / np.sqrt(RUNS):.0f})" for s in (ours, theirs)]
        bound = identification_bound(found.arms, tau, 0.05, epsilon)
        said += [f"{ours.mean() / theirs.mean():.2f}", f"{bound:,.0f}"]
        print(f"| {name} | {' | '.join(said)} |", flush=True)
    print(f"\nWrong answers: {wrong}")


if __name__ == "__main__":
    main()
