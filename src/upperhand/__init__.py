"""Bandits for the tail: ACP-UCB1, its rivals and its theory, for research and live use.

The names below are loaded when first used, so that ``import upperhand`` and live use stay light:
neither loads Numba, SciPy or Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .distributions import (
        Bernoulli as Bernoulli,
        Distribution as Distribution,
        Empirical as Empirical,
        Exponential as Exponential,
        LogNormal as LogNormal,
        Mixture as Mixture,
        Normal as Normal,
        ScipyLaw as ScipyLaw,
        SkewedStudentT as SkewedStudentT,
        StudentT as StudentT,
        Uniform as Uniform,
        from_scipy as from_scipy,
    )
    from .errors import (
        FileError as FileError,
        MissingExtraError as MissingExtraError,
        ParameterError as ParameterError,
        RewardError as RewardError,
        TableError as TableError,
        UnknownNameError as UnknownNameError,
        UpperhandError as UpperhandError,
    )
    from .live import Bandit as Bandit, Interval as Interval
    from .objectives import (
        LowerTail as LowerTail,
        Mean as Mean,
        Objective as Objective,
        Quantile as Quantile,
        UpperTail as UpperTail,
        Utility as Utility,
    )
    from .trajectory import Trajectory as Trajectory, play as play
    from .policies import ACPUCB1 as ACPUCB1, UCB1 as UCB1, Policy as Policy
    from .regret import Curve as Curve
    from .runs import Runs as Runs
    from .simulation import simulate as simulate

_HOMES = {
    "distributions": "Bernoulli Distribution Empirical Exponential LogNormal Mixture Normal "
    "ScipyLaw SkewedStudentT StudentT Uniform from_scipy",
    "errors": "FileError MissingExtraError ParameterError RewardError TableError UnknownNameError "
    "UpperhandError",
    "live": "Bandit Interval",
    "objectives": "LowerTail Mean Objective Quantile UpperTail Utility",
    "trajectory": "Trajectory play",
    "policies": "ACPUCB1 UCB1 Policy",
    "regret": "Curve",
    "runs": "Runs",
    "simulation": "simulate",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'upperhand' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
