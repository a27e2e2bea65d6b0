"""A sketch by what is known of each reward: the kept values between which it lies, or itself."""

import math
from typing import NamedTuple


class Known(NamedTuple):
    """A reward that lies between two kept values, or is one of them if both are the same."""

    low: float
    high: float


class Sketch:
    """Keeps fewer than `room` values, and for each reward ever seen what is known of it."""

    def __init__(self, room: int) -> None:
        self.room, self.coarse = room, 0.0
        self.kept: list[float] = []
        self.rewards: list[Known] = []

    def surely_at_most(self, value: float) -> int:
        return sum(reward.high <= value for reward in self.rewards)

    def possibly_at_most(self, value: float) -> int:
        return sum(min(reward) < value or reward == (value, value) for reward in self.rewards)

    def equal(self, value: float) -> int:
        return self.rewards.count(Known(value, value))

    def possibly_between(self, one: float, other: float) -> int:
        return sum(not reward.high <= one and not reward.low >= other for reward in self.rewards)

    def far(self, one: float, other: float, more: int) -> bool:
        between = self.possibly_between(one, other)
        rank = (self.surely_at_most(one) + self.possibly_at_most(other) - self.equal(other)) / 2
        return between + more > self.coarse * math.sqrt(rank * (len(self.rewards) - rank))

    def insert(self, value: float) -> None:
        before = max((v for v in self.kept if v < value), default=-math.inf)
        after = min((v for v in self.kept if v >= value), default=math.inf)
        outermost = math.inf in (-before, after)
        if after != value and (outermost or self.far(before, after, 1)):
            self.kept = sorted([*self.kept, value])
            after = value
        self.rewards.append(Known(value, value) if after == value else Known(before, after))
        if len(self.kept) == self.room:
            self.coarse = max(self.coarse, math.pi / self.room)
            self.thin()
            while len(self.kept) > self.room - self.room // 4:
                self.coarse *= 1.1
                self.thin()

    def thin(self) -> None:
        stay = self.kept[:1]
        for value, after in zip(self.kept[1:], self.kept[2:], strict=False):
            if self.far(stay[-1], after, 0):
                stay.append(value)
        self.kept = [*stay, self.kept[-1]]
        self.rewards = [self.widened(reward) for reward in self.rewards]

    def widened(self, reward: Known) -> Known:
        if reward.low == reward.high and reward.low in self.kept:
            return reward
        low = max((v for v in self.kept if v <= reward.low), default=-math.inf)
        return Known(low, min((v for v in self.kept if v >= reward.high), default=math.inf))

    def value_at(self, rank: int) -> float:
        """Return the first kept value whose share of the ranks reaches so far."""
        for value, after in zip(self.kept, self.kept[1:], strict=False):
            at_most = self.surely_at_most(value) + self.possibly_at_most(value)
            below = self.surely_at_most(after) + self.possibly_at_most(after)
            if (at_most + below - 2 * self.equal(after)) // 4 >= rank:
                return value
        return self.kept[-1]
