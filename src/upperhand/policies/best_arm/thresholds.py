"""The thresholds of Quantile-Evidence: where the evidence of a pair is least, found cheaply.

M_a(u) grows with u and M_h(u) falls, both in steps. Between two values of arm a the first stays as it is
and the second falls, so the infimum over all u is the least over the values of arm a and u = +∞.

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
from ..._kernels.evidence import log_evidence, log_joint
from ..._kernels.sorted_samples import SortedSamples, count_at_most, value_at

RANKED, BELOW, ABOVE = 1, 2, 3  # cursors: at a rank, at the arm's own count, at the witness's
PART = 16  # a better threshold is looked for whenever a pair's samples have grown by this part


class Thresholds(NamedTuple):
    """One threshold a pair: a row for each h, or one row for all if ε = 0; a column for each a."""

    at: NDArray[np.float64]  # (H, K) u
    below: NDArray[np.int64]  # (H, K) #{Y_a < u}
    above: NDArray[np.int64]  # (H, K) of the witness: #{Y_h ≥ u}, or > u if ε = 0
    evidence: NDArray[np.float64]  # (H, K) ln E(u)
    looked: NDArray[np.int64]  # (H, K) how many samples there were when u was last looked for
    discarded: NDArray[np.bool_]  # (H, K) for good


def nowhere(rows: int, arms: int) -> Thresholds:
    """Return thresholds above all there is to come."""
    shape = rows, arms
    return Thresholds(
        at=np.full(shape, np.inf),
        below=np.zeros(shape, np.int64),
        above=np.zeros(shape, np.int64),
        evidence=np.zeros(shape),
        looked=np.zeros(shape, np.int64),
        discarded=np.zeros(shape, np.bool_),
    )


@kernel
def row(policy: Any, leader: int) -> int:
    """Return the row of an h: with ε = 0 there is one for all."""
    return leader if policy.epsilon > 0.0 else 0


@kernel
def witnesses(policy: Any, state: Any, leader: int, arm: int) -> int:
    """Return how many samples bear witness against the arm."""
    if policy.epsilon > 0.0:
        return int(state.pulls[leader])
    return int(state.led.size[len(state.pulls)]) - int(state.led.size[arm])


@kernel
def count(policy: Any, state: Any, arm: int, reward: float, leads: bool) -> None:
    """Count a reward of `arm` at the thresholds of its pairs."""
    pairs = state.thresholds
    for h in range(len(pairs.at)):
        pairs.below[h, arm] += 1 if reward < float(pairs.at[h, arm]) else 0
    for a in range(len(state.pulls)):
        if policy.epsilon > 0.0:
            pairs.above[arm, a] += 1 if reward >= float(pairs.at[arm, a]) else 0
        elif leads and a != arm:
            pairs.above[0, a] += 1 if reward > float(pairs.at[0, a]) else 0


@kernel
def weigh(policy: Any, state: Any, leader: int, arm: int) -> None:
    """Weigh the arm against the leader, or the witness of the row; discard it if it must be."""
    pairs, h, enough = state.thresholds, row(policy, leader), -math.log(policy.delta)
    below, above = int(pairs.below[h, arm]), int(pairs.above[h, arm])
    pairs.evidence[h, arm] = _evidence(policy, state, leader, arm, below, above)
    samples = int(state.pulls[arm]) + witnesses(policy, state, leader, arm)
    looked = int(pairs.looked[h, arm])
    if float(pairs.evidence[h, arm]) >= enough or samples - looked > looked // PART:
        pairs.looked[h, arm] = samples
        _descend(policy, state, leader, arm)
        if float(pairs.evidence[h, arm]) >= enough:
            pairs.discarded[h, arm] = _cleared(policy, state, leader, arm, enough)
            _descend(policy, state, leader, arm)


@kernel
def _evidence(policy: Any, state: Any, leader: int, arm: int, below: int, above: int) -> float:
    """Return ln E for the two counts."""
    arms = len(state.pulls)
    shares = math.log(arms - 1) if policy.epsilon > 0.0 else 0.0
    first = log_evidence(state.low, below, int(state.pulls[arm]))
    second = log_evidence(state.high, above, witnesses(policy, state, leader, arm))
    return log_joint(first, second, shares)


@kernel
def _descend(policy: Any, state: Any, leader: int, arm: int) -> None:
    """Walk the pair's threshold over the arm's values, by longer and shorter steps, while E falls."""
    pairs, h, last = state.thresholds, row(policy, leader), int(state.pulls[arm]) + 1
    place, step = int(pairs.below[h, arm]) + 1, max(1, last // 8)
    while step > 0:
        moved = False
        for to in (place - step, place + step):
            if not moved and 1 <= to <= last:
                u = _value(state, arm, to)
                below = _below(state.samples, arm, BELOW, u)
                above = _above(policy, state, leader, arm, u)
                evidence = _evidence(policy, state, leader, arm, below, above)
                if evidence < float(pairs.evidence[h, arm]):
                    pairs.at[h, arm], pairs.evidence[h, arm] = u, evidence
                    pairs.below[h, arm], pairs.above[h, arm] = below, above
                    place, moved = below + 1, True
        step = 2 * step if moved else step // 2


@kernel
def _cleared(policy: Any, state: Any, leader: int, arm: int, enough: float) -> bool:
    """Tell whether ln E ≥ enough at all thresholds; if not, remember one where it is not."""
    pairs, h, last = state.thresholds, row(policy, leader), int(state.pulls[arm]) + 1
    place, step = 1, 1
    while place <= last:
        end = min(place + step - 1, last)
        below = _below(state.samples, arm, BELOW, _value(state, arm, place))
        u = _value(state, arm, end)
        above = _above(policy, state, leader, arm, u)
        evidence = _evidence(policy, state, leader, arm, below, above)
        if evidence >= enough:
            place, step = end + 1, 2 * step
        elif step > 1:
            step //= 2
        else:
            pairs.at[h, arm], pairs.evidence[h, arm] = u, evidence
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
def _above(policy: Any, state: Any, leader: int, arm: int, u: float) -> int:
    """Return how many of the witness's values are at least u, or above it if ε = 0."""
    if policy.epsilon > 0.0:
        return int(state.pulls[leader]) - _below(state.samples, leader, ABOVE, u)
    everyone = len(state.pulls)
    return _beyond(state.led, everyone, u) - _beyond(state.led, arm, u)


@kernel
def _beyond(samples: SortedSamples, arm: int, u: float) -> int:
    """Return how many of a sample's values are above u."""
    if int(samples.size[arm]) == 0:
        return 0
    return int(samples.size[arm]) - count_at_most(samples, arm, ABOVE, u)
