"""What it gains and costs to trust an arm's shape, on arms that had no part in choosing how much.

Random arms of seven families, and liars: arms whose tail is not that of their shape. Each regret
is a mean over replications, in units of that of KL-QUCB+ on the same rewards; that of a liar is
given as a share of what always playing the wrong arm would lose.

    python benchmarks/hedging.py            about a minute on two cores
"""

import numpy as np

import upperhand as uh

SEED = 12
TRUSTS = (3.0, 4.0, 5.0)
LEVELS = (0.75, 0.9, 0.95, 0.99)
INSTANCES, REPLICATIONS, ROUNDS = 36, 20, 10_000


def random_law(rng: np.random.Generator, family: str) -> uh.Distribution:
    """Return an arm with a location around 0 and a scale around 1."""
    loc, scale = rng.normal(0, 1), np.exp(rng.normal(0, 0.5))
    match family:
        case "Gaussian":
            return uh.Normal(loc, scale)
        case "Student-t":
            return uh.StudentT(loc, scale, rng.uniform(2.5, 8))
        case "skewed Student-t":
            return uh.SkewedStudentT(loc, scale, rng.uniform(4, 10), rng.uniform(-0.7, 0.7))
        case "log-normal":
            return uh.LogNormal(loc / 2, scale / 2)
        case "exponential":
            return uh.Exponential(scale)
        case "uniform":
            return uh.Uniform(loc, loc + 3 * scale)
        case _:
            parts = [uh.Normal(loc, scale), uh.Normal(loc + rng.normal(0, 3), scale / 2)]
            share = rng.uniform(0.6, 0.97)
            return uh.Mixture(parts, [share, 1 - share])


FAMILIES = (
    "Gaussian", "Student-t", "skewed Student-t", "log-normal", "exponential", "uniform", "mixture",
)  # fmt: skip


def liar(best: uh.Distribution, body: tuple, tail: tuple, share: float) -> list:
    """Return the arm that looks best, and the one that is: most of it poor, a share of it high."""
    return [best, uh.Mixture([uh.Normal(*body), uh.Normal(*tail)], [1 - share, share])]


LIARS = {
    "p95, 6 % at 10": (0.95, liar(uh.Normal(0, 1), (-1, 0.3), (10, 1), 0.06)),
    "p95, 7 % at 4": (0.95, liar(uh.Normal(0, 1), (-0.5, 0.5), (4, 0.5), 0.07)),
    "p90, 13 % at 6": (0.9, liar(uh.Normal(1, 1), (-1, 0.5), (6, 2), 0.13)),
    "p99, 1.5 % at 20": (0.99, liar(uh.Normal(0, 1), (-1, 0.5), (20, 1), 0.015)),
}


def players(tau: float) -> dict[str, uh.Policy]:
    """Return KL-QUCB+, the same with more and more trust, and the safest of ours."""
    plain = uh.KLQUCB(tau, plus=True)
    hedged = {f"trust={trust:g}": plain.replace(trust=trust) for trust in TRUSTS}
    return {"KL-QUCB+": plain, **hedged, "KL-QUCB": uh.KLQUCB(tau)}


def regrets(arms: list, tau: float, rounds: int, replications: int) -> dict[str, float]:
    """Return the mean regret of each policy."""
    runs = uh.simulate(arms, players(tau), rounds, replications, SEED, progress=False)
    found = runs.regret(uh.Quantile(tau))
    return {name: float(curve.final.mean()) for name, curve in found.items()}


def random_instances() -> None:
    """Print what trust gains on random arms: the geometric mean of the ratios, and the worst."""
    rng, ratios = np.random.default_rng(SEED), {f"trust={trust:g}": [] for trust in TRUSTS}
    for i in range(INSTANCES):
        family, tau = FAMILIES[i % len(FAMILIES)], float(rng.choice(LEVELS))
        arms = [random_law(rng, family) for _ in range(int(rng.integers(2, 13)))]
        found = regrets(arms, tau, ROUNDS, REPLICATIONS)
        for name, each in ratios.items():
            each.append(
                (found[name] / found["KL-QUCB+"], f"{family}, K = {len(arms)}, τ = {tau:g}")
            )
    print(f"{INSTANCES} random instances, {REPLICATIONS} replications of {ROUNDS:,} rounds")
    for name, each in ratios.items():
        values = np.array([ratio for ratio, _ in each])
        better = int((values < 1).sum())
        print(f"  {name:8}  mean {np.exp(np.log(values).mean()):.2f}  better on {better}, "
              f"worst {max(each)[0]:.2f} ({max(each)[1]})")  # fmt: skip


def liars() -> None:
    """Print which share of the worst possible regret each loses, in the short and the long run."""
    print("\nliars: share of n Δ lost, at n = 10⁴ and at n = 10⁵")
    for name, (tau, arms) in LIARS.items():
        gap = float(uh.Quantile(tau).gaps(arms).max())
        for rounds, replications in ((10_000, 60), (100_000, 20)):
            found = regrets(arms, tau, rounds, replications)
            shares = "  ".join(f"{p} {100 * r / rounds / gap:5.2f} %" for p, r in found.items())
            print(f"  {name:16} {rounds:>7,}  {shares}")


if __name__ == "__main__":
    random_instances()
    liars()
