"""Which prompt gives the best best-of-N? A quantile in disguise, found without a scale.

Of N answers to a prompt only the best one is kept. The median of the best of N scores is the
2^(−1/N)-quantile of a single one, so the prompt to use is the one with the highest such quantile,
not the one with the best average. Quantile-IMED needs nothing but that level: scores may be in any
unit. `best_of_n_solvers.py` does it with real solvers.
"""

import numpy as np

import upperhand as uh

N = 16
rng = np.random.default_rng(0)
score = {
    "careful": lambda: rng.normal(62, 4),
    "creative": lambda: rng.normal(50, 12),
    "verbose": lambda: rng.normal(56, 6),
}

policy = uh.QuantileIMED(tau=uh.BestOf(N).tau)
bandit = uh.Bandit(list(score), policy, seed=0)

for _ in range(2000):
    prompt = bandit.ask()
    bandit.tell(prompt, score[prompt]())

print(bandit)
best = max(score, key=bandit.pulls)
for prompt, draw in score.items():
    of_n = np.median([max(draw() for _ in range(N)) for _ in range(2000)])
    print(
        f"{prompt:9} median best of {N}: {of_n:.1f}"
        + ("   <- most pulls" if prompt == best else "")
    )
