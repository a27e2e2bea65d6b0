"""DtACI: dynamically-tuned ACI, the mean of several levels, weighted by how well each did lately.

I. Gibbs, E. Candès, "Conformal Inference for Online Prediction with Arbitrary Distribution Shifts",
arXiv:2208.08401. Experts i = 1, …, k run ACI at the steps γ_i = .001, .002, …, .128 on the same
scores. β_t is the largest level whose interval covers the outcome, the share #{S_i ≥ s}/m of the
past scores that are at least the new one, and an expert's loss is

    ℓ(β_t, α_t^i) = α (β_t − α_t^i) − min{0, β_t − α_t^i},
    w_i ∝ (1 − σ) w_i exp(−η ℓ(β_t, α_t^i)) + σ/k · (their sum),   ᾱ_t = Σ w_i α_t^i,

    σ = 1/(2I),   η = √(3/I) √((ln(I k) + 2) / ((1 − α)² α³ + α² (1 − α)³)).

The interval is the one of ACI at ᾱ_t, without clipping: the whole line from 0 down, nothing from 1
up. The paper's algorithm draws one expert at random; this is the deterministic version by the mean,
as in the R package AdaptiveConformal, and it needs no seed. For every sequence and over any L
outcomes in a row, ᾱ_t does at most

    (ln(k/σ) + L ln(1/(1 − σ))) / η + (η/2) Σ_t Σ_i w_i ℓ(β_t, α_t^i)²

worse in the sum of its losses than any one expert (convexity, and the argument for fixed-share
weights, by exp(−x) ≤ 1 − x + x²/2). Their abstract promises small regret over all windows of a
given length, which this is a part of. Of the paper only the abstract was found again, the algorithm
in public code; that coverage in the long run is proved for a random choice whose η and σ fall to 0,
and not for constant ones, is from memory. Here coverage is checked by simulation alone.

η is the best one for a uniform β, with E ℓ² = [(1−α)²α³ + α²(1−α)³]/3. AdaptiveConformal agrees;
salesforce/online_conformal counts the 3 twice. O(k log m) an outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kernel
from .._kernels.experts import mixture
from .._kernels.samples import Samples
from .._kernels.sorted_samples import SortedSamples, count_at_most
from ..parameters import derived, parameter
from .aci import level_score
from .agaci import DOUBLING_STEPS, Experts, full, start_all, update_all
from .base import Calibrator, CalibratorFunctions, pinball, score, widened


class DtACI(Calibrator):
    """Run ACI at eight steps and use the mean of their levels, weighted by recent losses.

    Examples
    --------
    >>> import upperhand as uh
    >>> calibrator = uh.DtACI(alpha=0.2)
    >>> for y in (1.0, -2.0, 0.5, 4.0):
    ...     calibrator.update(y, forecast=0.0)
    >>> calibrator.predict(10.0)
    Interval(lower=6.0, upper=14.0)
    """

    name = "DtACI"

    memory: int = parameter(
        "I: over about so many outcomes the best step is found.", default=100, least=1
    )

    @derived
    def sigma(self) -> float:
        """σ = 1/(2I): the share of the weight that is spread evenly after each outcome."""
        return 1.0 / (2.0 * self.memory)

    @derived
    def eta(self) -> float:
        """η: how fast losses take weight away."""
        a, count = self.alpha, self.memory * len(DOUBLING_STEPS)
        size = (1 - a) ** 2 * a**3 + a**2 * (1 - a) ** 3
        return math.sqrt(3 / self.memory * (math.log(count) + 2) / size)


class State(NamedTuple):
    experts: Experts
    weight: NDArray[np.float64]  # (K, k) w, of sum 1
    correction: NDArray[np.float64]  # (K,) ĉ at the mean level: for the next outcome


def start(calibrator: DtACI, rows: int, capacity: int) -> State:
    experts = start_all(calibrator.alpha, DOUBLING_STEPS, rows, capacity)
    weight = np.full((rows, len(DOUBLING_STEPS)), 1.0 / len(DOUBLING_STEPS))
    return State(experts, weight, np.full(rows, np.inf))


@kernel
def interval(
    calibrator: DtACI, state: State, past: Samples, row: int, low: float, high: float
) -> tuple[float, float]:
    return widened(low, high, float(state.correction[row]))


@kernel
def update(
    calibrator: DtACI, state: State, past: Samples, row: int, low: float, high: float, y: float
) -> None:
    """Weigh the experts by their levels' losses, let them learn, and take the mean level."""
    experts = state.experts
    if int(experts.scores.size[row]) > 0:  # without scores, all levels are equally right
        reweigh(calibrator, state, row, covering_level(experts.scores, row, score(y, low, high)))
    update_all(experts, row, calibrator.alpha, low, high, y)
    level = mixture(state.weight, row, experts.level, row)
    state.correction[row] = level_score(experts.scores, row, 1, level)


@kernel
def covering_level(scores: SortedSamples, row: int, new: float) -> float:
    """Return β, the share of the past scores that are at least the new one."""
    below = count_at_most(scores, row, 2, float(np.nextafter(new, -np.inf)))
    return 1.0 - below / int(scores.size[row])


@kernel
def reweigh(calibrator: DtACI, state: State, row: int, beta: float) -> None:
    """Take weight from the experts whose levels were wrong, and spread a share of it evenly."""
    n, total, least = state.weight.shape[1], 0.0, math.inf
    for k in range(n):
        least = min(least, pinball(beta - float(state.experts.level[row, k]), calibrator.alpha))
    for k in range(n):  # less the smallest: all weights could vanish at a large η
        loss = pinball(beta - float(state.experts.level[row, k]), calibrator.alpha) - least
        state.weight[row, k] = float(state.weight[row, k]) * math.exp(-calibrator.eta * loss)
        total += float(state.weight[row, k])
    for k in range(n):
        kept = (1.0 - calibrator.sigma) * float(state.weight[row, k]) / total
        state.weight[row, k] = kept + calibrator.sigma / n


DtACI.functions = CalibratorFunctions(start, interval, update, full)
