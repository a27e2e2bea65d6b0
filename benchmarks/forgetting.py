"""What a sliding window costs: an update that also forgets, against one that only learns.

Run it as `.venv/bin/python benchmarks/forgetting.py`. Figures are the best of several tries, in
nanoseconds an update; both sides end with windows of the same length, so that they search alike.
"""

import time

import numpy as np

import upperhand as uh
from upperhand._kernels.compiler import compile_closure
from upperhand._kernels.loop import make_learning
from upperhand._kernels.states import rows

ARMS, BULK, TRIES = 10, 1_000_000, 5
POLICIES = [
    uh.KLQUCB(),
    uh.QuantileIMED(),
    uh.QuantileTS(),
    uh.QUCB(),
    uh.QuantileUCB(),
    uh.ACPUCB1(),
    uh.UCB1(),
]


def learn_all(policy, state, arms, values, signs, *, judge=False):
    """Learn in bulk, growing as need be; return the state and the seconds."""
    f, parameters, done = policy.functions, policy.parameters, 0
    functions = (f.update, f.full, f.forget, f.interval if judge else None)
    learn = compile_closure(make_learning, *functions, user=type(policy), parts=policy.parts)
    judged, covered = np.zeros((2, len(state.pulls)), np.int64)
    learn(parameters, state, arms[:0], values[:0], signs[:0], 0, judged, covered)  # compiles
    began = time.perf_counter()
    while done < len(arms):
        done = learn(parameters, state, arms, values, signs, done, judged, covered)
        if f.full(parameters, state, int(arms[done - 1])):
            state = f.grow(state)
    return state, time.perf_counter() - began


def start(policy, arms, values):
    """Return a state that has learned these."""
    state = policy.functions.start(policy.parameters, ARMS, 4 * len(arms))
    return learn_all(policy, state, arms, values, np.ones(len(arms), np.int8))[0]


def per_update(policy, window, events=200_000):
    """Return the nanoseconds of an insert-only update near this size, and of one in a window."""
    rng = np.random.default_rng(0)
    n = window + events
    arms, values = np.arange(n) % ARMS, rng.normal(size=n)
    ones = np.ones(n, np.int8)
    only, sliding = [], []
    for _ in range(TRIES):
        # Insert only: states of the window's size learn a tenth of it more, again and again.
        step, spent = max(1000, window // 10), 0.0
        for done in range(window, window + 10 * step, step):
            state = start(policy, arms[:window], values[:window])
            part = slice(done, done + step)
            spent += learn_all(policy, state, arms[part], values[part], ones[part])[1]
        only.append(spent / (10 * step))
        state = start(policy, arms[:window], values[:window])
        pairs = np.stack([np.arange(window, n), np.arange(events)], axis=1).ravel()
        signs = np.tile(np.array([1, -1], np.int8), events)
        sliding.append(learn_all(policy, state, arms[pairs], values[pairs], signs)[1] / events)
    return 1e9 * min(only), 1e9 * min(sliding)


def main():
    """Print a line a policy and window, then what bulk learning and a choice among some take."""
    print("| policy | window | learn, ns | learn and forget, ns | ratio |\n|---|---|---|---|---|")
    for policy in POLICIES:
        for window in (1000, 100_000):
            learn, both = per_update(policy, window)
            print(f"| {policy.name} | {window:,} | {learn:.0f} | {both:.0f} | {both / learn:.2f} |")
    rng = np.random.default_rng(0)
    arms, values = rng.integers(ARMS, size=BULK), rng.normal(size=BULK)
    for policy in (uh.KLQUCB(), uh.ACPUCB1()):
        taken = []
        for _ in range(TRIES):
            state = policy.functions.start(policy.parameters, ARMS, 0)
            ones = np.ones(BULK, np.int8)
            state, seconds = learn_all(policy, state, arms, values, ones, judge=True)
            taken.append(seconds)
        print(f"{policy.name}: {BULK:,} updates, judged, in {min(taken):.3f} s")
        spent = []
        for _ in range(2000):
            began = time.perf_counter()
            rows(state, [7, 3, 1, 4])
            spent.append(time.perf_counter() - began)
        print(f"{policy.name}: the state of 4 of {ARMS} arms in {1e6 * np.median(spent):.1f} µs")


if __name__ == "__main__":
    main()
