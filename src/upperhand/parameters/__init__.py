"""Settings, stated once: how a policy or a calibrator declares them, checks them and reads them."""

from .declared import Declared
from .ranges import derived, parameter

__all__ = ["Declared", "derived", "parameter"]
