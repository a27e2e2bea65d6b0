"""The samples of K arms, whichever kind they are: all values in order, or sketches of them.

What follows depends on the kind, which compiled code knows from the type. Policies that offer both
import from here, and the module of each kind has functions of these names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import sketches, sorted_samples
from .compile import owners_kernel
from .sketches import Sketches
from .sorted_samples import SortedSamples

Samples = SortedSamples | Sketches

for _kind, _functions in ((SortedSamples, sorted_samples), (Sketches, sketches)):
    _kind.owner, _kind.functions = _kind, _functions  # type: ignore[union-attr]


def empty(arms: int, room: int = 0, sketch: int = 0) -> Any:
    """Return samples without values.

    They keep all that comes, and have room for about `room` values in all; or, with `sketch`, they
    keep fewer than so many values of each arm.
    """
    return sketches.empty(arms, sketch) if sketch > 0 else sorted_samples.empty(arms, room)


@owners_kernel
def insert(samples: Any, arm: int, value: float) -> None:
    """Put `value` into the arm's sample. Needs room: not `full(samples, arm)`."""
    samples.owner.functions.insert(samples, arm, value)


@owners_kernel
def remove(samples: Any, arm: int, value: float) -> bool:
    """Take one `value` out of the arm's sample; return whether it was there, and can be."""
    return bool(samples.owner.functions.remove(samples, arm, value))


@owners_kernel
def full(samples: Any, arm: int) -> bool:
    """Tell whether the arm's next value could fail to find room."""
    return bool(samples.owner.functions.full(samples, arm))


@owners_kernel
def value_at(samples: Any, arm: int, cursor: int, rank: int) -> float:
    """Return the rank-th smallest value of the arm (1-based), or what stands for it."""
    value: float = samples.owner.functions.value_at(samples, arm, cursor, rank)
    return value


@owners_kernel
def count_at_most(samples: Any, arm: int, cursor: int, value: float) -> int:
    """Return how many of the arm's values are at most `value`, as far as that is known."""
    count: int = samples.owner.functions.count_at_most(samples, arm, cursor, value)
    return count


def values_of(samples: Samples, arm: int) -> NDArray[np.float64]:
    """Return the arm's values in ascending order, or what stands for each of them."""
    values: NDArray[np.float64] = samples.owner.functions.values_of(samples, arm)  # type: ignore[union-attr]
    return values
