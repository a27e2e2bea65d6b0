"""Equation (15), where ACP-UCB1 has the smaller worst case: the condition, and where it is met."""

from collections.abc import Sequence

import numpy as np

from ...theory import two_arms, utility_path
from ..claim import Claim
from ..levels import ALPHAS
from ..settings import ALPHA
from .evidence import FIGURE_1, FIGURE_3, Instance, holds_if
from .mismatches import Mismatch, at_level, suprema

STATED_FACTOR = 1.02  # 2 / z_{0.975}, as the paper rounds it


def claims(cases: list[Mismatch]) -> list[Claim]:
    """Judge the condition on many instances, and on those of the experiments."""
    return [
        _minimax(cases),
        _on_the_papers_arms("Figure 1's arms, at every α of Figure 2,", FIGURE_1, ALPHAS),
        _on_the_papers_arms("Figure 3's Gaussian arms", FIGURE_3, [ALPHA]),
    ]


def _minimax(cases: list[Mismatch]) -> Claim:
    stated = [bool(two_arms.is_acp_minimax(case.a, *case.deltas)) for case in cases]
    found = [bool(np.less(*suprema(case)[1])) for case in cases]
    agreeing, factor = sum(map(bool.__eq__, stated, found)), 2 / utility_path.path_end(0.05)
    return Claim(
        "ACP-UCB1 has the smaller worst-case leading coefficient over [0, a] if and only if "
        "2 δ_μ < a δ_σ; at α = 0.05, δ_σ > 1.02 δ_μ.",
        "The same instances: the condition is true exactly where the arms' own supremum of D_A is "
        "below that of D_M, and 2/z_{0.975} rounds to the stated factor.",
        {
            "agreeing": f"{agreeing} of {len(cases)}, true on {sum(stated)}",
            "2 / z_{0.975}": f"{factor:.4f}",
        },
        holds_if(agreeing == len(cases) and round(factor, 2) == STATED_FACTOR),
        "equation (15)",
    )


def _on_the_papers_arms(which: str, instance: Instance, alphas: Sequence[float]) -> Claim:
    cases = {alpha: at_level(instance, alpha) for alpha in alphas}
    met = [bool(two_arms.is_acp_minimax(c.a, *c.deltas)) for c in cases.values()]
    return Claim(
        f"{which} meet 2 δ_μ < a δ_σ: ACP-UCB1 has the smaller worst-case leading coefficient over "
        "[0, a] there.",
        "Both sides of the condition, from the arms: holds if it is true at every level.",
        {f"α = {alpha:.2f}": _sides(case) for alpha, case in cases.items()}
        | {"levels at which it is true": f"{sum(met)} of {len(met)}"},
        holds_if(all(met)),
        "equation (15)",
        ours=True,
    )


def _sides(case: Mismatch) -> str:
    delta_mu, delta_sigma = case.deltas
    return f"2 δ_μ = {2 * delta_mu:.4f}, a δ_σ = {case.a * delta_sigma:.4f}"
