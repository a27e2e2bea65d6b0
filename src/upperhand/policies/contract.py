"""What a policy is: an immutable tuple of parameters, and plain functions over arrays.

A policy's file reads like its paper's section: the class with the parameters, the `State` that it
remembers, then its functions. `index`, `select`, `update` and `full` are kernels (scalars and array
elements only, no allocation) that run compiled in simulation and as they are in live use:

    init(policy, arms, room)            the state before the first round
    index(policy, state, arm, t)        the formula: how good the arm looks at round t
    select(policy, state, t, rng)       the arm of round t (1-based)
    update(policy, state, arm, reward)  learn, in place
    full(state, arm), grow(state)       for states that grow: is room due, and the roomier state
    interval(state, arm)                for policies that have one: the prediction interval

Rounds go forward: an index may remember what it found for a round t, and holds from there on.
The last line registers them: ``UCB1.kernels = Kernels(init, index, select, update)``.
Every state has `pulls`, the (K,) integer count of rewards seen. Kernels read array elements through
int() and float(): free when compiled, and NumPy's own scalars are slow when interpreted.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from .._kernels.compile import kernel
from ..errors import ParameterError, UnknownNameError


@kernel
def never_full(state: Any, arm: int) -> bool:
    """Tell that a state of fixed size has room."""
    return False


def unchanged(state: Any) -> Any:
    """Return the state: one of fixed size has nothing to grow."""
    return state


@dataclass(frozen=True)
class Kernels:
    """The functions of one policy."""

    init: Callable[[Any, int, int], Any]
    index: Callable[[Any, Any, int, int], float]
    select: Callable[..., int]
    update: Callable[[Any, Any, int, float], None]
    full: Callable[[Any, int], bool] = never_full
    grow: Callable[[Any], Any] = unchanged
    interval: Callable[[Any, int], tuple[float, float]] | None = None


class Policy(tuple[Any, ...]):
    """The base of every policy: its name, its functions, its settings.

    A policy inherits from this and from a `NamedTuple` of its parameters. Each parameter of its
    ``__new__`` can be read as an attribute of the same name; `random_ties` is one of them if it
    picks arms by `argmax`.
    """

    __slots__ = ()

    name: ClassVar[str]
    kernels: ClassVar[Kernels]

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the indices decide."""
        return 1

    def mirrored(self) -> Self:
        """Return the policy that does with negated rewards what this one does with rewards."""
        return self

    def advice(self, state: Any) -> str | None:  # noqa: ARG002
        """Return a word of warning if the policy does not fit the rewards seen; None by default."""
        return None

    @classmethod
    def setting_names(cls) -> list[str]:
        """Return the names of the constructor's arguments."""
        return list(inspect.signature(cls.__new__).parameters)[1:]

    @classmethod
    def required_names(cls) -> list[str]:
        """Return the names of those that have no default: what only the user can know."""
        parameters = inspect.signature(cls.__new__).parameters
        empty = inspect.Parameter.empty
        return [name for name in cls.setting_names() if parameters[name].default is empty]

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor's arguments: ``type(policy)(**policy.settings) == policy``."""
        return {name: getattr(self, name) for name in self.setting_names()}

    def _replace(self, **changes: Any) -> Self:
        """Return the policy with other settings, checked; a tuple's own would not check them."""
        unknown = sorted(changes.keys() - self.settings.keys())
        if unknown:
            raise UnknownNameError.among(f"setting of {self.name}", unknown[0], self.settings)
        return type(self)(**{**self.settings, **changes})

    __replace__ = _replace  # what copy.replace calls

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({arguments})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a tuple's own would not ask the line above

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.settings)


class LevelPolicy(Policy):
    """A policy that values an arm by its quantile at one level, the setting `tau`."""

    __slots__ = ()
    tau: float

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their τ-quantile is the 1 − τ one, negated."""
        return self._replace(tau=1 - self.tau)


class EndpointPolicy(Policy):
    """A policy that values an arm by an end of its central interval: `tail` says which.

    The ends are `lower` and `upper` of its state. Live use negates them there to choose by costs.
    """

    __slots__ = ()
    lower_tail: bool
    init: int

    @property
    def tail(self) -> Literal["upper", "lower"]:
        """Which endpoint the policy chases."""
        return "lower" if self.lower_tail else "upper"

    def mirrored(self) -> Self:
        """Return the policy for negated rewards: their upper endpoint is the lower one, negated."""
        return self._replace(tail="upper" if self.lower_tail else "lower")

    @property
    def initial_pulls(self) -> int:
        """How often each arm is pulled, round-robin, before the indices decide."""
        return self.init


def as_policy(given: object) -> Policy:
    """Return the policy, or refuse what is none."""
    if isinstance(given, Policy):
        return given
    raise ParameterError(f"A policy such as ACPUCB1() is wanted; got {given!r}.")


def _rebuilt(cls: type[Policy], settings: dict[str, Any]) -> Policy:
    """Return the policy that was pickled, through its constructor and so checked again."""
    return cls(**settings)
