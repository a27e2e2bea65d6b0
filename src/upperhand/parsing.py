"""Policies and calibrators as text, for commands and files: ``acp-ucb1:b=0.5,eta=0``."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from . import checks
from .errors import ParameterError, UnknownNameError
from .parameters import Declared

D = TypeVar("D", bound=Declared)


def class_named(kind: str, name: str, classes: Iterable[type[D]]) -> type[D]:
    """Return the class of that name; case, spaces and hyphens make no difference."""
    known = list(classes)
    for cls in known:
        if _letters(cls.name) == _letters(name):
            return cls
    raise UnknownNameError.among(kind, name.lower(), map(typed_name, known))


def typed_name(cls: type[Declared]) -> str:
    """Return a name as it is typed: in small letters, without spaces."""
    return "-".join(cls.name.lower().split())


def settings_in(text: str, separator: str, name: str, known: Iterable[str]) -> dict[str, Any]:
    """Return the settings that a text gives, e.g. ``b=0.5,eta=0``, each once and each known."""
    names = list(known)
    pairs = [_setting(part, name, names) for part in text.split(separator) if part.strip()]
    settings = dict(pairs)
    if len(settings) < len(pairs):
        raise ParameterError(f"Each setting can be given once; got {text!r}.")
    return settings


def made(cls: type[D], settings: Mapping[str, Any], separator: str) -> D:
    """Return an instance with these settings, or refuse missing ones."""
    missing = [name for name in cls.required_names() if name not in settings]
    if missing:
        example = separator.join(f"{name}=…" for name in missing)
        raise ParameterError(
            f"{cls.name} needs {' and '.join(missing)}: {typed_name(cls)}:{example}."
        )
    return cls(**settings)


def summary(cls: type[Declared]) -> str:
    """Return the first line of a class's documentation."""
    return (cls.__doc__ or "").partition("\n")[0].replace("`", "")


def forms(classes: Iterable[type[Declared]]) -> dict[str, str]:
    """Return each class as it is typed, with its summary and its settings."""
    return {typed_name(cls): f"{summary(cls)} {_settings(cls)}" for cls in classes}


def _settings(cls: type[Declared]) -> str:
    required = [name for name in cls.required_names() if name != "horizon"]  # has its own option
    names = [f"{name} (needed)" if name in required else name for name in cls.setting_names()]
    return f"Settings: {', '.join(names)}."


def _setting(part: str, name: str, known: list[str]) -> tuple[str, Any]:
    key, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not value:
        raise ParameterError(
            f"The settings of {name} are written name=value, as in acp-ucb1:b=0.5,eta=0; got "
            f"{part!r}."
        )
    if key not in known:
        raise UnknownNameError.among(f"setting of {name}", key, known)
    return key, _value(value)


def _value(text: str) -> Any:
    """Return the number, truth value, None or string that the text means."""
    if text.lower() == "none":
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = checks.number_in(text)
    return text if number is None else number


def _letters(name: str) -> str:
    return name.lower().translate(dict.fromkeys(map(ord, " -_")))
