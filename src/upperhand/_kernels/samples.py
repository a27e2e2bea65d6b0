"""What policies on order statistics share: ranks, samples of either kind, and their state.

The samples of K arms are either all values in order (`sorted_samples.py`) or sketches of them
(`sketches.py`). Compiled code knows the kind from the type. Policies that offer both import from
here; the module of each kind has functions of these names.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import sketches, sorted_samples
from .compiler import dispatched_kernel, kernel
from .sketches import Sketches
from .sorted_samples import SortedSamples

# A nominal level such as 0.07 is not a double, and 0.07 * 100 comes out a hair above 7. The slack
# forgives that hair: far above rounding errors, far below the distance of any other product.
ABSOLUTE_SLACK = 1e-9
FAILURES = 1e200  # beyond all rewards; failed trials are learned as ±1e300
RELATIVE_SLACK = 2.0**-50

Samples = SortedSamples | Sketches

for _kind, _functions in ((SortedSamples, sorted_samples), (Sketches, sketches)):
    _kind.owner, _kind.functions = _kind, _functions  # type: ignore[union-attr]


@kernel
def rank(level: float, m: int) -> int:
    """Return the smallest k ≥ 1 with k/m ≥ level: the paper's Q̂_m(level) is x_(k).

    Exact for levels that people write down (tested against `fractions.Fraction`); never above m
    for levels up to 1.
    """
    return max(1, math.ceil(needed(level, m)))


@kernel
def needed(level: float, total: float) -> float:
    """Return level · total with the slack taken off: what a count or a weight must reach."""
    return level * total * (1.0 - RELATIVE_SLACK) - ABSOLUTE_SLACK


@kernel
def whole_below(level: float, m: int) -> int:
    """Return the largest k with k/m ≤ level, for a level below 1; exact where `rank` is."""
    return m - rank(1.0 - level, m)


def empty(arms: int, capacity: int = 0, sketch: int = 0) -> Any:
    """Return samples without values.

    They keep all that comes, with capacity for that many values in all; or, with `sketch`, they
    keep fewer than so many values of each arm.
    """
    return sketches.empty(arms, sketch) if sketch > 0 else sorted_samples.empty(arms, capacity)


@dispatched_kernel
def insert(samples: Any, arm: int, value: float) -> None:
    """Put `value` into the arm's sample. Needs capacity: not `full(samples, arm)`."""
    samples.owner.functions.insert(samples, arm, value)


@dispatched_kernel
def remove(samples: Any, arm: int, value: float) -> bool:
    """Take one `value` out of the arm's sample; return whether it was there, and can be."""
    return bool(samples.owner.functions.remove(samples, arm, value))


@dispatched_kernel
def full(samples: Any, arm: int) -> bool:
    """Tell whether the arm's next value may exceed the capacity."""
    return bool(samples.owner.functions.full(samples, arm))


@dispatched_kernel
def value_at(samples: Any, arm: int, cursor: int, rank: int) -> float:
    """Return the rank-th smallest value of the arm (1-based), or what stands for it."""
    return samples.owner.functions.value_at(samples, arm, cursor, rank)


@dispatched_kernel
def count_at_most(samples: Any, arm: int, cursor: int, value: float) -> int:
    """Return how many of the arm's values are at most `value`, as far as that is known."""
    return samples.owner.functions.count_at_most(samples, arm, cursor, value)


def values_of(samples: Samples, arm: int) -> NDArray[np.float64]:
    """Return the arm's values in ascending order, or what stands for each of them."""
    return samples.owner.functions.values_of(samples, arm)  # type: ignore[union-attr]


@kernel
def interpolated_quantile(samples: SortedSamples, arm: int, cursor: int, level: float) -> float:
    """Return the value at place 1 + (m−1)·level of m sorted ones, on the line between two of them.

    As in `numpy.quantile`, it is computed from the nearer of the two, so it equals NumPy's to the
    bit. The two are looked up by `cursor` and the one after it.
    """
    m = int(samples.size[arm])
    place = (m - 1) * level
    below = int(place)
    part = place - below
    left = value_at(samples, arm, cursor, below + 1)
    right = value_at(samples, arm, cursor + 1, min(below + 2, m))
    step = right - left
    return left + step * part if part < 0.5 else right - step * (1.0 - part)


class OrderState(NamedTuple):
    """The state of a policy that needs samples and nothing else, for K arms."""

    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j


def start_samples(policy: Any, arms: int, capacity: int) -> OrderState:
    """Return the state before the first reward, of sketches if the policy says so."""
    sketch = getattr(policy, "most_kept", 0)
    return OrderState(empty(arms, capacity, sketch), np.zeros(arms, np.int64))


@kernel
def add_reward(state: Any, arm: int, reward: float) -> int:
    """Put a reward into the arm's sample; return how many it holds now."""
    insert(state.samples, arm, reward)
    pulls = int(state.pulls[arm]) + 1
    state.pulls[arm] = pulls
    return pulls


@kernel
def learn_reward(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Learn a reward, where the sample is all that a policy keeps."""
    add_reward(state, arm, reward)


@kernel
def forget_reward(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Remove a reward from the arm's sample, if it is there, and refresh what follows from it."""
    if remove(state.samples, arm, reward):
        state.pulls[arm] -= 1
    refresh(policy, state, arm)


@dispatched_kernel
def refresh(policy: Any, state: Any, arm: int) -> None:
    """Recompute all that the policy caches of the arm and that follows from its sample."""
    policy.owner.functions.refresh(policy, state, arm)


@kernel
def nothing_cached(policy: Any, state: Any, arm: int) -> None:
    """Do nothing: the refresh of a policy that looks everything up when it is needed."""


@kernel
def quantile_of(tau: float, state: Any, arm: int, cursor: int) -> float:
    """Return the arm's empirical τ-quantile, −∞ before the first reward."""
    seen = int(state.samples.size[arm])
    return value_at(state.samples, arm, cursor, rank(tau, seen)) if seen > 0 else -math.inf


@kernel
def best_quantile(state: Any) -> float:
    """Return the largest of the arms' empirical quantiles, −∞ before the first reward."""
    return largest_of(state.quantile)


@kernel
def largest_of(values: NDArray[np.float64]) -> float:
    """Return the largest of the arms' values."""
    best = -math.inf
    for arm in range(len(values)):
        best = max(best, float(values[arm]))
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
def samples_full(policy: Any, state: Any, arm: int) -> bool:
    """Tell whether the arm's next reward may exceed the capacity."""
    return full(state.samples, arm)
