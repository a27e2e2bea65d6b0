"""BOA, Bernstein online aggregation: a mixture of experts that learns whom to trust.

O. Wintenberger, "Optimal learning with Bernstein online aggregation", Machine Learning 106:119–141,
2017, in the form of the R package opera 1.2.0 and 1.2.1 (2021–2022), read in its source. With
linearised losses, g being a subgradient of the loss at the mixture f̄, expert k has the regret

    r_k = g (f̄ − f_k),   B_k = max |r_k|,   V_k = Σ r_k²,   E_k = 2^⌈log₂ B_k⌉,
    η_k = min{1/E_k, √(ln n / V_k)},   R_k += ½ (r_k − η_k r_k² + E_k 1{η_k r_k > ½}),
    w_k ∝ η_k exp(η_k R_k),   from n equal weights on.

There, E_k is at least 2⁻²⁰ in the unit of the values; here in that of the largest regret so far,
so that the unit makes no difference: a factor of 2^j leaves the weights as they are, to the bit.
O(n) an outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import kernel

FLOOR = 2.0**-20  # of E_k, in units of the largest of them
TINY = 1e-280  # regrets below this are none: 1/E would overflow


class Aggregation(NamedTuple):
    """What BOA remembers, for each row of n experts."""

    weight: NDArray[np.float64]  # (rows, n) they sum to 1
    largest: NDArray[np.float64]  # (rows, n) B
    squares: NDArray[np.float64]  # (rows, n) V
    regret: NDArray[np.float64]  # (rows, n) R


def equal_weights(rows: int, experts: int) -> Aggregation:
    """Return the aggregation before the first outcome."""
    one = np.full((rows, experts), 1.0 / experts)
    return Aggregation(one, *(np.zeros((rows, experts)) for _ in range(3)))


@kernel
def mixture(
    weight: NDArray[np.float64], row: int, values: NDArray[np.float64], source: int
) -> float:
    """Return the weighted mean of the values in row `source`, never outside of their range."""
    first, mixed = float(values[source, 0]), 0.0
    least = most = first
    for k in range(values.shape[1]):
        value = float(values[source, k])
        mixed += float(weight[row, k]) * (value - first)  # of equal values exactly that one
        least, most = min(least, value), max(most, value)
    return min(max(first + mixed, least), most)


@kernel
def learn(
    state: Aggregation,
    row: int,
    values: NDArray[np.float64],
    source: int,
    mixed: float,
    slope: float,
) -> None:
    """Learn that `slope` was the loss's subgradient at the mixture of the values."""
    n, top = values.shape[1], 0.0
    for k in range(n):
        size = abs(slope * (mixed - float(values[source, k])))
        state.largest[row, k] = max(float(state.largest[row, k]), size)
        top = max(top, float(state.largest[row, k]))
    if top < TINY:
        return
    unit = power_of_two_from(top)  # logarithms of what has no unit: weights to the bit
    least, best = FLOOR * unit, -math.inf
    for k in range(n):
        r = slope * (mixed - float(values[source, k]))
        scale = max(least, power_of_two_from(float(state.largest[row, k])))
        squares = float(state.squares[row, k]) + r * r
        eta = 1.0 / scale
        if squares > 0.0:
            eta = min(eta, math.sqrt(math.log(n) / squares))
        regret = float(state.regret[row, k])
        regret += 0.5 * (r - eta * r * r + (scale if eta * r > 0.5 else 0.0))
        state.squares[row, k], state.regret[row, k] = squares, regret
        state.weight[row, k] = math.log(eta * unit) + eta * regret
        best = max(best, float(state.weight[row, k]))
    total = 0.0
    for k in range(n):
        state.weight[row, k] = math.exp(float(state.weight[row, k]) - best)
        total += float(state.weight[row, k])
    for k in range(n):
        state.weight[row, k] = float(state.weight[row, k]) / total


@kernel
def power_of_two_from(value: float) -> float:
    """Return 2^⌈log₂ value⌉, exactly, and 0 for 0."""
    if value == 0.0:
        return 0.0
    part, exponent = math.frexp(value)  # value = part · 2^exponent, ½ ≤ part < 1
    return math.ldexp(1.0, exponent - 1 if part == 0.5 else exponent)
