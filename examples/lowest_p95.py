"""Which backend has the lowest p95 latency? Ask and tell, with NumPy alone.

Three backends answer requests. "steady" is the slowest on average and the best in the tail, which
is what users notice. The bandit sends it most requests, and gives a prediction interval for each.
`tail_latency_routing.py` does it with real servers, failures, time-outs and a file that lasts.
"""

import numpy as np

import upperhand as uh

rng = np.random.default_rng(0)
latency_ms = {
    "steady": lambda: rng.normal(110, 8),
    "bursty": lambda: rng.lognormal(4.4, 0.6),
    "flaky": lambda: rng.normal(80, 5) if rng.random() < 0.9 else rng.normal(400, 50),
}

# Latencies are costs, so the lowest p95 is the best. The exploration coefficient b has the unit of
# the outcomes: it is about their spread in milliseconds.
arms, policy = list(latency_ms), "acp-ucb1:b=50"
bandit = uh.Bandit(arms, policy, seed=0, quantile=0.95, direction="minimize")

for _ in range(3000):
    backend = bandit.ask()
    bandit.tell(backend, latency_ms[backend]())

print(bandit)
best = bandit.ask()
print(f"\nUse {best!r}: 95 % of its answers come within {bandit.interval(best).upper:.0f} ms.")
