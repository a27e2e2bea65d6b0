"""What a policy is: parameters, and plain functions over arrays.

A policy's file reads like its paper's section: the class with the parameters, the `State` that it
remembers, then its functions. `index`, `select`, `update` and `full` are kernels (scalars and array
elements only, no allocation) that run compiled in simulation and as they are in live use:

    start(policy, arms, room)                the state before the first round
    index(policy, state, arm, t)             the formula: how good the arm looks at round t
    update(policy, state, arm, reward)       learn, in place
    select(index, policy, state, t, rng)     the arm of round t (1-based); by default `argmax`
    full(state, arm), grow(state)            for states that grow: is it full, and the larger state
    interval(state, arm)                     for policies that have one: the prediction interval

What they get as `policy` is ``policy.parameters``: a named tuple of the same names, which compiles.
Rounds go forward: an index may remember what it found for a round t, and holds from there on.
The last line registers them: ``UCB1.functions = Functions(start, index, update)``.
Every state has `pulls`, the (K,) integer count of rewards seen. Kernels read array elements through
int() and float(): free when compiled, and NumPy's own scalars are slow when interpreted.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self, dataclass_transform, get_type_hints

from .._kernels.argmax import argmax
from .._kernels.compile import kernel
from ..errors import ParameterError, UnknownNameError
from ..objectives import Objective
from .parameters import Range, derived, parameter

COMPILES = (bool, int, float)


@kernel
def never_full(state: Any, arm: int) -> bool:
    """Tell that a state of fixed size is never full."""
    return False


def unchanged(state: Any) -> Any:
    """Return the state: one of fixed size has nothing to grow."""
    return state


@dataclass(frozen=True)
class Functions:
    """The functions of one policy."""

    start: Callable[[Any, int, int], Any]
    index: Callable[[Any, Any, int, int], float]
    update: Callable[[Any, Any, int, float], None]
    select: Callable[..., int] = argmax
    full: Callable[[Any, int], bool] = never_full
    grow: Callable[[Any], Any] = unchanged
    interval: Callable[[Any, int], tuple[float, float]] | None = None

    def choose(self, policy: Any, state: Any, t: int, rng: Any) -> int:
        """Return the arm of round t, without the compiler."""
        return int(self.select(self.index, policy, state, t, rng))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(parameter,))
@dataclass(frozen=True, repr=False, kw_only=True)
class Policy:
    """The base of every policy: its name, its functions, its parameters.

    A policy inherits from this, without a decorator, and declares its parameters by `parameter`.
    Each becomes a keyword of the constructor, or with ``kw_only=False`` a positional argument. What
    kernels need in another form is a `derived` value.
    """

    name: ClassVar[str]
    functions: ClassVar[Functions]
    Parameters: ClassVar[type]  # the named tuple that kernels get, made from what is declared

    random_ties: bool = parameter(
        "Break ties at random instead of by the lowest arm.", default=False
    )

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.__doc__ or ""  # a dataclass would write its signature there
        dataclass(frozen=True, repr=False, kw_only=True)(cls)
        hints = get_type_hints(cls)
        for each in fields(cls):
            if "range" not in each.metadata or each.name.startswith("_"):
                raise TypeError(
                    f"{cls.__name__}.{each.name} must be declared by parameter(…), under a name "
                    "without a leading underscore."
                )
            each.metadata["range"].refuse_unknown(f"{cls.__name__}.{each.name}", hints[each.name])
        numbers = [name for name in cls.setting_names() if hints[name] in COMPILES]
        rules = [name for name in dir(cls) if isinstance(getattr(cls, name), derived)]
        cls.Parameters = namedtuple("Parameters", [*numbers, *rules], module=cls.__module__)  # type: ignore[misc]
        cls.Parameters.__qualname__ = f"{cls.__qualname__}.Parameters"  # the compile cache finds it
        cls.__doc__ = _documented(cls)

    def __post_init__(self) -> None:
        for name, (kind, stated) in self.declared().items():
            object.__setattr__(self, name, stated.checked(name, kind, getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Refuse settings that do not go together."""

    @cached_property
    def parameters(self) -> Any:
        """What the policy's functions get: the numbers among the settings, and derived values."""
        return self.Parameters(*(getattr(self, name) for name in self.Parameters._fields))  # type: ignore[attr-defined]

    @property
    def objective(self) -> Objective | None:
        """What the policy plays for, as it is set; None if it is no objective of the library."""
        return None

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the indices decide."""
        return 1

    def mirrored(self) -> Self:
        """Return the policy that does with negated rewards what this one does with rewards."""
        return self

    def playing(self, minimize: bool) -> tuple[Any, bool]:
        """Return what the functions get, and whether what arms pay is negated before they see it.

        By default costs are negated and the policy mirrored.
        """
        return (self.mirrored().parameters, True) if minimize else (self.parameters, False)

    def advice(self, state: Any) -> str | None:  # noqa: ARG002
        """Return a word of warning if the policy does not fit the rewards seen; None by default."""
        return None

    @classmethod
    def declared(cls) -> dict[str, tuple[Any, Range]]:
        """Return each parameter's type and range, by name; `random_ties` is the last."""
        hints = get_type_hints(cls)
        declared = sorted(fields(cls), key=lambda f: f.name == "random_ties")
        return {f.name: (hints[f.name], f.metadata["range"]) for f in declared}

    @classmethod
    def setting_names(cls) -> list[str]:
        """Return the names of the constructor's arguments."""
        return list(cls.declared())

    @classmethod
    def required_names(cls) -> list[str]:
        """Return the names of those that have no default: what only the user can know."""
        needed = {f.name for f in fields(cls) if f.default is MISSING}
        return [name for name in cls.setting_names() if name in needed]

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor's arguments: ``type(policy)(**policy.settings) == policy``."""
        return {name: getattr(self, name) for name in self.setting_names()}

    def replace(self, **changes: Any) -> Self:
        """Return the policy with other settings, checked."""
        unknown = sorted(changes.keys() - self.settings.keys())
        if unknown:
            raise UnknownNameError.among(f"setting of {self.name}", unknown[0], self.settings)
        return type(self)(**{**self.settings, **changes})

    __replace__ = replace  # what copy.replace calls

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({arguments})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.settings)


def as_policy(given: object) -> Policy:
    """Return the policy, or refuse what is none."""
    if isinstance(given, Policy):
        if not (hasattr(given, "name") and hasattr(given, "functions")):
            raise ParameterError(
                f"{given!r} lacks a name or functions. A policy of your own has both: name = … in "
                "its class, and after it Mine.functions = Functions(start, index, update)."
            )
        return given
    raise ParameterError(f"A policy must be given, such as ACPUCB1(); got {given!r}.")


def _documented(cls: type[Policy]) -> str:
    """Return the class's documentation with its parameters, before the examples."""
    text, examples, rest = (cls.__doc__ or "").partition("    Examples\n")
    lines = [
        f"    {name}\n        {stated.about} ({stated.described(kind)})"
        for name, (kind, stated) in cls.declared().items()
    ]
    listed = "\n".join(["    Parameters", "    ----------", *lines])
    return f"{text.rstrip()}\n\n{listed}\n\n{examples}{rest}"


def _rebuilt(cls: type[Policy], settings: dict[str, Any]) -> Policy:
    """Return the policy that was pickled, through its constructor and so checked again."""
    return cls(**settings)
