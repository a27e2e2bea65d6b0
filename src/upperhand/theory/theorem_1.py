"""The constants of Theorem 1, from the local constants of Assumption 1.

The theorem bounds E[T_j(n)] by 4 b² ln n / Δ_j² + O(1) for b ≥ b_0, λ ≤ λ_max(b) and
s_0 = s_loc(n).
"""

import math

from .. import checks
from ..errors import ParameterError


def rho(r_y: float, r_s: float) -> float:
    """Return ρ = min{r_s, r_y / 2}, the radius of local regularity (Assumption 1)."""
    return min(checks.real("r_s", r_s, above=0), checks.real("r_y", r_y, above=0) / 2)


def b_0(f_min: float, g_min: float) -> float:
    """Return b_0 = 64 / h_min with h_min = min{f_min, g_min}: the least b of Theorem 1."""
    return 64 / min(checks.real("f_min", f_min, above=0), checks.real("g_min", g_min, above=0))


def lambda_max(b: float, g_min: float) -> float:
    """Return b g_min / 4, the largest λ of Theorem 1."""
    return checks.real("b", b, above=0) * checks.real("g_min", g_min, above=0) / 4


def s_loc(horizon: int, b: float, radius: float) -> int:
    """Return s_loc(n) = ⌈b² ln n / (16 ρ²)⌉ ∨ 2, the initial pulls of each arm (section 3.3)."""
    n = checks.integer("horizon", horizon, least=1)
    b, radius = checks.real("b", b, above=0), checks.real("rho", radius, above=0)
    pulls = (b / radius) * (b / radius) * math.log(n) / 16
    if not pulls <= checks.MOST:
        raise ParameterError(
            f"s_loc(n) is {pulls:.3g} for b={b:g}, rho={radius:g}: more pulls than can be counted. "
            "Give larger local constants."
        )
    return max(2, math.ceil(pulls))
