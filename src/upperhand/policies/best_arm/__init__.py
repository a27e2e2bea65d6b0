"""Policies that look for the arm with the best quantile, and stop: one paper's policy, one file.

They are policies like the others, and have two functions more: `stop` and `recommend`.
"""

from .kinds import FixedBudget, FixedConfidence, as_search
from .qlucb import QLUCB
from .uniform import UniformSampling

__all__ = [
    "BEST_ARM_POLICIES",
    "QLUCB",
    "FixedBudget",
    "FixedConfidence",
    "UniformSampling",
    "as_search",
]

BEST_ARM_POLICIES: dict[str, type[FixedConfidence] | type[FixedBudget]] = {
    cls.name: cls for cls in (QLUCB, UniformSampling)
from .kinds import FixedBudget, FixedConfidence
from .max_q import DoubledMaxQ, MaxQ
from .qpac import QPAC
from .quantile_elimination import QuantileElimination
from .successive_rejects import QSAR, QSR, QBatch

__all__ = [
    "BEST_ARM_POLICIES",
    "QPAC",
    "QSAR",
    "QSR",
    "DoubledMaxQ",
    "FixedBudget",
    "FixedConfidence",
    "MaxQ",
    "QBatch",
    "QuantileElimination",
]

BEST_ARM_POLICIES: dict[str, type[FixedConfidence] | type[FixedBudget]] = {
    cls.name: cls
    for cls in (QPAC, MaxQ, DoubledMaxQ, QuantileElimination, QSAR, QSR, QBatch)
}
