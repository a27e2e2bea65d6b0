"""MaRaB: the arm with the best bad days, pulled cautiously.

N. Galichet, M. Sebag, O. Teytaud, "Exploration vs exploitation vs safety: risk-aware multi-armed
bandits", ACML 2013, PMLR 29:245–260.

An arm is worth its conditional value at risk: the mean of the worst share α of its rewards
(`objectives.CVaR`), estimated by the mean of the k = ⌈αT_j⌉ smallest ones seen. Pull every arm
once, then the arm with the largest

    ĈVaR_j − c √(ln⌈αt⌉ / k).

The minus is meant: an arm that was pulled seldom counts as worse than it looks, so that the policy
avoids what it does not know. It explores only as far as bad rewards of the arm in favour drive it
away, and may stay with a poor arm for good. The paper proves logarithmic regret for a relative,
the arm with the largest minimum; for MaRaB there is no guarantee. c is in the unit of the rewards
and must be tuned. A round costs O(K + log T_j); a reward takes 8 to 18 bytes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.moments import CompensatedSums, add, no_sums
from .._kernels.samples import add_reward, rank, samples_full
from .._kernels.sorted_samples import SortedSamples, value_at
from ..objectives import CVaR
from ..parameters import parameter
from .base import Functions, Policy


class MaRaB(Policy):
    """Chase the best mean of the worst rewards, less c √(ln⌈αt⌉ / k).

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.MaRaB(level=0.5)
    >>> uh.play(policy, [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]]).arms.tolist()
    [0, 1, 1, 1]
    """

    name = "MaRaB"
    compared = {"MaRaB": {}}
    index_trend = "falls"

    level: float = parameter(
        "The share α of the rewards, the worst ones, whose mean an arm is worth; 1 is the mean.",
        default=0.1, above=0, most=1, kw_only=False,
    )  # fmt: skip
    c: float = parameter(
        "How much an arm that was pulled seldom is marked down, in the unit of the rewards.",
        default=1.0, least=0,
    )  # fmt: skip

    @property
    def objective(self) -> CVaR:
        """What the policy plays for; of costs (see `Bandit`) the worst are the highest."""
        return CVaR(self.level)


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j
    worst: CompensatedSums  # (K,) the sum of each arm's k smallest rewards


def start(policy: MaRaB, arms: int, capacity: int) -> State:
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        worst=no_sums(arms),
    )


@kernel
def index(policy: MaRaB, state: State, arm: int, t: int) -> float:
    """Return ĈVaR_j − c √(ln⌈αt⌉ / k), or +∞ for an arm not yet pulled."""
    seen = int(state.samples.size[arm])
    if seen == 0:
        return math.inf
    k, pulled = rank(policy.level, seen), rank(policy.level, int(state.pulls[arm]))
    caution = math.sqrt(math.log(rank(policy.level, t)) / pulled)
    return float(state.worst.rounded[arm]) / k - policy.c * caution


@kernel
def update(policy: MaRaB, state: State, arm: int, reward: float) -> None:
    """Learn a reward; the sum of the k smallest changes by one value or two.

    A reward below the k-th smallest joins the sum, and that one leaves unless k grows; another
    one changes nothing unless k grows: then the next smallest, perhaps itself, joins.
    """
    samples, before = state.samples, int(state.pulls[arm])
    k_before = rank(policy.level, before) if before > 0 else 0
    last = value_at(samples, arm, 0, k_before) if before > 0 else -math.inf
    k = rank(policy.level, add_reward(state, arm, reward))
    if reward < last:
        add(state.worst, arm, reward, 0.0)
        if k == k_before:
            add(state.worst, arm, -last, 0.0)
    elif k > k_before:
        add(state.worst, arm, value_at(samples, arm, 0, k), 0.0)


@kernel
def same_index(policy: MaRaB, state: State, one: int, other: int) -> bool:
    return bool(
        state.worst.rounded[one] == state.worst.rounded[other]
        and state.pulls[one] == state.pulls[other]
    )


MaRaB.functions = Functions(start, index, update, full=samples_full, same_index=same_index)
