"""Q-SAR, Q-SR and batch elimination: the m best arms with a given number of pulls.

M. Zhang, C. S. Ong, "Quantile bandits for best arms identification", ICML 2021, PMLR 139:12513–
12523, algorithm 1 (Q-SAR) and its baselines. Pulls go to the arms that are left, evenly, in phases
p = 1, 2, …; at the end of phase p each of K arms that is left has n_p pulls, of a budget n,

    n_p = ⌈(n − K) / (H (K + 1 − p))⌉,

    Q-SAR:  H = ½ + Σ_{i=2}^K 1/i,                        K − 1 phases,
    Q-SR:   H = m/(m+1) + Σ_{i=1}^{K−m} 1/(K + 1 − i),    K − m phases,
    batch elimination (L. Tran-Thanh, J. Y. Yu, "The functional bandit approach", 2014, as Zhang and
    Ong have it): n_p = p ⌊n / ((K−1)(1 + K/2))⌋,         K − m phases.

Then the arms are ranked by their empirical τ-quantiles q_(1) ≥ q_(2) ≥ …. Q-SR and batch
elimination reject the last one. Q-SAR, with l arms still to be named, accepts the first one if
q_(1) − q_(l+1) > q_(l) − q_(last), and otherwise rejects the last one. When as many arms are left
as are to be named, these are the answer.

Guarantee: for Q-SAR, a chance of error that falls exponentially in n, for rewards whose hazard rate
does not decrease and is bounded away from 0, which that of Student's t is not. Its constants were
not found in public text; the published error rates are in the tests. The others have none here.

How it is read: `interpolated`, the default, takes the quantiles of `numpy.quantile`, as the
authors' code does in their experiments; off, it takes the library's own Q̂ (smallest value with a
share τ at or below). Their code stops at the end of a phase with nothing to decide, ours before it:
the answer is the same. Every n_p is at least 1. Their batch elimination pulls once a phase where
its ⌊…⌋ is 0 and so exceeds the budget; ours refuses such a budget. Ties: of equal arms the lowest
is ranked first. With m = 1, Q-SAR is Q-SR: the accept gap is never the larger one.

A pull costs O(log N + K), and the end of a phase O(K²) at worst, when the ranking is upside down.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, interpolated_quantile, quantile_of, rank, samples_full
from ..._kernels.sorted_samples import SortedSamples
from ...errors import ParameterError
from ...parameters import derived, parameter
from ..base import Functions
from .base import FixedBudget, fewest_pulls


class QSR(FixedBudget):
    """Find the `top` arms with the best τ-quantiles in `budget` pulls, rejecting one a phase.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QSR(tau=0.5, budget=100).phases(arms=4)  # pulls of an arm at the end of each phase
    [16, 21, 31]
    """

    name = "Q-SR"

    interpolated: bool = parameter(
        "Interpolate quantiles between order statistics, as the authors do.", default=True
    )

    @derived
    def accepts(self) -> bool:
        """Whether arms may be accepted before the last phase."""
        return isinstance(self, QSAR)

    @derived
    def even(self) -> bool:
        """Whether all phases give an arm the same number of pulls."""
        return isinstance(self, QBatch)

    def phases(self, arms: int) -> list[int]:
        """Return the pulls that each arm that is left has at the end of each phase.

        A budget that is too small is refused, and so are too many arms to be named.
        """
        top, budget = self.top, self.budget
        if top > arms:
            raise ParameterError(f"top must be at most {arms}, the number of arms; got {top}.")
        if self.even:
            each = max(1, 2 * budget // max(1, (arms - 1) * (arms + 2)))
            least = sum(range(top + 1, arms + 1))
            planned = [phase * each for phase in range(1, arms - top + 1)]
        else:
            first = 0.5 if self.accepts else top / (top + 1)
            last = 2 if self.accepts else top + 1
            harmonic = first + math.fsum(1 / i for i in range(last, arms + 1))
            shares = [1 / (harmonic * (arms - done)) for done in range(arms - (last - 1))]
            planned, least = [rank(share, budget - arms) for share in shares], arms
        if budget < least:
            raise ParameterError(
                f"With {arms} arms, budget must be at least {least}: one pull of each arm that is "
                f"left in each phase; got {budget}."
            )
        return planned


class QSAR(QSR):
    """Find the `top` arms with the best τ-quantiles in `budget` pulls, deciding on one a phase.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QSAR(tau=0.5, budget=100, top=2).phases(arms=4)
    [16, 21, 31]
    """

    name = "Q-SAR"


class QBatch(QSR):
    """Find the `top` arms with the best τ-quantiles in `budget` pulls, by phases of equal length.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.QBatch(tau=0.5, budget=100).phases(arms=4)
    [11, 22, 33]
    """

    name = "Q-Batch"


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j
    active: NDArray[np.bool_]  # (K,) neither accepted nor rejected
    accepted: NDArray[np.bool_]  # (K,)
    left: NDArray[np.int64]  # (1,) how many are active
    slots: NDArray[np.int64]  # (1,) how many of these are still to be named
    order: NDArray[np.int64]  # (K,) first the active arms, as ranked at the end of the last phase
    value: NDArray[np.float64]  # (K,) their quantiles then
    goals: NDArray[np.int64]  # (phases,) n_p
    phase: NDArray[np.int64]  # (1,) how many phases are over
    due: NDArray[np.int64]  # (1,) pulls until the present one is


def start(policy: QSR, arms: int, capacity: int) -> State:
    goals = QSR.phases(policy, arms) or [1]
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        active=np.ones(arms, np.bool_),
        accepted=np.zeros(arms, np.bool_),
        left=np.array([arms]),
        slots=np.array([policy.top]),
        order=np.arange(arms),
        value=np.zeros(arms),
        goals=np.array(goals),
        phase=np.array([0]),
        due=np.array([arms * goals[0]]),
    )


@kernel
def stop(policy: QSR, state: State, t: int) -> bool:
    """Tell whether as many arms are left as are to be named."""
    return int(state.left[0]) == int(state.slots[0])


@kernel
def update(policy: QSR, state: State, arm: int, reward: float) -> None:
    """Learn a reward; accept or reject an arm if the phase is over."""
    add_reward(state, arm, reward)
    state.due[0] -= 1
    while int(state.due[0]) == 0 and not stop(policy, state, 0):
        _rank(policy, state)
        _decide(policy, state)
        state.phase[0] += 1
        over = int(state.phase[0])
        if over < len(state.goals):  # phases may be empty: two equal goals
            extra = int(state.goals[over]) - int(state.goals[over - 1])
            state.due[0] = int(state.left[0]) * extra


@kernel
def _rank(policy: QSR, state: State) -> None:
    """Sort the active arms, the largest quantile first, the lowest arm first of equal ones."""
    for place in range(int(state.left[0])):
        arm = int(state.order[place])
        value = quantile(policy, state, arm)
        state.value[arm] = value
        while place > 0:
            before = int(state.order[place - 1])
            ahead = float(state.value[before])
            if ahead > value or (ahead == value and before < arm):
                break
            state.order[place] = before
            place -= 1
        state.order[place] = arm


@kernel
def _decide(policy: QSR, state: State) -> None:
    """Accept the first arm or reject the last one."""
    left, slots, order = int(state.left[0]), int(state.slots[0]), state.order
    to_accept = float(state.value[order[0]]) - float(state.value[order[slots]])
    to_reject = float(state.value[order[slots - 1]]) - float(state.value[order[left - 1]])
    if policy.accepts and to_accept > to_reject:
        state.accepted[order[0]], state.active[order[0]] = True, False
        state.slots[0] -= 1
        for place in range(1, left):
            order[place - 1] = order[place]
    else:
        state.active[order[left - 1]] = False
    state.left[0] -= 1


@kernel
def quantile(policy: QSR, state: State, arm: int) -> float:
    if policy.interpolated:
        return interpolated_quantile(state.samples, arm, 0, policy.tau)
    return quantile_of(policy.tau, state, arm, 0)


def recommend(policy: QSR, state: State) -> list[int]:
    """Return the arms found; before that, those accepted and the best ones that are left."""

    def worth(arm: int) -> float:
        return quantile(policy, state, arm) if state.pulls[arm] else -math.inf

    left = sorted(np.flatnonzero(state.active).tolist(), key=worth, reverse=True)
    return sorted(np.flatnonzero(state.accepted).tolist() + left[: int(state.slots[0])])


QSR.functions = QSAR.functions = QBatch.functions = Functions(
    start, fewest_pulls, update, full=samples_full, stop=stop, recommend=recommend
)
