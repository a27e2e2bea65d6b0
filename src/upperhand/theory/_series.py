"""What is left of the sums in Theorems Q1 to Q3 after s = S terms; at S = 0, their closed forms.

Each function returns an upper bound of what the terms s > S add up to, for arrays of p or q.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Where r lies between τ and p, densest near the ends: each r gives a bound, the best one is taken.
WAYS = np.concatenate([np.sin(np.linspace(0.02, np.pi / 2, 96)[:-1]) ** 2, [0.9999, 0.999999, 1.0]])


def divergences(p: Array, q: Array | float) -> Array:
    """Return kl(p, q) for arrays, with the digits of `_kernels.divergence.bernoulli_kl`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            np.where(x > 0, x * np.log1p(np.maximum(difference / y, -1.0)), 0.0)
            for x, y, difference in ((p, q, p - q), (1.0 - p, 1.0 - np.asarray(q), q - p))
        ]
    return np.maximum(np.where(p == q, 0.0, parts[0] + parts[1]), 0.0)


class PullsOfTheWorse(NamedTuple):
    """The first sums: Σ P(s kl⁺(Bin(s, p)/s, τ) ≤ budget), and that of Quantile-TS."""

    p: Array  # (Q, 1)
    to_tau: Array  # (Q, R) kl(r, τ)
    to_p: Array  # (Q, R) kl(r, p); ∞ if p = 1, as no share is below r then

    @classmethod
    def of(cls, p: Array, tau: float) -> "PullsOfTheWorse":
        """Choose the r between τ and p."""
        column = p[:, None]
        r = tau + (column - tau) * WAYS
        to_p = np.where(column == 1.0, np.inf, divergences(r, column))
        return cls(column, divergences(r, tau), to_p)

    def left(self, after: int, budget: float, *, by_rounds: bool = False, times: int = 1) -> Array:
        """Return max(0, budget / kl(r, τ) − S) + Σ_{s>S} e^(−s kl(r, p)), at the best r (1').

        The terms of the second sum may count several times (Theorem Q7). For Quantile-TS, the
        rounds in which a draw reaches u although F̂ ≥ r are counted too: n e^(−S kl(r, τ)) of them,
        and at most 1 (3').
        """
        with np.errstate(divide="ignore", over="ignore"):
            certain = np.maximum(0.0, budget / self.to_tau - after)
            lucky = np.exp(-(after + 1.0) * self.to_p) / -np.expm1(-self.to_p)
        drawn = np.exp(np.minimum(0.0, budget - after * self.to_tau)) if by_rounds else 0.0
        best: Array = np.min(certain + times * lucky + drawn, axis=1)
        return best

    def take(self, kept: NDArray[np.bool_]) -> "PullsOfTheWorse":
        """Return those of some p."""
        return PullsOfTheWorse(*(each[kept] for each in self))


def low_best_left(q: Array, tau: float, after: int, *, squared: bool = False) -> Array:
    """Return Σ_{s>S} A_s x^s of Lemma 2, or, squared, Σ s A_s x^s: (1') and (2').

    x = e^(−kl(τ, q)), and A_s = min{s(1−τ) + 1, 1/(1−ρ)} with 1/(1−ρ) = τ(1−q)/(τ−q).
    """
    divergence = divergences(np.full_like(q, tau), q)
    x, rest, first = np.exp(-divergence), -np.expm1(-divergence), after + 1.0
    with np.errstate(divide="ignore"):  # q may be τ but for a hair: infinite then
        lead = np.exp(-first * divergence) / rest  # Σ x^s
        linear = lead * (first + x / rest)  # Σ s x^s
        square = lead * (first * first + (2.0 * first + (1.0 + x) / rest) * x / rest)  # Σ s² x^s
        steep = tau * (1.0 - q) / (tau - q)
    low, high = (linear, square) if squared else (lead, linear)
    found: Array = np.minimum((1.0 - tau) * high + low, steep * low)
    return found


def few_drawn_left(q: Array, tau: float, after: int) -> Array:
    """Return Σ_{s>S} 2 y^s, y = (√(qτ) + √((1−q)(1−τ)))², of (3')."""
    # 1 − √y is half the squared distance of the roots: the digits of 1 − y where q is near τ.
    distance = np.square(np.sqrt(q) - np.sqrt(tau)) + np.square(np.sqrt(1 - q) - np.sqrt(1 - tau))
    rest = distance / 2.0 * (2.0 - distance / 2.0)
    with np.errstate(divide="ignore"):
        found: Array = 2.0 * np.exp((after + 1.0) * np.log1p(-rest)) / rest
    return found
