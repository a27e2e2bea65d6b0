"""The Gaussian comparison on the card: where mean and tail part, and what either choice costs."""

from collections.abc import Sequence
from typing import Any

from ...distributions import Distribution, Normal
from ...errors import AssumptionError
from .. import two_arms, utility_path
from .._arms import laws


def path_part(arms: Sequence[Distribution], alpha: float) -> dict[str, Any]:
    """Return the utility path of Gaussian arms, and the losses of A and M along it."""
    means, sds = moments(arms)
    a = utility_path.path_end(alpha)
    acp, mean = utility_path.targets(means, sds, a)
    kinks, best = utility_path.envelope(means, sds, a)
    by_name = {"D_A": acp, "D_M": mean}
    return {
        "a": a,
        "envelope": [
            {"kappa": float(kappa), "arm": int(arm)} for kappa, arm in zip(kinks, best, strict=True)
        ],
        "worst": {
            name: utility_path.worst_shortfall(means, sds, arm, a) for name, arm in by_name.items()
        },
        "average": {
            name: utility_path.average_shortfall(means, sds, arm, a)
            for name, arm in by_name.items()
        },
        "mismatch": None if acp == mean else _mismatch(means, sds, a, acp, mean),
    }


def _mismatch(
    means: list[float], sds: list[float], a: float, acp: int, mean: int
) -> dict[str, Any]:
    """Return the trade-off of two arms that the objectives do not agree on (section 4.3.2)."""
    delta_mu, delta_sigma = means[mean] - means[acp], sds[acp] - sds[mean]
    return {
        "delta_mu": delta_mu,
        "delta_sigma": delta_sigma,
        "kappa_0": float(two_arms.kappa_0(delta_mu, delta_sigma)),
        "two_arm_envelope": utility_path.is_two_arm_envelope(means, sds, a),
        "acp_is_minimax": bool(two_arms.is_acp_minimax(a, delta_mu, delta_sigma)),
    }


def moments(arms: Sequence[Distribution]) -> tuple[list[float], list[float]]:
    """Return the means and standard deviations of Gaussian arms; refuse any other."""
    for j, arm in enumerate(laws(arms)):
        if not isinstance(arm, Normal):
            raise AssumptionError(
                "mean + κ sd leads from the mean to the ACP value for Gaussian arms only; arm "
                f"{j + 1} is {arm!r}."
            )
    return [arm.mean for arm in arms], [arm.sd for arm in arms]
