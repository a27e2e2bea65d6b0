"""Objectives as text, for the command line: ``mean``, ``upper-tail:0.1`` or ``best-of:8``."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .. import checks
from ..errors import ParameterError, UnknownNameError
from .base import Objective
from .best_of import BestOf
from .cvar import CVaR
from .moments import Mean, MeanVariance, Utility
from .quantiles import LowerTail, Quantile, UpperTail

OBJECTIVES: dict[str, type[Objective]] = {
    "upper-tail": UpperTail,
    "lower-tail": LowerTail,
    "quantile": Quantile,
    "best-of": BestOf,
    "mean": Mean,
    "utility": Utility,
    "cvar": CVaR,
    "mean-variance": MeanVariance,
}


def parse_objective(text: str) -> Objective:
    """Read an objective from the command line: its name, in any case, and its number if it has one.

    >>> parse_objective("cvar:0.1")
    CVaR(alpha=0.1)
    """
    given, colon, setting = text.partition(":")
    name = "-".join(given.lower().split())
    if name not in OBJECTIVES:
        raise UnknownNameError.among("objective", name, OBJECTIVES)
    cls = OBJECTIVES[name]
    if not _parameters(cls):
        if colon:
            raise ParameterError(f"{name} takes no number; got {text!r}. Write {name}.")
        return cls()
    number = checks.number_in(setting.strip())
    if number is None:
        raise ParameterError(f"{name} takes one number: {_form(name)}; got {text!r}.")
    return cls(*[number])


def objective_spec(objective: Objective) -> dict[str, Any]:
    """Return an objective as plain data for JSON; `objective_from` makes an equal one from it.

    >>> objective_from(objective_spec(CVaR(0.1)))
    CVaR(alpha=0.1)
    """
    name = next(name for name, cls in OBJECTIVES.items() if cls is type(objective))
    return {"objective": name} | {
        key: getattr(objective, key) for key in _parameters(OBJECTIVES[name])
    }


def objective_from(spec: Mapping[str, Any]) -> Objective:
    """Return the objective that `objective_spec` wrote down."""
    settings = {key: value for key, value in spec.items() if key != "objective"}
    return OBJECTIVES[spec["objective"]](**settings)


def objective_forms() -> dict[str, str]:
    """Return what `parse_objective` reads, each form with what an arm is then worth.

    >>> objective_forms()["mean"]
    'The classical value μ.'
    """
    return {_form(name): (cls.__doc__ or "").partition("\n")[0] for name, cls in OBJECTIVES.items()}


def _form(name: str) -> str:
    """Write how an objective is written, e.g. 'cvar:ALPHA'."""
    return ":".join([name, *(parameter.upper() for parameter in _parameters(OBJECTIVES[name]))])


def _parameters(cls: type[Objective]) -> list[str]:
    return [field.name for field in fields(cls)]  # type: ignore[arg-type]
