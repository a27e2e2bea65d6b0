"""Policies that look for the arm with the best quantile, and stop: one paper's policy, one file.

They are policies like the others, and have two functions more: `stop` and `recommend`.
"""

from .base import FixedBudget, FixedConfidence, as_search
from .max_q import DoubledMaxQ, MaxQ
from .qlucb import QLUCB
from .qpac import QPAC
from .quantile_elimination import QuantileElimination
from .quantile_evidence import QuantileEvidence
from .successive_rejects import QSAR, QSR, QBatch
from .uniform import UniformSampling

__all__ = [
    "BEST_ARM_POLICIES",
    "QLUCB",
    "QPAC",
    "QSAR",
    "QSR",
    "DoubledMaxQ",
    "FixedBudget",
    "FixedConfidence",
    "MaxQ",
    "QBatch",
    "QuantileElimination",
    "QuantileEvidence",
    "UniformSampling",
    "as_search",
]

BEST_ARM_POLICIES: dict[str, type[FixedConfidence] | type[FixedBudget]] = {
    cls.name: cls
    for cls in (
        QuantileEvidence,
        QLUCB,
        QPAC,
        MaxQ,
        DoubledMaxQ,
        QuantileElimination,
        QSAR,
        QSR,
        QBatch,
        UniformSampling,
    )
}
