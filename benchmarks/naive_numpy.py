"""ACP-UCB1 as one would first write it: NumPy, everything recomputed from raw histories each round.

This is what the library's speed is measured against. It follows section 3 of the paper literally
and makes the same choices, so it is also a check.
"""

import numpy as np


def play_naively(table, *, alpha=0.1, b=1.0, eta=0.01, lam=1.0, levels=(1e-4, 0.5), rounds=None):
    """Return the arm of each round (two initial pulls each, lowest arm on ties)."""
    arms, horizon = table.shape
    history = [[] for _ in range(arms)]
    level = np.full(arms, alpha)
    chosen = []
    for t in range(1, (rounds or horizon) + 1):
        if t <= 2 * arms:
            arm = (t - 1) % arms
        else:
            ends = [endpoint(history[j], alpha, level[j])[1] for j in range(arms)]
            bonus = [b * np.sqrt(np.log(t) / len(history[j])) for j in range(arms)]
            arm = int(np.argmax(np.add(ends, bonus)))
        reward, s = table[arm, len(history[arm])], len(history[arm]) + 1
        if s >= 2:
            lower, upper = endpoint(history[arm], alpha, level[arm])
            missed = not lower <= reward <= upper
            psi = lam * np.sqrt(np.log(s) / s)
            step = level[arm] + eta * (alpha - missed)
            level[arm] = np.clip(step, max(levels[0], alpha - psi), min(levels[1], alpha + psi))
        history[arm].append(reward)
        chosen.append(arm)
    return np.array(chosen)


def endpoint(rewards, alpha, level):
    """Return the conformal interval of one arm by three calls of `np.quantile`."""
    rewards = np.asarray(rewards)
    low, high = np.quantile(rewards, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    scores = np.maximum(low - rewards, rewards - high)
    correction = np.quantile(scores, 1 - level, method="inverted_cdf")
    return low - correction, high + correction
