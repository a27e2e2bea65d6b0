"""Prediction intervals by calibration, one method a file, and confidence intervals of a quantile.

A calibrator of your own needs `Calibrator`, `CalibratorFunctions`, `parameter` and `kernel`.
"""

from typing import Any

from .._kernels.compiler import kernel
from ..parameters import parameter
from ..parsing import class_named, forms, made, settings_in
from .aci import ACI
from .agaci import AgACI
from .base import Calibrator, CalibratorFunctions, Interval
from .clipped_aci import ClippedACI
from .cqr import CQR
from .decaying_steps import DecayingSteps
from .dtaci import DtACI
from .nex_cp import NexCP
from .quantile_sequence import QuantileSequence
from .rescored import Rescored
from .split_conformal import SplitConformal
from .sps import SPS

__all__ = [
    "ACI",
    "CALIBRATORS",
    "CQR",
    "SPS",
    "AgACI",
    "Calibrator",
    "CalibratorFunctions",
    "ClippedACI",
    "DecayingSteps",
    "DtACI",
    "Interval",
    "NexCP",
    "QuantileSequence",
    "Rescored",
    "SplitConformal",
    "calibrator_forms",
    "kernel",
    "parameter",
    "parse_calibrator",
]

_ALL = (SplitConformal, CQR, ACI, AgACI, DtACI, DecayingSteps, NexCP, SPS, Rescored, ClippedACI)
CALIBRATORS: dict[str, type[Calibrator]] = {cls.name: cls for cls in _ALL}


def parse_calibrator(text: str, **defaults: Any) -> Calibrator:
    """Return the calibrator of text such as ``aci`` or ``aci:gamma=0.01/alpha=0.2``.

    The settings in `defaults` that it has are used unless the text gives them. A comma may replace
    the slash, but not within the settings of a policy, which has commas of its own.

    >>> parse_calibrator("clipped-aci:eta=0.05", alpha=0.2)
    ClippedACI(alpha=0.2, eta=0.05, level_min=0.0001, level_max=0.5)
    """
    name, _, given = text.partition(":")
    cls = class_named("calibrator", name.strip(), CALIBRATORS.values())
    names = cls.setting_names()
    settings = {key: value for key, value in defaults.items() if key in names}
    return made(cls, {**settings, **settings_in(given.replace(",", "/"), "/", name, names)}, "/")


def calibrator_forms() -> dict[str, str]:
    """Return what `parse_calibrator` reads: each as typed, what it does, and its settings.

    >>> calibrator_forms()["aci"].partition("Settings:")[2]
    ' alpha, gamma.'
    """
    return forms(CALIBRATORS.values())
