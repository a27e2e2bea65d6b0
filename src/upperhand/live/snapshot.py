"""A state as bytes: arrays and JSON, no pickle. A cache: what cannot be read is made anew."""

import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from .._kernels.samples import OrderState
from .._kernels.sorted_samples import SortedSamples
from .._kernels.states import from_arrays, to_arrays
from ..errors import ParameterError
from .best import Best
from .learner import Learner
from .settings import Settings, numbered
from .state import ExperimentState, Pending

FORMAT = 3  # of these bytes, as the version is that of the last release while there is a next one
Arrays = dict[str, NDArray[Any]]
COUNTS = ("pending", "learned", "failures", "judged", "covered")
LISTED = ("learned",)
SUMS = ("under_way", "remembered", "failed", "cut", "outcomes", "asks")
PLAIN = ("n", "at", "arms", "labels", "pinned", "least", "counts", "copied")


def to_bytes(state: ExperimentState) -> bytes:
    """Return a state as bytes."""
    arrays: Arrays = {"about": _text(_about(state))}
    for name in ("pending", "released"):
        asks: dict[int, Pending] = getattr(state, name)
        arrays[f"{name}.trial"] = np.array(list(asks), np.int64)
        arrays[f"{name}.place"] = np.array([ask[:2] for ask in asks.values()], np.int64)
        arrays[f"{name}.at"] = np.array([ask.at for ask in asks.values()])
    for segment, learner in enumerate(state.learners):
        arrays |= {f"{segment}/{name}": array for name, array in _of_learner(learner).items()}
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def from_bytes(data: bytes, settings: Settings) -> ExperimentState:
    """Return the state that bytes hold; a `ParameterError` if they do not."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return _state_of({name: file[name] for name in file.files}, settings)
    except Exception as error:  # damage shows in many ways: an archive that seems encrypted, …
        raise ParameterError(f"The snapshot cannot be read: {error}.") from error


def _about(state: ExperimentState) -> dict[str, Any]:
    return {
        "version": [__version__, FORMAT],
        "settings": state.settings.to_json(),
        "retired": sorted(state.retired),
        "epochs": list(state.epochs.items()),
        "shares": list(state.shares.items()),
        "looks": [[segment, *look] for segment, look in state.looks.items()],
        "look_at": [learner.look_at for learner in state.learners],
        "corrections": [[trial, *what] for trial, what in state.corrections.items()],
        "keys": [[trial, ask.key] for trial, ask in state.pending.items() if ask.key is not None],
        **{name: getattr(state, name) for name in PLAIN},
    }


def _state_of(arrays: Arrays, settings: Settings) -> ExperimentState:
    about = json.loads(arrays["about"].tobytes())
    if (about["version"], about["settings"]) != ([__version__, FORMAT], settings.to_json()):
        raise ParameterError("The snapshot is of another version, or of other settings.")
    corrections = {trial: (kind, value) for trial, kind, value in about["corrections"]}
    state = ExperimentState(settings, corrections)
    for name in PLAIN:
        setattr(state, name, about[name])
    state.numbers = numbered(state.arms)
    state.retired = set(about["retired"])
    state.epochs = dict(about["epochs"])
    state.shares = dict(about["shares"])
    keys = dict(about["keys"])
    for name in ("pending", "released"):
        columns = (arrays[f"{name}.{part}"].tolist() for part in ("trial", "place", "at"))
        asks = {
            trial: Pending(segment, arm, at, keys.get(trial) if name == "pending" else None)
            for trial, (segment, arm), at in zip(*columns, strict=True)
        }
        setattr(state, name, asks)
    for trial, key in keys.items():
        state.sticky.setdefault((state.pending[trial].segment, key), []).append(trial)
    state.list_active()
    state.looks = {segment: Best._make(look) for segment, *look in about["looks"]}
    state.learners = [
        _learner(settings, len(state.arms), _under(arrays, f"{segment}/"))
        for segment in range(len(state.labels))
    ]
    for learner, look_at in zip(state.learners, about["look_at"], strict=True):
        learner.look_at = look_at
    return state


def _of_learner(learner: Learner) -> Arrays:
    arrays = {f"state.{name}": array for name, array in to_arrays(learner.state).items()}
    if learner.own is not None:
        own = to_arrays(kept(learner.own))
        arrays |= {f"own.{name}": array for name, array in own.items()}
    arrays |= {name: np.array(getattr(learner, name), np.int64) for name in COUNTS}
    arrays["sums"] = np.array([getattr(learner, name) for name in SUMS], np.int64)
    arrays["cuts"] = np.array([(arm, cut) for arm, cuts in enumerate(learner.cuts) for cut in cuts])
    due = [(place, *entry) for place, heap in enumerate(learner.due) for entry in heap]
    arrays["due"] = np.array(due, np.float64)
    return arrays


def _learner(settings: Settings, arms: int, arrays: Arrays) -> Learner:
    learner = Learner(settings, arms)
    learner.state = from_arrays(learner.state, _under(arrays, "state."))
    if learner.own is not None:
        learner.own = from_arrays(kept(learner.own), _under(arrays, "own.")).samples
    for name in COUNTS:
        found = arrays[name]
        if found.shape != (arms,) or found.dtype != np.int64:
            raise ParameterError(f"The snapshot's {name} are not of {arms} arms.")
        setattr(learner, name, found.tolist() if name in LISTED else found)
    learner.bind()
    for name, value in zip(SUMS, arrays["sums"].tolist(), strict=True):
        setattr(learner, name, value)
    for arm, cut in arrays["cuts"].reshape(-1, 2).tolist():
        learner.cuts[int(arm)].append(cut)
    for place, due, order, arm, told, cut in arrays["due"].reshape(-1, 6).tolist():
        learner.due[int(place)].append((due, int(order), int(arm), told, bool(cut)))
    return learner


def kept(own: SortedSamples) -> OrderState:
    """Return the outcomes of a policy that keeps none itself, as a state."""
    return OrderState(own, own.size)


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}


def _text(about: dict[str, Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(about).encode(), np.uint8)
