"""States made from states: fewer arms, more arms, other samples, more capacity, arrays and back.

A state is a tuple of arrays, some of which are tuples themselves. An array with a row for each arm
is recognised by its length, K: there are always two arms or more, so an array of length 1 does not
belong to arms.

`to_arrays` names the arrays of a state for a file, and `from_arrays` reads them back. Of a sorted
sample only its sizes and its values in ascending order are kept: blocks and cursors are a matter of
speed, and would have to be checked when read. The same holds for unused capacity. So the arrays of
two states that learned the same are often equal where the states are not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from . import decaying_samples, extremes, sketches, sorted_samples
from .decaying_samples import LATE, DecayingSamples
from .extremes import RecentMaxima
from .samples import values_of
from .sketches import Sketches
from .sorted_samples import SortedSamples

Arrays = Mapping[str, NDArray[Any]]
CURSOR_FIELDS = ("cursor_position", "cursor_block", "cursor_rank")  # of sorted samples
OF_ARMS: dict[type, tuple[str, ...]] = {  # arrays with a row for each arm
    SortedSamples: ("blocks", "size", *CURSOR_FIELDS),
    Sketches: ("row", "kept", "size", "coarse"),
}
GROWN: dict[type, Callable[[Any], Any]] = {  # returns the same with more capacity
    SortedSamples: sorted_samples.grown,
    DecayingSamples: decaying_samples.grown,
    RecentMaxima: extremes.grown,
}
PACKED: dict[type, Callable[[Any], Any]] = {  # returns the same without unused capacity
    DecayingSamples: decaying_samples.packed,
    RecentMaxima: extremes.packed,
}


def rows(state: Any, arms: Sequence[int]) -> Any:
    """Return the state of these arms alone, in this order, for one choice.

    Samples are shared with the state, and the other arrays are copied: a choice does not change the
    state.
    """
    k = len(state.pulls)
    bounds = np.array([*arms, k], np.intp)
    return _rows(state, bounds[:-1], bounds, k)


def _rows(part: Any, arms: NDArray[np.intp], bounds: NDArray[np.intp], k: int) -> Any:
    if isinstance(part, SortedSamples | Sketches):
        chosen = {name: getattr(part, name)[arms] for name in OF_ARMS[type(part)]}
        if isinstance(part, SortedSamples):
            chosen["start"] = part.start[bounds]
        return part._replace(**chosen)
    if isinstance(part, tuple):
        parts = [_rows(each, arms, bounds, k) for each in part]
        return part._make(parts)  # type: ignore[attr-defined]
    return part[arms] if len(part) == k else part.copy()


def widened(state: Any, fresh: Any) -> Any:
    """Return the state with more arms at its end: those of `fresh`, a new state.

    The first rows of `fresh` are replaced by those of the state, which must not be used any more.
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
    whole = (*OF_ARMS[SortedSamples], "order", "top", "fill")
    start = np.append(samples.start, new.start[1:] + samples.start[-1]).astype(np.uint32)
    joined = {name: np.concatenate([getattr(samples, name), getattr(new, name)]) for name in whole}
    return samples._replace(start=start, **joined)


def with_samples(
    parameters: Any, functions: Any, state: Any, samples: Mapping[int, NDArray[np.float64]]
) -> Any:
    """Return a copy of the state for one choice, with other samples for these arms, ascending.

    `refresh` recomputes all that follows from a sample. What does not, such as a level that adapts,
    stays.
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
    if isinstance(state, tuple):
        parts = [copied(part) for part in state]
        return state._make(parts) if hasattr(state, "_make") else tuple(parts)
    return state.copy()


def overwrite(state: Any, by: Any) -> None:
    """Copy the contents of another state's arrays, of the same shapes, into those of a state."""
    if isinstance(state, tuple):
        for part, given in zip(state, by, strict=True):
            overwrite(part, given)
    else:
        state[...] = by


def grow(state: Any) -> Any:
    """Return the same state with more capacity in each of its samples."""
    if type(state) in GROWN:
        return GROWN[type(state)](state)
    return type(state)(*map(grow, state)) if isinstance(state, tuple) else state


def lean(state: Any) -> Any:
    """Return the same state, with memory views for the arrays that kernels read by element.

    An element of a NumPy array comes as one of NumPy's own scalars, which costs 60 to 100 ns to get
    and to turn into a plain number. A memory view of the same array gives a plain one in half of
    that. Kernels use elements and nothing else, so they do not see the difference. Of arrays with
    rows, which a view cannot give, only the cursors of sorted samples are views.
    """
    if isinstance(state, SortedSamples):
        cursors = {name: getattr(state, name).data for name in CURSOR_FIELDS}
        return SortedSamples(*map(lean, state))._replace(**cursors)
    if isinstance(state, tuple):
        return state._make(map(lean, state)) if hasattr(state, "_make") else tuple(map(lean, state))
    return state.data if state.ndim == 1 else state


def reads_elements(*things: Any) -> bool:
    """Tell whether all functions and classes among these are the package's: they use elements only.

    Users' functions may call methods of arrays when interpreted, whatever the contract says.
    """
    package = __name__.partition(".")[0] + "."
    return all(each.__module__.startswith(package) for each in things if callable(each))


def to_arrays(state: Any) -> dict[str, NDArray[Any]]:
    """Return copies of the state's arrays; a dot stands between the name of a part and theirs."""
    return {name: np.array(array) for name, array in _named(state, "")}


def _named(state: Any, prefix: str) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, part in zip(state._fields, state, strict=True):
        if isinstance(part, SortedSamples):
            arms = range(len(part.size))
            yield f"{prefix}{name}.size", part.size
            values = [sorted_samples.values_of(part, arm) for arm in arms]
            yield f"{prefix}{name}.values", np.concatenate(values)
        elif isinstance(part, tuple):
            packed = PACKED[type(part)](part) if type(part) in PACKED else part
            yield from _named(packed, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part


def from_arrays(fresh: Any, arrays: Arrays) -> Any:
    """Return the state that `to_arrays` made the arrays of.

    `fresh` is a new state with the policy's settings and as many arms. Arrays that are missing,
    superfluous, or of another shape or type than in such a state are refused.
    """
    wanted, given = {name for name, _ in _named(fresh, "")}, set(arrays)
    if wanted != given:
        raise ParameterError(
            "These are not the arrays of such a state"
            f"{_listed('; missing: ', wanted - given)}{_listed('; too much: ', given - wanted)}. "
            "Give those that were kept, all of them, and the same policy."
        )
    state = _restored(fresh, arrays, "")
    if hasattr(state, "samples") and not np.array_equal(state.samples.size, state.pulls):
        raise ParameterError(
            f"samples.size and pulls count the same rewards; got {state.samples.size.tolist()} and "
            f"{state.pulls.tolist()}. Give the arrays of one state."
        )
    return state


def _restored(fresh: Any, arrays: Arrays, prefix: str) -> Any:
    parts: list[Any] = []
    for name, part in zip(fresh._fields, fresh, strict=True):
        path = f"{prefix}{name}"
        if type(part) in RESTORED:
            parts.append(RESTORED[type(part)](part, arrays, path))
        elif isinstance(part, tuple):
            parts.append(_restored(part, arrays, f"{path}."))
        else:
            parts.append(_checked(path, arrays[path], part.dtype, part.shape))
    return fresh._make(parts)


def _restored_samples(fresh: SortedSamples, arrays: Arrays, path: str) -> SortedSamples:
    sizes = _checked(f"{path}.size", arrays[f"{path}.size"], fresh.size.dtype, fresh.size.shape)
    values = arrays[f"{path}.values"]
    if sizes.min() < 0:
        raise ParameterError(f"{path}.size must not be negative; got {sizes.min()}.")
    values = _checked(f"{path}.values", values, np.dtype(np.float64), (int(sizes.sum()),))
    samples = np.split(values, np.cumsum(sizes)[:-1])
    if not all((each[1:] >= each[:-1]).all() and not np.isnan(each).any() for each in samples):
        raise ParameterError(f"{path}.values must ascend within each arm, and be numbers.")
    return sorted_samples.of(samples)


def _restored_decaying(fresh: DecayingSamples, arrays: Arrays, path: str) -> DecayingSamples:
    width = max(arrays[f"{path}.values"].shape[-1:], default=0)
    shapes = dict.fromkeys(("values", "arrival", "weight"), (len(fresh.size), width))
    limits = {"size": width, "late": LATE}
    return _restored_growing(fresh, arrays, path, shapes, limits, least=LATE)


def _restored_maxima(fresh: RecentMaxima, arrays: Arrays, path: str) -> RecentMaxima:
    arms, (rows, width) = len(fresh.begun), (*arrays[f"{path}.values"].shape, 0, 0)[1:3]
    shapes = {"values": (arms, rows, width), "numbers": (arms, rows, width), "size": (arms, rows)}
    limits = {"size": width, "begun": rows, "most": width}
    return _restored_growing(fresh, arrays, path, shapes, limits, least=1)


def _restored_growing(
    fresh: Any,
    arrays: Arrays,
    path: str,
    shapes: Mapping[str, tuple[int, ...]],  # of the arrays that are as large as was needed
    limits: Mapping[str, int],  # the largest counts
    least: int,  # of `values`, in every direction
) -> Any:
    """Return samples that grow, with their counts checked."""
    given = {name: (arrays[f"{path}.{name}"], getattr(fresh, name)) for name in fresh._fields}
    samples = fresh._make(
        _checked(f"{path}.{name}", array, part.dtype, shapes.get(name, part.shape))
        for name, (array, part) in given.items()
    )
    for name, most in limits.items():
        counts, shape = getattr(samples, name), samples.values.shape
        if min(shape[1:]) < least or counts.min() < 0 or counts.max() > most:
            raise ParameterError(
                f"{path}.{name} must be from 0 to {most}, and {path}.values {least} wide or more; "
                f"got {counts.tolist()}, and the shape {shape}."
            )
    return GROWN[type(fresh)](samples)


def _restored_sketches(fresh: Sketches, arrays: Arrays, path: str) -> Sketches:
    made: Sketches = _restored(fresh, arrays, f"{path}.")
    if not all(sketches.sound(made, arm) for arm in range(len(made.size))):
        raise ParameterError(
            f"{path} are no sketches: what is kept must ascend, in values and in ranks, up to the "
            "size. Give the arrays of one state."
        )
    return made


RESTORED: dict[type, Callable[[Any, Arrays, str], Any]] = {
    SortedSamples: _restored_samples,
    DecayingSamples: _restored_decaying,
    RecentMaxima: _restored_maxima,
    Sketches: _restored_sketches,
}


def _checked(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a copy of the array if its type and shape are these; refuse it if not."""
    given = np.asarray(array)
    if given.dtype != dtype or given.shape != shape:
        raise ParameterError(
            f"{name} must be of type {dtype} and shape {shape}; got {given.dtype} and "
            f"{given.shape}. Give the arrays of a state of the same policy, with as many arms."
        )
    return np.array(given)


def _listed(before: str, names: set[str]) -> str:
    return before + ", ".join(sorted(names)) if names else ""
