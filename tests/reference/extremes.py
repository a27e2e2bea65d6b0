"""References for the policies for the largest single reward: all from full histories."""

import math
from collections.abc import Sequence

import numpy as np

from .ranks import quantile
from .rounds import Histories, Late, Table, best, explore_then_commit, play_choice, pulls


def threshold_ascent(
    table: Table, *, horizon: int, s: int = 100, delta: float = 0.1, late: Late | None = None
) -> list[int]:
    """Chernoff's bound on the share of an arm's rewards that reach the s-th best of all."""
    a = math.log(2 * len(table) * horizon / delta)

    def choice(histories: Histories, t: int) -> int:
        everything = sorted(y for past in histories for y in past)
        threshold = everything[-s] if len(everything) >= s else -math.inf

        def bound(past: Sequence[float]) -> float:
            if not past:
                return math.inf
            share, w = sum(y >= threshold for y in past) / len(past), pulls(past)
            return share + (a + math.sqrt(2 * w * share * a + a * a)) / w

        return best([bound(past) for past in histories], histories)

    return play_choice(table, choice, late)


def max_median(table: Table, *, seed: int, late: Late | None = None) -> list[int]:
    """The ⌈N/m⌉-th largest reward, m the fewest pulls; any arm with probability 1/t."""
    rng = np.random.default_rng(seed)

    def choice(histories: Histories, t: int) -> int:
        fewest = min(pulls(past) for past in histories)
        if all(histories) and rng.random() < 1 / t:
            return math.floor(rng.random() * len(histories))

        def tail(past: Sequence[float]) -> float:
            if not past:
                return math.inf
            largest_first = sorted(past, reverse=True)
            return largest_first[min(len(past), math.ceil(pulls(past) / max(fewest, 1))) - 1]

        return best([tail(past) for past in histories], histories)

    return play_choice(table, choice, late)


def qomax_etc(
    table: Table,
    *,
    horizon: int,
    q: str = "0.9",
    batches: int | None = None,
    length: int | None = None,
    late: Late | None = None,
) -> list[int]:
    """The rewards of the exploration cut into batches, the quantile of their maxima; for good."""
    b = batches or math.floor(math.log(horizon) ** 2) + 1
    size = length or math.floor(math.log(horizon)) + 1

    def qomax(past: Sequence[float]) -> float:
        explored = past[: b * size]
        return quantile([max(explored[i : i + size]) for i in range(0, len(explored), size)], q)

    return explore_then_commit(table, b * size, qomax, late)


class Duels:
    """QoMax-SDA with all rewards in lists: batches, and to which of them the next rewards go."""

    def __init__(self, arms: int, q: str, least: int) -> None:
        self.arms, self.q, self.least = range(arms), q, least
        self.r, self.leader = 1, 0
        self.batches: list[list[list[float]]] = [[] for _ in self.arms]
        self.slots: list[list[int]] = [[] for _ in self.arms]  # batches of the rewards owed
        self.made = [0] * arms  # batches at the beginning of the last call
        self.qomax = [-math.inf] * arms  # at the end of the last call
        self.unasked: set[int] = set()

    def complete(self, arm: int) -> list[list[float]]:
        """Return the batches, without a new one that still waits for rewards."""
        new = {i for i in self.slots[arm] if i >= self.made[arm]}
        return [batch for i, batch in enumerate(self.batches[arm]) if i not in new]

    def length(self, arm: int) -> int:
        return min(map(len, self.complete(arm)), default=0)

    def call(self, arm: int, *, alone: bool) -> None:
        """One reward more for each batch, then new ones of that length, ⌈n^(2/3)⌉ in all."""
        n, count = self.length(arm) + 1, len(self.batches[arm])
        wanted = next(b for b in range(n + 1) if b**3 >= n**2)
        self.slots[arm] = list(range(count))
        self.made[arm] = count
        if not alone:
            self.slots[arm] += [i for i in range(count, wanted) for _ in range(n)]

    def learn(self, arm: int, reward: float) -> None:
        if not self.batches[arm]:
            self.batches[arm], self.qomax[arm] = [[reward]], reward
            if self.r == 1:
                self.begin_round()
            else:
                self.call(arm, alone=False)
            return
        if not self.slots[arm]:
            self.call(arm, alone=arm == self.leader)
            self.unasked.add(arm)
        i = self.slots[arm].pop(0)
        if i == len(self.batches[arm]):
            self.batches[arm].append([])
        self.batches[arm][i].append(reward)
        if not self.slots[arm]:
            self.qomax[arm] = quantile([max(batch) for batch in self.batches[arm]], self.q)
            if arm in self.unasked or not any(self.slots):
                self.end_round()
            self.unasked.discard(arm)

    def end_round(self) -> None:
        own = len(self.complete(self.leader))
        most = max(len(self.complete(arm)) for arm in self.arms)
        if most > own and not self.slots[self.leader]:
            missing = range(own, most)
            n = self.length(self.leader)
            self.made[self.leader] = own
            self.slots[self.leader] = [i for i in missing for _ in range(n)]
        else:
            self.begin_round()

    def begin_round(self) -> None:
        self.r += 1
        self.leader = max(self.arms, key=lambda k: (self.length(k), self.qomax[k], -k))
        obligation = max(self.least, math.log(self.r) ** 1.5)
        for arm in self.arms:
            free = arm != self.leader and not self.slots[arm] and self.batches[arm]
            if free and (self.length(arm) <= obligation or self.wins(arm)):
                self.call(arm, alone=False)
        alone = not any(self.slots[arm] for arm in self.arms if arm != self.leader)
        if not self.slots[self.leader] and (alone or self.length(self.leader) <= obligation):
            self.call(self.leader, alone=alone)

    def wins(self, arm: int) -> bool:
        """Compare with the leader's first batches, and their last rewards, as many as the arm's."""
        skipped = self.length(self.leader) - self.length(arm)
        rivals = self.complete(self.leader)[: len(self.complete(arm))]
        return self.qomax[arm] >= quantile([max(batch[skipped:]) for batch in rivals], self.q)


def qomax_sda(
    table: Table,
    *,
    q: str = "0.9",
    least: int = 5,
    late: Late | None = None,
    duels: Duels | None = None,
) -> list[int]:
    """Duels; the arm that is owed most, the leader if nothing is, those without a reward first."""
    duels = duels or Duels(len(table), q, least)

    def owed(histories: Histories, arm: int) -> float:
        past = histories[arm]
        return len(duels.slots[arm]) - (pulls(past) - len(past)) if past else math.inf

    def choice(histories: Histories, t: int) -> int:
        wanted = [owed(histories, arm) for arm in duels.arms]
        if max(wanted) > 0:
            return best(wanted, histories)
        return max(duels.arms, key=lambda k: (duels.length(k), duels.qomax[k], -k))

    return play_choice(table, choice, late, lambda _, arm, reward: duels.learn(arm, reward))
