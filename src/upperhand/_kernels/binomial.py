"""Binomial draws, exact and a few times faster than NumPy's, which prepares anew for each.

Few expected: inversion, counting up from 0. Many: the transformed rejection BTRS of W. Hörmann,
"The generation of binomial random variates", J. Statist. Comput. Simul. 46:101–110, 1993.
"""

import math

import numpy as np
from numpy.typing import NDArray

from .compile import kernel
from .stirling import ACCURATE, HALF_LOG_2_PI, stirling_series

FEW = 15.0  # expected outcomes of the rarer kind below which inversion is used; BTRS needs 10
TABLE = 64  # more than that many, of fewer than 15 expected, have a chance below 10⁻¹⁹


@kernel
def tabulate(sums: NDArray[np.float64], n: int, p: float) -> None:
    """Fill `sums` with P(0), P(0) + P(1), … of the rarer outcome; for few expected ones only."""
    rare = min(p, 1.0 - p)
    if n * rare < FEW:
        chance, odds = math.exp(n * math.log1p(-rare)), rare / (1.0 - rare)
        total = chance
        for k in range(len(sums)):
            sums[k] = total
            chance *= odds * max(n - k, 0) / (k + 1)
            total += chance


@kernel
def binomial(rng: np.random.Generator, n: int, p: float, sums: NDArray[np.float64]) -> int:
    """Return the number of successes in n trials of chance p; `sums` are of `tabulate(…, n, p)`.

    They are the dear part of a draw, so whoever draws often for the same n keeps them.
    """
    rare = min(p, 1.0 - p)
    count = _by_inversion(rng, n, sums) if n * rare < FEW else _by_rejection(rng, n, rare)
    return count if p <= 0.5 else n - count


@kernel
def binomial_once(rng: np.random.Generator, n: int, p: float) -> int:
    """Return what `binomial` does with its table, where one draw for this n is not worth one."""
    rare = min(p, 1.0 - p)
    if n * rare < FEW:
        chance, odds = math.exp(n * math.log1p(-rare)), rare / (1.0 - rare)
        u, count, total = rng.random(), 0, chance
        while count < min(n, TABLE - 1) and total < u:
            chance *= odds * max(n - count, 0) / (count + 1)
            total += chance
            count += 1
    else:
        count = _by_rejection(rng, n, rare)
    return count if p <= 0.5 else n - count


@kernel
def _by_inversion(rng: np.random.Generator, n: int, sums: NDArray[np.float64]) -> int:
    """Return the first k with P(0) + … + P(k) ≥ u, u uniform."""
    u, k, most = rng.random(), 0, min(n, len(sums) - 1)
    while k < most and sums[k] < u:
        k += 1
    return k


@kernel
def _by_rejection(rng: np.random.Generator, n: int, p: float) -> int:
    """Draw from a hat over the histogram; a box under it accepts most draws at once."""
    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, box = n * p + 0.5, 0.92 - 4.2 / b
    while True:
        u = rng.random() - 0.5
        v = rng.random()
        edge = 0.5 - abs(u)
        if edge >= 0.07 and v <= box:  # so far from the edge, no place lies outside 0 … n
            return int((2.0 * a / edge + b) * u + centre)
        if edge <= 0.0:
            continue
        place = (2.0 * a / edge + b) * u + centre
        if place < 0.0 or place >= n + 1:
            continue
        k = int(place)
        hat = v * (2.83 + 5.1 / b) * sd / (a / (edge * edge) + b)
        if hat <= 0.0 or _reaches(n, p, k, math.log(hat)):
            return k


@kernel
def _reaches(n: int, p: float, k: int, height: float) -> bool:
    """Tell whether ln P(k) − ln P(m) ≥ height, m being the likeliest number of successes.

    −(k − m)² / 2np(1−p) is that, up to an error with a known bound (V. Kachitvichyanukul,
    B. W. Schmeiser, Commun. ACM 31:216–222, 1988), and mostly decides.
    """
    m, variance = int((n + 1) * p), n * p * (1.0 - p)
    far = abs(k - m)
    if far < variance / 2.0 - 1.0:
        bell = -far * far / (2.0 * variance)
        error = far / variance * (((far / 3.0 + 0.625) * far + 1.0 / 6.0) / variance + 0.5)
        if abs(height - bell) > error:
            return height < bell
    ways = _log_factorial(m) + _log_factorial(n - m) - _log_factorial(k) - _log_factorial(n - k)
    return height <= ways + (k - m) * math.log(p / (1.0 - p))


@kernel
def _log_factorial(k: int) -> float:
    """Return ln k!, by Stirling's series where it is accurate: half the time of `lgamma`."""
    x = k + 1.0
    if x < ACCURATE:
        return math.lgamma(x)
    return (x - 0.5) * math.log(x) - x + HALF_LOG_2_PI + stirling_series(x)
