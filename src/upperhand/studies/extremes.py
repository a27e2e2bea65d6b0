"""Published instances where one looks for the largest reward, and from which N on quantiles agree.

Experiments 1 to 8 of D. Baudry, Y. Russac, E. Kaufmann, "Efficient algorithms for extreme bandits",
AISTATS 2022; the numbers are those of the authors' program, which the README there calls xp1 to xp8
(github.com/ExtremeBandits/ExtremeBandits_submission). It gives a Pareto arm by the exponent λ and a
constant C of its tail C x^(−λ), and exponential arms by their means.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..distributions import (
    Distribution,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    Pareto,
    ScipyLaw,
)
from ..objectives.gaps import gaps_of
from .instances import ALPHA, EXTREME_NAMES, Instance

FIRST, SECOND, FIFTH = (2.1, 2.3, 1.3, 1.1, 1.9), (2.5, 2.8, 4, 3, 1.4, 1.9, 1.4), (5, 1.1, 2)
MORE = 1.1  # times the tail of another arm with the same exponent has the last one of experiment 2
MEANS = (2.1, 2.4, 1.9, 1.3, 1.1, 2.9, 1.5, 2.2, 2.6, 1.4)
SDS = (
    1.64, 2.29, 1.79, 2.67, 1.70, 1.36, 1.90, 2.19, 0.80, 0.12,
    1.65, 1.19, 1.88, 0.89, 3.35, 1.50, 2.22, 3.03, 1.08, 0.48,
)  # fmt: skip
LOG_NORMALS = ((1, 4), (1.5, 3), (2, 2), (3, 1), (3.5, 0.5))
SHAPES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)


def tail(exponent: float, constant: float = 1.0) -> Pareto:
    """Return the Pareto law whose tail is constant · x^(−exponent)."""
    return Pareto(constant ** (1 / exponent), exponent)


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _experiments() -> dict[str, tuple[Distribution, ...]]:
    """Return the arms by what they are in words, in the order of the article."""
    pairs = ", ".join(f"({mu:g}, {sigma:g})" for mu, sigma in LOG_NORMALS)
    rare = Mixture([Empirical([0.0]), tail(1.1)], [0.8, 0.2])
    return {
        f"Pareto arms, exponents {_listed(FIRST)}": tuple(map(tail, FIRST)),
        f"Pareto arms, exponents {_listed(SECOND)}; the last tail is {MORE:g} times the fifth's": (
            *map(tail, SECOND[:-1]), tail(SECOND[-1], MORE),
        ),
        f"exponential arms, means {_listed(MEANS)}": tuple(map(Exponential, MEANS)),
        f"Gaussian arms of mean 1, standard deviations {_listed(SDS)}": tuple(
            Normal(1, sd) for sd in SDS
        ),
        f"Pareto arms, exponents {_listed(FIFTH)}": tuple(map(tail, FIFTH)),
        "Pareto arms, exponents 1.5, 3; and one that is 0 with 80 %, or Pareto with exponent 1.1": (
            tail(1.5), tail(3), rare,
        ),
        f"log-normal arms, (μ, σ) = {pairs}": tuple(LogNormal(*pair) for pair in LOG_NORMALS),
        f"generalised normal arms, shapes {_listed(SHAPES)}": tuple(
            ScipyLaw("gennorm", (shape,)) for shape in SHAPES
        ),
    }  # fmt: skip


EXPERIMENTS = tuple(
    Instance(name, arms, ALPHA, note)
    for name, (note, arms) in zip(EXTREME_NAMES, _experiments().items(), strict=True)
)


def best_by_draws(arms: Sequence[Distribution], most: int) -> NDArray[np.bool_]:
    """Tell which arms no other beats under the best of N, for N = 1, …, most: (most, K)."""
    levels = np.exp2(-1.0 / np.arange(1, most + 1))
    values = np.array([arm.quantile(levels) for arm in arms])
    return np.equal(gaps_of(values.T, [arm.magnitude for arm in arms]), 0.0)


def draws_needed(arms: Sequence[Distribution], rounds: int) -> tuple[int, int]:
    """Return the arm that is best for the maximum of so many rounds, and the N that shows it.

    That arm has the highest median of its maximum of all rounds. From that N on it is the best one
    under the best of N also, up to the number of rounds, and no arm that is worse in the end ties
    with it.

    >>> arms = EXPERIMENTS[5].arms
    >>> draws_needed(arms, 10_000)  # the tails of arms 1 and 3 cross far out
    (2, 290)
    """
    best = best_by_draws(arms, rounds)
    wrong = np.flatnonzero((best & ~best[-1]).any(axis=1))
    return int(best[-1].argmax()), int(wrong[-1]) + 2 if len(wrong) else 1
