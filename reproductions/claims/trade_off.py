"""Section 4.3: the benchmark, the utility path, the trade-off, and logarithmic constants."""

import math
from statistics import NormalDist

import numpy as np

from upperhand.objectives import Mean, UpperTail
from upperhand.paper.claims import Claim
from upperhand.paper.experiments import ACP, HORIZON, MEAN_BASED
from upperhand.policies import UCB1, UCB1Normal
from upperhand.simulation.runs import Runs
from upperhand.theory import assumption_1, gaussian, theorem_1, ucb1

from . import cases, evidence
from .cases import ALPHA, ALPHAS, FIGURE_1, FIGURE_3, Gaussians, Mismatch
from .evidence import Array, Effort, equal, equivalent, holds_if, largest, logarithmic

ENDS = np.array([0.0, gaussian.path_end(ALPHA)])  # κ at either end of the path
# Figure 1's arms in another unit, and a b at which all policies find them soon.
LARGER, LARGER_B = Gaussians(10 * FIGURE_1.means, 10 * FIGURE_1.sds), 3.0
COMMON = Gaussians(LARGER.means, LARGER.sds[[1, 0, 2]])  # the best mean is also the widest


def played(gaussians: Gaussians, b: float, effort: Effort, place: int) -> Runs:
    """Play ACP-UCB1 and both mean-based policies on Gaussian arms for a million rounds."""
    policies = cases.EXPERIMENTS_POLICY.replace(b=b), UCB1(), UCB1Normal()
    replications, seed = (
        evidence.share_of(effort, 500, minimum=2),
        evidence.seed_of(effort, 8, place),
    )
    return evidence.long_runs(gaussians.arms, policies, replications, seed)


def section_4_3_1(effort: Effort) -> list[Claim]:
    """Judge the benchmark, the utility path, and Proposition 1."""
    headline, larger = played(FIGURE_1, 1.0, effort, 1), played(LARGER, LARGER_B, effort, 2)
    return [
        _same_benchmark(),
        equal(
            "Section 4.3.1",
            "For Gaussian rewards u* = μ + z_{1−α/2} σ: the utility μ + κσ is the mean at κ = 0 "
            "and the ACP value at κ = a = z_{1−α/2}.",
            "Figures 1 and 3 at every α, against quantiles by Python's standard library.",
            [path_errors(arms, alpha) for arms in (FIGURE_1, FIGURE_3) for alpha in ALPHAS],
        ),
        _inequality((FIGURE_1, headline), (LARGER, larger)),
        logarithmic(
            "Equations (9) and (10)",
            "Uniformly over κ in [0, a], R_n^κ is D_A(κ) n + O(log n) for ACP-UCB1 and "
            "D_M(κ) n + O(log n) for the mean-based policy, if they pull arms other than A and M "
            "O(log n) times.",
            "sup_κ |R_n^κ − D(κ) n| on Figure 1's arms with rewards times 10 and b = 3.",
            {name: left_over(LARGER, larger, name).max(axis=-1) for name in larger.policies},
        ),
    ]


def _same_benchmark() -> Claim:
    ratios = FIGURE_1.sds * math.sqrt(8 * math.log(HORIZON - 1) / math.log(HORIZON))
    numbers = {f"sd {sd:g}": f"{r:.3f}" for sd, r in zip(FIGURE_1.sds, ratios, strict=True)}
    return Claim(
        "Section 4.3",
        "The mean-based benchmark UCB1-NORMAL of the theory is the same benchmark as UCB1 in the "
        "experiments.",
        "UCB1-NORMAL's bonus √(16 S² ln(t − 1)/T) over UCB1's √(2 ln t/T), at the deviations of "
        "Figure 1's arms and the last round: the same if all ratios are within 5 % of 1.",
        numbers | {"least pulls of each arm": f"{math.ceil(8 * math.log(HORIZON))} against 1"},
        holds_if(largest(ratios - 1) <= 0.05),
    )


def path_errors(gaussians: Gaussians, alpha: float) -> Array:
    """Return how far v(0), v(a) and our ACP values are from means and quantiles, (3, K)."""
    normals = [NormalDist(mean, sd) for mean, sd in zip(*gaussians, strict=True)]
    ends = [normal.inv_cdf(1 - alpha / 2) for normal in normals]
    start, end = gaussian.utilities(*gaussians, [0.0, gaussian.path_end(alpha)])
    values = UpperTail(alpha).values(gaussians.arms)
    return np.array([start - [normal.mean for normal in normals], end - ends, values - ends])


def _inequality(*played: tuple[Gaussians, Runs]) -> Claim:
    every = [(gaussians, runs, name) for gaussians, runs in played for name in runs.policies]
    ratio, identity = np.max([transfer_ratios(*each) for each in every], axis=0)
    return Claim(
        "Proposition 1",
        "Under every utility of the path, R_n^κ(π_g) differs from D_g(κ) n by at most 2 D_max "
        "times the pulls of the other arms.",
        "Runs of three policies on Figure 1's arms, also with rewards times 10. The proof's "
        "identity is recounted. (The ratio is at most 1/2: the factor 2 is not needed.)",
        {
            "runs": str(sum(len(runs.pulls[name]) for _, runs, name in every)),
            "identity, largest relative error": evidence.shown(identity),
            "largest ratio to the bound": f"{ratio:.3f}",
        },
        holds_if(ratio <= 1 + evidence.ROUNDING and identity <= evidence.ROUNDING),
    )


def transfer_ratios(gaussians: Gaussians, runs: Runs, policy: str) -> tuple[float, float]:
    """Return the largest ratio to Proposition 1's bound, and the largest error of its identity."""
    pulls, target = runs.pulls[policy], _target(gaussians, policy)
    found = differences(gaussians, runs, policy)
    allowed = gaussian.transfer_error(pulls, *gaussians, target, ENDS[1])
    utilities = gaussians.means + np.outer(ENDS, gaussians.sds)  # (2, K)
    short = utilities.max(axis=1, keepdims=True) - utilities
    recounted = pulls.astype(np.float64) @ (short - short[:, [target]]).T
    identity = (found - recounted) / (runs.rounds[:, np.newaxis] * short.max())
    return largest(np.abs(found).max(axis=-1) / allowed), largest(identity)


def _target(gaussians: Gaussians, policy: str) -> int:
    """Return the arm that the policy chases: A or M."""
    best = gaussian.targets(*gaussians, ENDS[1])
    return best.acp if policy == ACP else best.mean


def differences(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return R^κ − D_g(κ) n at κ = 0 and κ = a, (R, G, 2)."""
    regret = gaussian.utility_regret(runs.pulls[policy], *gaussians, ENDS)
    rounds, target = runs.rounds[:, np.newaxis], _target(gaussians, policy)
    return np.asarray(regret - gaussian.leading_term(rounds, *gaussians, target, ENDS))


def left_over(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return |mean of R^κ − D_g(κ) n| at κ = 0 and κ = a, (G, 2)."""
    return np.asarray(np.abs(differences(gaussians, runs, policy).mean(axis=0)))


def section_4_3_2(effort: Effort) -> list[Claim]:
    """Judge the trade-off, on the paper's Gaussian arms and on random instances of four arms."""
    count = evidence.share_of(effort, 8, minimum=50)
    instances = list(cases.mismatches(evidence.stream(effort, 9, 1), count))
    errors = [formula_errors(case) for case in instances]
    two_arm = [each for case, each in zip(instances, errors, strict=True) if case.is_two_arm]
    runs = played(FIGURE_1, 1.0, effort, 1)
    return [
        _switch(instances),
        equal(
            "Equation (11)",
            "Where no third arm is ever the best, D_A(κ) = (δ_μ − κ δ_σ)₊ and "
            "D_M(κ) = (κ δ_σ − δ_μ)₊.",
            "The same instances that meet the condition: the arms' own shortfalls at 201 κ.",
            [each[0] for each in two_arm],
        ),
        logarithmic(
            "Equations (12) and (13)",
            "On Figure 1's arms with the experiments' settings, R_n^a of the mean-based policy "
            "UCB1 is (a δ_σ − δ_μ) n, and R_n^0 of ACP-UCB1 is δ_μ n, up to what grows like a "
            "logarithm.",
            "What is left over of the regret, without its sign.",
            {
                "UCB1, ACP regret": left_over(FIGURE_1, runs, MEAN_BASED)[:, 1],
                "ACP-UCB1, mean regret": left_over(FIGURE_1, runs, ACP)[:, 0],
            },
            ours=True,
        ),
        equal(
            "Equation (14)",
            "On [0, a], sup D_A = δ_μ and sup D_M = a δ_σ − δ_μ.",
            "All instances: D is convex, so that a third arm makes no difference.",
            [each[1] for each in errors],
        ),
        _minimax(instances),
        _on_the_papers_arms("Figure 1's arms, at every α of Figure 2,", FIGURE_1, *ALPHAS),
        _on_the_papers_arms("Figure 3's Gaussian arms", FIGURE_3, ALPHA),
        equal(
            "Appendix A.1.4",
            "Averaged over [0, a], D_A is δ_μ²/(2 a δ_σ) and D_M is (a δ_σ − δ_μ)²/(2 a δ_σ).",
            "The same instances as for equation (11): integrals of the arms' own shortfalls.",
            [each[2] for each in two_arm],
        ),
    ]


def _switch(instances: list[Mismatch]) -> Claim:
    good = 0
    for case in instances:
        switch = float(gaussian.kappa_0(*case.deltas))
        acp, mean = case.shortfalls(np.array([switch / 2, (switch + case.a) / 2]))
        good += 0 < switch < case.a and acp[0] > mean[0] and acp[1] < mean[1]
    return Claim(
        "Section 4.3.2",
        "If A ≠ M then 0 < δ_μ < a δ_σ, so δ_σ > 0, and preference switches at κ₀ = δ_μ/δ_σ in "
        "(0, a).",
        "Figures 1 and 3 at every α, and random instances of four Gaussian arms.",
        {"instances": f"{good} of {len(instances)}"},
        holds_if(good == len(instances)),
    )


def formula_errors(case: Mismatch) -> tuple[float, float, float]:
    """Return how far D_A and D_M, their suprema and averages are from those of the arms."""
    a, deltas, kappa = case.a, case.deltas, np.linspace(0, case.a, 201)
    own = case.shortfalls(kappa)
    acp, mean = gaussian.acp_shortfall(kappa, *deltas), gaussian.mean_shortfall(kappa, *deltas)
    worst = gaussian.worst_acp_shortfall(deltas[0]), gaussian.worst_mean_shortfall(a, *deltas)
    average = [gaussian.average_shortfall(*case.gaussians, t, a) for t in case.targets]
    stated = gaussian.average_acp_shortfall, gaussian.average_mean_shortfall
    errors = [found - formula(a, *deltas) for formula, found in zip(stated, average, strict=True)]
    return largest(own - [acp, mean]), largest(case.suprema - worst), largest(errors)


def _minimax(instances: list[Mismatch]) -> Claim:
    stated = [bool(gaussian.is_acp_minimax(case.a, *case.deltas)) for case in instances]
    found = [bool(np.less(*case.suprema)) for case in instances]
    agreeing, factor = sum(map(bool.__eq__, stated, found)), 2 / gaussian.path_end(0.05)
    return Claim(
        "Equation (15)",
        "ACP-UCB1 has the smaller worst-case leading coefficient over [0, a] if and only if "
        "2 δ_μ < a δ_σ; at α = 0.05, δ_σ > 1.02 δ_μ.",
        "The same instances: true exactly where the arms' own sup D_A is below sup D_M.",
        {
            "agreeing": f"{agreeing} of {len(instances)}, true on {sum(stated)}",
            "2 / z_{0.975}": f"{factor:.4f}",
        },
        holds_if(agreeing == len(instances) and round(factor, 2) == 1.02),
    )


def _on_the_papers_arms(which: str, gaussians: Gaussians, *alphas: float) -> Claim:
    numbers, met = {}, []
    for alpha in alphas:
        case = Mismatch.at(gaussians, alpha)
        left, right = 2 * case.deltas[0], case.a * case.deltas[1]
        met.append(bool(gaussian.is_acp_minimax(case.a, *case.deltas)))
        numbers[f"α = {alpha:.2f}"] = f"2 δ_μ = {left:.4f}, a δ_σ = {right:.4f}"
    return Claim(
        "Equation (15)",
        f"{which} meet 2 δ_μ < a δ_σ: ACP-UCB1 has the smaller worst-case leading coefficient over "
        "[0, a] there.",
        "Both sides of the condition: holds if it is true at every level.",
        numbers,
        holds_if(all(met)),
        ours=True,
    )


def section_4_3_3(effort: Effort) -> list[Claim]:
    """Judge the case where mean and tail share the best arm."""
    runs = played(COMMON, LARGER_B, effort, 3)
    rng = evidence.stream(effort, 10, 2)
    b, acp, sd, mean = np.exp(rng.uniform(-5, 5, (4, 50 * effort.trials)))
    return [
        logarithmic(
            "Section 4.3.3",
            "If mean and tail share the best arm, both policies are logarithmic under both "
            "metrics.",
            "Arms N(1, 1.5²), N(0, 0.5²), N(0.4, 0.8²), and b = 3.",
            {
                f"{policy}, {metric} regret": curve.mean
                for metric, value in (("ACP", UpperTail(ALPHA)), ("mean", Mean()))
                for policy, curve in runs.regret(value).items()
            },
        ),
        equal(
            "Equation (16)",
            "The ACP gap is Δ_j^μ + a (σ_A − σ_j), so that the two objectives may share the best "
            "arm but not the gaps.",
            "Random pairs of arms, against 0.95-quantiles by Python's standard library.",
            gap_errors(evidence.stream(effort, 10, 1), evidence.share_of(effort, 20)),
        ),
        _per_arm_bound(),
        equivalent(
            "Equation (20)",
            "γ_j^ACP < γ_j^UCB is equivalent to r_j > 2 b / √max{256 σ_j², 8 (Δ_j^μ)²}.",
            "Random b, gaps and standard deviations.",
            gaussian.has_smaller_acp_constant(b, acp, sd, mean),
            gaussian.gap_ratio(acp, mean) > gaussian.least_gap_ratio(b, sd, mean),
        ),
        _admissible_b(),
    ]


def gap_errors(rng: np.random.Generator, count: int) -> list[float]:
    """Return how far the stated ACP gaps of random arms are from those of their quantiles."""
    errors, a = [], gaussian.path_end(ALPHA)
    for _ in range(count):
        mu, sigma = rng.normal(size=2), rng.uniform(0.1, 2, 2)
        best, other = (NormalDist(m, s).inv_cdf(0.95) for m, s in zip(mu, sigma, strict=True))
        stated = gaussian.acp_gap(mu[0] - mu[1], a, sigma[0], sigma[1])
        errors.append(best - other - float(stated))
    return errors


def _per_arm_bound() -> Claim:
    gaps = math.sqrt(32) * np.geomspace(0.002, 500, 401)  # in units of σ_j; both terms meet at √32
    ratios = np.array([implied_pulls(gap) for gap in gaps]) / gaussian.gamma_ucb(1.0, gaps)
    return Claim(
        "Equations (18) and (19)",
        "“Correspondingly”, E[T_j^UCB(n)] ≤ max{256 σ_j²/(Δ_j^μ)², 8} ln n + B_j for UCB1-NORMAL.",
        "For two arms, (18) gives the sum of the two terms, not their maximum. With a note if the "
        "stated constant is at least half of the sum: (19) then has to come from Auer's proof.",
        {
            "sum over maximum, largest": f"{ratios.max():.3f}",
            "at Δ_μ": f"{gaps[np.argmax(ratios)]:.2f} σ_j",
        },
        holds_if(ratios.max() <= 1 + 1e-12, note_if=ratios.max() <= 2 + 1e-12),
    )


def implied_pulls(gap: float) -> float:
    """Return the pulls per ln n of the worse of two arms, σ = 1, that equation (18) allows."""
    bounds = [ucb1.ucb1_normal_regret_bound(n, [0.0, gap], [1.0, 1.0]) for n in (1, math.e)]
    return float(bounds[1] - bounds[0]) / gap


def admitted(mean_gap: float, wider: float) -> tuple[float, float]:
    """Return r_j and what it must exceed for the smallest admissible b, with σ_j = 1.

    The window of levels is shrunk to α and the radii to Δ/4, and each arm gets constants of its
    own: the smallest b that Theorem 1 could ever admit. It may admit none: then r_j must be ∞.
    """
    a = gaussian.path_end(ALPHA)
    gap = float(gaussian.acp_gap(mean_gap, a, 1 + wider, 1.0))
    ratio = float(gaussian.gap_ratio(gap, mean_gap))
    if gap / 4 >= a:
        return ratio, math.inf
    local = [
        assumption_1.gaussian_constants([sd], (ALPHA, ALPHA), r_y=gap / 4, r_s=gap / 4)
        for sd in (1.0, 1 + wider)
    ]
    b = max(theorem_1.b_0(each.f_min, each.g_min) for each in local)
    return ratio, float(gaussian.least_gap_ratio(b, 1.0, mean_gap))


def widest_mean_gap() -> float:
    """Return the largest Δ_μ at which the condition can be met by some σ_A − σ_j on a grid."""
    low, high = 0.0, 10.0  # the condition gets harder as Δ_μ grows
    for _ in range(20):
        middle = (low + high) / 2
        cases_met = (np.greater(*admitted(middle, wider)) for wider in np.geomspace(0.1, 10, 41))
        low, high = (middle, high) if any(cases_met) else (low, middle)
    return low


def _admissible_b() -> Claim:
    widest, numbers = widest_mean_gap(), {}
    for mean_gap, wider in (0.001, 0.1), (0.01, 1.0), (0.001, 0.05):
        ratio, needed = admitted(mean_gap, wider)
        name = f"Δ_μ = {mean_gap:g} σ_j, σ_A − σ_j = {wider:g} σ_j"
        numbers[name] = f"r_j = {ratio:.1f} {'>' if ratio > needed else '≤'} {needed:.1f}"
    numbers["largest Δ_μ at which it can be met, whatever σ_A"] = f"{widest:.2g} σ_j"
    return Claim(
        "Section 4.3.3",
        "ACP-UCB1 has the smaller leading coefficient where its ACP gaps are large enough.",
        "At α = 0.1 and the smallest b ≥ b_0 that the theorem could ever admit. Holds if it can be "
        "met at mean gaps of 0.1 σ_j or more, with a note if at smaller ones only.",
        numbers,
        holds_if(widest >= 0.1, note_if=widest > 0),
    )
