"""What statements about several arms share: there is one at least, and one of them is meant."""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import ParameterError

Array = NDArray[np.float64]


def refuse_none(arms: Sized) -> None:
    """Refuse an instance without arms."""
    if not len(arms):
        raise ParameterError("An instance has one arm or more; got none.")


def of_arm(values: Array, arm: int) -> Array:
    """Return the values of one arm, counted from 0; arms are along the last axis."""
    column: Array = values[..., checks.integer("arm", arm, least=0, most=values.shape[-1] - 1)]
    return column
