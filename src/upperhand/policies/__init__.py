"""The policies: how arms are chosen. One paper's policy, one file.

A policy of your own needs `Policy`, `parameter`, `kernel` and `Functions`, perhaps `argmax`: see
``examples/policy_of_your_own.py``.
"""

from .._kernels.argmax import argmax
from .._kernels.compiler import kernel
from ..errors import ParameterError
from ..parameters import derived, parameter
from ..parsing import class_named, typed_name
from .acp_ucb1 import ACPUCB1
from .base import Functions, Policy, as_policy
from .best_arm import BEST_ARM_POLICIES
from .exp_exp import ExpExp
from .kl_qucb import KLQUCB
from .kl_ucb import KLUCB
from .marab import MaRaB
from .max_median import MaxMedian
from .mv_lcb import MVLCB
from .qomax_etc import QoMaxETC
from .qomax_sda import QoMaxSDA
from .quantile_imed import QuantileIMED
from .quantile_ts import QuantileTS
from .quantile_ucb import QuantileUCB
from .qucb import QUCB
from .thompson_sampling import ThompsonSampling
from .threshold_ascent import ThresholdAscent
from .ucb1 import UCB1
from .ucb1_normal import UCB1Normal
from .ucb_cp import UCBCP
from .ucb_v import UCBV

__all__ = [
    "ACPUCB1",
    "BEST_ARM_POLICIES",
    "KLQUCB",
    "KLUCB",
    "MVLCB",
    "POLICIES",
    "QUCB",
    "UCB1",
    "UCBCP",
    "UCBV",
    "ExpExp",
    "Functions",
    "MaRaB",
    "MaxMedian",
    "Policy",
    "QoMaxETC",
    "QoMaxSDA",
    "QuantileIMED",
    "QuantileTS",
    "QuantileUCB",
    "ThompsonSampling",
    "ThresholdAscent",
    "UCB1Normal",
    "argmax",
    "as_policy",
    "best_arm_class",
    "derived",
    "kernel",
    "parameter",
    "policy_class",
    "typed_name",
]

POLICIES: dict[str, type[Policy]] = {
    cls.name: cls
    for cls in (
        ACPUCB1,
        UCB1,
        QuantileUCB,
        KLQUCB,
        QuantileTS,
        QuantileIMED,
        QUCB,
        UCB1Normal,
        KLUCB,
        UCBV,
        ThompsonSampling,
        MVLCB,
        ExpExp,
        MaRaB,
        UCBCP,
        ThresholdAscent,
        MaxMedian,
        QoMaxETC,
        QoMaxSDA,
    )
}


def policy_class(name: str) -> type[Policy]:
    """Return the policy of that name; case, spaces and hyphens make no difference.

    One that looks for the best arm is refused: it is run by `identify`.
    """
    found = class_named("policy", name, [*POLICIES.values(), *BEST_ARM_POLICIES.values()])
    if found.name in BEST_ARM_POLICIES:
        raise ParameterError(
            f"{found.name} looks for the best arm, and stops when it is found; here policies play "
            "on for a small regret. Run it by identify, or name another policy, such as kl-qucb."
        )
    return found


def best_arm_class(name: str) -> type[Policy]:
    """Return the policy of that name that looks for the best arm; refuse one that plays on."""
    found = class_named("policy", name, [*BEST_ARM_POLICIES.values(), *POLICIES.values()])
    if found.name in POLICIES:
        known = ", ".join(typed_name(cls) for cls in BEST_ARM_POLICIES.values())
        raise ParameterError(
            f"{found.name} plays for a small regret and never stops; identify runs policies that "
            f"look for the best arm: {known}. Choose one of these, or run {found.name} by simulate."
        )
    return found
