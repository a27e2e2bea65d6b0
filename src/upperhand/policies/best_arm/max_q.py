"""Max-Q and Doubled Max-Q: follow the arm with the highest bound until it is known well enough.

Y. David, N. Shimkin, "Pure exploration for max-quantile bandits", ECML-PKDD 2016, LNCS 9851,
pp. 556–571, doi 10.1007/978-3-319-46128-1_35. Their λ = 1 − τ is the chance of more than the
quantile. Every arm is pulled N_0 = ⌊3L/λ⌋ + 1 times. Then, with C_k the pulls of arm k,

    V_k = the m_k-th largest reward of arm k,    m_k = ⌊λ C_k − √(3 λ C_k L)⌋ + 1,

bounds its quantile from above, and the arm k* with the largest V is the answer if
C_k* > 10 λ L / ε². Otherwise Max-Q pulls k* once more, and Doubled Max-Q C_k* times more; with

    L = 6 ln(K (1 + 10 λ ln(1/δ) / ε²)) − ln δ               for Max-Q,
    L = 6 ln(K log₂(20 λ ln(1/δ) / ε²)) − ln δ               for Doubled Max-Q.

Guarantee: for any distributions, with probability at least 1 − δ the answer k has
Q_k(τ+ε) ≥ max_j Q_j(τ), after O(Σ_j λ L / max(ε, Δ_j)²) pulls: the first bound with the factor λ,
which is small for high quantiles. ε = 0 would need infinitely many pulls, and is refused.

How it is read: the formulas were not seen in the article itself, only in public code; that of
Doubled Max-Q in the published comparison of Howard and Ramdas, whose sample counts this policy
gives to the pull; that of Max-Q in a notebook with τ for λ, right only at τ = ½. The logarithm to
the base 2 is taken as 1 at least. Ties of V go to the lowest arm. The first pulls go round-robin.

A pull costs O(log C) for Max-Q, for only V_k* changes, and O(K) for the choice of k*.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, samples_full
from ..._kernels.sorted_samples import SortedSamples, value_at
from ...errors import ParameterError
from ...parameters import derived
from ..base import Functions
from .base import NONE, FixedConfidence, found, recommend

LEAST = 2.0**-20  # ε: below, a run would need more pulls than any memory holds


class MaxQ(FixedConfidence):
    """Find an arm with the best τ-quantile, up to ε in level, pulling the most promising one.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.MaxQ(tau=0.95, epsilon=0.025)
    >>> policy.plan(arms=10)  # L, N_0, and the pulls of an arm after which it may be the answer
    (63.50454843904763, 3811, 50803)
    """

    name = "Max-Q"

    def check(self) -> None:
        """Refuse a tolerance that is 0 or leaves no level."""
        if self.epsilon < LEAST:
            raise ParameterError(
                f"{self.name} needs an epsilon of {LEAST:.2g} or more: it stops after 10 (1 − tau) "
                f"L / epsilon² pulls of one arm; got {self.epsilon:g}. Choose a larger one, or "
                "another policy, such as QPAC."
            )
        super().check()

    @derived
    def doubled(self) -> bool:
        return isinstance(self, DoubledMaxQ)

    def plan(self, arms: int) -> tuple[float, int, int]:
        """Return L, N_0 and ⌊10 λ L / ε²⌋ for so many arms: what the run goes by."""
        rare, confidence = 1.0 - self.tau, -math.log(self.delta)
        pulls = 10.0 * rare * confidence / self.epsilon**2
        steps = max(1.0, math.log2(2.0 * pulls)) if self.doubled else 1.0 + pulls
        effort = 6.0 * math.log(arms * steps) + confidence
        enough = math.floor(10.0 * rare * effort / self.epsilon**2)
        return effort, math.floor(3.0 * effort / rare) + 1, enough


class DoubledMaxQ(MaxQ):
    """Find an arm with the best τ-quantile, up to ε in level, doubling the leader's pulls.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.DoubledMaxQ(tau=0.95, epsilon=0.025)
    >>> policy.plan(arms=10)  # L, N_0, and the pulls of an arm after which it may be the answer
    (31.83300718323097, 1910, 25466)
    """

    name = "Doubled Max-Q"


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) C_k
    goal: NDArray[np.int64]  # (K,) pulls that the arm is to have before the arms are compared
    due: NDArray[np.int64]  # (1,) pulls until then
    bound: NDArray[np.float64]  # (K,) V_k
    effort: NDArray[np.float64]  # (1,) L
    enough: NDArray[np.int64]  # (1,) the answer has more pulls than this
    found: NDArray[np.int64]  # (1,) the answer, or NONE


def start(policy: MaxQ, arms: int, capacity: int) -> State:
    effort, first, enough = MaxQ.plan(policy, arms)
    return State(
        samples=sorted_samples.empty(arms, capacity),
        pulls=np.zeros(arms, np.int64),
        goal=np.full(arms, first),
        due=np.array([arms * first]),
        bound=np.full(arms, np.inf),
        effort=np.array([effort]),
        enough=np.array([enough]),
        found=np.array([NONE]),
    )


@kernel
def index(policy: MaxQ, state: State, arm: int, t: int) -> float:
    """Return V_k, or +∞ for an arm that is to be pulled before the arms are compared."""
    due = int(state.pulls[arm]) < int(state.goal[arm])
    return math.inf if due else float(state.bound[arm])


@kernel
def update(policy: MaxQ, state: State, arm: int, reward: float) -> None:
    """Learn a reward; if no more are due, compare the arms: an answer, or an arm to go on with."""
    pulls = add_reward(state, arm, reward)
    state.due[0] -= 1
    if pulls == int(state.goal[arm]):
        expected = (1.0 - policy.tau) * pulls
        spared = math.sqrt(3.0 * expected * float(state.effort[0]))
        m = max(1, math.floor(expected - spared) + 1)  # N_0 ensures it, except for rounding
        state.bound[arm] = value_at(state.samples, arm, 0, pulls - m + 1)
    if int(state.due[0]) == 0:
        leader = 0
        for other in range(1, len(state.pulls)):
            if float(state.bound[other]) > float(state.bound[leader]):
                leader = other
        pulls = int(state.pulls[leader])
        if pulls > int(state.enough[0]):
            state.found[0] = leader
        state.due[0] = pulls if policy.doubled else 1
        state.goal[leader] = pulls + int(state.due[0])


MaxQ.functions = DoubledMaxQ.functions = Functions(
    start, index, update, full=samples_full, stop=found, recommend=recommend
)
