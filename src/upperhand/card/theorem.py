"""Theorem 1 on the card: its constants, and what it asks for next to the policy's settings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution, Normal
from ..objectives import UpperTail
from ..policies import ACPUCB1
from ..theory import assumption_1, common_optimizer, theorem_1, utility_path
from ..theory.assumption_1 import LocalConstants
from ..theory.conditions import side_conditions
from .gaussian import moments


def theorem_part(
    arms: Sequence[Distribution], policy: ACPUCB1, n: int, r_y: float | None, r_s: float | None
) -> dict[str, Any]:
    """Return the theorem's constants, needs and side conditions for these arms and settings.

    Of Gaussian arms there are two sets of constants: the appendix's closed form, and the best ones.
    """
    gaps = UpperTail(policy.alpha).gaps(arms)
    radius = float(theorem_1.unique_gaps(gaps).max()) / 4
    radii = {"r_y": radius if r_y is None else r_y, "r_s": radius if r_s is None else r_s}
    constants = _constants(arms, policy, radii)
    best = constants["best"]
    least = {  # the b that each reading of the theorem asks for, and the constants that it takes
        source: (theorem_1.b_0(each.f_min, each.g_min), each) for source, each in constants.items()
    }
    least["proof"] = theorem_1.b_of_the_proof(best.f_min, best.g_min), best
    least["eta = 0"] = theorem_1.b_without_adaptation(best.f_min), best
    return {
        "window": [policy.level_min, policy.level_max],
        "settings": {"b": policy.b, "lam": policy.lam, "init": policy.init, "horizon": n},
        "constants": {source: each._asdict() for source, each in constants.items()},
        "needs": {source: _needs(b, each, gaps, n) for source, (b, each) in least.items()}
        | {"eta = 0": _needs(*least["eta = 0"], gaps, n) | {"lam": None}},  # no level to hold
        "conditions": _conditions(gaps, best, policy, n),
        "trivial_regret": n * float(gaps.max()),
        "logarithmic_constants": _logarithmic_constants(arms, policy.alpha, least["best"][0]),
    }


def _constants(
    arms: Sequence[Distribution], policy: ACPUCB1, radii: dict[str, float]
) -> dict[str, LocalConstants]:
    window = policy.level_min, policy.level_max
    best = assumption_1.local_constants(arms, policy.alpha, window, **radii)
    if not all(isinstance(arm, Normal) for arm in arms):
        return {"best": best}
    sds = [arm.sd for arm in arms]
    return {"appendix": assumption_1.gaussian_constants(sds, window, **radii), "best": best}


def _needs(
    b: float, constants: LocalConstants, gaps: NDArray[np.float64], n: int
) -> dict[str, float | None]:
    """Return what the theorem asks for at this b, and the regret that it then promises."""
    rho = theorem_1.rho(constants.r_y, constants.r_s)
    return {
        "b": b,
        "lam": theorem_1.lambda_max(b, constants.g_min),
        "init": theorem_1.s_loc(n, b, rho),
        "horizon": theorem_1.smallest_horizon(len(gaps), b, rho),
        "regret_bound": theorem_1.regret_bound(n, b, gaps),
    }


def _conditions(
    gaps: NDArray[np.float64], constants: LocalConstants, policy: ACPUCB1, n: int
) -> list[dict[str, Any]]:
    """Return the side conditions at the policy's settings; without a bonus there are none."""
    if policy.b == 0:
        return []
    checked = side_conditions(
        gaps, constants, b=policy.b, lam=policy.lam, init=policy.init, horizon=n
    )
    return [each._asdict() for each in checked]


def _logarithmic_constants(
    arms: Sequence[Distribution], alpha: float, b: float
) -> list[dict[str, float]]:
    """Return γ^ACP at an admissible b, and γ^UCB, of each arm j ≠ A where A = M (section 4.3.3)."""
    if not all(isinstance(arm, Normal) for arm in arms):
        return []
    (means, sds), a = moments(arms), utility_path.path_end(alpha)
    acp, mean = utility_path.targets(means, sds, a)
    if acp != mean:
        return []
    others = np.array([j for j in range(len(arms)) if j != acp])
    sd, mean_gap = np.array(sds)[others], means[acp] - np.array(means)[others]
    gap = common_optimizer.acp_gap(mean_gap, a, sds[acp], sd)
    columns = {
        "arm": others,
        "gamma_acp": common_optimizer.gamma_acp(b, gap),
        "gamma_ucb": common_optimizer.gamma_ucb(sd, mean_gap),
        "gap_ratio": common_optimizer.gap_ratio(gap, mean_gap),
        "least_gap_ratio": common_optimizer.least_gap_ratio(b, sd, mean_gap),
    }
    return [
        {name: values[i].item() for name, values in columns.items()} for i in range(len(others))
    ]
