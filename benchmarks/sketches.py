"""What a policy loses that keeps a sketch of each arm: ranks, choices, regret; and what it gains.

Run on an otherwise idle machine: ``python benchmarks/sketches.py``. The sketches of datasketches,
which `benchmarks/install_peers.py` installs, are measured on the same values where they are there.
"""

import time
from importlib.util import find_spec

import numpy as np

import upperhand as uh
from upperhand._kernels import samples, sketches
from upperhand._kernels.compiler import compile_closure
from upperhand.text import text_table

LEVELS = (0.5, 0.9, 0.95, 0.99, 0.999)
VALUES, SEEDS = 10**7, 5
SIZES = (64, 256, 1_024, 4_096)
HEADLINE = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
CLOSE = [uh.Normal(0.0, 1.0), uh.Normal(0.02, 1.0)]
POLICIES = (uh.ACPUCB1(), uh.KLQUCB(), uh.QuantileIMED())


def make_fill(insert):
    """Return the loop that learns values, to be compiled."""

    def fill(sample, values):
        for i in range(len(values)):
            insert(sample, 0, values[i])

    return fill


def ours(size, values):
    """Return bytes, seconds, the values at the levels, and the error that is sure at each."""
    fill = compile_closure(make_fill, samples.insert, user=sketches.Sketches)
    fill(samples.empty(1, sketch=size), values[:1])
    made, begun = samples.empty(1, sketch=size), time.perf_counter()
    fill(made, values)
    taken = time.perf_counter() - begun
    counts, sure = sketches.counts_of(made, 0), []
    for rank in ranks(len(values)):
        at = np.searchsorted(counts.taken, rank)
        sure.append(max(rank - counts.least[at], counts.below[at] + 1 - rank, 0) / len(values))
    found = [sketches.value_at(made, 0, 0, rank) for rank in ranks(len(values))]
    return sum(part.nbytes for part in made), taken, found, sure


def theirs(made, values):
    """Return the same of a sketch of datasketches; it states no error of one rank."""
    begun = time.perf_counter()
    made.update(values)
    taken = time.perf_counter() - begun
    found = [made.get_quantile(level) for level in LEVELS]
    return len(made.serialize()), taken, found, [np.nan] * len(LEVELS)


def ranks(n):
    """Return the rank of each level."""
    return [round(level * n) for level in LEVELS]


def contenders():
    """Return what is measured, by name: functions of the values."""
    found = {f"sketch={size}": lambda v, size=size: ours(size, v) for size in SIZES}
    if find_spec("datasketches"):
        import datasketches as ds

        for k in (400, 1_400, 5_500):
            found[f"KLL, k = {k}"] = lambda v, k=k: theirs(ds.kll_doubles_sketch(k), v)
        found["t-digest, k = 1400"] = lambda v: theirs(ds.tdigest_double(1_400), v)
        found["REQ, k = 40"] = lambda v: theirs(
            ds.req_floats_sketch(40, True), v.astype(np.float32)
        )
    return found


def rank_errors():
    """Print how far the values at some levels are from their ranks."""
    rows = []
    for name, contender in contenders().items():
        bytes_, seconds, errors, sures = [], [], [], []
        for seed in range(SEEDS):
            values = np.random.default_rng(seed).normal(size=VALUES)
            size, taken, found, sure = contender(values)
            ordered = np.sort(values)
            places = np.searchsorted(ordered, found, side="right")
            bytes_.append(size)
            seconds.append(taken)
            errors.append(np.abs(places - ranks(VALUES)) / VALUES)
            sures.append(sure)
        told = [f"{100 * error:.3f}" for error in np.mean(errors, axis=0)]
        worst = 100 * np.max(sures, axis=0)
        told = [
            each if np.isnan(bound) else f"{each} ({bound:.3f})"
            for each, bound in zip(told, worst, strict=True)
        ]
        row = [name, f"{np.mean(bytes_) / 1e3:.0f}", f"{1e9 * np.median(seconds) / VALUES:.0f}"]
        rows.append([*row, *told])
    heads = ["", "kB", "ns a value", *(f"p{100 * level:g}" for level in LEVELS)]
    print(f"Rank error in % of {VALUES:,} Gaussian values, mean of {SEEDS} seeds (largest bound)")
    print(text_table(heads, rows))


def regrets(arms, horizon, replications):
    """Print the regret of policies with and without a sketch, on the same rewards."""
    tail = uh.UpperTail(0.1)
    gaps = tail.gaps(arms)
    rows = []
    for policy in POLICIES:
        variants = {"all values": policy} | {
            f"sketch={size}": policy.replace(sketch=size) for size in SIZES
        }
        runs = uh.simulate(arms, variants, horizon, replications, seed=0, progress=False)
        last = {name: np.asarray(pulls)[:, -1] for name, pulls in runs.pulls.items()}
        exact = last["all values"] @ gaps
        for name, pulls in last.items():
            regret = pulls @ gaps
            more = regret - exact
            apart = np.abs(pulls - last["all values"]).sum(axis=1).mean() / 2
            rows.append(
                [
                    policy.name, name, f"{regret.mean():.1f}",
                    f"{more.mean():+.1f} ± {more.std(ddof=1) / len(more) ** 0.5:.1f}",
                    f"{100 * apart / horizon:.3f}",
                ]
            )  # fmt: skip
    print(f"\nACP regret after {horizon:,} rounds, {replications} replications, seed 0: {arms}")
    heads = ["", "", "regret", "more than with all", "% of pulls elsewhere"]
    print(text_table(heads, rows, left=2))


def main():
    """Print the tables."""
    rank_errors()
    regrets(HEADLINE, 1_000_000, 100)
    regrets(CLOSE, 3_000_000, 20)


if __name__ == "__main__":
    main()
