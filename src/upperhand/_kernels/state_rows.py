"""States made from states: fewer arms, more arms, other samples.

A state is a tuple of arrays, some of which are tuples themselves. An array with a row for each arm
is told by its length, K: there are always two arms or more, so what is not of the arms, an array of
length 1, is not taken for it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from . import sorted_samples
from .samples import values_of
from .sketches import Sketches
from .sorted_samples import SortedSamples


def rows(state: Any, arms: Sequence[int]) -> Any:
    """Return the state of these arms alone, in this order, to be chosen from and thrown away.

    Samples are shared with the state, and what is remembered of each arm is copied: a choice leaves
    the state as it is.
    """
    k = len(state.pulls)
    bounds = np.array([*arms, k], np.intp)
    return _rows(state, bounds[:-1], bounds, k)


def _rows(part: Any, arms: NDArray[np.intp], bounds: NDArray[np.intp], k: int) -> Any:
    if isinstance(part, SortedSamples):
        return part._replace(
            start=part.start[bounds],
            blocks=part.blocks[arms],
            size=part.size[arms],
            place=part.place[arms],
            held=part.held[arms],
            before=part.before[arms],
        )
    if isinstance(part, Sketches):
        of_arms = ("row", "kept", "size", "coarse")
        return part._replace(**{name: getattr(part, name)[arms] for name in of_arms})
    if isinstance(part, tuple):
        parts = [_rows(each, arms, bounds, k) for each in part]
        return part._make(parts)  # type: ignore[attr-defined]
    return part[arms] if len(part) == k else part.copy()


def widened(state: Any, fresh: Any) -> Any:
    """Return the state with more arms at its end: those of `fresh`, a state that begins.

    What `fresh` has more of, it has for the arms that come: the first rows are replaced by those of
    the state. The state itself is not to be used any more.
    """
    if isinstance(state, SortedSamples):
        return _widened_samples(state, len(fresh.size))
    if isinstance(state, tuple):
        parts = [widened(old, new) for old, new in zip(state, fresh, strict=True)]
        return state._make(parts)  # type: ignore[attr-defined]
    if state.shape[0] == fresh.shape[0]:
        return state  # not of the arms
    shape = (fresh.shape[0], *np.maximum(state.shape[1:], fresh.shape[1:]))
    larger = np.zeros(shape, state.dtype)
    larger[tuple(map(slice, fresh.shape))] = fresh
    larger[tuple(map(slice, state.shape))] = state
    return larger


def _widened_samples(samples: SortedSamples, arms: int) -> SortedSamples:
    """Return the samples with more arms, each with a part of the directory and no values."""
    more = arms - len(samples.size)
    new = sorted_samples.empty(more)
    of_arms = ("blocks", "size", "place", "held", "before")
    whole = (*of_arms, "order", "top", "fill")
    start = np.append(samples.start, new.start[1:] + samples.start[-1]).astype(np.uint32)
    joined = {name: np.concatenate([getattr(samples, name), getattr(new, name)]) for name in whole}
    return samples._replace(start=start, **joined)


def with_samples(
    parameters: Any, functions: Any, state: Any, samples: Mapping[int, NDArray[np.float64]]
) -> Any:
    """Return a state of its own in which these arms have other samples, given in ascending order.

    All that follows from a sample is computed anew by `refresh`; what does not, such as a level
    that adapts, stays. The state is to be chosen from and thrown away.
    """
    if functions.refresh is None:
        raise ParameterError(
            "This policy keeps more of an arm than follows from its sorted rewards, so samples "
            "cannot be replaced. Choose another, such as KLQUCB()."
        )
    arms = range(len(state.pulls))
    kept = state.samples
    all_values = [samples[arm] if arm in samples else values_of(kept, arm) for arm in arms]
    made = copied(state._replace(samples=()))._replace(samples=sorted_samples.of(all_values))
    for arm, values in samples.items():
        made.pulls[arm] = len(values)
        functions.refresh(parameters, made, arm)
    return made


def copied(state: Any) -> Any:
    """Return a state of its own that is equal."""
    if isinstance(state, tuple):
        parts = [copied(part) for part in state]
        return state._make(parts) if hasattr(state, "_make") else tuple(parts)
    return state.copy()


def overwrite(state: Any, by: Any) -> None:
    """Let the arrays of a state hold what those of another hold, of the same shapes."""
    if isinstance(state, tuple):
        for part, given in zip(state, by, strict=True):
            overwrite(part, given)
    else:
        state[...] = by
