"""A policy at work: its state, its stream of random numbers, and how it takes costs."""

from typing import Any

import numpy as np

from ..policies import Policy


class Player:
    """What one policy knows of K arms; the same calls in the same order give the same player.

    How costs are learned is the policy's own affair: `Policy.playing`.
    """

    def __init__(self, policy: Policy, arms: int, seed: int, *, minimize: bool) -> None:
        self._policy, self._functions = policy, policy.functions
        self._parameters, self._negates = policy.playing(minimize)
        self.state: Any = self._functions.start(self._parameters, arms, 0)
        self._rng = np.random.default_rng(seed)

    def select(self, t: int) -> int:
        """Return the arm of round t; this may draw numbers, and write to the state."""
        return self._functions.choose(self._parameters, self.state, t, self._rng)

    def learn(self, arm: int, told: float) -> None:
        """Learn a reward or cost."""
        reward = (-told if self._negates else told) + 0.0  # −0.0 becomes 0.0
        functions = self._functions
        functions.update(self._parameters, self.state, arm, reward)
        if functions.full(self._parameters, self.state, arm):
            self.state = functions.grow(self.state)

    def interval(self, arm: int) -> tuple[float, float] | None:
        """Return the arm's prediction interval, of what was told; None if the policy has none."""
        interval = self._functions.interval
        if interval is None:
            return None
        lower, upper = interval(self._parameters, self.state, arm)
        return (0.0 - upper, 0.0 - lower) if self._negates else (lower, upper)

    def advice(self) -> str | None:
        """Return a word of warning if the policy does not fit what it learned."""
        return self._policy.advice(self.state)
