"""Expectations under Bin(s, p) for many s and p at once, from windows of Bin(s, τ).

A count c of s rewards has the chance P_τ(c) under Bin(s, τ), and under Bin(s, p) the likelihood
ratio (p/τ)^c ((1−p)/(1−τ))^(s−c) times as much. So one table of P_τ(c) f_s(c), for c around τs,
serves all p: the ratio is a factor for each s times a power for each c, and the expectations
E_p[f_s(C)] are a product of matrices. Nothing overflows: the powers count from the end of the
window where the ratio is largest.

s kl(c/s, τ) is computed with an error far below SLACK for s up to 10⁶. Where a bound asks whether
it is at most some budget, SLACK is added to the budget: the sums can only grow by that.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.ranks import needed
from .._kernels.stirling import ACCURATE, HALF_LOG_2_PI, stirling_series

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

OUTSIDE = 26.0  # what lies outside a window has a chance of e^(−26) at most, for each s
SLACK = 1e-9
FEW = int(ACCURATE)
TINY = 1e-200


class Window(NamedTuple):
    """Counts around τs for each s of a block; a row for each s, a column for each count."""

    s: Counts  # (m, 1)
    c: Counts  # (m, w)
    mass: Array  # (m, w) P_τ(c), 0 for what is no count
    evidence: Array  # (m, w) s kl(c/s, τ)
    tau: float
    from_above: bool  # columns go down from the largest count, for p > τ


def below_level(tau: float, s: Counts) -> Counts:
    """Return the largest k with k ≤ τs: `_kernels.ranks.whole_below`, for arrays."""
    return s - at_level(1.0 - tau, s)


def at_level(tau: float, s: Counts) -> Counts:
    """Return the smallest k ≥ 1 with k ≥ τs: `_kernels.ranks.rank`, for arrays."""
    least: Any = needed(tau, s)  # type: ignore[arg-type]
    found: Counts = np.maximum(1, np.ceil(least)).astype(np.int64)
    return found


def reach(tau: float, s: Counts, exponent: float) -> Counts:
    """Return the largest count c ≤ s with c ≤ τs or s kl(c/s, τ) ≤ exponent.

    kl(τ + d, τ) ≥ d² / (2τ(1−τ) + 2(1−τ)d/3) by Bernstein; solved for d it is where a search by
    halves begins.
    """
    linear = exponent * (1.0 - tau) / (3.0 * s)
    far = linear + np.sqrt(linear * linear + 2.0 * exponent * tau * (1.0 - tau) / s)
    low = below_level(tau, s)
    high = np.minimum(s, np.ceil(s * (tau + far)).astype(np.int64)) + 1  # too large, or s + 1
    while (high - low > 1).any():
        middle = np.minimum((low + high) // 2, s)
        near = (middle <= low) | (evidence_of(middle, s, tau) <= exponent)
        low, high = np.where(near, np.maximum(low, middle), low), np.where(near, high, middle)
        high = np.where(low == s, s + 1, high)
    return low


def evidence_of(c: Counts, s: Counts, tau: float) -> Array:
    """Return s kl(c/s, τ)."""
    return _x_log(c, c / (s * tau)) + _x_log(s - c, (s - c) / (s * (1.0 - tau)))


def window(tau: float, s: Counts, low: Counts, high: Counts, *, from_above: bool) -> Window:
    """Return the window of the counts from low to high, each (m,), for the s of a block, (m,)."""
    steps = np.arange(int((high - low).max()) + 1)
    counts = high[:, None] - steps if from_above else low[:, None] + steps
    inside = (counts >= low[:, None]) & (counts <= high[:, None])
    c, trials = np.where(inside, counts, low[:, None]), s[:, None]
    rest = trials - c
    evidence = evidence_of(c, trials, tau)
    shapes = _shapes(int(s.max()))
    mass = shapes[c] * shapes[rest] / shapes[trials] * np.exp(-evidence)
    return Window(
        trials, c, np.where(inside, mass, 0.0), np.maximum(evidence, 0.0), tau, from_above
    )


def expectations(within: Window, values: Array, p: Array) -> Array:
    """Return E_p[f_s(C)] for each s and p, (m, Q); f_s(c) are the values, 0 outside the window."""
    tau, end = within.tau, within.c[:, :1]
    with np.errstate(divide="ignore"):
        at_end = _x_log(end, p / tau) + _x_log(within.s - end, (1.0 - p) / (1.0 - tau))
        odds = np.divide(p * (1.0 - tau), tau * (1.0 - p))
        step = 1.0 / odds if within.from_above else odds
    powers = np.cumprod(np.vstack([np.ones_like(p), *[step] * (within.c.shape[1] - 1)]), axis=0)
    powers[powers < TINY] = 0.0  # such products are slow, and e^(ln n + 26) at most times as large
    found: Array = np.exp(at_end) * ((within.mass * values) @ powers)
    return found


def reached(within: Window) -> Array:
    """Return π_s(c) = P_τ(B ≥ c) for each count of a window, less what is above the window."""
    down = within.mass if within.from_above else within.mass[:, ::-1]
    chances = np.minimum(np.cumsum(down, axis=1), 1.0)
    return chances if within.from_above else chances[:, ::-1]


def _x_log(x: Counts, ratio: Array) -> Array:
    """Return x ln(ratio), 0 where x is, whatever the ratio."""
    return np.asarray(x * np.log(np.where(x > 0, ratio, 1.0)))


def _shapes(most: int) -> Array:
    """Return k^k e^(−k) / k! for k = 0 … most: P_{c/s}(c) is a quotient of three of them."""
    few = np.array([1.0, *(k**k * math.exp(-k) / math.factorial(k) for k in range(1, FEW))])
    many = np.arange(FEW, max(most + 1, FEW), dtype=np.float64)
    logarithms = -0.5 * np.log(many) - HALF_LOG_2_PI - stirling_series(many)  # type: ignore[arg-type]
    return np.concatenate([few, np.exp(logarithms)])
