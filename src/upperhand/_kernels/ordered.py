"""What policies on order statistics share: a state with sorted rewards, `samples`, and `pulls`."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import decaying_samples, recent_maxima, samples, sorted_samples
from .compile import kernel
from .decaying_samples import DecayingSamples
from .ranks import rank
from .recent_maxima import RecentMaxima
from .samples import Samples, count_at_most, insert, remove, value_at
from .sorted_samples import SortedSamples


class Ordered(NamedTuple):
    """What a policy that needs nothing else remembers of K arms."""

    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j


def nothing_seen(arms: int, room: int, sketch: int = 0) -> Ordered:
    """Return the state before the first reward."""
    return Ordered(samples=samples.empty(arms, room, sketch), pulls=np.zeros(arms, np.int64))


@kernel
def learn_order(state: Any, arm: int, reward: float) -> int:
    """Put a reward into the arm's sample; return how many it holds now."""
    insert(state.samples, arm, reward)
    pulls = int(state.pulls[arm]) + 1
    state.pulls[arm] = pulls
    return pulls


@kernel
def forget_order(state: Any, arm: int, reward: float) -> None:
    """Take a reward out of the arm's sample again; one that is not there changes nothing."""
    if remove(state.samples, arm, reward):
        state.pulls[arm] -= 1


@kernel
def quantile_of(tau: float, state: Any, arm: int, cursor: int) -> float:
    """Return the arm's empirical τ-quantile, −∞ before the first reward."""
    seen = int(state.samples.size[arm])
    return value_at(state.samples, arm, cursor, rank(tau, seen)) if seen > 0 else -math.inf


@kernel
def best_quantile(state: Any) -> float:
    """Return the largest of the arms' empirical quantiles, −∞ before the first reward."""
    best = -math.inf
    for arm in range(len(state.quantile)):
        best = max(best, float(state.quantile[arm]))
    return best


@kernel
def share_from(state: Any, arm: int, cursor: int, value: float) -> float:
    """Return the share of the arm's rewards that are at least `value`."""
    below = count_at_most(state.samples, arm, cursor, float(np.nextafter(value, -np.inf)))
    return 1.0 - below / int(state.samples.size[arm])


@kernel
def never_full(policy: Any, state: Any, arm: int) -> bool:
    """Tell that a state of fixed size is never full."""
    return False


@kernel
def full(policy: Any, state: Any, arm: int) -> bool:
    """Tell whether the arm's next reward could fail to find room."""
    return samples.full(state.samples, arm)


def grow(state: Any) -> Any:
    """Return the same state with room for more in each of its samples."""
    if isinstance(state, SortedSamples):
        return sorted_samples.grown(state)
    if isinstance(state, DecayingSamples):
        return decaying_samples.grown(state)
    if isinstance(state, RecentMaxima):
        return recent_maxima.grown(state)
    return type(state)(*map(grow, state)) if isinstance(state, tuple) else state
