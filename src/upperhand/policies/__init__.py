"""The policies, one paper's policy a file, and their registry.

A policy of your own needs `Policy`, `parameter`, `kernel` and `Functions`, perhaps `derived` and
`argmax`: see ``examples/policy_of_your_own.py``.
"""

from .._kernels.argmax import argmax as argmax
from .._kernels.compiler import kernel as kernel
from ..errors import ParameterError
from ..parameters import derived as derived
from ..parameters import parameter as parameter
from ..parsing import class_named
from ..parsing import typed_name as typed_name
from .base import Functions as Functions
from .base import Policy as Policy
from .base import refuse_search
from .plain import as_policy as as_policy

# The registry: one line for each policy, in the order of the lists that users see.
# isort: off
from .acp_ucb1 import ACPUCB1 as ACPUCB1
from .ucb1 import UCB1 as UCB1
from .quantile_ucb import QuantileUCB as QuantileUCB
from .kl_qucb import KLQUCB as KLQUCB
from .quantile_ts import QuantileTS as QuantileTS
from .quantile_imed import QuantileIMED as QuantileIMED
from .qucb import QUCB as QUCB
from .ucb1_normal import UCB1Normal as UCB1Normal
from .kl_ucb import KLUCB as KLUCB
from .ucb_v import UCBV as UCBV
from .thompson_sampling import ThompsonSampling as ThompsonSampling
from .mv_lcb import MVLCB as MVLCB
from .exp_exp import ExpExp as ExpExp
from .marab import MaRaB as MaRaB
from .ucb_cp import UCBCP as UCBCP
from .threshold_ascent import ThresholdAscent as ThresholdAscent
from .max_median import MaxMedian as MaxMedian
from .qomax_etc import QoMaxETC as QoMaxETC
from .qomax_sda import QoMaxSDA as QoMaxSDA
from .baselines import RoundRobin as RoundRobin
from .baselines import EpsilonGreedy as EpsilonGreedy
from .baselines import ExploreThenCommit as ExploreThenCommit
from .baselines import MeanOfLast as MeanOfLast
from .best_arm.quantile_evidence import QuantileEvidence as QuantileEvidence
from .best_arm.qlucb import QLUCB as QLUCB
from .best_arm.qpac import QPAC as QPAC
from .best_arm.max_q import MaxQ as MaxQ
from .best_arm.max_q import DoubledMaxQ as DoubledMaxQ
from .best_arm.quantile_elimination import QuantileElimination as QuantileElimination
from .best_arm.successive_rejects import QSAR as QSAR
from .best_arm.successive_rejects import QSR as QSR
from .best_arm.successive_rejects import QBatch as QBatch
from .best_arm.uniform import UniformSampling as UniformSampling
# isort: on

_imported = [each for each in vars().values() if isinstance(each, type) and each is not Policy]
_CLASSES = [cls for cls in _imported if issubclass(cls, Policy)]
POLICIES = {cls.name: cls for cls in _CLASSES if cls.functions.stop is None}
BEST_ARM_POLICIES = {cls.name: cls for cls in _CLASSES if cls.functions.stop is not None}


def policy_class(name: str) -> type[Policy]:
    """Return the policy of that name; case, spaces and hyphens make no difference.

    One that looks for the best arm is refused: it is run by `identify`.
    """
    found = class_named("policy", name, _CLASSES)
    refuse_search(found, "any other command")
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


__all__ = sorted(
    ["BEST_ARM_POLICIES", "POLICIES", "Functions", "Policy", "argmax", "as_policy"]
    + ["best_arm_class", "derived", "kernel", "parameter", "policy_class"]
    + [cls.__name__ for cls in _CLASSES]
)
