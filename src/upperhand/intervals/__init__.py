"""Prediction intervals by calibration, one method a file, and confidence intervals of a quantile.

A calibrator of your own needs `Calibrator`, `CalibratorFunctions`, `parameter` and `kernel`.
"""

from typing import Any

from .._kernels.compile import kernel
from ..parameters import parameter
from ..parameters.text import class_named, made, settings_in
from .aci import ACI
from .clipped_aci import ClippedACI
from .contract import Calibrator, CalibratorFunctions
from .cqr import CQR
from .decaying_steps import DecayingSteps
from .nex_cp import NexCP
from .quantile_sequence import QuantileSequence
from .rescored import Rescored
from .split_conformal import SplitConformal
from .sps import SPS
from .stream import Interval

__all__ = [
    "ACI",
    "CALIBRATORS",
    "CQR",
    "SPS",
    "Calibrator",
    "CalibratorFunctions",
    "ClippedACI",
    "DecayingSteps",
    "Interval",
    "NexCP",
    "QuantileSequence",
    "Rescored",
    "SplitConformal",
    "kernel",
    "parameter",
    "parse_calibrator",
]

CALIBRATORS: dict[str, type[Calibrator]] = {
    cls.name: cls
    for cls in (SplitConformal, CQR, ACI, DecayingSteps, NexCP, SPS, Rescored, ClippedACI)
}


def parse_calibrator(text: str, **told: Any) -> Calibrator:
    """Return the calibrator of text such as ``aci`` or ``aci:gamma=0.01/alpha=0.2``.

    The settings in `told` go to it if it has them, unless the text says otherwise.

    >>> parse_calibrator("clipped-aci:eta=0.05", alpha=0.2)
    ClippedACI(alpha=0.2, eta=0.05, level_min=0.0001, level_max=0.5)
    """
    name, _, given = text.partition(":")
    cls = class_named("calibrator", name.strip(), CALIBRATORS.values())
    known = cls.setting_names()
    passed = {key: told[key] for key in known if key in told}
    return made(cls, passed | settings_in(given, "/", name, known), "/")
