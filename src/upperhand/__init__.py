"""Bandits for the tail: ACP-UCB1, its rivals and its theory, for research and live use.

The names below are loaded when first used, so that ``import upperhand`` and live use stay light:
neither loads Numba, SciPy or Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .card.instance import theory_card as theory_card
    from .comparison.compare import compare as compare
    from .comparison.result import Comparison as Comparison
    from .distributions import (
        Bernoulli as Bernoulli,
    )
    from .distributions import (
        Distribution as Distribution,
    )
    from .distributions import (
        Empirical as Empirical,
    )
    from .distributions import (
        Exponential as Exponential,
    )
    from .distributions import (
        LogNormal as LogNormal,
    )
    from .distributions import (
        Mixture as Mixture,
    )
    from .distributions import (
        Normal as Normal,
    )
    from .distributions import (
        ScipyLaw as ScipyLaw,
    )
    from .distributions import (
        SkewedStudentT as SkewedStudentT,
    )
    from .distributions import (
        StudentT as StudentT,
    )
    from .distributions import (
        Uniform as Uniform,
    )
    from .distributions import (
        from_scipy as from_scipy,
    )
    from .errors import (
        AssumptionError as AssumptionError,
    )
    from .errors import (
        FileError as FileError,
    )
    from .errors import (
        FitWarning as FitWarning,
    )
    from .errors import (
        MissingExtraError as MissingExtraError,
    )
    from .errors import (
        ParameterError as ParameterError,
    )
    from .errors import (
        RewardError as RewardError,
    )
    from .errors import (
        TableError as TableError,
    )
    from .errors import (
        UnknownNameError as UnknownNameError,
    )
    from .errors import (
        UpperhandError as UpperhandError,
    )
    from .instances import Instance as Instance
    from .live import Bandit as Bandit
    from .live import Interval as Interval
    from .objectives import (
        CVaR as CVaR,
    )
    from .objectives import (
        LowerTail as LowerTail,
    )
    from .objectives import (
        Mean as Mean,
    )
    from .objectives import (
        MeanVariance as MeanVariance,
    )
    from .objectives import (
        Objective as Objective,
    )
    from .objectives import (
        Quantile as Quantile,
    )
    from .objectives import (
        UpperTail as UpperTail,
    )
    from .objectives import (
        Utility as Utility,
    )
    from .policies import ACPUCB1 as ACPUCB1
    from .policies import KLQUCB as KLQUCB
    from .policies import KLUCB as KLUCB
    from .policies import MVLCB as MVLCB
    from .policies import QUCB as QUCB
    from .policies import UCB1 as UCB1
    from .policies import UCBCP as UCBCP
    from .policies import UCBV as UCBV
    from .policies import ExpExp as ExpExp
    from .policies import MaRaB as MaRaB
    from .policies import Policy as Policy
    from .policies import QuantileIMED as QuantileIMED
    from .policies import QuantileTS as QuantileTS
    from .policies import QuantileUCB as QuantileUCB
    from .policies import ThompsonSampling as ThompsonSampling
    from .policies import UCB1Normal as UCB1Normal
    from .regret import Curve as Curve
    from .runs import Runs as Runs
    from .simulation import simulate as simulate
    from .trajectory import Trajectory as Trajectory
    from .trajectory import play as play

_HOMES = {
    "card.instance": "theory_card",
    "comparison.compare": "compare",
    "comparison.result": "Comparison",
    "distributions": "Bernoulli Distribution Empirical Exponential LogNormal Mixture Normal "
    "ScipyLaw SkewedStudentT StudentT Uniform from_scipy",
    "errors": "AssumptionError FileError FitWarning MissingExtraError ParameterError RewardError "
    "TableError UnknownNameError UpperhandError",
    "instances": "Instance",
    "live": "Bandit Interval",
    "objectives": "CVaR LowerTail Mean MeanVariance Objective Quantile UpperTail Utility",
    "trajectory": "Trajectory play",
    "policies": "ACPUCB1 ExpExp KLQUCB KLUCB MaRaB MVLCB QUCB QuantileIMED QuantileTS QuantileUCB "
    "ThompsonSampling UCB1 UCB1Normal UCBCP UCBV Policy",
    "regret": "Curve",
    "runs": "Runs",
    "simulation": "simulate",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]


if not TYPE_CHECKING:  # a checker sees the imports above, and no name that is not there

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'upperhand' has no attribute {name!r}")
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
