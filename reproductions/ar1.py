"""ACI on an AR(1) series whose quantiles are known: figure 2 of Zaffran et al.

The level follows the misses of ±z_{1−α_t/2}, where the series is Gaussian with variance 1. A value
e is missed if and only if its two-sided p-value 2 (1 − Φ(|e|)) is below α_t, so that no quantile is
needed on the way. Lengths are cut at twice the largest |e|, as the authors do.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

import upperhand as uh
from upperhand._kernels.compiler import compile_closure
from upperhand.calibrators.aci import stepped
from upperhand.simulation.workers import cores

from . import published
from .judging import Line
from .section import Comparison, Effort

PHIS = (0.0, 0.6, 0.85, 0.95, 0.98, 0.99, 0.997, 0.999)
GAMMAS = np.linspace(0, 0.2, 100)
SHOWN = (5, 25, 99)  # places in GAMMAS: 0.0101, 0.0505, 0.2
ALPHA, SEEDS, STEPS = 0.1, 25, 1_000_000
PRINTED = 1.5e-5  # five decimals are printed
Array = NDArray[np.float64]


def comparison(effort: Effort) -> Comparison:
    """Return the lengths, mean and median, for every φ."""
    seeds, steps = effort.of(SEEDS, 1), effort.of(STEPS, 1000)
    with ThreadPoolExecutor(cores()) as threads:
        found = list(threads.map(lambda seed: lengths(seed, steps), range(seeds)))
    lines = []
    for row in published.rows("aci_ar1"):
        place = int(row["gamma_index"])
        if place in SHOWN:
            key = (float(row["phi"]), place, row["length"])
            ours = float(np.mean([one[key] for one in found]))
            what = (row["phi"], f"{GAMMAS[place]:.4f}", row["length"])
            said = float(row["value"])
            lines.append(Line(what, said, ours, slack=PRINTED, judged=not effort.quick))
    return Comparison(
        "ACI on an AR(1) series, figure 2: length of the intervals",
        ("φ", "γ", "length"),
        tuple(lines),
    )


def lengths(seed: int, steps: int) -> dict[tuple[float, int, str], float]:
    """Return mean and median length by φ and γ for one of the authors' seeds."""
    stream = np.random.RandomState(seed)  # the authors' generator
    levels = compile_closure(make_levels, stepped, user=uh.ACI)
    path: Array = np.empty(steps)
    found = {}
    for phi in PHIS:
        noise = np.sqrt(1 - phi**2) * stream.standard_normal(steps)
        size = abs(lfilter([1.0], [1.0, -phi], noise))
        p_values, largest = 2 * ndtr(-size), float(size.max())
        for place in SHOWN:
            levels(p_values, float(GAMMAS[place]), ALPHA, path)
            half = -ndtri(np.clip(path, 0, 1) / 2)  # ∞ at 0, and 0 at 1
            length = 2 * np.minimum(half, largest)
            found[phi, place, "mean"] = float(length.mean())
            found[phi, place, "median"] = float(np.median(length))
    return found


def make_levels(step: Callable[..., float]) -> Callable[..., None]:
    """Return the loop over the values, ready to be compiled."""

    def levels(p_values: Array, gamma: float, alpha: float, path: Array) -> None:
        """Write α_1, α_2, … into `path`."""
        level = alpha
        for t in range(len(p_values)):
            path[t] = level
            missed = level >= 1.0 or p_values[t] < level
            level = step(level, gamma, alpha, missed)

    return levels
