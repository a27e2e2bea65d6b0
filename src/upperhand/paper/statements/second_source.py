"""The Gaussian law by Python's standard library, which shares no code with ours.

What is compared with a Gaussian formula comes from here: a mistake in our own quantiles or
densities would otherwise stand on both sides, and cancel.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from ...distributions import Normal
from .evidence import Array

STANDARD = NormalDist()
SOURCE = "by Python's standard library, which shares no code with ours"


def same_law(arm: Normal) -> NormalDist:
    """Return the law of an arm."""
    return NormalDist(arm.loc, arm.scale)


def upper_ends(law: NormalDist, levels: ArrayLike) -> Array:
    """Return F⁻¹(1 − β/2) at each level β: z_β for the standard law."""
    return np.array([law.inv_cdf(1 - level / 2) for level in np.ravel(levels)])


def lower_ends(law: NormalDist, levels: ArrayLike) -> Array:
    """Return F⁻¹(β/2) at each level β."""
    return np.array([law.inv_cdf(level / 2) for level in np.ravel(levels)])


def densities(law: NormalDist, points: Array) -> Array:
    """Return f at each point."""
    return np.array([law.pdf(point) for point in points])
