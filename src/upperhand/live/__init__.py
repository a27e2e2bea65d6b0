"""Policies in live use, by ask and tell: NumPy is all that they need."""

from .bandit import Bandit
from .best import Best

__all__ = ["Bandit", "Best"]
