"""MaxMedian: compare arms at the tail that the least pulled one can show.

S. Bhatt, P. Li, G. Samorodnitsky, "Extreme bandits using robust statistics", arXiv:2109.04433. The
aim is one large reward, not a large sum. Maxima of N_j rewards cannot be compared as they are: an
arm that was pulled more often has had more chances. So with m = min_i N_i, each arm is valued by
its empirical quantile at 1 − 1/m, which for the arm with m pulls is its maximum:

    the ⌈N_j / m⌉-th largest reward of arm j, and the arm with the largest is played;

but with probability 1/t one of all arms, each as likely as another. Without that, the least pulled
arm might never be pulled again, and m would stay where it is.

The article shows that its extremal regret vanishes, under weaker conditions on the tails than
earlier policies need. It has no constants and no horizon, and looks only at the order of the
rewards. Once one arm is ahead, m grows by exploring alone, like ln t / K: it sees tails slowly.

The authors of D. Baudry, Y. Russac, E. Kaufmann, "Efficient algorithms for extreme bandits",
AISTATS 2022, run it with t counted from 0 and equal arms drawn at random; ours counts from 1, and
equal arms go to the lowest unless `random_ties` says otherwise. A round costs O(K), a pull
O(log N).

While answers are under way, W pulls of which N are seen, they count as rewards that set no record:
the order is min(N_j, ⌈W_j / m⌉) with m = min_i W_i. Exploring begins when all arms have a reward.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.argmax import Index, argmax
from .._kernels.compiler import kernel
from .._kernels.samples import learn_reward
from .._kernels.sorted_samples import SortedSamples, value_at
from .base import ON_SAMPLES, Functions, Policy

ORDER = 0  # the cursor


class MaxMedian(Policy):
    """Chase the largest single reward: the best (1 − 1/m)-quantile, m the fewest pulls of an arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.MaxMedian(), table, seed=0).arms.tolist()
    [0, 1, 1, 1, 0, 1]
    """

    name = "MaxMedian"
    group = "largest"
    compared = {"MaxMedian": {}}
    draws = True


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    fewest: NDArray[np.int64]  # (1,) m of the last choice


def start(policy: MaxMedian, arms: int, capacity: int) -> State:
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        fewest=np.zeros(1, np.int64),
    )


@kernel
def index(policy: MaxMedian, state: State, arm: int, t: int) -> float:
    """Return the ⌈N_j / m⌉-th largest reward, or +∞ without a reward."""
    return _tail(state, arm, _fewest(state.pulls))


@kernel
def select(index: Index, policy: MaxMedian, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index or, with probability 1/t, any."""
    state.fewest[0] = _fewest(state.pulls)
    if _fewest(state.samples.size) > 0 and rng.random() * t < 1.0:
        return int(rng.random() * len(state.pulls))
    return argmax(value, policy, state, t, rng)


@kernel
def value(policy: MaxMedian, state: State, arm: int, t: int) -> float:
    """Return the index, with m as `select` has found it: once, and not for each arm."""
    return _tail(state, arm, int(state.fewest[0]))


@kernel
def _fewest(counts: NDArray[np.int64]) -> int:
    """Return the smallest count of an arm."""
    fewest = int(counts[0])
    for arm in range(1, len(counts)):
        fewest = min(fewest, int(counts[arm]))
    return fewest


@kernel
def _tail(state: State, arm: int, fewest: int) -> float:
    """Return the ⌈N_j / m⌉-th largest reward, or +∞ without a reward."""
    pulls, seen, m = int(state.pulls[arm]), int(state.samples.size[arm]), max(fewest, 1)
    if seen == 0:
        return math.inf
    order = min(seen, (pulls + m - 1) // m)
    return value_at(state.samples, arm, ORDER, seen - order + 1)


MaxMedian.functions = Functions(
    start, index, learn_reward, select=select, **ON_SAMPLES, memory=("fewest",)
)
