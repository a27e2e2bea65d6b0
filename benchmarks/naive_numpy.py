"""ACP-UCB1 as people write it in Python, from a literal reading to a careful one: a ladder.

The library's speed is measured against every rung, so that nobody has to trust one opponent. All
follow section 3 of the paper at the settings of its experiments, and all make the same choices.
"""

import bisect
import math

import numpy as np

ALPHA, B, ETA, LAM, LEVELS = 0.1, 1.0, 0.01, 1.0, (1e-4, 0.5)


def literal(table):
    """Recompute everything from lists of rewards, before each choice and again to learn."""
    return rescoring(table, [[] for _ in table], list.append)


def preallocated(table):
    """Do the same with the rewards in arrays that were made in advance."""
    rows = [Row(len(table[0])) for _ in table]
    return rescoring(table, rows, Row.append)


def rescoring(table, history, append):
    """Return the arm of each round, every arm scored from its whole history in each."""
    arms, horizon = table.shape
    level, chosen = [ALPHA] * arms, []
    for t in range(1, horizon + 1):
        arm = (t - 1) % arms
        if t > 2 * arms:
            ends = [by_quantile(np.asarray(h), a)[1] for h, a in zip(history, level, strict=True)]
            arm = int(np.argmax([u + bonus(t, len(h)) for u, h in zip(ends, history, strict=True)]))
        rewards, reward = history[arm], table[arm, len(history[arm])]
        if len(rewards):
            lower, upper = by_quantile(np.asarray(rewards), level[arm])
            level[arm] = next_level(level[arm], len(rewards) + 1, not lower <= reward <= upper)
        append(rewards, reward)
        chosen.append(arm)
    return np.array(chosen)


class Row:
    """Rewards of an arm in an array with room."""

    def __init__(self, room):
        self.values, self.count = np.empty(room), 0

    def __len__(self):
        return self.count

    def __array__(self, dtype=None, copy=None):
        return self.values[: self.count]

    def append(self, reward):
        """Keep a reward."""
        self.values[self.count] = reward
        self.count += 1


def only_the_pulled(table):
    """Rescore only the arm that was pulled, by `np.quantile`."""
    return rescoring_one(table, by_quantile)


def partitioned(table):
    """Do the same with `np.partition` in place of `np.quantile`."""
    return rescoring_one(table, by_partition)


def rescoring_one(table, interval):
    """Return the arm of each round, the interval of the pulled arm found from an array."""
    rows = [Row(len(table[0])) for _ in table]

    def learned(arm, reward, level):
        rows[arm].append(reward)
        return interval(np.asarray(rows[arm]), level)

    return one_at_a_time(table, learned)


def bisected(table):
    """Keep sorted lists by `bisect`; find the quantile of the scores by a search over windows."""
    rows = [[] for _ in table]

    def learned(arm, reward, level):
        bisect.insort(rows[arm], reward)
        return by_windows(rows[arm], level)

    return one_at_a_time(table, learned)


def one_at_a_time(table, learned):
    """Return the arm of each round; `learned` keeps a reward and returns the arm's new interval."""
    rewards, arms, horizon = table.tolist(), *table.shape
    level, ends, pulls, chosen = [ALPHA] * arms, [None] * arms, [0] * arms, []
    for t in range(1, horizon + 1):
        arm = (t - 1) % arms
        if t > 2 * arms:
            scores = [ends[j][1] + bonus(t, pulls[j]) for j in range(arms)]
            arm = scores.index(max(scores))
        reward = rewards[arm][pulls[arm]]
        pulls[arm] += 1
        if pulls[arm] > 1:
            lower, upper = ends[arm]
            level[arm] = next_level(level[arm], pulls[arm], not lower <= reward <= upper)
        ends[arm] = learned(arm, reward, level[arm])
        chosen.append(arm)
    return np.array(chosen)


def bonus(t, pulls):
    """Return b √(ln t / T)."""
    return B * math.sqrt(math.log(t) / pulls)


def next_level(level, s, missed):
    """Return the level after the s-th reward, kept within its bounds."""
    radius = LAM * math.sqrt(math.log(s) / s)
    stepped = level + ETA * (ALPHA - missed)
    return min(max(stepped, LEVELS[0], ALPHA - radius), min(LEVELS[1], ALPHA + radius))


def by_quantile(rewards, level):
    """Return the conformal interval by calls of `np.quantile`."""
    low, high = np.quantile(rewards, [ALPHA / 2, 1 - ALPHA / 2], method="inverted_cdf")
    scores = np.maximum(low - rewards, rewards - high)
    correction = np.quantile(scores, 1 - level, method="inverted_cdf")
    return low - correction, high + correction


def by_partition(rewards, level):
    """Return the same by `np.partition`."""
    m = len(rewards)
    lower, upper, inner = rank(ALPHA / 2, m), rank(1 - ALPHA / 2, m), rank(1 - level, m)
    parts = np.partition(rewards, (lower, upper))
    low, high = float(parts[lower]), float(parts[upper])
    scores = np.maximum(low - rewards, rewards - high)
    correction = float(np.partition(scores, inner)[inner])
    return low - correction, high + correction


def by_windows(ordered, level):
    """Return the same from a sorted list: the k least scores are those of k neighbours.

    Their largest is at an end. Windows further right have a larger upper and a smaller lower end,
    so the best one is where the two cross, or just before.
    """
    m = len(ordered)
    low, high, k = ordered[rank(ALPHA / 2, m)], ordered[rank(1 - ALPHA / 2, m)], rank(1 - level, m)
    place = bisect.bisect_left(
        range(m - k - 1), True, key=lambda i: ordered[i + k] - high >= low - ordered[i]
    )
    windows = [i for i in (place - 1, place) if i >= 0]
    correction = min(max(low - ordered[i], ordered[i + k] - high) for i in windows)
    return low - correction, high + correction


def rank(level, m):
    """Return the place, from 0, of the quantile in m sorted values; 0.07 · 100 counts as 7."""
    return max(0, math.ceil(level * m - 1e-9) - 1)


LADDER = {
    "literal: lists, every arm rescored": literal,
    "rewards in preallocated arrays": preallocated,
    "only the pulled arm rescored": only_the_pulled,
    "np.partition instead of np.quantile": partitioned,
    "sorted lists and bisect": bisected,
}
