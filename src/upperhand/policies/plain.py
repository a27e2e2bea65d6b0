"""Policies as users give them: those of `Policy`, and plain objects, which run interpreted.

A plain object has ``start(n_arms, rng)``, ``select(t)`` and ``update(arm, reward)``, each of which
may leave out parameters. Rounds count from 1, and costs arrive negated. Each replication starts a
copy of the object as it was given. In live use `start` draws from a stream of the bandit's seed,
and a replay calls `update` alone, so what `select` changes should not matter to later choices.
"""

import inspect
from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import ParameterError
from .base import Functions, Policy, named_in_errors

METHODS = {"start": ("n_arms", "rng"), "select": ("t",), "update": ("arm", "reward")}
FILLED = ("tau", "horizon")  # settings that a class gets if they have no default
NOTHING: Mapping[str, Any] = {}


class State(NamedTuple):
    pulls: NDArray[np.int64]  # (K,)
    started: NDArray[Any]  # (1,) None, or the object, its generator and K


class PlainPolicy(Policy):
    """A policy made of an object with the methods `start`, `select` and `update`."""

    original: ClassVar[Any]  # of an instance: the object before its start …
    taken: ClassVar[Mapping[str, list[str]]]  # … and what its methods take
    seed: ClassVar[int]  # … of what `start` draws in live use
    interpreted = True
    draws = True
    initial_pulls = 0
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, given: Any, seed: int = 0) -> None:
        label, taken = type(given).__name__, {}
        for method, names in METHODS.items():
            function = getattr(given, method, None)
            found = inspect.signature(function).parameters if callable(function) else {}
            if not callable(function) or set(needed(found)) - set(names):
                listed = ", ".join(f"{each}({', '.join(METHODS[each])})" for each in METHODS)
                raise ParameterError(
                    f"{label}.{method} is missing, or has other parameters. A policy of your own "
                    f"has {listed}; each method may leave out parameters, but not rename them."
                )
            taken[method] = [name for name in names if name in found]
        name = str(getattr(given, "name", label))
        vars(self).update(original=deepcopy(given), name=name, taken=taken, seed=seed)

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the class, an ellipsis for those not kept under their names."""
        names = inspect.signature(type(self.original)).parameters
        return {name: getattr(self.original, name, ...) for name in names}

    @property
    def parts(self) -> tuple[type, ...]:
        return (type(self.original),)

    @cached_property
    def functions(self) -> Functions:  # type: ignore[override]
        return Functions(self._start, _no_index, self._update, self._select)

    def _start(self, _policy: Any, arms: int, capacity: int) -> State:
        state = State(np.zeros(arms, np.int64), np.full(1, None))
        if not capacity:  # live use may begin with an update
            self._begin(state, np.random.Generator(np.random.Philox(self.seed)))
        return state

    def _begin(self, state: State, rng: np.random.Generator) -> None:
        arms = len(state.pulls)
        state.started[0] = (deepcopy(self.original), rng, arms)
        self._call(state, "start", arms, rng)

    def _select(self, _index: Any, _policy: Any, state: State, t: int, rng: Any) -> int:
        if state.started[0] is None:
            self._begin(state, rng)
        _, own, arms = state.started[0]
        if len(state.pulls) < arms:  # some arms wait for outcomes, and the object does not know
            return int(np.argmin(state.pulls))
        if own is not rng:  # live use has a stream for each trial
            own.bit_generator.state = rng.bit_generator.state
        arm = self._call(state, "select", t)
        return checks.integer(f"The arm that {self.name} selects", arm, least=0, most=arms - 1)

    def _update(self, _policy: Any, state: State, arm: int, reward: float) -> None:
        self._call(state, "update", int(arm), reward)
        state.pulls[arm] += 1

    def _call(self, state: State, method: str, *values: Any) -> Any:
        given = dict(zip(METHODS[method], values, strict=True))
        with named_in_errors(self):
            function = getattr(state.started[0][0], method)
            return function(**{name: given[name] for name in self.taken[method]})

    def __repr__(self) -> str:
        return super().__repr__().replace("PlainPolicy", type(self.original).__name__, 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainPolicy, (self.original, self.seed)


def _no_index(_policy: Any, _state: Any, _arm: int, _t: int) -> float:
    return 0.0


def needed(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    """Return the names of parameters without a default."""
    without = (each for each in parameters.values() if each.default is each.empty)
    return [each.name for each in without if not each.kind.name.startswith("VAR")]


def as_policy(given: Any, defaults: Mapping[str, Any] = NOTHING) -> Policy:
    """Return the policy that a policy, a plain object or its class means; refuse all others.

    `defaults` are for what a plain class leaves open.
    """
    if isinstance(given, Policy):
        if not (hasattr(given, "name") and hasattr(given, "functions")):
            raise ParameterError(
                f"{given!r} lacks a name or functions. A policy of your own has both: name = … in "
                "its class, and after it Mine.functions = Functions(start, index, update)."
            )
        return given
    if sum(hasattr(given, method) for method in METHODS) < 2:
        raise ParameterError(f"A policy must be given, such as ACPUCB1(); got {given!r}.")
    if isinstance(given, type):
        names = needed(inspect.signature(given).parameters)
        if missing := [name for name in names if name not in FILLED or name not in defaults]:
            listed = " and ".join(missing)
            raise ParameterError(f"{given.__name__} needs {listed}. Give an instance of it.")
        given = given(**{name: defaults[name] for name in names})
    return PlainPolicy(given)
