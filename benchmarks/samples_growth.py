"""What a step costs as rewards gather, and what sorted samples cost in hard orders.

The first table is of whole steps, of policies that ask for the tails; the second of an insertion
with a look-up or two, for streams and ranks that suit sorted samples well or badly. All in CPU
nanoseconds, medians over runs by turns. ``python benchmarks/samples_growth.py 7`` goes to n = 10⁷.
"""

import sys
import time

import numpy as np

import upperhand as uh
from measure import reward_rows, step
from upperhand._kernels import sorted_samples
from upperhand._kernels.compiler import compile_closure

POLICIES = {"ACP-UCB1": uh.ACPUCB1(), "Quantile-IMED": uh.QuantileIMED(0.95), "UCB1": uh.UCB1()}
STREAMS = {
    "random": lambda rng, n: rng.normal(size=n),
    "rising": lambda _rng, n: np.arange(float(n)),
    "falling": lambda _rng, n: -np.arange(float(n)),
    "rising, then falling": lambda _rng, n: -np.abs(np.arange(float(n)) - n / 2),
    "constant": lambda _rng, n: np.zeros(n),
    "two clusters by turns": lambda rng, n: rng.normal(size=n) + 30.0 * (np.arange(n) % 2),
}
RANKS = {  # the shares at which each of the two look-ups asks: from, and how wide
    "both tails": ((0.05, 0.0), (0.95, 0.0)),
    "the median": ((0.5, 0.0), (0.5, 0.0)),
    "anywhere": ((0.0, 1.0), (0.0, 1.0)),
}


def steps(largest):
    """Return CPU seconds a step for each policy at n = 10³, 10⁴, …."""
    found = {}
    for power in range(3, largest + 1):
        n = 10**power
        turns = max(1, min(40, 3 * 10**6 // n))
        times = [
            [step(policy, table, 1) for policy in POLICIES.values()]
            for table in (reward_rows(n, seed) for seed in range(turns + 1))
        ]
        found[n] = np.median(times[1:] if power == 3 else times, axis=0)  # the first may compile
    return found


def make_stream(insert, full, value_at):
    """Return the loop that inserts values, with two look-ups after each."""

    def loop(samples, values, ranks, done):
        """Go on after so many values to the last, or until there is no room; return how many."""
        for i in range(done, len(values)):
            if full(samples, 0):
                return i
            insert(samples, 0, values[i])
            value_at(samples, 0, 0, ranks[i, 0])
            value_at(samples, 0, 1, ranks[i, 1])
        return len(values)

    return loop


def stream_cost(values, ranks):
    """Return CPU seconds a value, without those for growing."""
    kernels = sorted_samples.insert, sorted_samples.full, sorted_samples.value_at
    loop = compile_closure(make_stream, *kernels, user=sorted_samples.SortedSamples)
    samples, done, taken = sorted_samples.empty(1, 2 * len(values)), 0, 0.0
    while done < len(values):
        begin = time.process_time()
        done = loop(samples, values, ranks, done)
        taken += time.process_time() - begin
        samples = sorted_samples.grown(samples) if done < len(values) else samples
    return taken / len(values)


def asked(rng, n, shares):
    """Return the ranks that are asked for after each of n values."""
    columns = [low + wide * rng.random(n) for low, wide in shares]
    return np.ceil(np.stack(columns, axis=1) * np.arange(1, n + 1)[:, None]).astype(np.int64)


def main():
    """Print both tables."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    print(f"| n | {' | '.join(POLICIES)} |\n|---|{'---|' * len(POLICIES)}")
    for n, times in steps(largest).items():
        print(f"| {n:,} | {' | '.join(f'{1e9 * t:.0f} ns' for t in times)} |", flush=True)
    n = 100_000
    print(f"\n| {n:,} values | {' | '.join(RANKS)} |\n|---|{'---|' * len(RANKS)}")
    for name, make in STREAMS.items():
        row = []
        for shares in RANKS.values():
            rng = np.random.default_rng(0)
            values, ranks = make(rng, n), asked(rng, n, shares)
            row.append(np.median([stream_cost(values, ranks) for _ in range(4)][1:]))
        print(f"| {name} | {' | '.join(f'{1e9 * t:.0f} ns' for t in row)} |", flush=True)


if __name__ == "__main__":
    main()
