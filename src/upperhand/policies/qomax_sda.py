"""QoMax-SDA: duels between arms, by quantiles of maxima on subsamples of equal size.

D. Baudry, Y. Russac, E. Kaufmann, "Efficient algorithms for extreme bandits", AISTATS 2022, PMLR
151:2210–2248. The aim is one large reward, not a large sum. An arm has B_j batches of n_j rewards
each; QoMax_j is the q-quantile of its B_j maxima, as in `QoMaxETC`. Maxima of longer batches are
larger, so arms are compared at equal length. In round r

    the leader is the arm with the largest n_j, of several the one with the largest QoMax;
    another arm k is called if n_k ≤ f(r), or if QoMax_k is at least the leader's on the last n_k
    rewards of its first B_k batches;
    the leader is called if n ≤ f(r), or if no other arm is,

with f(r) = max(5, ln^(3/2) r), where `least` stands for the 5. A called arm adds one reward to each
of its batches, so n_j grows by one, and then batches of n_j rewards until there are ⌈n_j^(2/3)⌉;
not so a leader that is called alone. At the end of the round, the leader adds batches until no arm
has more.

For polynomial and exponential tails of which one dominates, the article shows that the expected
maximum tends to that of the best arm alone, relative to it. An arm that loses all duels is pulled
f(r)^(5/3) times. It needs no horizon, and only the order of the rewards counts. Of each batch only
the records are kept that can still be the maximum of its last rewards: O(ln n_j) for independent
ones. A round costs O(K B) and the pulls that it calls for, and a call O(B²) besides.

How batches come about is as in the authors' code, which differs from ours in this: its quantile
interpolates, ours is the library's own, the ⌈q B⌉-th smallest; its QoMax may be that of an earlier
duel, ours is as of now; it numbers the rewards of a new batch from 0 and later ones from 1, by
which a duel may miss the first of the leader's last n_k rewards, and ours does not; it draws among
leaders that tie in all, and shuffles the arms of a round. With us the lowest leads, also with
`random_ties`, and the arm that is owed most rewards comes first. An arm takes part from its first
reward on, whenever that comes, and a single arm has one batch.

One reward at a time: the state says how many rewards the round still owes each arm, and the last of
them begins the next round. While answers are under way, those asked for are not asked for again. If
nothing else is owed, the leader is asked. A reward that was not owed calls its arm, and when that
call is complete, the next round begins, even if outcomes are pending.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import extremes
from .._kernels.argmax import Index, argmax, argmax_of_two
from .._kernels.compiler import kernel
from .._kernels.samples import rank
from ..parameters import parameter
from .base import Functions, Policy


class QoMaxSDA(Policy):
    """Chase the largest single reward: duels by quantiles of maxima, on equal subsamples.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1, 2, 2], [9, 8, 7, 6, 5, 9, 8, 8]]
    >>> uh.play(uh.QoMaxSDA(least=1), table).arms.tolist()
    [0, 1, 1, 1, 0, 1, 0, 0]
    """

    name = "QoMax-SDA"
    group = "largest"
    compared = {"QoMax-SDA": {}}

    q: float = parameter(
        "The level of the quantile of maxima.", default=0.9, above=0, below=1, kw_only=False
    )
    least: int = parameter(
        "Arms with so many rewards in a batch, or fewer, are called in any case.",
        default=5, least=1,
    )  # fmt: skip


class State(NamedTuple):
    pulls: NDArray[np.int64]  # (K,) N_j
    seen: NDArray[np.int64]  # (K,) the rewards that were learned
    batches: extremes.Batches  # n_j and B_j, what they hold, and what the round still owes
    qomax: NDArray[np.float64]  # (K,) QoMax_j after the arm's last call, −∞ before the first
    unasked: NDArray[np.bool_]  # (K,) whether a reward has called the arm, and not the round
    leads: NDArray[np.bool_]  # (K,) whether the arm is the round's leader
    rounds: NDArray[np.int64]  # (1,) r


def start(policy: QoMaxSDA, arms: int, capacity: int) -> State:
    return State(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        batches=extremes.no_batches(arms, capacity),
        qomax=np.full(arms, -np.inf),
        unasked=np.zeros(arms, np.bool_),
        leads=np.zeros(arms, np.bool_),
        rounds=np.ones(1, np.int64),
    )


@kernel
def index(policy: QoMaxSDA, state: State, arm: int, t: int) -> float:
    """Return how many rewards the arm is owed and not yet asked for, or +∞ without a reward."""
    seen = int(state.seen[arm])
    under_way = int(state.pulls[arm]) - seen
    return float(int(state.batches.owed[arm]) - under_way) if seen > 0 else math.inf


@kernel
def select(index: Index, policy: QoMaxSDA, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm that is owed most; the leader, if nothing is owed but what is under way."""
    arm = argmax(index, policy, state, t, rng)
    if index(policy, state, arm, t) > 0.0:
        return arm
    return argmax_of_two(_length, _qomax, policy, state, t, rng)


@kernel
def _length(policy: QoMaxSDA, state: State, arm: int, t: int) -> float:
    return float(state.batches.length[arm])


@kernel
def _qomax(policy: QoMaxSDA, state: State, arm: int, t: int) -> float:
    return float(state.qomax[arm])


@kernel
def update(policy: QoMaxSDA, state: State, arm: int, reward: float) -> None:
    """Learn a reward: an arm's first, or one for its call; the last one ends the round."""
    state.pulls[arm] += 1
    state.seen[arm] += 1
    if int(state.seen[arm]) == 1:
        _join(policy, state, arm, reward)
        return
    if int(state.batches.owed[arm]) == 0:
        extremes.call(state.batches, arm, bool(state.leads[arm]))
        state.unasked[arm] = True
    extremes.learn(state.batches, arm, reward)
    if int(state.batches.owed[arm]) == 0:
        state.qomax[arm] = extremes.quantile_of_maxima(state.batches, arm, policy.q)
        if state.unasked[arm] or extremes.owed_in_all(state.batches) == 0:
            _end_round(policy, state)
        state.unasked[arm] = False


@kernel
def _join(policy: QoMaxSDA, state: State, arm: int, reward: float) -> None:
    """Begin with one batch of one reward, and be called at once: 1 ≤ f(r) in any round.

    The very first reward of all ends the first round. What that round owes others they get in the
    second: so arms that come later make no difference before they have a reward.
    """
    extremes.begin(state.batches, arm, reward)
    state.qomax[arm] = reward
    if int(state.rounds[0]) == 1:
        _begin_round(policy, state)
    else:
        extremes.call(state.batches, arm, False)


@kernel
def _end_round(policy: QoMaxSDA, state: State) -> None:
    """Let the leader have as many batches as any arm; if it has, begin the next round."""
    leader, most = 0, 0
    for arm in range(len(state.pulls)):
        leader = arm if state.leads[arm] else leader
        most = max(most, int(state.batches.made[arm]))
    if most > int(state.batches.made[leader]) and int(state.batches.owed[leader]) == 0:
        extremes.catch_up(state.batches, leader, most)
    else:
        _begin_round(policy, state)


@kernel
def _begin_round(policy: QoMaxSDA, state: State) -> None:
    """Find the leader, and call the arms that play; a call that is not complete goes on."""
    state.rounds[0] += 1
    due = max(float(policy.least), math.pow(math.log(int(state.rounds[0])), 1.5))
    leader, others, batches = _leader(state), 0, state.batches
    for arm in range(len(state.pulls)):
        state.leads[arm] = arm == leader
        free = arm != leader and int(batches.owed[arm]) == 0 and int(state.seen[arm]) > 0
        if free and (int(batches.length[arm]) <= due or _wins(policy, state, arm, leader)):
            extremes.call(batches, arm, False)
        others += 1 if arm != leader and int(batches.owed[arm]) > 0 else 0
    if int(batches.owed[leader]) == 0 and (int(batches.length[leader]) <= due or others == 0):
        extremes.call(batches, leader, others == 0)


@kernel
def _leader(state: State) -> int:
    """Return the arm with the largest n_j; of several, the first with the largest QoMax."""
    leader = 0
    for arm in range(1, len(state.pulls)):
        ahead = int(state.batches.length[arm]) - int(state.batches.length[leader])
        if ahead > 0 or (ahead == 0 and float(state.qomax[arm]) > float(state.qomax[leader])):
            leader = arm
    return leader


@kernel
def _wins(policy: QoMaxSDA, state: State, arm: int, leader: int) -> bool:
    """Tell whether QoMax of the arm is at least the leader's on its last n_k rewards.

    A ⌈q b⌉-th smallest is x or less if ⌈q b⌉ of the b maxima are.
    """
    length, count = state.batches.length, state.batches.made
    before = int(length[leader]) - int(length[arm])
    both, reached = min(int(count[arm]), int(count[leader])), 0
    for batch in range(both):
        recent = extremes.maximum_after(state.batches.maxima, leader, batch, before)
        reached += 1 if recent <= float(state.qomax[arm]) else 0
    return reached >= rank(policy.q, both)


@kernel
def full(policy: QoMaxSDA, state: State, arm: int) -> bool:
    return extremes.full(state.batches.maxima, arm)


QoMaxSDA.functions = Functions(start, index, update, select=select, full=full)
