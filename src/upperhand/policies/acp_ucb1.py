"""ACP-UCB1: adaptive conformal prediction with a UCB bonus.

C. Du, M. Xu, "Conformal-Style Quantile Analyses for Stochastic Bandits", arXiv:2605.07115,
section 3. An arm is worth the upper endpoint F⁻¹(1−α/2) of its central prediction interval. The
policy estimates it from the arm's own rewards: empirical quantiles give a base interval, the past
rewards are scored against it, and a quantile of the scores, at a level that adapts to the misses
seen, widens or narrows it. A UCB bonus on the corrected endpoint makes it explore:

    I_t ∈ argmax_j  U_{j,T_j(t−1)+1} + b √(ln t / T_j(t−1)).

The theorem (logarithmic upper-tail regret) needs b ≥ 64/h_min and small λ
(`theory.theorem_1.admissible_policy`). The defaults are the paper's experiments, b = λ = 1, which
lie outside it. Note that b is in the unit of the rewards: the same rewards in per cent or in
milliseconds need another b. With scale="auto", which is not the paper's, b counts in widths of the
widest base interval seen,

    b max_i (q̂_iʰⁱᵍʰ − q̂_iˡᵒʷ) √(ln t / T_j(t−1)),

so that the unit cancels out. Quantiles make it robust, and the widest arm makes it safe, as in the
theorem, where one b serves all arms. While no arm has shown any spread, the range of all arms takes
its place, and while there is none either, all are played in turn.
At the defaults a round costs O(K + log T_j); a reward takes 8 to 18 bytes.
"""

import math
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels import sorted_samples
from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from .._kernels.conformal import conformal_interval, score
from .._kernels.ordered import full, grow, learn_order
from .._kernels.sorted_samples import SortedSamples
from ..errors import ParameterError
from .contract import EndpointPolicy, Kernels
from .scale import scale_advice, spread_told, widest


class _Parameters(NamedTuple):
    alpha: float
    b: float
    eta: float
    eta_decay: float
    lam: float
    level_min: float
    level_max: float
    init: int
    lower_tail: bool
    auto_scale: bool
    random_ties: bool


class ACPUCB1(EndpointPolicy, _Parameters):
    """Chase the best predictive endpoint, with the bonus b √(ln t / T).

    Parameters
    ----------
    alpha
        Nominal miscoverage α: an arm is worth F⁻¹(1−α/2), the p95 at the default 0.1.
    b
        Exploration coefficient, in the unit of the rewards, or as `scale` says.
    eta, eta_decay
        The s-th reward of an arm moves its level by η s^(−p) (α − err); p = 0 is a constant step,
        and η = 0 leaves plain empirical quantiles.
    lam
        Localisation λ: the level stays within λ √(ln s / s) of α.
    level_min, level_max
        The level stays in this interval, which must hold α.
    init
        Initial pulls of each arm, round-robin: 2 in the experiments, s₀ in the theorem.
    tail
        "upper" chases the highest upper endpoint, "lower" the highest lower endpoint: the arm
        with the best bad days. For costs see `Bandit`.
    scale
        What b counts: "unit" the unit of the rewards, as in the paper, "auto" widths of the
        widest base interval seen so far.
    random_ties
        Break ties at random instead of by the lowest arm.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.ACPUCB1(alpha=0.1)
    >>> uh.play(policy, [[0.1, 0.3, 0.2, 0.2, 0.4], [0.9, 0.8, 0.7, 0.6, 0.5]]).arms.tolist()
    [0, 1, 0, 1, 1]
    """

    __slots__ = ()
    name = "ACP-UCB1"

    def __new__(  # noqa: D102
        cls,
        alpha: float = 0.1,
        *,
        b: float = 1.0,
        eta: float = 0.01,
        eta_decay: float = 0.0,
        lam: float = 1.0,
        level_min: float = 1e-4,
        level_max: float = 0.5,
        init: int = 2,
        tail: Literal["upper", "lower"] = "upper",
        scale: Literal["unit", "auto"] = "unit",
        random_ties: bool = False,
    ) -> Self:
        policy = super().__new__(
            cls,
            alpha=checks.real("alpha", alpha, above=0, below=1),
            b=checks.real("b", b, least=0),
            eta=checks.real("eta", eta, least=0),
            eta_decay=checks.real("eta_decay", eta_decay, least=0),
            lam=checks.real("lam", lam, least=0),
            level_min=checks.real("level_min", level_min, above=0, below=1),
            level_max=checks.real("level_max", level_max, above=0, below=1),
            init=checks.integer("init", init, least=1),
            lower_tail=checks.choice("tail", tail, ("upper", "lower")) == "lower",
            auto_scale=checks.choice("scale", scale, ("unit", "auto")) == "auto",
            random_ties=checks.flag("random_ties", random_ties),
        )
        if not policy.level_min < policy.alpha <= policy.level_max:
            raise ParameterError(
                f"alpha must lie in (level_min, level_max] = ({policy.level_min:g}, "
                f"{policy.level_max:g}]; got {policy.alpha:g}. Widen the levels or move alpha."
            )
        return policy

    @property
    def scale(self) -> Literal["unit", "auto"]:
        """What b counts."""
        return "auto" if self.auto_scale else "unit"

    def advice(self, state: "State") -> str | None:
        """Return a word of warning if b, in the unit of the rewards, is far from their spread."""
        if self.auto_scale:
            return None
        remedy = 'Choose b near that, or scale="auto".'
        spread = spread_told(state.pulls, state.low, state.high)
        return scale_advice(self.b, spread, remedy)


class State(NamedTuple):
    """What ACP-UCB1 remembers of K arms; with s − 1 rewards of arm j seen, row j is of time s."""

    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j = s − 1
    level: NDArray[np.float64]  # (K,) α_{j,s}
    low: NDArray[np.float64]  # (K,) q̂ˡᵒʷ: empirical α/2 quantile
    high: NDArray[np.float64]  # (K,) q̂ʰⁱᵍʰ: empirical 1 − α/2 quantile
    correction: NDArray[np.float64]  # (K,) ĉ_{j,s}
    lower: NDArray[np.float64]  # (K,) L_{j,s}, −∞ before the first reward
    upper: NDArray[np.float64]  # (K,) U_{j,s}, +∞ before the first reward
    spread: NDArray[np.float64]  # (1,) `widest` of all arms; kept if scale="auto"
    balance: NDArray[np.float64]  # (K,) where the last score quantile was found: a search hint


def init(policy: ACPUCB1, arms: int, room: int) -> State:
    """Return the state before the first round: every level at α."""
    return State(
        samples=sorted_samples.empty(arms, room),
        pulls=np.zeros(arms, np.int64),
        level=np.full(arms, policy.alpha),
        low=np.zeros(arms),
        high=np.zeros(arms),
        correction=np.zeros(arms),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
        spread=np.zeros(1),
        balance=np.full(arms, 0.5),
    )


@kernel
def index(policy: ACPUCB1, state: State, arm: int, t: int) -> float:
    """Return U_{j,T_j(t−1)+1} + b √(ln t / T_j(t−1)) (section 3.3), or +∞ while initialising."""
    pulls = int(state.pulls[arm])
    unit = float(state.spread[0]) if policy.auto_scale else 1.0
    if pulls < policy.init or unit == 0.0:
        return math.inf
    endpoint = float(state.lower[arm] if policy.lower_tail else state.upper[arm])
    return endpoint + policy.b * unit * math.sqrt(math.log(t) / pulls)


@kernel
def select(policy: ACPUCB1, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest index."""
    return argmax(index, policy, state, t, rng)


@kernel
def update(policy: ACPUCB1, state: State, arm: int, reward: float) -> None:
    """Learn Y_{j,s}: judge the interval by it, adapt the level, rebuild the interval with it."""
    s = int(state.pulls[arm]) + 1
    if s >= 2:
        online = score(reward, float(state.low[arm]), float(state.high[arm]))
        missed = online > float(state.correction[arm])
        state.level[arm] = next_level(policy, float(state.level[arm]), s, missed)
    learn_order(state, arm, reward)
    conformal_interval(policy.alpha, state, arm)
    if policy.auto_scale:
        state.spread[0] = widest(state.low, state.high)


@kernel
def next_level(policy: ACPUCB1, level: float, s: int, missed: bool) -> float:
    """Return α_{j,s+1} = Π_{I_s}[α_{j,s} + η_s (α − err_{j,s})] (section 3.2).

    I_s = [level_min, level_max] ∩ [α − λψ_s, α + λψ_s], with ψ_s = √(ln s / s).
    """
    eta = policy.eta if policy.eta_decay == 0.0 else policy.eta * math.pow(s, -policy.eta_decay)
    stepped = level + eta * (policy.alpha - (1.0 if missed else 0.0))
    radius = policy.lam * math.sqrt(math.log(s) / s)
    least = max(policy.level_min, policy.alpha - radius)
    most = min(policy.level_max, policy.alpha + radius)
    return min(max(stepped, least), most)


def interval(state: State, arm: int) -> tuple[float, float]:
    """Return [L_{j,s}, U_{j,s}], the prediction interval for the arm's next reward."""
    return float(state.lower[arm]), float(state.upper[arm])


ACPUCB1.kernels = Kernels(init, index, select, update, full, grow, interval)
