"""Policies that look for the arm with the best quantile, and stop: one paper's policy, one file.

They are policies like the others, and have two functions more: `stop` and `recommend`.
"""

from .kinds import FixedBudget, FixedConfidence
from .quantile_evidence import QuantileEvidence

__all__ = ["BEST_ARM_POLICIES", "FixedBudget", "FixedConfidence", "QuantileEvidence"]

BEST_ARM_POLICIES: dict[str, type[FixedConfidence] | type[FixedBudget]] = {
    cls.name: cls for cls in (QuantileEvidence,)
}
