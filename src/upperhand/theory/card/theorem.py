"""Theorem 1 on the card: its constants, and what it asks for next to the policy's settings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...distributions import Distribution, Normal
from ...errors import AssumptionError
from ...objectives import UpperTail
from ...policies import ACPUCB1
from .. import assumption_1, common_optimizer, theorem_1, utility_path
from ..assumption_1 import LocalConstants
from ..conditions import side_conditions
from .gaussian import moments


def theorem_part(
    arms: Sequence[Distribution], policy: ACPUCB1, n: int, r_y: float | None, r_s: float | None
) -> dict[str, Any]:
    """Return the theorem's constants, needs and side conditions for these arms and settings.

    Of Gaussian arms there are two sets of constants: the appendix's closed form, and the best ones.
    """
    gaps = UpperTail(policy.alpha).gaps(arms)
    radius = theorem_1.least_radius(gaps)
    radii = {"r_y": radius if r_y is None else r_y, "r_s": radius if r_s is None else r_s}
    constants = _constants(arms, policy, radii, gaps)
    best = constants["best"]
    least = {source: theorem_1.b_0(each.f_min, each.g_min) for source, each in constants.items()}
    needs = {source: _needs(b, constants[source], gaps, n) for source, b in least.items()}
    nominal = assumption_1.nominal_density(arms, policy.alpha, r_y=radii["r_y"])
    needs["proof"] = _needs(theorem_1.b_of_the_proof(nominal, best.g_min), best, gaps, n)
    return {
        "window": [policy.level_min, policy.level_max],
        "settings": {"b": policy.b, "lam": policy.lam, "init": policy.init, "horizon": n},
        "constants": {source: _with_derived(each) for source, each in constants.items()},
        "needs": needs,
        "conditions": _conditions(gaps, best, policy, n),
        "trivial_regret": n * float(gaps.max()),
        "logarithmic_constants": _logarithmic_constants(arms, policy.alpha, least["best"]),
    }


def no_adaptation_part(
    arms: Sequence[Distribution], alpha: float, r_y: float | None
) -> dict[str, Any]:
    """Return what the theorem's proof needs if η = 0 (ours): a density at the upper end alone.

    The initial pulls are those at the least horizon.
    """
    gaps = UpperTail(alpha).gaps(arms)
    radius = theorem_1.least_radius(gaps) if r_y is None else r_y
    with _naming_the_radius(arms, gaps):
        f_min = assumption_1.endpoint_density(arms, alpha, r_y=radius)
    b, rho = theorem_1.b_without_adaptation(f_min), radius / 2
    horizon = theorem_1.smallest_horizon(len(gaps), b, rho)
    init = horizon // len(gaps)  # s_loc of the least horizon
    return {"f_min": f_min, "r_y": radius, "b": b, "init": init, "horizon": horizon}


def _constants(
    arms: Sequence[Distribution],
    policy: ACPUCB1,
    radii: dict[str, float],
    gaps: NDArray[np.float64],
) -> dict[str, LocalConstants]:
    window = policy.level_min, policy.level_max
    with _naming_the_radius(arms, gaps):
        best = assumption_1.local_constants(arms, policy.alpha, window, **radii)
        if not all(isinstance(arm, Normal) for arm in arms):
            return {"best": best}
        sds = [arm.sd for arm in arms]
        return {"appendix": assumption_1.gaussian_constants(sds, window, **radii), "best": best}


@contextmanager
def _naming_the_radius(arms: Sequence[Distribution], gaps: NDArray[np.float64]) -> Iterator[None]:
    """Add to a refusal which radii are too small for the theorem."""
    try:
        yield
    except AssumptionError as error:
        if not all(arm.has_density for arm in arms):  # no radius would help
            raise
        least = theorem_1.least_radius(gaps)
        raise AssumptionError(
            f"{error} Theorem 1 needs radii of at least max Δ_j / 4 = {least:.6g}."
        ) from error


def _with_derived(constants: LocalConstants) -> dict[str, float]:
    return {
        **constants._asdict(),
        "h_min": theorem_1.h_min(constants.f_min, constants.g_min),
        "rho": theorem_1.rho(constants.r_y, constants.r_s),
    }


def _needs(
    b: float, constants: LocalConstants, gaps: NDArray[np.float64], n: int
) -> dict[str, Any]:
    """Return what the theorem asks for at this b, and its formulas for pulls and regret at n."""
    rho = theorem_1.rho(constants.r_y, constants.r_s)
    covered = rho >= theorem_1.least_radius(gaps) / 2  # otherwise s_0 exceeds the formulas
    regret = float(theorem_1.regret_bound(n, b, gaps)) if covered else None
    return {
        "b": b,
        "lam": theorem_1.lambda_max(b, constants.g_min),
        "init": theorem_1.s_loc(n, b, rho),
        "horizon": theorem_1.smallest_horizon(len(gaps), b, rho),
        "regret": regret,
        "empty": regret is not None and regret > n * float(gaps.max()),  # any policy does as well
        "pulls": [  # nothing bounds those of the best arm
            float(theorem_1.pull_bound(n, b, gap)) if covered and gap > 0 else None for gap in gaps
        ],
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
    try:
        acp, mean = utility_path.targets(means, sds, a)
    except AssumptionError:  # two arms share the best mean
        return []
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
