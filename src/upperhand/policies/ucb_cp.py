"""UCB-CP: a conformal prediction interval for each arm, and ε-greedy on its ends.

S. Cuonzo, N. Deliu, "Conformal Bandits: Bringing statistical validity and reward efficiency to the
small-gap regime", arXiv:2512.09850, as in the authors' simulations. When the s-th reward y of an
arm arrives, s ≥ 2, its s − 1 earlier rewards give q_lo and q_hi, their α/2 and 1 − α/2 quantiles
(interpolated), and its n earlier scores give ĉ, the one of rank ⌈(1−α_j)(n+1)⌉ (at most n; 0 if
there is none):

    L = q_lo − ĉ,    U = q_hi + ĉ,    α_j ← α_j + η (α − 1{y ∉ [L, U]}) within its bounds,

and y gets the score max{q_lo − y, y − q_hi}, which stays as it was computed. After two pulls of
every arm, with probability 1 − ε_t, ε_t = (t−1)^(−decay) / 2, it pulls the arm with the largest

    U (score "U"),   L ("L"),   (U + L)/2 ("UL")   or   (1−λ)U + λL ("comb"),

and otherwise one of the other arms at random. L and U are those before the newest reward: one step
stale. `ACPUCB1` is this with recomputed scores, a fresh interval, and a bonus in place of ε.
There is no guarantee on the regret, and exploring alone costs of the order n^(1−decay) pulls. It
needs no scale. A round costs O(K + log T_j); a reward takes 16 to 36 bytes.
"""

import math
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.argmax import Index, Shortlist, argmax, enlist
from .._kernels.compiler import kernel
from .._kernels.samples import add_reward, interpolated_quantile
from .._kernels.sorted_samples import SortedSamples
from ..calibrators.base import interval as calibrated
from ..calibrators.base import update as calibrate
from ..calibrators.clipped_aci import ClippedACI
from ..objectives import LowerTail, Objective, UpperTail
from ..parameters import derived, parameter
from .base import Functions, Policy, calibrated_full, ends

INITIAL_PULLS = 2
LOW, HIGH = 0, 2  # the first of the two cursors on either side of each quantile
Score = Literal["U", "L", "UL", "comb"]


class UCBCP(Policy):
    """Chase the best end, or blend of ends, of a conformal interval; explore at random.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[0.1, 0.3, 0.2, 0.2, 0.4, 0.1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.9]]
    >>> uh.play(uh.UCBCP("U"), table, seed=0).arms.tolist()
    [0, 1, 0, 1, 1, 1]
    """

    name = "UCB-CP"
    group = "quantile"
    compared = {"UCB-CP {score}": {}}
    draws = True
    index_trend = "rises"  # it stays
    initial_pulls = INITIAL_PULLS
    parts = (ClippedACI,)

    score: Score = parameter(
        'What an arm is worth: the upper end "U", the lower end "L", the middle "UL", or the blend '
        '(1−λ)U + λL, "comb".',
        default="U", kw_only=False,
    )  # fmt: skip
    alpha: float = parameter(
        "Nominal miscoverage α of the interval.", default=0.1, above=0, below=1
    )
    eta: float = parameter(
        "A miss moves an arm's level by η (α − 1), a hit by ηα.", default=0.01, least=0
    )
    lam: float = parameter('The share λ of L in "comb".', default=0.7, least=0, most=1)
    decay: float = parameter(
        "Round t explores with probability (t−1)^(−decay) / 2.", default=0.4, least=0
    )
    level_min: float = parameter("The level stays above this.", default=1e-4, above=0, below=1)
    level_max: float = parameter("The level stays below this.", default=0.5, above=0, below=1)

    def check(self) -> None:
        _ = self.calibration

    @derived
    def calibration(self) -> Any:
        """The calibrator of the arms' quantiles, as kernels get it."""
        levels = {"level_min": self.level_min, "level_max": self.level_max}
        return ClippedACI(self.alpha, eta=self.eta, **levels).parameters

    @derived
    def share(self) -> float:
        """The share of L in what an arm is worth."""
        return {"U": 0.0, "L": 1.0, "UL": 0.5, "comb": self.lam}[self.score]

    @property
    def objective(self) -> Objective | None:
        """What the policy plays for: an end of the interval; a blend of ends is no objective."""
        return {"U": UpperTail(self.alpha), "L": LowerTail(self.alpha)}.get(self.score)

    def mirrored(self) -> Self:
        """Return the policy for negated rewards, whose upper end is the lower one, negated."""
        opposite: dict[Score, Score] = {"U": "L", "L": "U"}
        lam = 1 - self.lam if self.score == "comb" else self.lam
        return self.replace(score=opposite.get(self.score, self.score), lam=lam)


class State(NamedTuple):
    samples: SortedSamples  # the rewards of each arm, sorted
    calibration: Any  # of `ClippedACI`: the scores of each arm, one fewer than the rewards
    pulls: NDArray[np.int64]  # (K,) T_j
    lower: NDArray[np.float64]  # (K,) L_j, −∞ before the second reward
    upper: NDArray[np.float64]  # (K,) U_j, +∞ before the second reward


def start(policy: UCBCP, arms: int, capacity: int) -> State:
    return State(
        samples=sorted_samples.empty(arms, capacity),
        calibration=ClippedACI.functions.start(policy.calibration, arms, capacity),
        pulls=np.zeros(arms, np.int64),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
    )


@kernel
def index(policy: UCBCP, state: State, arm: int, t: int) -> float:
    """Return the arm's blend of U and L, or +∞ in its initial pulls and without an interval."""
    upper, lower = float(state.upper[arm]), float(state.lower[arm])
    if int(state.pulls[arm]) < INITIAL_PULLS or upper == math.inf:
        return math.inf
    return (1.0 - policy.share) * upper + policy.share * lower


@kernel
def select(
    index: Index,
    policy: UCBCP,
    state: State,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None = None,
) -> int:
    """Return the arm with the largest index or, with probability ε_t, one of the others."""
    best, others = argmax(index, policy, state, t, rng, shortlist), len(state.pulls) - 1
    if others == 0 or int(state.pulls[best]) < INITIAL_PULLS:
        return best
    chance = rng.random()
    # Half of the rounds need no power, which costs as much as the rest of the choice.
    if chance >= 0.5 or chance >= 0.5 * math.pow(max(t - 1, 1), -policy.decay):
        return best
    other = int(rng.random() * others)
    other = other if other < best else other + 1
    if shortlist is not None:
        enlist(shortlist, other)
    return other


@kernel
def update(policy: UCBCP, state: State, arm: int, reward: float) -> None:
    """Learn a reward; from the second on, compare it with the interval without it."""
    if int(state.pulls[arm]) > 0:
        low = interpolated_quantile(state.samples, arm, LOW, policy.alpha / 2)
        high = interpolated_quantile(state.samples, arm, HIGH, 1 - policy.alpha / 2)
        method, memory = policy.calibration, state.calibration
        lower, upper = calibrated(method, memory, state.samples, arm, low, high)
        state.lower[arm], state.upper[arm] = lower, upper
        calibrate(method, memory, state.samples, arm, low, high, reward)
    add_reward(state, arm, reward)


@kernel
def same_index(policy: UCBCP, state: State, one: int, other: int) -> bool:
    return bool(
        state.lower[one] == state.lower[other]
        and state.upper[one] == state.upper[other]
        and state.pulls[one] == state.pulls[other]
    )


UCBCP.functions = Functions(
    start, index, update, select=select, full=calibrated_full, interval=ends, same_index=same_index
)
