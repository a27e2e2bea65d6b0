"""QoMax-SDA: duels between arms, by quantiles of maxima on subsamples of equal size.

D. Baudry, Y. Russac, E. Kaufmann, "Efficient algorithms for extreme bandits", AISTATS 2022, PMLR
151:2210–2248. The aim is one large reward, not a large sum. An arm has B_j batches of n_j rewards
each; QoMax_j is the q-quantile of its B_j maxima, as in `QoMaxETC`. Maxima of longer batches are
larger, so arms are compared at equal length. In round r

    the leader is the arm with the largest n_j, of several the one with the largest QoMax;
    another arm k is called if n_k ≤ f(r), or if QoMax_k is at least the leader's on the last n_k
    rewards of its first B_k batches;
    the leader is called if n ≤ f(r), or if no other arm is,

with f(r) = max(5, ln^(3/2) r). A called arm adds one reward to each of its batches, so n_j grows by
one, and then batches of n_j rewards until there are ⌈n_j^(2/3)⌉; not so a leader that is called
alone. At the end of the round, the leader adds batches until no arm has more.

For arms with polynomial or exponential tails of which one dominates, the expected maximum is, in
the limit, that of the best arm alone, and the others are pulled a polylogarithmic number of times.
It needs no horizon, and only the order of the rewards counts. Of each batch only the records are
kept that can still be the maximum of its last rewards: O(ln n_j) for independent ones. A round
costs O(K B) and the pulls that it calls for, and a call O(B²) besides.

We follow the authors' code, with these differences: a quantile is the library's own, the ⌈q B⌉-th
smallest, where the code interpolates; leaders tie by QoMax as it is, where the code has it as of
the arm's last duel, and then by the lowest arm, also with `random_ties`; within a round the arm
that is owed most rewards comes first, where the code shuffles; a single arm has one batch. An arm
takes part from its first reward on, whenever that comes.

One reward at a time: the state says how many rewards the round still owes each arm, and the last of
them begins the next round. While answers are under way, those asked for are not asked for again. If
nothing else is owed, the leader is asked. A reward that was not owed calls its arm, and when that
call is complete, the next round begins, whoever is still waited for.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import recent_maxima
from .._kernels.argmax import Index, argmax, argmax_of_two
from .._kernels.compile import kernel
from .._kernels.ranks import rank
from .._kernels.recent_maxima import RecentMaxima, maximum_after, maximum_of_rank, push
from ..parameters import parameter
from .contract import Functions, Policy


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

    q: float = parameter(
        "The level of the quantile of maxima.", default=0.9, above=0, below=1, kw_only=False
    )
    least: int = parameter(
        "Arms with so many rewards in a batch, or fewer, are called in any case.",
        default=5, least=1,
    )  # fmt: skip


class State(NamedTuple):
    """What QoMax-SDA remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) N_j
    seen: NDArray[np.int64]  # (K,) the rewards that were learned
    maxima: RecentMaxima  # the batches of each arm
    queries: NDArray[np.int64]  # (K,) n_j, the rewards in each batch
    batches: NDArray[np.int64]  # (K,) B_j, those that are complete
    qomax: NDArray[np.float64]  # (K,) QoMax_j after the arm's last call, −∞ before the first
    owed: NDArray[np.int64]  # (K,) rewards that the arm's call still asks for
    place: NDArray[np.int64]  # (K,) which of them is next: the batch, or the place in a new one
    adding: NDArray[np.bool_]  # (K,) whether the next one goes to a batch that is complete
    unasked: NDArray[np.bool_]  # (K,) whether a reward has called the arm, and not the round
    leads: NDArray[np.bool_]  # (K,) whether the arm is the round's leader
    rounds: NDArray[np.int64]  # (1,) r


def start(policy: QoMaxSDA, arms: int, room: int) -> State:
    """Return the state before the first reward.

    An arm with n rewards in each of n^(2/3) batches has n^(5/3) pulls: N^(2/5) batches.
    """
    return State(
        pulls=np.zeros(arms, np.int64),
        seen=np.zeros(arms, np.int64),
        maxima=recent_maxima.empty(arms, math.ceil(math.pow(room, 0.4)), room),
        queries=np.zeros(arms, np.int64),
        batches=np.zeros(arms, np.int64),
        qomax=np.full(arms, -np.inf),
        owed=np.zeros(arms, np.int64),
        place=np.zeros(arms, np.int64),
        adding=np.zeros(arms, np.bool_),
        unasked=np.zeros(arms, np.bool_),
        leads=np.zeros(arms, np.bool_),
        rounds=np.ones(1, np.int64),
    )


@kernel
def index(policy: QoMaxSDA, state: State, arm: int, t: int) -> float:
    """Return how many rewards the arm is owed and not yet asked for, or +∞ without a reward."""
    seen = int(state.seen[arm])
    under_way = int(state.pulls[arm]) - seen
    return float(int(state.owed[arm]) - under_way) if seen > 0 else math.inf


@kernel
def select(index: Index, policy: QoMaxSDA, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm that is owed most; the leader, if nothing is owed but what is under way."""
    arm = argmax(index, policy, state, t, rng)
    if index(policy, state, arm, t) > 0.0:
        return arm
    return argmax_of_two(_queries, _qomax, policy, state, t, rng)


@kernel
def _queries(policy: QoMaxSDA, state: State, arm: int, t: int) -> float:
    return float(state.queries[arm])


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
    if int(state.owed[arm]) == 0:
        _call(state, arm, bool(state.leads[arm]))
        state.unasked[arm] = True
    _learn(state, arm, reward)
    if int(state.owed[arm]) == 0:
        batches = int(state.batches[arm])
        state.qomax[arm] = maximum_of_rank(state.maxima, arm, batches, rank(policy.q, batches))
        if state.unasked[arm] or _owed_in_all(state) == 0:
            _end_round(policy, state)
        state.unasked[arm] = False


@kernel
def _join(policy: QoMaxSDA, state: State, arm: int, reward: float) -> None:
    """Begin with one batch of one reward, and be called at once: 1 ≤ f(r) in any round.

    The very first reward of all ends the first round. What that round owes others they get in the
    second: so arms that come later make no difference before they have a reward.
    """
    push(state.maxima, arm, 0, 1, reward)
    state.queries[arm], state.batches[arm], state.qomax[arm] = 1, 1, reward
    if int(state.rounds[0]) == 1:
        _begin_round(policy, state)
    else:
        _call(state, arm, False)


@kernel
def _call(state: State, arm: int, alone: bool) -> None:
    """Owe the arm one reward for each batch and, unless it is alone, what new batches need."""
    n, batches = int(state.queries[arm]) + 1, int(state.batches[arm])
    wanted = batches
    while not alone and wanted**3 < n**2:  # the smallest that is n^(2/3) or more
        wanted += 1
    state.owed[arm], state.place[arm] = batches + (wanted - batches) * n, 0
    state.adding[arm] = True


@kernel
def _learn(state: State, arm: int, reward: float) -> None:
    """Put a reward into the batch that is next."""
    place, n, batches = int(state.place[arm]), int(state.queries[arm]), int(state.batches[arm])
    state.owed[arm] -= 1
    state.place[arm] = place + 1
    if state.adding[arm]:
        push(state.maxima, arm, place, n + 1, reward)
        if place + 1 == batches:
            state.queries[arm], state.place[arm], state.adding[arm] = n + 1, 0, False
    else:
        push(state.maxima, arm, batches, place + 1, reward)
        if place + 1 == n:
            state.batches[arm], state.place[arm] = batches + 1, 0


@kernel
def _owed_in_all(state: State) -> int:
    owed = 0
    for arm in range(len(state.pulls)):
        owed += int(state.owed[arm])
    return owed


@kernel
def _end_round(policy: QoMaxSDA, state: State) -> None:
    """Let the leader have as many batches as any arm; if it has, begin the next round."""
    leader, most = 0, 0
    for arm in range(len(state.pulls)):
        leader = arm if state.leads[arm] else leader
        most = max(most, int(state.batches[arm]))
    missing = most - int(state.batches[leader])
    if missing > 0 and int(state.owed[leader]) == 0:
        state.owed[leader], state.place[leader] = missing * int(state.queries[leader]), 0
    else:
        _begin_round(policy, state)


@kernel
def _begin_round(policy: QoMaxSDA, state: State) -> None:
    """Find the leader, and call the arms that play; a call that is not complete goes on."""
    state.rounds[0] += 1
    due = max(float(policy.least), math.pow(math.log(int(state.rounds[0])), 1.5))
    leader, others = _leader(state), 0
    for arm in range(len(state.pulls)):
        state.leads[arm] = arm == leader
        free = arm != leader and int(state.owed[arm]) == 0 and int(state.seen[arm]) > 0
        if free and (int(state.queries[arm]) <= due or _wins(policy, state, arm, leader)):
            _call(state, arm, False)
        others += 1 if arm != leader and int(state.owed[arm]) > 0 else 0
    if int(state.owed[leader]) == 0 and (int(state.queries[leader]) <= due or others == 0):
        _call(state, leader, others == 0)


@kernel
def _leader(state: State) -> int:
    """Return the arm with the largest n_j; of several, the first with the largest QoMax."""
    leader = 0
    for arm in range(1, len(state.pulls)):
        ahead = int(state.queries[arm]) - int(state.queries[leader])
        if ahead > 0 or (ahead == 0 and float(state.qomax[arm]) > float(state.qomax[leader])):
            leader = arm
    return leader


@kernel
def _wins(policy: QoMaxSDA, state: State, arm: int, leader: int) -> bool:
    """Tell whether QoMax of the arm is at least the leader's on its last n_k rewards.

    A ⌈q b⌉-th smallest is x or less if ⌈q b⌉ of the b maxima are.
    """
    before = int(state.queries[leader]) - int(state.queries[arm])
    batches = min(int(state.batches[arm]), int(state.batches[leader]))
    reached = 0
    for batch in range(batches):
        recent = maximum_after(state.maxima, leader, batch, before)
        reached += 1 if recent <= float(state.qomax[arm]) else 0
    return reached >= rank(policy.q, batches)


@kernel
def full(policy: QoMaxSDA, state: State, arm: int) -> bool:
    """Tell whether the arm's next reward could fail to find room."""
    return recent_maxima.full(state.maxima, arm)


QoMaxSDA.functions = Functions(start, index, update, select=select, full=full)
