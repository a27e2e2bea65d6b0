"""How an arm is valued: the half of the problem that the policy does not choose.

An objective turns an arm's law into a number. Its gaps turn pull counts into pseudo-regret.
"""

from .base import Objective
from .best_of import BestOf
from .cvar import CVaR
from .moments import Mean, MeanVariance, Utility
from .quantiles import LowerTail, Quantile, UpperTail
from .spec import objective_forms, parse_objective

__all__ = [
    "BestOf",
    "CVaR",
    "LowerTail",
    "Mean",
    "MeanVariance",
    "Objective",
    "Quantile",
    "UpperTail",
    "Utility",
    "objective_forms",
    "parse_objective",
]
