"""The distributions of rewards: what an arm pays, and where its tail quantile truly lies.

>>> from upperhand.distributions import SkewedStudentT
>>> arm = SkewedStudentT(loc=0, scale=0.16, df=5, skew=0.6)
>>> arm.mean, round(arm.quantile(0.95), 6)
(0.0, 0.291415)
"""

from .base import Distribution
from .derived import Mixture
from .empirical import Empirical
from .families import Bernoulli, Exponential, LogNormal, Normal, Pareto, Uniform
from .registry import as_distribution, from_spec, parse_arm
from .scipy_adapter import ScipyDistribution, ScipyLaw, from_scipy
from .student import SkewedStudentT, StudentT

__all__ = [
    "Bernoulli",
    "Distribution",
    "Empirical",
    "Exponential",
    "LogNormal",
    "Mixture",
    "Normal",
    "Pareto",
    "ScipyDistribution",
    "ScipyLaw",
    "SkewedStudentT",
    "StudentT",
    "Uniform",
    "as_distribution",
    "from_scipy",
    "from_spec",
    "parse_arm",
]
