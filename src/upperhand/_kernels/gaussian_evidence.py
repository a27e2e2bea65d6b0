"""Evidence against an arm by its Gaussian shape, where the order of its rewards says little.

If all N rewards lie at or below u, their order gives the evidence N ln(1/τ) against a τ-quantile
above u, whether they lie just below u or far away. The Gaussian with their mean x̄ and standard
deviation S gives more. From N(x̄, S²), the nearest Gaussian whose τ-quantile is u
has the divergence K(a, z) of equation 4 in docs/proofs.md, with a = (u − x̄) / S and z the standard
normal τ-quantile. So the evidence is (N−2) K(a, z); N−2 is the correction of W. Cowan, J. Honda,
M. N. Katehakis, "Normal bandits of unknown means and variances", J. Mach. Learn. Res. 18(154):1–28,
2018, for means. Where the rewards' own τ-quantile lies farther up, z is taken from there.

An arm need not be Gaussian, so a policy trusts this up to a limit (`trust`), which keeps its
guarantee on all distributions (Theorem Q5). The shape counts once there are `enough` rewards, if no
two of them are equal.

Mean and squares are updated while an arm has so few rewards that the order may say too little, and
recomputed from the sample where they were lost. They depend on the sample alone, up to the last of
106 bits.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel
from .moments import Moments, biased_variance, learn_moments, no_moments
from .samples import count_at_most, needed, value_at

LEAST, TAIL, SHARE = 3, 2.0, 0.1  # see `enough`
MOST_NATS = 44.0  # ln t of the largest t, 2⁶³: with more evidence the order says enough
HUGE = 1e200  # no reward is as large, and what stands for a failed trial is larger
FARTHEST = 1e100  # standard deviations; their square is still a number
TOP = 1  # the cursor, which the policies use for shares, near the top


class Shapes(NamedTuple):
    """What is known of the shapes of K arms; all of it follows from their samples."""

    followed: NDArray[np.int64]  # (K,) how many rewards the next two are of; if not all, look again
    repeats: NDArray[np.int64]  # (K,) 1: two rewards are equal, or one is a failed trial
    moments: Moments  # (K,) mean and squares; while nothing repeats
    divergence: NDArray[np.float64]  # (K,) K(a, z) at …
    reach: NDArray[np.float64]  # (K,) … this u, and more at any above; +∞: not known


def no_shapes(arms: int) -> Shapes:
    return Shapes(
        followed=np.zeros(arms, np.int64),
        repeats=np.zeros(arms, np.int64),
        moments=no_moments(arms),
        divergence=np.zeros(arms),
        reach=np.full(arms, np.inf),
    )


@kernel
def gaussian_divergence(a: float, z: float) -> float:
    """Return K(a, z): from N(0, 1) to the nearest Gaussian m + r Z with m + z r = a; 0 if a ≤ z.

    ln r + (1 + m²) / (2 r²) − ½ is least where r² + a z r = 1 + a² (equation 4). It is computed
    from r − 1, which keeps its digits where a is near z.
    """
    if a <= z:
        return 0.0
    beyond, a = max(a / FARTHEST, 1.0), min(a, FARTHEST)  # from there on it grows as ln a
    step, half = a - z, a * z / 2.0
    root = math.sqrt(half * half + 1.0 + a * a)
    wider = a * step / (1.0 + half + root) if half > -1.0 else root - half - 1.0
    r, m = 1.0 + wider, step - z * wider
    divergence = math.log1p(wider) + (m * m - wider * (2.0 + wider)) / (2.0 * r * r)
    return max(0.0, divergence) + math.log(beyond)


@kernel
def enough(tau: float, seen: int, t: int, arms: int) -> bool:
    """Tell whether so many rewards show a shape.

    Two of them are expected above the τ-quantile, or they are a tenth of the arm's share of rounds.
    """
    if seen < LEAST:
        return False
    return needed(1.0, TAIL) <= (1.0 - tau) * seen or needed(SHARE, t) <= seen * arms


@kernel
def shape_evidence(policy: Any, state: Any, arm: int, t: int, u: float, limit: float) -> float:
    """Return (N−2) K(a, z) against a τ-quantile above u, or 0 where the shape does not count.

    If it is above the limit, the returned value may be less, and still above the limit. While
    outcomes are awaited, N counts them too.
    """
    shapes, spare = state.shapes, int(state.pulls[arm]) - 2
    if not enough(policy.tau, int(state.samples.size[arm]), t, len(state.pulls)):
        return 0.0
    if u < float(shapes.reach[arm]) or spare * float(shapes.divergence[arm]) <= limit:
        shapes.divergence[arm], shapes.reach[arm] = _divergence(policy.z, state, arm, u), u
    return spare * float(shapes.divergence[arm])


@kernel
def _divergence(z: float, state: Any, arm: int, u: float) -> float:
    """Return K(a, z) of the arm at u; 0 if a reward is above u, two are equal or all are."""
    shapes, samples = state.shapes, state.samples
    seen = int(samples.size[arm])
    if value_at(samples, arm, TOP, seen) > u:
        return 0.0
    if int(shapes.followed[arm]) != seen:
        _look_again(state, arm)
    if int(shapes.repeats[arm]) > 0:
        return 0.0
    mean, sd = float(shapes.moments.mean[arm]), math.sqrt(biased_variance(shapes.moments, arm))
    if sd == 0.0:
        return 0.0
    return gaussian_divergence((u - mean) / sd, max(z, (float(state.quantile[arm]) - mean) / sd))


@kernel
def follow(policy: Any, state: Any, arm: int, reward: float) -> None:
    """Note a reward that is about to be learned, if it may matter and all before were noted."""
    shapes, seen = state.shapes, int(state.samples.size[arm])
    shapes.reach[arm] = math.inf
    if int(shapes.followed[arm]) != seen or seen * policy.nats > MOST_NATS:
        return
    below = count_at_most(state.samples, arm, TOP, reward) if seen > 0 else 0
    known = below > 0 and value_at(state.samples, arm, TOP, below) == reward
    _note(shapes, arm, reward, known)


@kernel
def _note(shapes: Shapes, arm: int, reward: float, known: bool) -> None:
    """Count a reward in the shape; once two rewards are equal (`known`), there is no shape."""
    if known or abs(reward) > HUGE:
        shapes.repeats[arm] = 1
    if int(shapes.repeats[arm]) == 0:
        learn_moments(shapes.moments, arm, reward)
    shapes.followed[arm] += 1


@kernel
def lose_track(shapes: Shapes, arm: int) -> None:
    """Discard what was noted of the arm: its sample has changed by more than one new reward."""
    shapes.followed[arm], shapes.reach[arm] = -1, math.inf


@kernel
def _look_again(state: Any, arm: int) -> None:
    """Note all rewards of the sample again, in ascending order."""
    shapes, samples = state.shapes, state.samples
    moments = shapes.moments
    moments.pulls[arm] = moments.seen[arm] = 0
    for sums in (moments.sums, moments.d_squares):
        sums.rounded[arm] = sums.lost[arm] = 0.0
    shapes.followed[arm] = shapes.repeats[arm] = 0
    last = math.nan
    for place in range(int(samples.size[arm])):
        value = value_at(samples, arm, TOP, place + 1)
        _note(shapes, arm, value, value == last)
        last = value
