"""A machine as bytes: arrays and JSON, no pickle. A cache: what cannot be read is made anew."""

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
from .machine import Machine
from .pending import Pending
from .player import Player
from .settings import Settings, numbered

Arrays = dict[str, NDArray[Any]]
COUNTS = ("pending", "learned", "failures", "judged", "covered")
LISTED = ("learned",)
SUMS = ("under_way", "remembered", "failed", "cut", "outcomes", "asks")
PLAIN = ("n", "at", "arms", "labels", "pinned", "least", "counts")


def to_bytes(machine: Machine) -> bytes:
    """Return a machine as bytes."""
    arrays: Arrays = {"about": _text(_about(machine))}
    for name in ("pending", "released"):
        asks: dict[int, Pending] = getattr(machine, name)
        arrays[f"{name}.trial"] = np.array(list(asks), np.int64)
        arrays[f"{name}.place"] = np.array([ask[:2] for ask in asks.values()], np.int64)
        arrays[f"{name}.at"] = np.array([ask.at for ask in asks.values()])
    for segment, player in enumerate(machine.players):
        arrays |= {f"{segment}/{name}": array for name, array in _of_player(player).items()}
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def from_bytes(data: bytes, settings: Settings) -> Machine:
    """Return the machine that bytes hold; a `ParameterError` if they do not."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return _machine({name: file[name] for name in file.files}, settings)
    except Exception as error:  # damage shows in many ways: an archive that seems encrypted, …
        raise ParameterError(f"The snapshot cannot be read: {error}.") from error


def _about(machine: Machine) -> dict[str, Any]:
    return {
        "version": __version__,
        "settings": machine.settings.to_json(),
        "retired": sorted(machine.retired),
        "epochs": list(machine.epochs.items()),
        "shares": list(machine.shares.items()),
        "leaders": list(machine.leaders.items()),
        "corrections": [[trial, *what] for trial, what in machine.corrections.items()],
        "keys": [[trial, ask.key] for trial, ask in machine.pending.items() if ask.key is not None],
        **{name: getattr(machine, name) for name in PLAIN},
    }


def _machine(arrays: Arrays, settings: Settings) -> Machine:
    about = json.loads(arrays["about"].tobytes())
    if (about["version"], about["settings"]) != (__version__, settings.to_json()):
        raise ParameterError("The snapshot is of another version, or of other settings.")
    corrections = {trial: (kind, value) for trial, kind, value in about["corrections"]}
    machine = Machine(settings, corrections)
    for name in PLAIN:
        setattr(machine, name, about[name])
    machine.numbers = numbered(machine.arms)
    machine.retired = set(about["retired"])
    machine.epochs, machine.leaders = dict(about["epochs"]), dict(about["leaders"])
    machine.shares = dict(about["shares"])
    keys = dict(about["keys"])
    for name in ("pending", "released"):
        columns = (arrays[f"{name}.{part}"].tolist() for part in ("trial", "place", "at"))
        asks = {
            trial: Pending(segment, arm, at, keys.get(trial) if name == "pending" else None)
            for trial, (segment, arm), at in zip(*columns, strict=True)
        }
        setattr(machine, name, asks)
    for trial, key in keys.items():
        machine.sticky.setdefault((machine.pending[trial].segment, key), []).append(trial)
    machine.list_active()
    machine.players = [
        _player(settings, len(machine.arms), _under(arrays, f"{segment}/"))
        for segment in range(len(machine.labels))
    ]
    return machine


def _of_player(player: Player) -> Arrays:
    arrays = {f"state.{name}": array for name, array in to_arrays(player.state).items()}
    if player.own is not None:
        own = to_arrays(kept(player.own))
        arrays |= {f"own.{name}": array for name, array in own.items()}
    arrays |= {name: np.array(getattr(player, name), np.int64) for name in COUNTS}
    arrays["sums"] = np.array([getattr(player, name) for name in SUMS], np.int64)
    arrays["cuts"] = np.array([(arm, cut) for arm, cuts in enumerate(player.cuts) for cut in cuts])
    due = [(place, *entry) for place, heap in enumerate(player.due) for entry in heap]
    arrays["due"] = np.array(due, np.float64)
    return arrays


def _player(settings: Settings, arms: int, arrays: Arrays) -> Player:
    player = Player(settings, arms)
    player.state = from_arrays(player.state, _under(arrays, "state."))
    if player.own is not None:
        player.own = from_arrays(kept(player.own), _under(arrays, "own.")).samples
    for name in COUNTS:
        found = arrays[name]
        if found.shape != (arms,) or found.dtype != np.int64:
            raise ParameterError(f"The snapshot's {name} are not of {arms} arms.")
        setattr(player, name, found.tolist() if name in LISTED else found)
    player.bind()
    for name, value in zip(SUMS, arrays["sums"].tolist(), strict=True):
        setattr(player, name, value)
    for arm, cut in arrays["cuts"].reshape(-1, 2).tolist():
        player.cuts[int(arm)].append(cut)
    for place, due, order, arm, told, cut in arrays["due"].reshape(-1, 6).tolist():
        player.due[int(place)].append((due, int(order), int(arm), told, bool(cut)))
    return player


def kept(own: SortedSamples) -> OrderState:
    """Return the outcomes of a policy that keeps none itself, as a state."""
    return OrderState(own, own.size)


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}


def _text(about: dict[str, Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(about).encode(), np.uint8)
