"""Binomial draws, exact and a few times faster than NumPy's, which set up a table for each.

Few expected: inversion, counting up from 0. Many: the transformed rejection BTRS of W. Hörmann, "The
generation of binomial random variates", J. Statist. Comput. Simul. 46:101–110, 1993.
"""

import math

import numpy as np

from .compile import kernel

FEW = 10.0  # expected successes below which inversion is used; BTRS is proved from here on


@kernel
def binomial(rng: np.random.Generator, n: int, p: float) -> int:
    """Return the number of successes in n trials of chance p, 0 < p < 1."""
    if p > 0.5:  # noqa: PLR2004
        return n - _rare(rng, n, 1.0 - p)
    return _rare(rng, n, p)


@kernel
def _rare(rng: np.random.Generator, n: int, p: float) -> int:
    """Return the number of successes for p ≤ ½."""
    return _by_inversion(rng, n, p) if n * p < FEW else _by_rejection(rng, n, p)


@kernel
def _by_inversion(rng: np.random.Generator, n: int, p: float) -> int:
    """Subtract the chances of 0, 1, 2, … from a uniform number until it is used up."""
    left, k = rng.random(), 0
    odds, chance = p / (1.0 - p), math.exp(n * math.log1p(-p))
    while left > chance and k < n:
        left -= chance
        k += 1
        chance *= odds * (n - k + 1) / k
    return k


@kernel
def _by_rejection(rng: np.random.Generator, n: int, p: float) -> int:
    """Draw from a hat over the histogram; a small box under it accepts most draws at once."""
    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, box = n * p + 0.5, 0.92 - 4.2 / b
    while True:
        u = rng.random() - 0.5
        v = rng.random()
        edge = 0.5 - abs(u)
        if edge <= 0.0:
            continue
        place = (2.0 * a / edge + b) * u + centre
        if place < 0.0 or place >= n + 1:
            continue
        k = int(place)
        if edge >= 0.07 and v <= box:  # noqa: PLR2004
            return k
        hat = v * (2.83 + 5.1 / b) * sd / (a / (edge * edge) + b)
        if math.log(hat) <= _log_chance_against_mode(n, p, k):
            return k


@kernel
def _log_chance_against_mode(n: int, p: float, k: int) -> float:
    """Return ln P(k) − ln P(m), m the likeliest number of successes."""
    m = int((n + 1) * p)
    orders = math.lgamma(m + 1.0) + math.lgamma(n - m + 1.0)
    orders -= math.lgamma(k + 1.0) + math.lgamma(n - k + 1.0)
    return orders + (k - m) * math.log(p / (1.0 - p))
