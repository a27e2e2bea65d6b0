"""The laws of rewards: what an arm pays, and where its tail quantile truly lies.

>>> from upperhand.distributions import SkewedStudentT
>>> arm = SkewedStudentT(loc=0, scale=0.16, df=5, skew=0.6)
>>> arm.mean, round(arm.quantile(0.95), 6)
(0.0, 0.291415)
"""

from .base import Distribution
from .bernoulli import Bernoulli
from .empirical import Empirical
from .exponential import Exponential
from .log_normal import LogNormal
from .mixture import Mixture
from .normal import Normal
from .pareto import Pareto
from .registry import as_distribution, from_spec, parse_arm
from .scipy_law import ScipyLaw, from_scipy
from .skewed_student_t import SkewedStudentT
from .student_t import StudentT
from .uniform import Uniform

__all__ = [
    "Bernoulli",
    "Distribution",
    "Empirical",
    "Exponential",
    "LogNormal",
    "Mixture",
    "Normal",
    "Pareto",
    "ScipyLaw",
    "SkewedStudentT",
    "StudentT",
    "Uniform",
    "as_distribution",
    "from_scipy",
    "from_spec",
    "parse_arm",
]
