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

so that the unit cancels out. One b serves all arms, as in the theorem. While no arm has shown any
spread, the range of all arms takes its place, and while there is none either, all are played in
turn. At the defaults a round costs O(K + log T_j); a reward takes 8 to 18 bytes.
"""

import math
from collections.abc import Callable
from dataclasses import InitVar, fields
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import samples
from .._kernels.compiler import kernel
from .._kernels.samples import FAILURES, Samples, add_reward, forget_reward, rank, value_at
from ..calibrators import as_calibrator
from ..calibrators.base import Calibrator
from ..calibrators.base import interval as calibrated
from ..calibrators.base import update as calibrate
from ..calibrators.rescored import Rescored
from ..errors import ParameterError
from ..objectives import Quantile
from ..parameters import derived, parameter
from .base import (
    Endpoint,
    Functions,
    SketchablePolicy,
    calibrated_full,
    ends,
    same_ends,
    valued_end,
)

LOW, HIGH = 0, 1  # the cursors of the two quantiles; those of the windows follow
TOO_SMALL, TOO_LARGE = 0.1, 100.0  # b in spreads: below, arms are dropped too soon; above, never
LEVELS = ("alpha", "tail", "level_min", "level_max")  # what a level τ says
PAPERS_CALIBRATOR = ("eta", "eta_decay", "lam", "level_min", "level_max")


class ACPUCB1(Endpoint, SketchablePolicy):
    """Chase the best predictive endpoint, with the bonus b √(ln t / T).

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.ACPUCB1(alpha=0.1)
    >>> uh.play(policy, [[0.1, 0.3, 0.2, 0.2, 0.4], [0.9, 0.8, 0.7, 0.6, 0.5]]).arms.tolist()
    [0, 1, 0, 1, 1]
    """

    name = "ACP-UCB1"
    group = "quantile"
    compared = {"ACP-UCB1": {}, "ACP-UCB1 auto": {"scale": "auto"}}

    alpha: float = parameter(
        "Nominal miscoverage α: an arm is worth F⁻¹(1−α/2), the p95 at the default 0.1.",
        default=0.1, above=0, below=1, kw_only=False,
    )  # fmt: skip
    if TYPE_CHECKING:
        tau: InitVar[float | None] = None  # in place of alpha and tail: see `_with_level`
    b: float = parameter(
        "Exploration coefficient, in the unit of the rewards, or as `scale` says.",
        default=1.0, least=0,
    )  # fmt: skip
    eta: float = parameter(
        "The s-th reward of an arm moves its level by η s^(−p) (α − err); η = 0 leaves plain "
        "empirical quantiles.",
        default=0.01, least=0,
    )  # fmt: skip
    eta_decay: float = parameter(
        "The exponent p of that step; 0 is a constant one.", default=0.0, least=0
    )
    lam: float = parameter(
        "Localisation λ: the level stays within λ √(ln s / s) of α.", default=1.0, least=0
    )
    level_min: float = parameter("The level stays above this.", default=1e-4, above=0, below=1)
    level_max: float = parameter("The level stays below this.", default=0.5, above=0, below=1)
    init: int = parameter(
        "Initial pulls of each arm, round-robin: 2 in the experiments, s₀ in the theorem.",
        default=2, least=1,
    )  # fmt: skip
    tail: Literal["upper", "lower"] = parameter(
        "Chase the highest upper endpoint, or the highest lower one: the arm with the best bad "
        "days. For costs see `Bandit`.",
        default="upper",
    )  # fmt: skip
    scale: Literal["unit", "auto"] = parameter(
        'What b counts: "unit" the unit of the rewards, as in the paper, "auto" widths of the '
        "widest base interval seen so far.",
        default="unit",
    )  # fmt: skip
    calibrator: Calibrator | type[Calibrator] | str | None = parameter(
        "Another way to correct the arms' quantiles than the paper's, which the settings from eta "
        "to level_max describe: a calibrator, its class, or its name.",
        default=None,
    )  # fmt: skip

    def __post_init__(self) -> None:  # type: ignore[override]
        if self.calibrator is not None:
            given = as_calibrator(self.calibrator, alpha=self.alpha)
            object.__setattr__(self, "calibrator", given)
        super().__post_init__()

    def check(self) -> None:
        """Refuse levels that exclude α, and a calibrator that contradicts the settings."""
        given = self.method
        if self.calibrator is None:
            return
        if given.alpha != self.alpha:
            raise ParameterError(
                f"ACP-UCB1 and its calibrator must have one alpha; got {self.alpha:g} and "
                f"{given.alpha:g}. Set both, or give the calibrator's name alone."
            )
        defaults = {f.name: f.default for f in fields(self)}
        for name in PAPERS_CALIBRATOR:
            if getattr(self, name) != defaults[name]:
                raise ParameterError(
                    f"{name} belongs to the paper's calibrator, and calibrator={given!r} takes "
                    "its place. Leave one of the two out."
                )
        if self.sketch is not None and not isinstance(given, Rescored):
            raise ParameterError(
                f"sketch={self.sketch} keeps few rewards, and {given.name} the score of each. "
                "Leave one of the two out."
            )

    @cached_property
    def method(self) -> Calibrator:
        """The calibrator that is used."""
        if isinstance(self.calibrator, Calibrator):
            return self.calibrator
        return Rescored(self.alpha, **{name: getattr(self, name) for name in PAPERS_CALIBRATOR})

    @derived
    def calibration(self) -> Any:
        """The parameters of the calibrator."""
        return self.method.parameters

    @property
    def parts(self) -> tuple[type, ...]:
        return (type(self.method),)

    @property
    def forgets(self) -> bool:
        """Whether a reward can be removed: only the paper's calibrator keeps no scores."""
        return super().forgets and isinstance(self.method, Rescored)

    @property
    def index_trend(self) -> Literal["rises"] | None:
        """An index rises with ln t if b is in a fixed unit."""
        return None if self.auto_scale else "rises"

    @derived
    def auto_scale(self) -> bool:
        """Whether b counts widths of the widest interval."""
        return self.scale == "auto"

    def advice(self, state: "State") -> str | None:
        """Return a warning if b, in the unit of the rewards, is far from their spread."""
        if self.auto_scale:
            return None
        spread = widest(state.low, state.high)
        return scale_advice(self.b, spread, 'Choose b near that, or scale="auto".')


class State(NamedTuple):
    """What ACP-UCB1 remembers of K arms; with s − 1 rewards of arm j seen, row j is of time s."""

    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) T_j = s − 1
    calibration: Any  # what the calibrator remembers: of `Rescored`, the levels α_{j,s}
    low: NDArray[np.float64]  # (K,) q̂ˡᵒʷ: empirical α/2 quantile, +∞ before the first reward
    high: NDArray[np.float64]  # (K,) q̂ʰⁱᵍʰ: empirical 1 − α/2 quantile, −∞ before: no width
    lower: NDArray[np.float64]  # (K,) L_{j,s}, −∞ before the first reward
    upper: NDArray[np.float64]  # (K,) U_{j,s}, +∞ before the first reward
    spread: NDArray[np.float64]  # (1,) `widest` of all arms; kept if scale="auto"


def start(policy: ACPUCB1, arms: int, capacity: int) -> State:
    method = policy.calibration
    return State(
        samples=samples.empty(arms, capacity, policy.most_kept),
        pulls=np.zeros(arms, np.int64),
        calibration=method.owner.functions.start(method, arms, capacity),
        low=np.full(arms, np.inf),
        high=np.full(arms, -np.inf),
        lower=np.full(arms, -np.inf),
        upper=np.full(arms, np.inf),
        spread=np.zeros(1),
    )


@kernel
def index(policy: ACPUCB1, state: State, arm: int, t: int) -> float:
    """Return U_{j,T_j(t−1)+1} + b √(ln t / T_j(t−1)) (section 3.3), or +∞ while initialising.

    A calibrator that knows too little gives an infinite end, on either side: +∞ too.
    """
    pulls = int(state.pulls[arm])
    unit = float(state.spread[0]) if policy.auto_scale else 1.0
    if pulls < policy.init or unit == 0.0:
        return math.inf
    endpoint = valued_end(policy, state, arm)
    value = policy.sign * endpoint + policy.b * unit * math.sqrt(math.log(t) / pulls)
    return value if value > -math.inf else math.inf


@kernel
def update(policy: ACPUCB1, state: State, arm: int, reward: float) -> None:
    """Learn Y_{j,s}: compare it with the interval, recompute the quantiles and correct them."""
    if int(state.pulls[arm]) > 0:
        low, high = float(state.low[arm]), float(state.high[arm])
        calibrate(policy.calibration, state.calibration, state.samples, arm, low, high, reward)
    add_reward(state, arm, reward)
    refresh(policy, state, arm)


@kernel
def refresh(policy: ACPUCB1, state: State, arm: int) -> None:
    """Recompute the arm's quantiles and correct them.

    A calibrator may return the empty interval, which has no ends: then the quantiles are used.
    """
    samples, m = state.samples, int(state.samples.size[arm])
    low, high, lower, upper = math.inf, -math.inf, -math.inf, math.inf
    if m > 0:
        low = value_at(samples, arm, LOW, rank(policy.alpha / 2, m))
        high = value_at(samples, arm, HIGH, rank(1 - policy.alpha / 2, m))
        method, memory = policy.calibration, state.calibration
        lower, upper = calibrated(method, memory, samples, arm, low, high)
        if lower > upper:
            lower, upper = low, high
    state.low[arm], state.high[arm] = low, high
    state.lower[arm], state.upper[arm] = lower, upper
    if policy.auto_scale:
        state.spread[0] = widest(state.low, state.high)


@kernel
def widest(low: Any, high: Any) -> float:
    """Return the largest width q̂ʰⁱᵍʰ − q̂ˡᵒʷ of any arm; if all are 0, that of all arms together.

    Arms without rewards, whose ends are infinite, do not count, nor do arms with an end among
    failed trials. Without any arm it is 0.
    """
    spread, least, most = 0.0, math.inf, -math.inf
    for arm in range(len(low)):
        lower, upper = float(low[arm]), float(high[arm])
        if lower > -FAILURES and upper < FAILURES:
            spread = max(spread, upper - lower)
            least, most = min(least, lower), max(most, upper)
    return spread if spread > 0.0 else max(most - least, 0.0)


def scale_advice(b: float, spread: float, remedy: str) -> str | None:
    """Return a warning if b is far from the spread, None if it is not or nothing is known yet."""
    if spread == 0.0 or b == 0.0 or TOO_SMALL <= b / spread <= TOO_LARGE:
        return None
    if b < spread:
        verdict = "small: a good arm may be dropped after a few bad rewards"
    else:
        verdict = "large: the arms will be played almost evenly for a long time"
    return (
        f"b = {b:g} is in the unit of the rewards, which spread over about {spread:.3g}. That is "
        f"very {verdict}. {remedy}"
    )


ACPUCB1.functions = Functions(
    start, index, update, full=calibrated_full, interval=ends, forget=forget_reward,
    refresh=refresh, same_index=same_ends,
)  # fmt: skip


def _with_level(init: Callable[..., None]) -> Callable[..., None]:
    """Let the constructor also take the level τ of the quantile, in place of α and the tail."""

    @wraps(init)
    def made(self: ACPUCB1, *given: Any, tau: float | None = None, **settings: Any) -> None:
        if tau is not None:
            from .parsing import settings_for

            if given or "alpha" in settings or "tail" in settings:
                raise ParameterError(f"tau={tau!r} says alpha and tail already. Leave them out.")
            found = settings_for(Quantile(tau), 0.1, 1)
            if found["alpha"] is None:
                raise ParameterError(
                    "ACP-UCB1 plays for an end of the central interval, and the median is none. "
                    "Play for it by KLQUCB(0.5)."
                )
            settings = {name: found[name] for name in LEVELS} | settings
        init(self, *given, **settings)

    return made


ACPUCB1.__init__ = _with_level(ACPUCB1.__init__)  # type: ignore[method-assign]
