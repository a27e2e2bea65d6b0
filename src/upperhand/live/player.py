"""A policy at work: its state, its stream of random numbers, and how it takes costs."""

from typing import Any

import numpy as np

from ..policies import Policy
from ..policies.kinds import Endpoint


class Player:
    """What one policy knows of K arms; the same calls in the same order give the same player.

    Costs are learned in one of two ways. A policy that chooses by the ends of an interval learns
    the costs as they are, so that the ends rest on quantiles of the costs, and sees the ends
    negated when it chooses. Any other policy is mirrored, and learns negated costs.
    """

    def __init__(self, policy: Policy, arms: int, seed: int, *, minimize: bool) -> None:
        by_ends = isinstance(policy, Endpoint)
        self._negates_ends, self._negates_rewards = minimize and by_ends, minimize and not by_ends
        self._policy = policy.mirrored() if self._negates_rewards else policy
        self._functions, self._parameters = policy.functions, self._policy.parameters
        self.state: Any = self._functions.start(self._parameters, arms, 0)
        self._rng = np.random.default_rng(seed)

    def select(self, t: int) -> int:
        """Return the arm of round t; this may draw numbers, and write to the state."""
        state = self.state
        if self._negates_ends:
            state = state._replace(lower=-state.lower, upper=-state.upper)
        return self._functions.choose(self._parameters, state, t, self._rng)

    def learn(self, arm: int, told: float) -> None:
        """Learn a reward or cost."""
        reward = (-told if self._negates_rewards else told) + 0.0  # −0.0 becomes 0.0
        functions = self._functions
        functions.update(self._parameters, self.state, arm, reward)
        if functions.full(self.state, arm):
            self.state = functions.grow(self.state)

    def interval(self, arm: int) -> tuple[float, float] | None:
        """Return the arm's prediction interval, of what was told; None if the policy has none."""
        interval = self._functions.interval
        if interval is None:
            return None
        lower, upper = interval(self.state, arm)
        return (0.0 - upper, 0.0 - lower) if self._negates_rewards else (lower, upper)

    def advice(self) -> str | None:
        """Return a word of warning if the policy does not fit what it learned."""
        return self._policy.advice(self.state)
