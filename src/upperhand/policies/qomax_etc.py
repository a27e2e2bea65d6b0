"""QoMax-ETC: explore in batches, then commit to the best quantile of the batches' maxima.

D. Baudry, Y. Russac, E. Kaufmann, "Efficient algorithms for extreme bandits", AISTATS 2022, PMLR
151:2210–2248. The aim is one large reward, not a large sum. The maximum of a sample says little of
its distribution: of two arms, the worse one often has the larger. So each arm is pulled in b
batches of l rewards, and its *quantile of maxima*

    QoMax_j = the q-quantile of the b maxima

estimates a quantile at the level q^(1/l), far out in the tail, by b independent values. All arms
are explored b l times, round-robin; the one with the largest QoMax is then played to the end of the
horizon n. As in the article's experiments, b = ⌊ln² n⌋ + 1, l = ⌊ln n⌋ + 1 and q = 0.9, unless set:
850 pulls of each arm at n = 10⁴.

For polynomial and exponential tails of which one dominates, the article shows that the chance to
commit to another arm vanishes, so fast that the expected maximum tends to that of the best arm
alone, relative to it. Only the order of the rewards counts. It needs the horizon.

A quantile is the library's own, the ⌈q b⌉-th smallest of b, so that at q = 0.9 and b < 10 QoMax is
the plain maximum; the authors' code interpolates between two of them. That code also plays
round-robin to the end if the horizon is too short to explore; we refuse such a horizon, as for
every policy. A round costs O(K) and a reward of the exploration O(b).

While answers are under way, batches fill in the order in which rewards arrive, the best QoMax of
the batches begun so far is played, and the first reward of a best arm after all commits to it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.argmax import commit, explore_or_stay, reopen
from .._kernels.compiler import kernel
from .._kernels.samples import rank
from ..parameters import derived, parameter
from .base import Functions, Policy


class QoMaxETC(Policy):
    """Chase the largest single reward: explore, then commit to the best quantile of maxima.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.QoMaxETC(horizon=6, batches=2, length=1)
    >>> uh.play(policy, [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]).arms.tolist()
    [0, 1, 0, 1, 1, 1]
    """

    name = "QoMax-ETC"
    group = "largest"
    compared = {"QoMax-ETC (n)": {}}

    horizon: int = parameter("The number n of rounds to be played.", least=1, kw_only=False)
    q: float = parameter("The level of the quantile of maxima.", default=0.9, above=0, below=1)
    batches: int | None = parameter(
        "The number b of batches of each arm; ⌊ln² n⌋ + 1 if it is not given.",
        default=None, least=1,
    )  # fmt: skip
    length: int | None = parameter(
        "The number l of rewards in a batch; ⌊ln n⌋ + 1 if it is not given.", default=None, least=1
    )

    @derived
    def count(self) -> int:
        """The number of batches, as it is set or by the horizon."""
        return self.batches or math.floor(math.log(self.horizon) ** 2) + 1

    @derived
    def size(self) -> int:
        """The length of a batch, as it is set or by the horizon."""
        return self.length or math.floor(math.log(self.horizon)) + 1

    @derived
    def initial_pulls(self) -> int:
        """Pulls of each arm, round-robin, before one is committed to: b l."""
        return self.count * self.size


class State(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) N_j
    maxima: NDArray[np.float64]  # (K, b) those of the batches begun, ascending
    begun: NDArray[np.int64]  # (K,) how many these are
    newest: NDArray[np.float64]  # (K,) which of them is that of the batch begun last
    chosen: NDArray[np.bool_]  # (K,) whether the arm is the one committed to


def start(policy: QoMaxETC, arms: int, capacity: int) -> State:
    return State(
        pulls=np.zeros(arms, np.int64),
        maxima=np.zeros((arms, policy.count)),
        begun=np.zeros(arms, np.int64),
        newest=np.zeros(arms),
        chosen=np.zeros(arms, np.bool_),
    )


@kernel
def index(policy: QoMaxETC, state: State, arm: int, t: int) -> float:
    """Return QoMax of the batches begun, or +∞ for an arm still to be explored."""
    begun = int(state.begun[arm])
    if int(state.pulls[arm]) < policy.initial_pulls or begun == 0:
        return math.inf
    return float(state.maxima[arm, rank(policy.q, begun) - 1])


@kernel
def update(policy: QoMaxETC, state: State, arm: int, reward: float) -> None:
    """Learn a reward of the exploration; commit to a best arm at its first later one."""
    pulls = int(state.pulls[arm])
    if pulls < policy.initial_pulls:
        _learn(state, arm, reward, pulls % policy.size == 0)
        reopen(state)
    else:
        commit(index, policy, state, arm)
    state.pulls[arm] = pulls + 1


@kernel
def _learn(state: State, arm: int, reward: float, begins: bool) -> None:
    """Put a reward into the arm's batch, which it may begin."""
    i = 0
    if begins:
        i = int(state.begun[arm])
        state.begun[arm] = i + 1
        while i > 0 and float(state.maxima[arm, i - 1]) > reward:
            state.maxima[arm, i] = state.maxima[arm, i - 1]
            i -= 1
    elif reward > float(state.newest[arm]):
        while float(state.maxima[arm, i]) != float(state.newest[arm]):
            i += 1
        while i + 1 < int(state.begun[arm]) and float(state.maxima[arm, i + 1]) < reward:
            state.maxima[arm, i] = state.maxima[arm, i + 1]
            i += 1
    else:
        return
    state.maxima[arm, i] = state.newest[arm] = reward


QoMaxETC.functions = Functions(start, index, update, select=explore_or_stay)
