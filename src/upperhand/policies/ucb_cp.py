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
stale. `ACPUCB1` is this with scores computed anew, a fresh interval, and a bonus in place of ε.
There is no guarantee on the regret, and exploring alone costs of the order n^(1−decay) pulls. It
needs no scale. A round costs O(K + log T_j); a reward takes 16 to 36 bytes.
"""

import math
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from .._kernels.conformal import score as conformal_score
from .._kernels.interpolation import interpolated_quantile
from .._kernels.ranks import rank
from .._kernels.sorted_samples import SortedSamples, insert, value_at
from ..errors import ParameterError
from .contract import Kernels, Policy

INITIAL_PULLS = 2
LOW, HIGH = 0, 2  # the first of the two cursors on either side of each quantile
Score = Literal["U", "L", "UL", "comb"]
SCORES: tuple[Score, ...] = ("U", "L", "UL", "comb")


class _Parameters(NamedTuple):
    chosen: int  # the score, as a place in SCORES
    share: float  # of L in the score: 0 for U, 1 for L, 1/2 for UL, lam for comb
    alpha: float
    eta: float
    lam: float
    decay: float
    level_min: float
    level_max: float
    random_ties: bool


class UCBCP(Policy, _Parameters):
    """Chase the best end, or blend of ends, of a conformal interval; explore at random.

    Parameters
    ----------
    score
        What an arm is worth: "U" the upper end, "L" the lower end, "UL" the middle, "comb" the
        blend (1−λ)U + λL.
    alpha
        Nominal miscoverage α of the interval.
    eta
        A miss moves an arm's level by η (α − 1), a hit by ηα.
    lam
        The share λ of L in "comb".
    decay
        Round t explores with probability (t−1)^(−decay) / 2.
    level_min, level_max
        The level stays in this interval, which must hold α.
    random_ties
        Break ties at random instead of by the lowest arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[0.1, 0.3, 0.2, 0.2, 0.4, 0.1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.9]]
    >>> uh.play(uh.UCBCP("U"), table, seed=0).arms.tolist()
    [0, 1, 0, 1, 1, 1]
    """

    __slots__ = ()
    name = "UCB-CP"

    def __new__(  # noqa: D102
        cls,
        score: Score = "U",
        *,
        alpha: float = 0.1,
        eta: float = 0.01,
        lam: float = 0.7,
        decay: float = 0.4,
        level_min: float = 1e-4,
        level_max: float = 0.5,
        random_ties: bool = False,
    ) -> Self:
        chosen = SCORES.index(checks.choice("score", score, SCORES))
        blend = checks.real("lam", lam, least=0, most=1)
        policy = super().__new__(
            cls,
            chosen=chosen,
            share=(0.0, 1.0, 0.5, blend)[chosen],
            alpha=checks.real("alpha", alpha, above=0, below=1),
            eta=checks.real("eta", eta, least=0),
            lam=blend,
            decay=checks.real("decay", decay, least=0),
            level_min=checks.real("level_min", level_min, above=0, below=1),
            level_max=checks.real("level_max", level_max, above=0, below=1),
            random_ties=checks.flag("random_ties", random_ties),
        )
        if not policy.level_min <= policy.alpha <= policy.level_max:
            raise ParameterError(
                f"alpha must lie in [level_min, level_max] = [{policy.level_min:g}, "
                f"{policy.level_max:g}]; got {policy.alpha:g}. Widen the levels or move alpha."
            )
        return policy

    @property
    def score(self) -> Score:
        """What an arm is worth."""
        return SCORES[self.chosen]

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the intervals decide."""
        return INITIAL_PULLS

    def mirrored(self) -> Self:
        """Return the policy for negated rewards, whose upper end is the lower one, negated."""
        opposite: dict[Score, Score] = {"U": "L", "L": "U"}
        lam = 1 - self.lam if self.score == "comb" else self.lam
        return self._replace(score=opposite.get(self.score, self.score), lam=lam)


class State(NamedTuple):
    """What UCB-CP remembers of K arms."""

    samples: SortedSamples  # the rewards of each arm, sorted
    scores: SortedSamples  # the scores of each arm, sorted; one fewer than the rewards
    pulls: NDArray[np.int64]  # (K,) T_j
    level: NDArray[np.float64]  # (K,) α_j
    lower: NDArray[np.float64]  # (K,) L_j, −∞ before the second reward
    upper: NDArray[np.float64]  # (K,) U_j, +∞ before the second reward


def init(policy: UCBCP, arms: int, room: int) -> State:
    """Return the state before the first round: every level at α."""
    return State(
        samples=sorted_samples.empty(arms, room),
        scores=sorted_samples.empty(arms, room),
        pulls=np.zeros(arms, np.int64),
        level=np.full(arms, policy.alpha),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
    )


@kernel
def index(policy: UCBCP, state: State, arm: int, t: int) -> float:
    """Return the arm's blend of U and L, or +∞ in its initial pulls."""
    if int(state.pulls[arm]) < INITIAL_PULLS:
        return math.inf
    upper, lower = float(state.upper[arm]), float(state.lower[arm])
    return (1.0 - policy.share) * upper + policy.share * lower


@kernel
def select(policy: UCBCP, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index or, with probability ε_t, one of the others."""
    best, others = argmax(index, policy, state, t, rng), len(state.pulls) - 1
    if others == 0 or int(state.pulls[best]) < INITIAL_PULLS:
        return best
    chance = rng.random()
    # Half of the rounds need no power, which costs as much as the rest of the choice.
    if chance >= 0.5 or chance >= 0.5 * math.pow(t - 1, -policy.decay):
        return best
    other = int(rng.random() * others)
    return other if other < best else other + 1


@kernel
def update(policy: UCBCP, state: State, arm: int, reward: float) -> None:
    """Learn a reward: from the second on, rebuild the interval without it, and judge it by that."""
    if int(state.pulls[arm]) > 0:
        low = interpolated_quantile(state.samples, arm, LOW, policy.alpha / 2)
        high = interpolated_quantile(state.samples, arm, HIGH, 1 - policy.alpha / 2)
        level = float(state.level[arm])
        correction = past_score(state.scores, arm, level)
        state.lower[arm], state.upper[arm] = low - correction, high + correction

        missed = reward < low - correction or reward > high + correction
        stepped = level + policy.eta * (policy.alpha - (1.0 if missed else 0.0))
        state.level[arm] = min(max(stepped, policy.level_min), policy.level_max)
        insert(state.scores, arm, conformal_score(reward, low, high))
    insert(state.samples, arm, reward)
    state.pulls[arm] += 1


@kernel
def past_score(scores: SortedSamples, arm: int, level: float) -> float:
    """Return ĉ, the score of rank ⌈(1−α_j)(n+1)⌉ or, if that is n + 1, the largest; 0 if none."""
    n = int(scores.size[arm])
    return value_at(scores, arm, 0, min(rank(1 - level, n + 1), n)) if n > 0 else 0.0


@kernel
def full(state: State, arm: int) -> bool:
    """Tell whether the arm's next reward, or its score, could fail to find room."""
    return sorted_samples.full(state.samples, arm) or sorted_samples.full(state.scores, arm)


def grow(state: State) -> State:
    """Return the same state with room for more rewards and scores."""
    return state._replace(
        samples=sorted_samples.grown(state.samples), scores=sorted_samples.grown(state.scores)
    )


def interval(state: State, arm: int) -> tuple[float, float]:
    """Return [L_j, U_j], the interval that the arm's newest reward was judged by."""
    return float(state.lower[arm]), float(state.upper[arm])


UCBCP.kernels = Kernels(init, index, select, update, full, grow, interval)
