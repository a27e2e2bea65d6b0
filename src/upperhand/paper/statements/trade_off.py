"""Section 4.3.2 and appendix A.1.4: the trade-off where mean and tail choose different arms."""

import numpy as np

from ...simulation.runs import Runs
from ...text import significant
from ...theory import two_arms, utility_path
from ..claim import Claim, Effort, Verdict, worst
from ..levels import ALPHAS
from ..settings import ACP, ALPHA, MEAN_BASED
from ..transfer import NEAR_ONE
from . import minimax
from .evidence import FIGURE_1, ROUNDING, STABLE, Array, growth, holds_if, largest, share_of, stream
from .mismatches import GRID, Mismatch, at_level, mismatch, papers_cases, suprema
from .proposition import differences, figure_1, leading

CHAPTER = 9


def claims(effort: Effort) -> list[Claim]:
    """Judge section 4.3.2."""
    rng, count = stream(effort, CHAPTER, 1), share_of(effort, 8, least=50)
    cases = [*papers_cases(), *(mismatch(rng) for _ in range(count))]
    return [
        _switch(cases),
        _shortfalls(cases),
        _endpoints(figure_1(effort)),
        _suprema(cases),
        *minimax.claims(cases),
        _averages(cases),
    ]


def _switch(cases: list[Mismatch]) -> Claim:
    good = 0
    for case in cases:
        switch = float(two_arms.kappa_0(*case.deltas))
        acp, mean = case.shortfalls(np.array([switch / 2, (switch + case.a) / 2]))
        good += 0 < switch < case.a and acp[0] > mean[0] and acp[1] < mean[1]
    headline = float(two_arms.kappa_0(*at_level(FIGURE_1, ALPHA).deltas))
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
        formulas = (two_arms.acp_shortfall, two_arms.mean_shortfall)
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
            "largest difference": significant(largest(errors), 2),
        },
        holds_if(largest(errors) <= ROUNDING),
        "equation (11)",
    )


def _endpoints(runs: Runs) -> Claim:
    across = {"UCB1, ACP regret": (MEAN_BASED, 1), "ACP-UCB1, mean regret": (ACP, 0)}
    numbers, verdicts = {}, []
    for name, (policy, end) in across.items():
        left = differences(FIGURE_1, runs, policy).mean(axis=0)[:, end]
        term = float(leading(FIGURE_1, runs, policy)[-1, end])
        share, grown = 1 + left[-1] / term, growth(runs.rounds, left)
        numbers[name] = f"{term * share:.0f}, leading term {term:.0f}; growth {grown:.2f}"
        verdicts.append(endpoint_verdict(share, grown))
    return Claim(
        "On Figure 1's arms and at the experiments' horizon, R_n^a of the mean-based policy is "
        "(a δ_σ − δ_μ) n, and R_n^0 of ACP-UCB1 is δ_μ n, up to what grows like a logarithm.",
        "The regret is near its leading term, 0.75 to 1.33 of it, and what is left over grows like "
        f"a logarithm: divided by ln n, it is at most {STABLE:g} times as large at n = "
        f"{runs.rounds[1]:,} as at n = {runs.rounds[0]:,}. With a note if only the former. (The "
        "paper states it for n → ∞.)",
        numbers,
        worst(verdicts),
        "equations (12) and (13)",
        ours=True,
    )


def endpoint_verdict(share: float, grown: float) -> Verdict:
    """Judge the share of the regret in its leading term, and the growth of the rest."""
    if not NEAR_ONE[0] <= share <= NEAR_ONE[1]:
        return Verdict.FAILS
    return Verdict.HOLDS if grown <= STABLE else Verdict.NOTE


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
            "largest difference": significant(largest(errors), 2),
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
            "largest difference": significant(largest(errors), 2),
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
        two_arms.average_acp_shortfall(case.a, *case.deltas),
        two_arms.average_mean_shortfall(case.a, *case.deltas),
    ]
    found = [
        utility_path.average_shortfall(*case.instance, target, case.a) for target in case.targets
    ]
    return np.array(stated), np.array(found)
