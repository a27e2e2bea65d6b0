"""What statements about several arms share: there is one at least, and one of them is meant."""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import ParameterError

Array = NDArray[np.float64]

ROUNDING = 1e-13  # of a value: 0.3 and 0.1 + 0.2 are the same mean


def refuse_none(arms: Sized) -> None:
    """Refuse an instance without arms."""
    if not len(arms):
        raise ParameterError("An instance has one arm or more; got none.")


def gaps_of(values: Array) -> Array:
    """Return how far each arm's value falls short of the best one; rounding is no gap."""
    gaps: Array = values.max() - values
    return np.where(gaps > ROUNDING * np.abs(values).max(), gaps, 0.0)


def of_arm(values: Array, arm: int) -> Array:
    """Return the values of one arm, counted from 0; arms are along the last axis."""
    column: Array = values[..., checks.integer("arm", arm, least=0, most=values.shape[-1] - 1)]
    return column
