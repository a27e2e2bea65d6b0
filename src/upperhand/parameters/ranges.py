"""What a parameter means and which values it may have; values that follow from others."""

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, overload

from .. import checks

T = TypeVar("T")
COMPILES = (bool, int, float)


@dataclass(frozen=True)
class Range:
    """What a parameter means, and between which bounds it must lie."""

    about: str
    above: float = -math.inf
    below: float = math.inf
    least: float = -math.inf
    most: float = math.inf

    def refuse_unknown(self, name: str, kind: Any) -> None:
        """Refuse a type that cannot be checked: what is left are numbers, flags and choices."""
        plain = _without_none(kind)
        if plain not in COMPILES and get_origin(plain) is not Literal and not _declares(plain):
            raise TypeError(f"{name} must be a float, an int, a bool or a Literal; got {kind!r}.")
        if plain is int and not math.isfinite(self.least):
            raise TypeError(f"{name} is a whole number and must say least=….")

    def checked(self, name: str, kind: Any, value: Any) -> Any:
        """Return the value as the plain type that kernels expect, or refuse it."""
        if value is None and type(None) in get_args(kind):
            return None
        kind = _without_none(kind)
        if get_origin(kind) is Literal:
            return checks.choice(name, value, get_args(kind))
        if _declares(kind):
            return kind.given(name, value)
        if kind is bool:
            return checks.flag(name, value)
        if kind is int:
            most = int(self.most) if math.isfinite(self.most) else checks.MOST
            return checks.integer(name, value, least=int(self.least), most=most)
        bounds = {"above": self.above, "below": self.below, "least": self.least, "most": self.most}
        return checks.real(name, value, **bounds)

    def described(self, kind: Any) -> str:
        """Write what is allowed, e.g. '> 0 and < 1', 'upper or lower', 'a whole number ≥ 1'.

        >>> Range("", above=0, most=1).described(float), Range("").described(bool)
        ('> 0 and ≤ 1', 'true or false')
        """
        kind = _without_none(kind)
        if get_origin(kind) is Literal:
            return " or ".join(get_args(kind))
        if _declares(kind):
            return f"a {kind.__name__}"
        if kind is bool:
            return "true or false"
        bounds = checks.bounds(self.above, self.below, self.least, self.most)
        if kind is int:
            return f"a whole number {bounds}".rstrip()
        return bounds or "any number"


def _without_none(kind: Any) -> Any:
    """Return the X of X | None, or of X | str | None where X is named, and others as they are."""
    if get_origin(kind) is Literal:
        return kind
    kinds = [each for each in get_args(kind) if each not in (str, type(None))]
    return kinds[0] if len(kinds) == 1 else kind


def _declares(kind: Any) -> bool:
    """Tell whether a setting is itself a thing with settings, such as a policy's calibrator."""
    return hasattr(kind, "given")


def parameter(
    about: str,
    *,
    default: Any = MISSING,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    kw_only: bool = True,
) -> Any:
    """Declare a parameter; without a default, it is what only the user can know."""
    stated = Range(about, above=above, below=below, least=least, most=most)
    return field(default=default, kw_only=kw_only, metadata={"range": stated})


class derived(Generic[T]):  # noqa: N801 - used like `property`
    """A value that kernels read and that follows from the parameters: text does not compile."""

    def __init__(self, rule: Callable[[Any], T]) -> None:
        self.rule, self.__doc__ = rule, rule.__doc__

    @overload
    def __get__(self, policy: None, owner: type) -> "derived[T]": ...
    @overload
    def __get__(self, policy: object, owner: type) -> T: ...
    def __get__(self, policy: object | None, owner: type) -> "derived[T] | T":
        return self if policy is None else self.rule(policy)
