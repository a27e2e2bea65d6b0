"""Prediction intervals by calibration, one method a file, and confidence intervals of a quantile.

A calibrator of your own needs `Calibrator`, `CalibratorFunctions`, `parameter` and `kernel`.
"""

from typing import Any

from .._kernels.compile import kernel
from ..parameters import parameter
from ..parameters.text import class_named, settings_in
from .clipped_aci import ClippedACI
from .contract import Calibrator, CalibratorFunctions
from .quantile_sequence import QuantileSequence
from .rescored import Rescored
from .stream import Interval

__all__ = [
    "CALIBRATORS",
    "Calibrator",
    "CalibratorFunctions",
    "ClippedACI",
    "Interval",
    "QuantileSequence",
    "Rescored",
    "kernel",
    "parameter",
    "parse_calibrator",
]

CALIBRATORS: dict[str, type[Calibrator]] = {cls.name: cls for cls in (Rescored, ClippedACI)}


def parse_calibrator(text: str, **told: Any) -> Calibrator:
    """Return the calibrator of text such as ``aci`` or ``aci:gamma=0.01/alpha=0.2``.

    The settings in `told` go to it unless the text says otherwise.

    >>> parse_calibrator("clipped-aci:eta=0.05", alpha=0.2)
    ClippedACI(alpha=0.2, eta=0.05, level_min=0.0001, level_max=0.5)
    """
    name, _, given = text.partition(":")
    cls = class_named("calibrator", name.strip(), CALIBRATORS.values())
    return cls(**{**told, **settings_in(given, "/", name, cls.setting_names())})
