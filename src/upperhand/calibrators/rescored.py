"""Rescored: scores recomputed against each forecast, at a level that adapts near α.

C. Du, M. Xu, "Conformal-Style Quantile Analyses for Stochastic Bandits", arXiv:2605.07115, sections
3.1 and 3.2: what ACP-UCB1 does with an arm's empirical quantiles. All past outcomes Y_r are scored
against the forecast [ℓ, u] of now, s(Y_r; ℓ, u) = max{ℓ − Y_r, Y_r − u}, and the 1 − α_s quantile ĉ
of the scores widens or narrows it to [ℓ − ĉ, u + ĉ]. A miss of the s-th outcome lowers the level, a
hit raises it, and it stays near α:

    α_{s+1} = Π_{I_s}[α_s + η_s (α − err_s)],   I_s = [level_min, level_max] ∩ [α ± λ √(ln s / s)].

Forecasts must be of the outcomes themselves, such as their quantiles: one that moves with
covariates has no meaning against the outcomes of other days. With the empirical quantiles of the
same sample the correction at level α is exactly 0. No coverage is guaranteed: the scores are of the
sample that made the forecast, and the projection voids ACI's argument. O(log s) an outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kernel
from .._kernels.samples import Samples, rank
from ..errors import ParameterError
from ..parameters import parameter
from .aci import stepped
from .base import Calibrator, CalibratorFunctions, score, score_quantile


class Rescored(Calibrator):
    """Rescore the past against each forecast, at a level that adapts near α: ACP-UCB1's way.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.Rescored(alpha=0.5, eta=0.0)
    >>> for y in (1.0, 2.0, 3.0, 4.0):
    ...     calibrator.update(y, forecast=(2.0, 3.0))
    >>> calibrator.predict((2.0, 3.0)), calibrator.predict((2.5, 2.5))
    (Interval(lower=2.0, upper=3.0), Interval(lower=2.0, upper=3.0))
    """

    name = "Rescored"
    rescores = True

    eta: float = parameter(
        "The s-th outcome moves the level by η s^(−p) (α − err); η = 0 leaves it at α.",
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

    def check(self) -> None:
        if not self.level_min < self.alpha <= self.level_max:
            raise ParameterError(
                f"alpha must lie in (level_min, level_max] = ({self.level_min:g}, "
                f"{self.level_max:g}]; got {self.alpha:g}. Widen the levels or move alpha."
            )


class State(NamedTuple):
    """What is remembered of each row, after s − 1 outcomes."""

    level: NDArray[np.float64]  # (K,) α_s
    correction: NDArray[np.float64]  # (K,) ĉ of the forecast that was corrected last
    balance: NDArray[np.float64]  # (K,) where the score quantile was found: a search hint
    radius: NDArray[np.float64]  # (K,) λψ_s: how far from α the outcome to come may move the level


def start(calibrator: Rescored, rows: int, capacity: int) -> State:
    return State(
        level=np.full(rows, calibrator.alpha),
        correction=np.zeros(rows),
        balance=np.full(rows, 0.5),
        radius=np.zeros(rows),
    )


@kernel
def interval(
    calibrator: Rescored, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    """Return [ℓ − ĉ, u + ĉ] (eq. interval_def), the whole line before the first outcome.

    ĉ is the 1 − α_s quantile of the scores of the past against [ℓ, u] (eq. conf_quantile). λψ_s,
    which `update` needs, is computed here, where nothing has to wait for its logarithm.
    """
    m = int(past.size[row])
    if m == 0:
        return -math.inf, math.inf
    k = rank(1 - float(state.level[row]), m)
    windows = m - k + 1
    guess = int(float(state.balance[row]) * windows)
    correction, found = score_quantile(past, row, low, high, k, guess)
    state.balance[row], state.correction[row] = found / windows, correction
    state.radius[row] = radius(calibrator, m + 1)
    return low - correction, high + correction


@kernel
def update(
    calibrator: Rescored,
    state: State,
    past: Samples,
    row: int,
    low: float,
    high: float,
    y: float,
) -> None:
    """Compare the corrected forecast with the outcome, and adapt the level; not at the first."""
    s = int(past.size[row]) + 1
    if s >= 2:
        missed = score(y, low, high) > float(state.correction[row])
        level, near = float(state.level[row]), float(state.radius[row])
        state.level[row] = next_level(calibrator, level, s, near, missed)


@kernel
def radius(calibrator: Rescored, s: int) -> float:
    """Return λψ_s, with ψ_s = √(ln s / s): how far from α the s-th outcome may move the level."""
    return calibrator.lam * math.sqrt(math.log(s) / s)


@kernel
def next_level(calibrator: Rescored, level: float, s: int, near: float, missed: bool) -> float:
    """Return α_{s+1} = Π_{I_s}[α_s + η_s (α − err_s)] (section 3.2).

    I_s = [level_min, level_max] ∩ [α − λψ_s, α + λψ_s], where λψ_s is `near`.
    """
    eta = calibrator.eta
    if calibrator.eta_decay != 0.0:
        eta *= math.pow(s, -calibrator.eta_decay)
    level = stepped(level, eta, calibrator.alpha, missed)
    least = max(calibrator.level_min, calibrator.alpha - near)
    most = min(calibrator.level_max, calibrator.alpha + near)
    return min(max(level, least), most)


Rescored.functions = CalibratorFunctions(start, interval, update)
