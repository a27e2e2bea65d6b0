"""A state as named arrays, to be kept in a file, and back.

Of a sorted sample only its sizes and values are kept, in ascending order: blocks and cursors are a
matter of speed, and what a file says of them would have to be checked. So is the room that there is
for more, in all that grows. So the arrays of two states that learned the same are often the same
where the states are not.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from . import decaying_samples, recent_maxima, sketches, sorted_samples
from .decaying_samples import LATE, DecayingSamples
from .recent_maxima import RecentMaxima
from .sketches import Sketches
from .sorted_samples import SortedSamples

Arrays = Mapping[str, NDArray[Any]]
ROOMY = ("values", "arrival", "weight")  # of decaying samples: as long as was needed


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
            yield from _named(_packed(part), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part


def _packed(part: Any) -> Any:
    """Return a part of a state without the room that it has for more."""
    if isinstance(part, DecayingSamples):
        return decaying_samples.packed(part)
    return recent_maxima.packed(part) if isinstance(part, RecentMaxima) else part


def from_arrays(fresh: Any, arrays: Arrays) -> Any:
    """Return the state that `to_arrays` made the arrays of; `fresh` is a state that begins.

    It has the policy's settings and as many arms as the one that was kept. What is missing, too
    much, or of another shape or type than in such a state is refused.
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
    given = {name: arrays[f"{path}.{name}"] for name in fresh._fields}
    rows, room = len(fresh.size), max(given["values"].shape[-1:], default=0)
    shapes = {name: (rows, room) if name in ROOMY else part.shape for name, part in _fields(fresh)}
    checked = {
        name: _checked(f"{path}.{name}", given[name], part.dtype, shapes[name])
        for name, part in _fields(fresh)
    }
    for name, most in (("size", room), ("late", LATE)):
        if checked[name].min() < 0 or checked[name].max() > most or room < LATE:
            raise ParameterError(
                f"{path}.{name} must be from 0 to {most}, and {path}.values {LATE} wide or more; "
                f"got {checked[name].tolist()}, and {room}."
            )
    return decaying_samples.grown(DecayingSamples(**checked))


def _restored_maxima(fresh: RecentMaxima, arrays: Arrays, path: str) -> RecentMaxima:
    given = {name: arrays[f"{path}.{name}"] for name in fresh._fields}
    arms, (rows, room) = len(fresh.begun), (*given["values"].shape, 0, 0)[1:3]
    shapes = {"values": (arms, rows, room), "numbers": (arms, rows, room), "size": (arms, rows)}
    checked = {
        name: _checked(f"{path}.{name}", given[name], part.dtype, shapes.get(name, part.shape))
        for name, part in _fields(fresh)
    }
    for name, most in (("size", room), ("begun", rows), ("most", room)):
        if min(rows, room) < 1 or checked[name].min() < 0 or checked[name].max() > most:
            raise ParameterError(
                f"{path}.{name} must be from 0 to {most}, and {path}.values not empty; got "
                f"{checked[name].tolist()}, and {rows} rows of {room}."
            )
    return recent_maxima.grown(RecentMaxima(**checked))


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


def _fields(state: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    return zip(state._fields, state, strict=True)


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
