"""One arm pulled again and again by ACP-UCB1, looked at before and after each reward."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...distributions import Distribution
from ...live.bandit import Bandit
from ...policies import ACPUCB1
from ...theory import population
from .evidence import Array

EXACT = 2.0**-10  # rewards are multiples of it: ties are common, and no sum is rounded


@dataclass(frozen=True)
class Path:
    """One arm pulled again and again: each entry belongs to a reward from the second one on."""

    policy: ACPUCB1
    outside: NDArray[np.bool_]  # the reward is not in [L, U]
    above: NDArray[np.bool_]  # its online score is above the correction
    width: Array  # U − L
    level: Array  # α_{s+1}, after the reward

    @property
    def radius(self) -> Array:
        """λ √(ln s / s), from s = 2 on."""
        s = np.arange(2, len(self.level) + 2)
        return np.asarray(self.policy.lam * np.sqrt(np.log(s) / s))


def walk(policy: ACPUCB1, arm: Distribution, rng: np.random.Generator, steps: int) -> Path:
    """Tell the policy so many rewards of one arm, and look at it before and after each."""
    rewards = np.round(arm.sample(rng, steps) / EXACT) * EXACT
    bandit, seen = Bandit(["arm"], policy), []
    for s, y in enumerate(rewards.tolist(), start=1):
        was = bandit.state
        lower, upper, correction = was.lower[0], was.upper[0], was.correction[0]
        above = population.score(y, was.low[0], was.high[0]) > correction
        bandit.tell("arm", y)
        if s >= 2:
            seen.append((not lower <= y <= upper, above, upper - lower, bandit.state.level[0]))
    outside, missed, width, level = (np.array(column) for column in zip(*seen, strict=True))
    return Path(policy, outside, missed, width, level)
