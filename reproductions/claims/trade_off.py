"""Section 4.3.2 and appendix A.1.4: the trade-off where mean and tail choose different arms."""

from collections.abc import Sequence

import numpy as np

from upperhand.paper.claim import Claim
from upperhand.paper.levels import ALPHAS
from upperhand.paper.settings import ACP, ALPHA, HORIZON, MEAN_BASED
from upperhand.simulation.runs import Runs
from upperhand.text import significant
from upperhand.theory import gaussian

from .cases import FIGURE_1, FIGURE_3, Gaussians, Mismatch, at_level, mismatch, papers_cases
from .evidence import (
    GROWTH_CHECK,
    ROUNDING,
    Array,
    Effort,
    described,
    growths_verdict,
    holds_if,
    largest,
    share_of,
    shown,
    stream,
)
from .proposition import differences, figure_1, leading

CHAPTER = 9
GRID = 201  # utilities κ on [0, a]
STATED_FACTOR = 1.02  # 2 / z_{0.975}, as the paper rounds it


def claims(effort: Effort) -> list[Claim]:
    """Judge section 4.3.2."""
    rng, count = stream(effort, CHAPTER, 1), share_of(effort, 8, least=50)
    cases = [*papers_cases(), *(mismatch(rng) for _ in range(count))]
    return [
        _switch(cases),
        _shortfalls(cases),
        _endpoints(figure_1(effort)),
        _suprema(cases),
        _minimax(cases),
        _on_the_papers_arms("Figure 1's arms, at every α of Figure 2,", FIGURE_1, ALPHAS),
        _on_the_papers_arms("Figure 3's Gaussian arms", FIGURE_3, [ALPHA]),
        _averages(cases),
    ]


def _switch(cases: list[Mismatch]) -> Claim:
    good = 0
    for case in cases:
        switch = float(gaussian.kappa_0(*case.deltas))
        acp, mean = case.shortfalls(np.array([switch / 2, (switch + case.a) / 2]))
        good += 0 < switch < case.a and acp[0] > mean[0] and acp[1] < mean[1]
    headline = float(gaussian.kappa_0(*at_level(FIGURE_1, ALPHA).deltas))
    return Claim(
        "If A ≠ M then 0 < δ_μ < a δ_σ, so δ_σ > 0, and preference switches at κ₀ = δ_μ/δ_σ in "
        "(0, a).",
        "The Gaussian arms of Figures 1 and 3 at every α, and random instances of four arms: κ₀ "
        "lies in (0, a), A falls shorter than M before it, and M falls shorter than A after it.",
        {"instances": f"{good} of {len(cases)}", "κ₀ on Figure 1": significant(headline)},
        holds_if(good == len(cases)),
        "section 4.3.2",
    )


def _shortfalls(cases: list[Mismatch]) -> Claim:
    two_arm = [case for case in cases if case.is_two_arm]
    errors = []
    for case in two_arm:
        kappa = np.linspace(0, case.a, GRID)
        formulas = (gaussian.acp_shortfall, gaussian.mean_shortfall)
        stated = [formula(kappa, *case.deltas) for formula in formulas]
        errors.append(case.shortfalls(kappa) - stated)
    papers = sum(case.is_two_arm for case in papers_cases())
    return Claim(
        "Where no third arm is ever the best, D_A(κ) = (δ_μ − κ δ_σ)₊ and D_M(κ) = (κ δ_σ − δ_μ)₊.",
        f"The same instances that meet the condition, {GRID} utilities κ each: the arms' own "
        "shortfalls agree, up to rounding.",
        {
            "instances": f"{len(two_arm)} of {len(cases)}, the paper's own {papers} of "
            f"{2 * len(ALPHAS)}",
            "largest difference": shown(largest(errors)),
        },
        holds_if(largest(errors) <= ROUNDING),
        "equation (11)",
    )


def _endpoints(runs: Runs) -> Claim:
    across = {"UCB1, ACP regret": (MEAN_BASED, 1), "ACP-UCB1, mean regret": (ACP, 0)}
    left, here, shares = {}, int(np.searchsorted(runs.rounds, HORIZON)), {}
    for name, (policy, end) in across.items():
        rest = differences(FIGURE_1, runs, policy).mean(axis=0)[:, end]
        term = leading(FIGURE_1, runs, policy)[:, end]
        left[f"{name}, left over"] = np.abs(rest)
        shares[f"{name} over leading term, n = {HORIZON:,}"] = f"{1 + (rest / term)[here]:.2f}"
    return Claim(
        "On Figure 1's arms with the experiments' settings, R_n^a of the mean-based policy UCB1 is "
        "(a δ_σ − δ_μ) n, and R_n^0 of ACP-UCB1 is δ_μ n, up to what grows like a logarithm.",
        "What is left over of the regret, without its sign, at 1,000 to 1,000,000 rounds. "
        f"{GROWTH_CHECK} At the experiments' horizon it still grows faster.",
        described(left) | shares,
        growths_verdict(left.values()),
        "equations (12) and (13)",
        ours=True,
    )


def _suprema(cases: list[Mismatch]) -> Claim:
    errors = [np.subtract(*suprema(case)) for case in cases]
    others = sum(not case.is_two_arm for case in cases)
    return Claim(
        "On [0, a], sup D_A = δ_μ and sup D_M = a δ_σ − δ_μ.",
        "The same instances, the suprema taken over the arms' own shortfalls, up to rounding. "
        "Those on which a third arm is the best somewhere are included: every D is convex, so "
        "that its supremum is at an end of the path, and the paper's condition is not needed here.",
        {
            "instances": str(len(cases)),
            "of which with a third best arm": str(others),
            "largest difference": shown(largest(errors)),
        },
        holds_if(largest(errors) <= ROUNDING),
        "equation (14)",
    )


def _averages(cases: list[Mismatch]) -> Claim:
    errors = [np.subtract(*averages(case)) for case in cases if case.is_two_arm]
    others = [np.subtract(*averages(case)) for case in cases if not case.is_two_arm]
    headline = at_level(FIGURE_1, ALPHA)
    dense = np.linspace(0, headline.a, 100_001)
    drawn = np.asarray(np.trapezoid(headline.shortfalls(dense), dense) / headline.a)
    stated, _ = averages(headline)
    return Claim(
        "Averaged over [0, a], D_A is δ_μ²/(2 a δ_σ) and D_M is (a δ_σ − δ_μ)²/(2 a δ_σ).",
        "The same instances without a third best arm: the integral of the arms' own shortfalls, "
        "which are lines between kinks, agrees up to rounding; and on Figure 1 the integral over "
        "100,001 points to a billionth.",
        {
            "Figure 1, D_A and D_M": f"{stated[0]:.4f} and {stated[1]:.4f}",
            "Figure 1, over points": f"{drawn[0]:.4f} and {drawn[1]:.4f}",
            "largest difference": shown(largest(errors)),
            "with a third best arm, which the formulas exclude": significant(
                largest(others or [0.0]), 2
            ),
        },
        holds_if(largest(errors) <= ROUNDING and largest(drawn - stated) <= 1e-9),
        "appendix A.1.4",
    )


def averages(case: Mismatch) -> tuple[Array, Array]:
    """Return the averages of D_A and D_M by the paper's formulas, and from the arms themselves."""
    stated = [
        gaussian.average_acp_shortfall(case.a, *case.deltas),
        gaussian.average_mean_shortfall(case.a, *case.deltas),
    ]
    found = [gaussian.average_shortfall(*case.gaussians, target, case.a) for target in case.targets]
    return np.array(stated), np.array(found)


def suprema(case: Mismatch) -> tuple[Array, Array]:
    """Return sup D_A and sup D_M by equation (14), and by the arms on a grid that has both ends."""
    stated = [
        gaussian.worst_acp_shortfall(case.deltas[0]),
        gaussian.worst_mean_shortfall(case.a, *case.deltas),
    ]
    return np.array(stated), case.shortfalls(np.linspace(0, case.a, GRID)).max(axis=1)


def _minimax(cases: list[Mismatch]) -> Claim:
    stated = [bool(gaussian.is_acp_minimax(case.a, *case.deltas)) for case in cases]
    found = [bool(np.less(*suprema(case)[1])) for case in cases]
    agreeing, factor = sum(map(bool.__eq__, stated, found)), 2 / gaussian.path_end(0.05)
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


def _on_the_papers_arms(which: str, gaussians: Gaussians, alphas: Sequence[float]) -> Claim:
    cases = {alpha: at_level(gaussians, alpha) for alpha in alphas}
    met = [bool(gaussian.is_acp_minimax(c.a, *c.deltas)) for c in cases.values()]
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
