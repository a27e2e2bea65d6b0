"""Gaps between arms, and the one rule of what counts as a tie.

Two values tie if they differ by no more than computing them may round. A value is often a sum such
as loc + scale·q or μ + κσ, so that its error is some ulps of the larger term, not of the sum. The
rule looks at the two arms alone: a third one at −1e13 ties nobody. It is as small as it can be:
N(1e12, 0.001²) and N(1e12 + 0.01, 0.001²) are ten standard deviations apart, and must differ.
Whoever asks for gaps, for the best arm or for a unique one asks here: there is one answer.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROUNDING = 2.0**-48  # 16 ulps; one law written in two ways, as t and SciPy's t, differs by up to 11


def best_of(gaps: NDArray[np.float64]) -> list[int]:
    """Return every arm that no other beats."""
    best: list[int] = np.flatnonzero(gaps == 0).tolist()
    return best


def gaps_of(values: NDArray[np.float64], terms: ArrayLike = 0.0) -> NDArray[np.float64]:
    """Return how far each arm's value falls short of the best one, 0 for a tie.

    The arms are along the last axis; `terms` are locations, or others that a value is the sum of.
    """
    sizes = np.maximum(np.abs(values), np.abs(terms))
    best = values.argmax(axis=-1, keepdims=True)
    gaps = np.take_along_axis(values, best, axis=-1) - values
    apart = gaps > ROUNDING * np.maximum(sizes, np.take_along_axis(sizes, best, axis=-1))
    return np.where(apart, gaps, 0.0)
