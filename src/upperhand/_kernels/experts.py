"""BOA, Bernstein online aggregation: a mixture of experts with learned weights.

O. Wintenberger, "Optimal learning with Bernstein online aggregation", Machine Learning 106:119–141,
2017, in the form of the R package opera 1.1.1 (June 2021), read in its source. With linearised
losses, g being a subgradient of the loss at the mixture f̄, expert k of n has the regret

    r_k = g (f̄ − f_k),   B_k = max |r_k|,   V_k = Σ r_k²,   both with the newest r_k,
    η_k = min{1/(2 B_k), √(ln n / V_k)},   R_k += r_k − η_k r_k²,
    w_k ∝ exp(η_k R_k),   from n equal weights on.

This is what the authors of AgACI ran. Fed with their experts' stored ends it gives the ends that
they stored, in all 2,500 runs of their simulations, to 5e-10 (checked once; the files are not
here). The rules of opera 1.2.0 to 1.2.2 differ, and are far off on these files. One rule of 1.1.1
is left out: while an expert's regrets are all exactly 0, it adds r_k to all R_k, without η_k r_k².

The unit makes no difference: a factor of 2^j leaves the weights as they are, to the bit. O(n) an
outcome.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel

TINY = 1e-280  # regrets below this are none: 1/B would overflow


class Aggregation(NamedTuple):
    """What BOA remembers, for each row of n experts."""

    weight: NDArray[np.float64]  # (rows, n) they sum to 1
    largest: NDArray[np.float64]  # (rows, n) B
    squares: NDArray[np.float64]  # (rows, n) V
    regret: NDArray[np.float64]  # (rows, n) R


def equal_weights(rows: int, experts: int) -> Aggregation:
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
    n, best = values.shape[1], -math.inf
    for k in range(n):
        r, eta = slope * (mixed - float(values[source, k])), 0.0
        largest = max(float(state.largest[row, k]), abs(r))
        squares = float(state.squares[row, k]) + r * r
        if largest > TINY:
            eta = 0.5 / largest
        if squares > 0.0:
            eta = min(eta, math.sqrt(math.log(n) / squares))
        regret = float(state.regret[row, k]) + r - eta * r * r
        state.largest[row, k], state.squares[row, k] = largest, squares
        state.regret[row, k], state.weight[row, k] = regret, eta * regret
        best = max(best, eta * regret)
    total = 0.0
    for k in range(n):  # less the largest: none overflows, and not all vanish
        state.weight[row, k] = math.exp(float(state.weight[row, k]) - best)
        total += float(state.weight[row, k])
    for k in range(n):
        state.weight[row, k] = float(state.weight[row, k]) / total
