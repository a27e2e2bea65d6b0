"""Policies in live use, by ask and tell: in memory with NumPy alone, or durable in a store."""

from .bandit import Bandit
from .best import Best
from .experiment import Experiment
from .report import ArmReport, Leader
from .trial import Trial

__all__ = ["ArmReport", "Bandit", "Best", "Experiment", "Leader", "Trial"]
