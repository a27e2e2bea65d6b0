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
from .instances import ALPHA, Instance

MEANS = (2.1, 2.4, 1.9, 1.3, 1.1, 2.9, 1.5, 2.2, 2.6, 1.4)
SDS = (
    1.64, 2.29, 1.79, 2.67, 1.70, 1.36, 1.90, 2.19, 0.80, 0.12,
    1.65, 1.19, 1.88, 0.89, 3.35, 1.50, 2.22, 3.03, 1.08, 0.48,
)  # fmt: skip
LOG_NORMALS = ((1, 4), (1.5, 3), (2, 2), (3, 1), (3.5, 0.5))
SHAPES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)  # of generalised normal laws


def tail(exponent: float, constant: float = 1.0) -> Pareto:
    """Return the Pareto law whose tail is constant · x^(−exponent)."""
    return Pareto(constant ** (1 / exponent), exponent)


def _experiments() -> dict[str, tuple[Distribution, ...]]:
    """Return the arms by what is special about them, in the order of the article."""
    rare = Mixture([Empirical([0.0]), tail(1.1)], [0.8, 0.2])
    seven = (2.5, 2.8, 4.0, 3.0, 1.4, 1.9)
    return {
        "five Pareto arms": tuple(map(tail, (2.1, 2.3, 1.3, 1.1, 1.9))),
        "seven Pareto arms, two with the heaviest tail": (*map(tail, seven), tail(1.4, 1.1)),
        "ten exponential arms": tuple(map(Exponential, MEANS)),
        "20 Gaussian arms of mean 1": tuple(Normal(1, sd) for sd in SDS),
        "three Pareto arms": tuple(map(tail, (5, 1.1, 2))),
        "two Pareto arms, and one that is mostly 0 and has the heaviest tail": (
            tail(1.5), tail(3), rare,
        ),
        "five log-normal arms": tuple(LogNormal(mu, sigma) for mu, sigma in LOG_NORMALS),
        "eight generalised normal arms": tuple(ScipyLaw("gennorm", (beta,)) for beta in SHAPES),
    }  # fmt: skip


EXTREMES = tuple(
    Instance(f"extreme-{place}", arms, ALPHA, note)
    for place, (note, arms) in enumerate(_experiments().items(), 1)
)


def best_by_draws(arms: Sequence[Distribution], most: int) -> NDArray[np.int64]:
    """Return the best arm under the best of N, for N = 1, …, most: (most,)."""
    levels = np.exp2(-1.0 / np.arange(1, most + 1))
    values = np.array([arm.quantile(levels) for arm in arms])
    gaps = gaps_of(values.T, [arm.magnitude for arm in arms])
    return np.asarray(gaps.argmin(axis=1))


def draws_needed(arms: Sequence[Distribution], rounds: int) -> tuple[int, int]:
    """Return the arm that is best for the maximum of so many rounds, and the N that shows it.

    That arm has the highest median of its maximum of all rounds. From that N on it is the best one
    under the best of N also, up to the number of rounds.

    >>> arms = EXTREMES[5].arms
    >>> draws_needed(arms, 10_000)  # the tails of arms 1 and 3 cross far out
    (2, 290)
    """
    best = best_by_draws(arms, rounds)
    others = np.flatnonzero(best != best[-1])
    return int(best[-1]), int(others[-1]) + 2 if len(others) else 1
