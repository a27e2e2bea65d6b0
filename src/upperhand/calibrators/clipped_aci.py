"""Clipped ACI: scores kept as they were, at a level that adapts between two bounds.

S. Cuonzo, N. Deliu, "Conformal Bandits: Bringing statistical validity and reward efficiency to the
small-gap regime", arXiv:2512.09850, as in the authors' simulations: what UCB-CP does with an arm's
quantiles. ĉ is the one of n past scores of rank ⌈(1−α_t)(n+1)⌉, or the largest if that is n + 1,
and 0 if there is none; [ℓ, u] becomes [ℓ − ĉ, u + ĉ], and

    α_{t+1} = α_t + η (α − 1{y ∉ [ℓ − ĉ, u + ĉ]}),   clipped to [level_min, level_max].

It never gives the whole line, where ACI would: with fewer than 1/α − 1 scores it covers less than
it says. The clipping voids ACI's guarantee. O(log n) an outcome.
"""

from .._kernels.compiler import kernel
from .._kernels.samples import Samples, rank
from .._kernels.sorted_samples import SortedSamples, insert, value_at
from ..errors import ParameterError
from ..parameters import parameter
from .aci import State, start, stepped
from .base import Calibrator, CalibratorFunctions, score, scores_full


class ClippedACI(Calibrator):
    """Adapt the level between two bounds, on scores kept as they were: UCB-CP's way.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.ClippedACI(alpha=0.2)
    >>> for y in (1.0, -2.0, 0.5):
    ...     calibrator.update(y, forecast=0.0)
    >>> calibrator.predict(10.0)
    Interval(lower=8.0, upper=12.0)
    """

    name = "Clipped ACI"

    eta: float = parameter(
        "A miss moves the level by η (α − 1), a hit by ηα.", default=0.01, least=0
    )
    level_min: float = parameter("The level stays above this.", default=1e-4, above=0, below=1)
    level_max: float = parameter("The level stays below this.", default=0.5, above=0, below=1)

    def check(self) -> None:
        if not self.level_min <= self.alpha <= self.level_max:
            raise ParameterError(
                f"alpha must lie in [level_min, level_max] = [{self.level_min:g}, "
                f"{self.level_max:g}]; got {self.alpha:g}. Widen the levels or move alpha."
            )


@kernel
def interval(
    calibrator: ClippedACI, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    correction = past_score(state.scores, row, float(state.level[row]))
    return low - correction, high + correction


@kernel
def update(
    calibrator: ClippedACI, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Judge the corrected forecast by the outcome, adapt the level, keep the score."""
    lower, upper = interval(calibrator, state, past, row, low, high)
    missed = y < lower or y > upper
    level = stepped(float(state.level[row]), calibrator.eta, calibrator.alpha, missed)
    state.level[row] = min(max(level, calibrator.level_min), calibrator.level_max)
    insert(state.scores, row, score(y, low, high))


@kernel
def past_score(scores: SortedSamples, row: int, level: float) -> float:
    """Return ĉ, the score of rank ⌈(1−α_t)(n+1)⌉ or, if that is n + 1, the largest; 0 if none."""
    n = int(scores.size[row])
    return value_at(scores, row, 0, min(rank(1 - level, n + 1), n)) if n > 0 else 0.0


ClippedACI.functions = CalibratorFunctions(start, interval, update, scores_full)
