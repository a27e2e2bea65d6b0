"""What statements about several arms share: there is one at least, and one of them is meant."""

import reprlib
from collections.abc import Sequence, Sized

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..errors import ParameterError

Array = NDArray[np.float64]


def law(arm: object) -> Distribution:
    """Return the arm if it is a law; refuse anything else."""
    if isinstance(arm, Distribution):
        return arm
    raise ParameterError(f"An arm is a law, such as Normal(0, 1); got {reprlib.repr(arm)}.")


def laws(arms: Sequence[Distribution]) -> Sequence[Distribution]:
    """Return the arms if they are one law or more, in an order; refuse anything else."""
    if not isinstance(arms, Sequence) or isinstance(arms, str):
        raise ParameterError(f"The arms are a list of laws; got {reprlib.repr(arms)}.")
    refuse_none(arms)
    return [law(arm) for arm in arms]


def refuse_none(arms: Sized) -> None:
    """Refuse an instance without arms."""
    if not len(arms):
        raise ParameterError("An instance has one arm or more; got none.")


def of_arm(values: Array, arm: int) -> Array:
    """Return the values of one arm, counted from 0; arms are along the last axis."""
    column: Array = values[..., checks.integer("arm", arm, least=0, most=values.shape[-1] - 1)]
    return column
