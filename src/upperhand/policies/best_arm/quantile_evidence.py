"""Quantile-Evidence: discard an arm once no threshold is left at which it could be the best.

Ours; docs/best-arm.md has the rule, Theorem Q8 and its proof. For a threshold u let M_a(u) be the
evidence (`_kernels.special`) that P(Y_a < u) > τ, so that arm a's τ-quantile is below u, and
M_h(u) the evidence that P(Y_h ≥ u) > 1−τ−ε, so that h's (τ+ε)-quantile is at least u. Arm a is
discarded against h, for good, once

    inf_u E(u) ≥ 1/δ,   E(u) = {c M_a(u) + [M_h(u) + 20 M_a(u) M_h(u)] / c} / (c+21),  c = K−1. (1)

For ε = 0 the witness is not h: M_h counts the pulls of the arm that was at each time the leader of
all but a, and of these the rewards above u; c becomes 1.
The policy stops when all others are discarded against h, and answers h.

Guarantee: for any distributions, the answer is not ε-good with probability at most δ (Theorem Q8).

The arm of a round: the leader h has the largest Q̂(τ+ε/2), and of equals the least F̂(Q̂−). The cost
of taking a for better than h is W_a(u) = N_a d_a(u) + N_h d_h(u), where d_a(u) = kl⁺(F̂_a(u−), τ)
and d_h(u) = kl⁺(1−F̂_h(u−), 1−τ−ε), smallest at about u_a; the challenger is the arm of smallest
W_a(u_a) + ln N_a. Pull h if Σ_a d_h(u_a)/d_a(u_a) > 1, as the sum is 1 at the optimal shares, and
else the challenger; every arm at least √t − K/2 times.

The thresholds: M_a(u) grows with u and M_h(u) falls, both in steps. Between two values of arm a the
first is constant and the second falls, so the infimum over all u is the minimum over a's values and
u = +∞. One threshold u is kept for each pair, with its counts. As long as E(u) < 1/δ there, the
infimum is below 1/δ too, and nothing else need be computed. Where it is not, a better u is searched
nearby (`_descend`), and only then over all values (`_cleared`), by leaps: if the count of arm a at
the first value of a stretch and the witness's count at the last one reach 1/δ, all between do.
The rule is exact: an arm is discarded at the first round at which inf_u E(u) ≥ 1/δ.
A round costs O(K), and O(log N) where another threshold is searched.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels import sorted_samples
from ..._kernels.argmax import Index, argmax
from ..._kernels.compiler import kernel
from ..._kernels.samples import add_reward, rank, share_from
from ..._kernels.sorted_samples import SortedSamples, count_at_most, insert, value_at
from ..._kernels.special import Evidence, bernoulli_kl, evidence_above, log_evidence, log_joint
from ..base import Functions
from .base import FixedConfidence, found

QUANTILE, RANKED, BELOW, ABOVE = range(4)  # cursors: its own quantile, a rank, two counts
FAR = 8  # the parts of a sample at whose ends a threshold is searched first
PART = 16  # a better threshold is searched whenever a pair's samples have grown by this part


class QuantileEvidence(FixedConfidence):
    """Find the best τ-quantile: discard arms for which no threshold is left.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.QuantileEvidence(tau=0.5, delta=0.1)
    >>> policy.objective
    Quantile(tau=0.5)
    """

    name = "Quantile-Evidence"


class Thresholds(NamedTuple):
    """One threshold a pair: a row for each h, or one row for all if ε = 0; a column for each a."""

    at: NDArray[np.float64]  # (H, K) u
    below: NDArray[np.int64]  # (H, K) #{Y_a < u}
    above: NDArray[np.int64]  # (H, K) of the witness: #{Y_h ≥ u}, or > u if ε = 0
    value: NDArray[np.float64]  # (H, K) what is smallest there: ln E(u), or the cost W(u)
    looked: NDArray[np.int64]  # (H, K) how many samples there were at the last search


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    led: SortedSamples  # for ε = 0: those that each arm gave as the leader
    followed: SortedSamples  # for ε = 0: while each arm led, those of the second
    pool: SortedSamples  # for ε = 0: those of the leaders, all arms together
    pulls: NDArray[np.int64]  # (K,) N_j
    quantile: NDArray[np.float64]  # (K,) Q̂_j(τ+ε/2), −∞ before the first reward
    share: NDArray[np.float64]  # (K,) the share of an arm's rewards that are at least that
    leader: NDArray[np.int64]  # (2,) the arm with the largest of these, and the second
    found: NDArray[np.int64]  # (1,) the answer, −1 before
    discarded: NDArray[np.bool_]  # (H, K) a against h, for good
    guards: Thresholds  # for each pair, where the evidence E is least
    aims: Thresholds  # for each pair, where the cost W is least
    low: Evidence  # against P(Y_a < u) ≤ τ
    high: Evidence  # against P(Y_h ≥ u) ≤ 1−τ−ε


def start(policy: QuantileEvidence, arms: int, capacity: int) -> State:
    exact = policy.epsilon == 0
    rows = 1 if exact else arms
    return State(
        samples=sorted_samples.empty(arms, capacity),
        led=sorted_samples.empty(arms, capacity if exact else 0),
        followed=sorted_samples.empty(arms, capacity if exact else 0),
        pool=sorted_samples.empty(1, capacity if exact else 0),
        pulls=np.zeros(arms, np.int64),
        quantile=np.full(arms, -np.inf),
        share=np.zeros(arms),
        leader=np.array([0, min(1, arms - 1)]),
        found=np.full(1, -1),
        discarded=np.zeros((rows, arms), np.bool_),
        guards=nowhere(rows, arms),
        aims=nowhere(arms, arms),
        low=evidence_above(policy.tau, policy.epsilon),
        high=evidence_above(1 - policy.tau - policy.epsilon, policy.epsilon),
    )


@kernel
def index(policy: QuantileEvidence, state: State, arm: int, t: int) -> float:
    """Return −(W_a(u_a) + ln N_a): +∞ for an arm to try, −∞ for the leader and the discarded."""
    pulls, leader = int(state.pulls[arm]), int(state.leader[0])
    if pulls < math.sqrt(t) - len(state.pulls) / 2 or pulls == 0:
        return math.inf
    if arm == leader or bool(state.discarded[row(policy, True, leader), arm]):
        return -math.inf
    return -float(state.aims.value[leader, arm]) - math.log(pulls)


@kernel
def select(
    index: Index, policy: QuantileEvidence, state: State, t: int, rng: np.random.Generator
) -> int:
    """Return the leader or the challenger: the one whose samples add more."""
    arm = argmax(index, policy, state, t, rng)
    if index(policy, state, arm, t) == math.inf:
        return arm
    leader = int(state.leader[0])
    return leader if _leader_adds_more(policy, state, leader) else arm


@kernel
def _leader_adds_more(policy: QuantileEvidence, state: State, leader: int) -> bool:
    """Tell whether Σ_a d_h(u_a)/d_a(u_a) > 1 over the arms that are left."""
    total, h, high = 0.0, row(policy, True, leader), 1.0 - policy.tau - policy.epsilon
    for arm in range(len(state.pulls)):
        if arm != leader and not bool(state.discarded[h, arm]):
            own = gain(int(state.aims.below[leader, arm]), int(state.pulls[arm]), policy.tau)
            others = gain(int(state.aims.above[leader, arm]), int(state.pulls[leader]), high)
            if others > 0.0:
                total += others / own if own > 0.0 else math.inf
    return total > 1.0


@kernel
def update(policy: QuantileEvidence, state: State, arm: int, reward: float) -> None:
    """Learn a reward, compare the arms with the leader, and see if one is left."""
    if policy.epsilon == 0.0 and arm == int(state.leader[0]):
        insert(state.led, arm, reward)
        insert(state.pool, 0, reward)
    elif policy.epsilon == 0.0 and arm == int(state.leader[1]):
        insert(state.followed, int(state.leader[0]), reward)
    for sure in (False, True):
        count(policy, state, sure, arm, reward)
    m = add_reward(state, arm, reward)
    worth = value_at(state.samples, arm, QUANTILE, rank(policy.tau + policy.epsilon / 2.0, m))
    state.quantile[arm] = worth
    state.share[arm] = share_from(state, arm, QUANTILE, worth)
    if _lead(state) and int(state.found[0]) < 0:
        _weigh(policy, state, int(state.leader[0]))


@kernel
def _lead(state: State) -> bool:
    """Find the leader and the second, and tell whether all arms have been pulled."""
    leader, second, seen = 0, -1, int(state.pulls[0]) > 0
    for j in range(1, len(state.pulls)):
        seen = seen and int(state.pulls[j]) > 0
        if _better(state, j, leader):
            leader, second = j, leader
        elif second < 0 or _better(state, j, second):
            second = j
    state.leader[0], state.leader[1] = leader, max(second, 0)
    return seen


@kernel
def _better(state: State, i: int, j: int) -> bool:
    one, other = float(state.quantile[i]), float(state.quantile[j])
    return one > other or (one == other and float(state.share[i]) > float(state.share[j]))


@kernel
def _weigh(policy: QuantileEvidence, state: State, leader: int) -> None:
    """Compare each arm that is left with the leader; set the answer if none is left."""
    left, last, h = 0, leader, row(policy, True, leader)
    for arm in range(len(state.pulls)):
        if arm != leader and not bool(state.discarded[h, arm]):
            state.discarded[h, arm] = discards(policy, state, leader, arm)
        if not bool(state.discarded[h, arm]) and (policy.epsilon == 0.0 or arm != leader):
            left, last = left + 1, arm
    if policy.epsilon > 0.0 and left == 0:
        state.found[0] = leader
    elif policy.epsilon == 0.0 and left == 1:
        state.found[0] = last


@kernel
def full(policy: QuantileEvidence, state: State, arm: int) -> bool:
    own = sorted_samples.full(state.samples, arm) or sorted_samples.full(state.led, arm)
    followed = sorted_samples.full(state.followed, int(state.leader[0]))
    return own or followed or sorted_samples.full(state.pool, 0)


def recommend(policy: QuantileEvidence, state: State) -> list[int]:
    """Return the answer, or the leader if there is none yet."""
    return [int(state.found[0]) if int(state.found[0]) >= 0 else int(state.leader[0])]


def nowhere(rows: int, arms: int) -> Thresholds:
    shape = rows, arms
    return Thresholds(
        at=np.full(shape, np.inf),
        below=np.zeros(shape, np.int64),
        above=np.zeros(shape, np.int64),
        value=np.zeros(shape),
        looked=np.zeros(shape, np.int64),
    )


@kernel
def pooled(policy: Any, sure: bool) -> bool:
    """Tell whether the witness is the pulls of all leaders, in one row, instead of those of h."""
    return sure and policy.epsilon == 0.0


@kernel
def row(policy: Any, sure: bool, leader: int) -> int:
    """Return the row of an h."""
    return 0 if pooled(policy, sure) else leader


@kernel
def witnesses(policy: Any, state: Any, sure: bool, leader: int, arm: int) -> int:
    """Return how many samples the witness against the arm has."""
    if pooled(policy, sure):
        led = int(state.pool.size[0]) - int(state.led.size[arm])
        return led + int(state.followed.size[arm])
    return int(state.pulls[leader])


@kernel
def leads(state: Any, arm: int, a: int) -> bool:
    """Tell whether the arm is the leader of all but a."""
    return arm == int(state.leader[1 if int(state.leader[0]) == a else 0])


@kernel
def count(policy: Any, state: Any, sure: bool, arm: int, reward: float) -> None:
    """Count a reward of `arm` at the thresholds of its pairs."""
    pairs = state.guards if sure else state.aims
    for h in range(len(pairs.at)):
        pairs.below[h, arm] += 1 if reward < float(pairs.at[h, arm]) else 0
    for a in range(len(state.pulls)):
        if not pooled(policy, sure):
            pairs.above[arm, a] += 1 if reward >= float(pairs.at[arm, a]) else 0
        elif leads(state, arm, a):
            pairs.above[0, a] += 1 if reward > float(pairs.at[0, a]) else 0


@kernel
def discards(policy: Any, state: Any, leader: int, arm: int) -> bool:
    """Tell whether inf_u E(u) ≥ 1/δ for the pair; if not, remember a u that shows it.

    The pair's cost is kept near enough to its least: it only guides the sampling.
    """
    pairs, h, enough = state.guards, row(policy, True, leader), -math.log(policy.delta)
    for sure in (False, True):
        _refresh(policy, state, sure, leader, arm, enough if sure else math.inf)
    if float(pairs.value[h, arm]) < enough:
        return False
    pairs.looked[h, arm] = 0  # search again soon: what follows may find no more than an edge
    return _cleared(policy, state, leader, arm, enough)


@kernel
def _refresh(policy: Any, state: Any, sure: bool, leader: int, arm: int, enough: float) -> None:
    """Recompute the value; search a better threshold if it is enough or the search is long ago."""
    pairs, h = state.guards if sure else state.aims, row(policy, sure, leader)
    below, above = int(pairs.below[h, arm]), int(pairs.above[h, arm])
    value = _worth(policy, state, sure, leader, arm, below, above)
    pairs.value[h, arm] = value
    samples = int(state.pulls[arm]) + witnesses(policy, state, sure, leader, arm)
    looked = int(pairs.looked[h, arm])
    if value >= enough or samples - looked > looked // PART:
        pairs.looked[h, arm] = samples
        _descend(policy, state, sure, leader, arm)


@kernel
def _worth(
    policy: Any, state: Any, sure: bool, leader: int, arm: int, below: int, above: int
) -> float:
    """Return ln E for the two counts if `sure`, else W, which guides the sampling."""
    pulls, seen = int(state.pulls[arm]), witnesses(policy, state, sure, leader, arm)
    if sure:
        first, second = log_evidence(state.low, below, pulls), log_evidence(state.high, above, seen)
        return log_joint(first, second, 1 if policy.epsilon == 0.0 else len(state.pulls) - 1)
    return pulls * gain(below, pulls, policy.tau) + seen * gain(
        above, seen, 1.0 - policy.tau - policy.epsilon
    )


@kernel
def gain(heads: int, tosses: int, level: float) -> float:
    """Return what a toss adds to the evidence, on average: kl(heads/tosses, level), 0 below it."""
    return bernoulli_kl(max(heads / tosses, level), level) if tosses > 0 else 0.0


@kernel
def _descend(policy: Any, state: Any, sure: bool, leader: int, arm: int) -> None:
    """Search a better threshold at places far apart, then around the best in shorter steps."""
    pairs, h = state.guards if sure else state.aims, row(policy, sure, leader)
    last, far, side = int(state.pulls[arm]) + 1, 0, -1
    place, step = int(pairs.below[h, arm]) + 1, max(1, last // FAR)
    while step > 0:
        to = 1 + far * (last - 1) // FAR if far <= FAR else place + side * step
        better = False
        if 1 <= to <= last:
            u = _value(state, arm, to)
            below = _below(state.samples, arm, BELOW, u)
            above = _above(policy, state, sure, leader, arm, u)
            value = _worth(policy, state, sure, leader, arm, below, above)
            if value < float(pairs.value[h, arm]):
                pairs.at[h, arm], pairs.value[h, arm] = u, value
                pairs.below[h, arm], pairs.above[h, arm] = below, above
                place, better = below + 1, True
        if far <= FAR:
            far += 1
        elif better:
            step *= 2
        else:
            step = step if side < 0 else step // 2
            side = -side


@kernel
def _cleared(policy: Any, state: Any, leader: int, arm: int, enough: float) -> bool:
    """Tell whether ln E ≥ enough at all thresholds; if not, remember one where it is not."""
    pairs, h, last = state.guards, row(policy, True, leader), int(state.pulls[arm]) + 1
    place, step = 1, 1
    while place <= last:
        end = min(place + step - 1, last)
        below = _below(state.samples, arm, BELOW, _value(state, arm, place))
        u = _value(state, arm, end)
        above = _above(policy, state, True, leader, arm, u)
        value = _worth(policy, state, True, leader, arm, below, above)
        if value >= enough:
            place, step = end + 1, 2 * step
        elif step > 1:
            step //= 2
        else:
            pairs.at[h, arm], pairs.value[h, arm] = u, value
            pairs.below[h, arm], pairs.above[h, arm] = below, above
            return False
    return True


@kernel
def _value(state: Any, arm: int, place: int) -> float:
    """Return the arm's place-th smallest value, and +∞ behind the last."""
    return value_at(state.samples, arm, RANKED, place) if place <= state.pulls[arm] else math.inf


@kernel
def _below(samples: SortedSamples, arm: int, cursor: int, u: float) -> int:
    """Return how many of a sample's values are below u."""
    if int(samples.size[arm]) == 0:
        return 0
    return count_at_most(samples, arm, cursor, float(np.nextafter(u, -np.inf)))


@kernel
def _above(policy: Any, state: Any, sure: bool, leader: int, arm: int, u: float) -> int:
    """Return how many of the witness's values are at least u, or above it if they are pooled."""
    if not pooled(policy, sure):
        return int(state.pulls[leader]) - _below(state.samples, leader, ABOVE, u)
    led = _beyond(state.pool, 0, u) - _beyond(state.led, arm, u)
    return led + _beyond(state.followed, arm, u)


@kernel
def _beyond(samples: SortedSamples, arm: int, u: float) -> int:
    """Return how many of a sample's values are above u."""
    if int(samples.size[arm]) == 0:
        return 0
    return int(samples.size[arm]) - count_at_most(samples, arm, ABOVE, u)


QuantileEvidence.functions = Functions(
    start, index, update, select=select, full=full, stop=found, recommend=recommend
)
