"""A policy's state, and views of the same arrays: interpreted code reads and writes them faster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.states import lean


class Bound:
    """What has a state of a policy, and counts of the asks under way."""

    pending: NDArray[np.int64]
    _state: Any
    _elements: bool  # whether all kernels keep to elements, so that views will do

    @property
    def state(self) -> Any:
        """The policy's state."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state
        self.bind()

    def bind(self) -> None:
        """Note where all arrays are; to be called when one of them was replaced."""
        self.lean = lean(self._state) if self._elements else self._state
        self._pending = self.pending.data

    def __getstate__(self) -> dict[str, Any]:
        return {name: each for name, each in vars(self).items() if name not in ("lean", "_pending")}

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts)
        self.bind()
