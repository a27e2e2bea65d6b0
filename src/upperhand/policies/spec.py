"""Policies as text, for the command line: ``acp-ucb1`` or ``acp-ucb1:b=0.5,eta=0``."""

from typing import Any

from .. import checks
from ..errors import ParameterError, UnknownNameError
from . import POLICIES, Policy, policy_class, typed_name


def parse_policy(text: str, **defaults: Any) -> tuple[str, Policy]:
    """Return a label and the policy; `defaults` go to the settings that the policy has."""
    name, _, given = text.partition(":")
    cls = policy_class(name.strip())
    known = cls.setting_names()
    pairs = [_setting(part, name, known) for part in given.split(",") if part.strip()]
    settings = dict(pairs)
    if len(settings) < len(pairs):
        raise ParameterError(f"Each setting is wanted once; got {given!r}.")
    passed = {key: value for key, value in defaults.items() if key in known} | settings
    missing = [key for key in cls.required_names() if key not in passed]
    if missing:
        example = ",".join(f"{key}=…" for key in missing)
        raise ParameterError(
            f"{cls.name} must be told {' and '.join(missing)}: {name.strip()}:{example}."
        )
    label = " ".join([cls.name, *(f"{key}={value}" for key, value in settings.items())])
    return label, cls(**passed)


def policy_forms() -> dict[str, str]:
    """Return what `parse_policy` reads: each policy as typed, what it does, and its settings.

    >>> policy_forms()["kl-qucb"].partition("Settings:")[2]
    ' tau, plus, random_ties.'
    """
    return {typed_name(cls): f"{_summary(cls)} {_settings(cls)}" for cls in POLICIES.values()}


def _summary(cls: type[Policy]) -> str:
    return (cls.__doc__ or "").partition("\n")[0].replace("`", "")


def _settings(cls: type[Policy]) -> str:
    required = cls.required_names()
    names = [f"{name} (needed)" if name in required else name for name in cls.setting_names()]
    return f"Settings: {', '.join(names)}."


def told_of(tau: float, horizon: int) -> dict[str, Any]:
    """Return the settings of policies that are to find the best τ-quantile in so many rounds.

    >>> told_of(0.95, 1000)["alpha"], told_of(0.05, 1000)["tail"]
    (0.1, 'lower')
    """
    share = 2 * min(tau, 1 - tau)
    alpha = round(share, 12) or share  # 0.1, not 0.10000000000000009
    tail = {"tail": "upper", "score": "U"} if tau >= 0.5 else {"tail": "lower", "score": "L"}
    return (
        {"tau": tau, "horizon": horizon, "alpha": alpha, "level": alpha}
        | levels_around(alpha)
        | tail
    )


def levels_around(alpha: float) -> dict[str, Any]:
    """Return the usual bounds of an adaptive level, widened where they do not hold α.

    >>> levels_around(0.1), levels_around(0.6)["level_max"]
    ({'level_min': 0.0001, 'level_max': 0.5}, 0.6)
    """
    return {"level_min": min(1e-4, alpha / 2), "level_max": max(0.5, alpha)}


def _setting(part: str, policy: str, known: list[str]) -> tuple[str, Any]:
    key, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not value:
        raise ParameterError(
            f"A policy's settings are written name=value, as in acp-ucb1:b=0.5,eta=0; got {part!r}."
        )
    if key not in known:
        raise UnknownNameError.among(f"setting of {policy}", key, known)
    return key, _value(value)


def _value(text: str) -> Any:
    """Return the integer, number, truth value or string that the text is."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = checks.number_in(text)
    return text if number is None else number
