"""Parameters of policies and calibrators, each declared once: name, type, default, range, meaning.

    class UCBV(Policy):
        span: float = parameter("Length of the interval of the rewards.", above=0, kw_only=False)
        zeta: float = parameter("Exploration coefficient ζ.", default=1.2, above=0)

The constructor's signature, its checks, `settings`, the command line's lists and the class's
documentation all come from there.
"""

import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property, partial
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from . import checks
from .errors import ParameterError, UnknownNameError

T = TypeVar("T")
COMPILES = (bool, int, float)


@dataclass(frozen=True)
class Range:
    """What a parameter means, and its bounds."""

    about: str
    above: float = -math.inf
    below: float = math.inf
    least: float = -math.inf
    most: float = math.inf

    def refuse_unknown(self, name: str, kind: Any) -> None:
        """Refuse a type that cannot be checked: numbers, flags and choices can."""
        plain = _without_none(kind)
        if plain not in COMPILES and get_origin(plain) is not Literal and not _declares(plain):
            raise TypeError(f"{name} must be a float, an int, a bool or a Literal; got {kind!r}.")
        if plain is int and not math.isfinite(self.least):
            raise TypeError(f"{name} is a whole number and must say least=….")

    def checked(self, name: str, kind: Any, value: Any) -> Any:
        """Return the value as the plain type that kernels take, or refuse it."""
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
        """Return what is allowed in words, e.g. '> 0 and < 1' or 'a whole number ≥ 1'.

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
    others = (str, type(None))
    kinds = [each for each in get_args(kind) if isinstance(each, type) and each not in others]
    return kinds[0] if len(kinds) == 1 else kind


def _declares(kind: Any) -> bool:
    """Tell whether a setting has settings of its own, such as a policy's calibrator."""
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
    """Declare a parameter; one without a default must be given by the user."""
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


SHARED = {"sketch": 1, "random_ties": 2}  # parameters of many policies, and their order


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(parameter,))
@dataclass(frozen=True, repr=False, kw_only=True)
class Declared:
    """The base of policies and calibrators: a class with a name and declared parameters.

    A class inherits from it without a decorator. Each parameter becomes a keyword of the
    constructor, or with ``kw_only=False`` a positional argument. A value that kernels need in
    another form is `derived`.
    """

    name: ClassVar[str]
    owner: ClassVar[type]  # the class itself, also found at its named tuple: for dispatch
    Parameters: ClassVar[type]  # the named tuple that kernels get, made from what is declared

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
        named = f"{cls.__name__}Parameters"  # of its own: see `_kernels.compiler.give_unique_name`
        cls.Parameters = namedtuple(named, [*numbers, *rules], module=cls.__module__)  # type: ignore[misc]
        cls.Parameters.__qualname__ = f"{cls.__qualname__}.Parameters"  # the compile cache finds it
        cls.owner = cls.Parameters.owner = cls  # type: ignore[attr-defined]
        cls.__doc__ = _documented(cls)
        order = cls.setting_names()
        cls.__init__ = checks.our_keywords(cls.__init__, {}, order)  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for name, (kind, stated) in self.declared().items():
            object.__setattr__(self, name, stated.checked(name, kind, getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Refuse settings that do not go together."""

    @classmethod
    def given(cls, name: str, value: Any) -> Self:
        """Return the value of a setting of this kind, or refuse it."""
        if isinstance(value, cls):
            return value
        raise ParameterError(f"{name} must be a {cls.__name__}; got {value!r}.")

    @cached_property
    def parameters(self) -> Any:
        """What kernels get: the numbers among the settings, and derived values."""
        return self.Parameters(*(getattr(self, name) for name in self.Parameters._fields))  # type: ignore[attr-defined]

    @classmethod
    def declared(cls) -> dict[str, tuple[Any, Range]]:
        """Return each parameter's type and range, by name; what policies share comes last."""
        hints = get_type_hints(cls)
        declared = sorted(fields(cls), key=lambda f: SHARED.get(f.name, 0))
        return {f.name: (hints[f.name], f.metadata["range"]) for f in declared}

    @classmethod
    def setting_names(cls) -> list[str]:
        """Return the names of the constructor's arguments."""
        return list(cls.declared())

    @classmethod
    def required_names(cls) -> list[str]:
        """Return the names of the parameters without a default."""
        missing = {f.name for f in fields(cls) if f.default is MISSING}
        return [name for name in cls.setting_names() if name in missing]

    @property
    def settings(self) -> dict[str, Any]:
        """The constructor's arguments: ``type(policy)(**policy.settings) == policy``."""
        return {name: getattr(self, name) for name in self.setting_names()}

    def replace(self, **changes: Any) -> Self:
        """Return the same with other settings, checked."""
        unknown = sorted(changes.keys() - self.settings.keys())
        if unknown:
            raise UnknownNameError.among(f"setting of {self.name}", unknown[0], self.settings)
        return type(self)(**{**self.settings, **changes})

    __replace__ = replace  # what copy.replace calls

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({arguments})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.settings), ()


def _documented(cls: type[Declared]) -> str:
    """Return the class's documentation with its parameters, before the examples."""
    text, examples, rest = (cls.__doc__ or "").partition("    Examples\n")
    lines = [
        f"    {name}\n        {stated.about} ({stated.described(kind)})"
        for name, (kind, stated) in cls.declared().items()
    ]
    listed = "\n".join(["    Parameters", "    ----------", *lines])
    return f"{text.rstrip()}\n\n{listed}\n\n{examples}{rest}"
