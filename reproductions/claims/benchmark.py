"""The mean-based benchmark: UCB1-NORMAL in the paper's theory, UCB1 in its figures."""

import math

import numpy as np

from upperhand.paper.claim import Claim, Verdict
from upperhand.paper.settings import HORIZON
from upperhand.policies import UCB1, Policy, UCB1Normal
from upperhand.theory import gaussian, ucb1

from .cases import FIGURE_1
from .evidence import ROUNDING, Array, holds_if, largest

ALIKE = 0.05  # how much two bonuses may differ and still be those of the same benchmark


def per_arm_bound() -> Claim:
    """Judge the bound on UCB1-NORMAL's pulls that the paper takes from Auer et al."""
    gaps = math.sqrt(32) * np.geomspace(0.002, 500, 401)  # in units of σ_j; both terms meet at √32
    ratios = np.array([implied_pulls(gap) for gap in gaps]) / gaussian.gamma_ucb(1.0, gaps)
    shortage = float(ratios.max())
    return Claim(
        "“Correspondingly”, E[T_j^UCB(n)] ≤ max{256 σ_j²/(Δ_j^μ)², 8} ln n + B_j for UCB1-NORMAL.",
        "Equation (18) is Auer's Theorem 4, its terms sorted by arm; it is quoted, and not judged. "
        "With two arms, (18) divided by the gap gives the sum of the two terms, not their maximum. "
        "Holds if the stated constant is at least the sum at every gap, with a note if it is at "
        "least half of it. A maximum of two terms can only get the note. It says that (19) has to "
        "come from Auer's proof, not from (18), and that proof rests on two conjectures about "
        "tails that were checked numerically.",
        {
            "sum over maximum, largest": f"{shortage:.3f}",
            "at Δ_μ": f"{gaps[np.argmax(ratios)]:.2f} σ_j",
        },
        implied_verdict(shortage),
        "equations (18) and (19)",
    )


def implied_pulls(gap: float) -> float:
    """Return the pulls per ln n of the worse of two arms, σ = 1, that equation (18) allows."""
    bounds = [ucb1.ucb1_normal_regret_bound(n, [0.0, gap], [1.0, 1.0]) for n in (1, math.e)]
    return float(bounds[1] - bounds[0]) / gap


def implied_verdict(shortage: float) -> Verdict:
    """Judge by how much the constant that the theorem implies exceeds the stated one."""
    if shortage <= 1 + ROUNDING:
        return Verdict.HOLDS
    return Verdict.NOTE if shortage <= 2 + ROUNDING else Verdict.FAILS


def same_benchmark() -> Claim:
    """Judge whether theory and experiments have the same benchmark."""
    ratios = bonus_ratios(FIGURE_1.sds)
    same = bonus_ratios(np.array([math.sqrt(1 / 8)]))[0]
    return Claim(
        "The mean-based benchmark UCB1-NORMAL of the theory is the same benchmark as UCB1 in the "
        "experiments.",
        "UCB1-NORMAL's bonus √(16 S² ln(t − 1)/T) over UCB1's √(2 ln t/T), at the true variances "
        "of Figure 1's arms and at the last round: the same if every ratio is within "
        f"{100 * ALIKE:g} % of 1.",
        {
            **{f"sd {sd:g}": f"{r:.3f}" for sd, r in zip(FIGURE_1.sds, ratios, strict=True)},
            "sd √(1/8) = 0.354, on no arm": f"{same:.3f}",
            "least pulls of each arm": f"{math.ceil(8 * math.log(HORIZON))} against 1",
        },
        benchmark_verdict(ratios),
        "section 4.3",
    )


def bonus_ratios(sds: Array) -> Array:
    """Return the bonus of UCB1-NORMAL over that of UCB1, for arms with these deviations."""
    return np.array([_bonus(UCB1Normal(), sd) / _bonus(UCB1(), sd) for sd in sds])


def _bonus(policy: Policy, sd: float, pulls: int = 100) -> float:
    """Return a policy's index at the last round, for an arm with mean 0 and this deviation."""
    state = policy.functions.start(policy.parameters, 1, 0)
    state.pulls[0] = state.seen[0] = pulls
    if "squares" in state._fields:
        state.squares[0] = sd**2 * (pulls - 1)
    return policy.functions.index(policy.parameters, state, 0, HORIZON)


def benchmark_verdict(ratios: Array) -> Verdict:
    """Judge whether two policies explore alike."""
    return holds_if(largest(ratios - 1) <= ALIKE)
