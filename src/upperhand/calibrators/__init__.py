"""Prediction intervals by calibration, one method a file, and confidence intervals of a quantile.

A calibrator of your own needs `Calibrator`, `CalibratorFunctions`, `parameter` and `kernel`.
"""

from typing import Any

from .._kernels.compiler import kernel
from ..parameters import parameter
from ..parsing import class_named, forms, made, settings_in
from .aci import ACI
from .agaci import AgACI
from .base import Calibrator, CalibratorFunctions, CalibratorLike, Interval
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
    "as_calibrator",
    "calibrator_forms",
    "kernel",
    "parameter",
]

_ALL = (SplitConformal, CQR, ACI, AgACI, DtACI, DecayingSteps, NexCP, SPS, Rescored, ClippedACI)
CALIBRATORS: dict[str, type[Calibrator]] = {cls.name: cls for cls in _ALL}


def as_calibrator(given: CalibratorLike, **defaults: Any) -> Calibrator:
    """Return a calibrator, a class of calibrators, or text such as ``aci:gamma=0.01/alpha=0.2``.

    An instance is used as it is set. The settings in `defaults` are for what a class or a text
    leaves open, if it has them. A comma may replace the slash, but not within the settings of a
    policy, which has commas of its own.

    >>> as_calibrator("clipped-aci:eta=0.05", alpha=0.2)
    ClippedACI(alpha=0.2, eta=0.05, level_min=0.0001, level_max=0.5)
    """
    name = text = ""
    if isinstance(given, str):
        name, _, text = given.partition(":")
        given = class_named("calibrator", name.strip(), CALIBRATORS.values())
    if not (isinstance(given, type) and issubclass(given, Calibrator)):
        return Calibrator.given("calibrator", given)
    names = given.setting_names()
    settings = {key: value for key, value in defaults.items() if key in names}
    return made(given, {**settings, **settings_in(text.replace(",", "/"), "/", name, names)}, "/")


def calibrator_forms() -> dict[str, str]:
    """Return what `as_calibrator` reads: each as typed, what it does, and its settings.

    >>> calibrator_forms()["aci"].partition("Settings:")[2]
    ' alpha, gamma.'
    """
    return forms(CALIBRATORS.values())
