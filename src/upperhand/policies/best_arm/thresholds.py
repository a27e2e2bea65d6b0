"""The thresholds of Quantile-Evidence: where the evidence of a pair is least, found cheaply.

M_a(u) grows with u and M_h(u) falls, both in steps. Between two values of arm a the first stays as
it is and the second falls, so the infimum over all u is the least over a's values and u = +∞.

One threshold u is remembered for each pair, with its counts. As long as E(u) < 1/δ there, the
infimum is below 1/δ too: nothing else needs a look. Where it is not, a better u is looked for
nearby (`_descend`), and only then over all values (`_cleared`), by leaps: if the count of arm a at
the first value of a stretch and the witness's count at the last one reach 1/δ, all between do.
The rule is exact: an arm is discarded at the first round at which inf_u E(u) ≥ 1/δ.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._kernels.compile import kernel
from ..._kernels.divergence import bernoulli_kl
from ..._kernels.evidence import log_evidence, log_joint
from ..._kernels.sorted_samples import SortedSamples, count_at_most, value_at

RANKED, BELOW, ABOVE = 1, 2, 3  # cursors: at a rank, at the arm's own count, at the witness's
FAR = 8  # the parts of a sample at whose ends a threshold is looked for first
PART = 16  # a better threshold is looked for whenever a pair's samples have grown by this part


class Thresholds(NamedTuple):
    """One threshold a pair: a row for each h, or one row for all if ε = 0; a column for each a."""

    at: NDArray[np.float64]  # (H, K) u
    below: NDArray[np.int64]  # (H, K) #{Y_a < u}
    above: NDArray[np.int64]  # (H, K) of the witness: #{Y_h ≥ u}, or > u if ε = 0
    value: NDArray[np.float64]  # (H, K) what was to be least there: ln E(u), or the cost W(u)
    looked: NDArray[np.int64]  # (H, K) how many samples there were when u was last looked for


def nowhere(rows: int, arms: int) -> Thresholds:
    """Return thresholds above all there is to come."""
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
    """Tell whether the pulls of all leaders bear witness, in one row, instead of those of h."""
    return sure and policy.epsilon == 0.0


@kernel
def row(policy: Any, sure: bool, leader: int) -> int:
    """Return the row of an h."""
    return 0 if pooled(policy, sure) else leader


@kernel
def witnesses(policy: Any, state: Any, sure: bool, leader: int, arm: int) -> int:
    """Return how many samples bear witness against the arm."""
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
    pairs.looked[h, arm] = 0  # a look soon: what follows may find no more than an edge
    return _cleared(policy, state, leader, arm, enough)


@kernel
def _refresh(policy: Any, state: Any, sure: bool, leader: int, arm: int, enough: float) -> None:
    """Find the value anew, and a better threshold if it is enough or the last look is long ago."""
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
    """Return ln E for the two counts if it is to be sure, W if it guides the sampling."""
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
    """Look for a better threshold at places far apart, then around the best in shorter steps."""
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
