"""The side conditions of Theorem 1, each with its two numbers: what is asked, and what there is."""

import reprlib
from typing import NamedTuple

from numpy.typing import ArrayLike

from .. import checks
from ..errors import ParameterError
from .assumption_1 import LocalConstants
from .theorem_1 import b_0, lambda_max, least_radius, rho, s_loc


class Condition(NamedTuple):
    """One condition, such as b ≥ 64 / h_min."""

    statement: str
    has: float  # its left side
    needs: float  # its right side
    holds: bool


def side_conditions(
    gaps: ArrayLike, constants: LocalConstants, *, b: float, lam: float, init: int, horizon: int
) -> tuple[Condition, ...]:
    """Return every side condition of Theorem 1 for a policy's b, λ and initial pulls.

    Gaps are the ACP gaps of all K arms; one of them is 0, or the best arm is not unique.
    """
    if not isinstance(constants, LocalConstants):
        raise ParameterError(
            "constants are the LocalConstants of Assumption 1, as local_constants finds them; got "
            f"{reprlib.repr(constants)}."
        )
    radius, init = least_radius(gaps), checks.integer("init", init, least=1)
    arms, lam = len(checks.reals("gaps", gaps)), checks.real("lam", lam, least=0)
    least_b, most_lambda = b_0(constants.f_min, constants.g_min), lambda_max(b, constants.g_min)
    s_0 = s_loc(horizon, b, rho(constants.r_y, constants.r_s))
    return (
        Condition("b ≥ b_0 = 64 / h_min", b, least_b, b >= least_b),
        Condition("0 < λ ≤ b g_min / 4", lam, most_lambda, 0 < lam <= most_lambda),
        Condition("r_y ≥ max Δ_j / 4", constants.r_y, radius, constants.r_y >= radius),
        Condition("r_s ≥ max Δ_j / 4", constants.r_s, radius, constants.r_s >= radius),
        Condition("initial pulls = s_0 = s_loc(n)", init, s_0, init == s_0),
        Condition("n ≥ K s_0", horizon, arms * s_0, horizon >= arms * s_0),
    )
