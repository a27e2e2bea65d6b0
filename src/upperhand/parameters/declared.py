"""Parameters of policies and calibrators, each stated once: name, type, default, range, meaning.

    class UCBV(Policy):
        span: float = parameter("Length of the interval of the rewards.", above=0, kw_only=False)
        zeta: float = parameter("Exploration coefficient ζ.", default=1.2, above=0)

The constructor's signature, its checks, `settings`, the command line's lists and the class's
documentation all come from there.
"""

from collections import namedtuple
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self, dataclass_transform, get_type_hints

from ..errors import ParameterError, UnknownNameError
from .ranges import COMPILES, Range, derived, parameter

SHARED = {"sketch": 1, "random_ties": 2}  # parameters of many policies, and their order


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(parameter,))
@dataclass(frozen=True, repr=False, kw_only=True)
class Declared:
    """What has a name and declared parameters: the base of every policy and calibrator.

    A class inherits from it without a decorator. Each parameter becomes a keyword of the
    constructor, or with ``kw_only=False`` a positional argument. What kernels need in another form
    is a `derived` value.
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
        named = f"{cls.__name__}Parameters"  # of its own: see `_kernels.compile.tell_apart`
        cls.Parameters = namedtuple(named, [*numbers, *rules], module=cls.__module__)  # type: ignore[misc]
        cls.Parameters.__qualname__ = f"{cls.__qualname__}.Parameters"  # the compile cache finds it
        cls.owner = cls.Parameters.owner = cls  # type: ignore[attr-defined]
        cls.__doc__ = _documented(cls)

    def __post_init__(self) -> None:
        for name, (kind, stated) in self.declared().items():
            object.__setattr__(self, name, stated.checked(name, kind, getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Refuse settings that do not go together."""

    @classmethod
    def given(cls, name: str, value: Any) -> Self:
        """Return what is given as a setting of this kind, or refuse it."""
        if isinstance(value, cls):
            return value
        raise ParameterError(f"{name} must be a {cls.__name__}; got {value!r}.")

    @cached_property
    def parameters(self) -> Any:
        """What the functions get: the numbers among the settings, and derived values."""
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
        """Return the names of those that have no default: what only the user can know."""
        needed = {f.name for f in fields(cls) if f.default is MISSING}
        return [name for name in cls.setting_names() if name in needed]

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
        return _rebuilt, (type(self), self.settings)


def _documented(cls: type[Declared]) -> str:
    """Return the class's documentation with its parameters, before the examples."""
    text, examples, rest = (cls.__doc__ or "").partition("    Examples\n")
    lines = [
        f"    {name}\n        {stated.about} ({stated.described(kind)})"
        for name, (kind, stated) in cls.declared().items()
    ]
    listed = "\n".join(["    Parameters", "    ----------", *lines])
    return f"{text.rstrip()}\n\n{listed}\n\n{examples}{rest}"


def _rebuilt(cls: type[Declared], settings: dict[str, Any]) -> Declared:
    """Return what was pickled, through its constructor and so checked again."""
    return cls(**settings)
