"""Sections 4.3 and 4.3.1: the benchmark, the Gaussian utility path, and Proposition 1, played."""

import numpy as np

from ...objectives import UpperTail
from ...policies import UCB1, Policy, UCB1Normal
from ...simulation.replications import simulate
from ...simulation.runs import Runs
from ...text import significant
from ...theory import proposition_1, utility_path
from ..claim import Claim, Effort, worst
from ..levels import ALPHAS
from ..settings import ACP, ALPHA, HORIZON, MEAN_BASED
from .benchmark import same_benchmark
from .evidence import (
    EXPERIMENTS_POLICY,
    FIGURE_1,
    FIGURE_3,
    ROUNDING,
    Array,
    Instance,
    growth,
    growth_check,
    growth_verdict,
    holds_if,
    largest,
    seed_of,
    share_of,
)
from .second_source import SOURCE, same_law, upper_ends

CHAPTER = 8
FACTOR = 10
LARGER = Instance(FACTOR * FIGURE_1.means, FACTOR * FIGURE_1.sds)  # the same arms, another unit
LONG, LARGER_B = 100_000, 3.0  # a horizon and a b at which all policies settle on those arms
BENCHMARKS: dict[str, Policy] = {MEAN_BASED: UCB1(), UCB1Normal.name: UCB1Normal()}


def claims(effort: Effort) -> list[Claim]:
    """Judge sections 4.3 and 4.3.1."""
    headline = figure_1(effort)
    settled = played(
        LARGER, LARGER_B, LONG, share_of(effort, 100, least=2), seed_of(effort, CHAPTER, 2)
    )
    return [
        same_benchmark(),
        _path(),
        _inequality([(FIGURE_1, headline), (LARGER, settled)]),
        _leading_terms(settled),
    ]


def figure_1(effort: Effort) -> Runs:
    """Play Figure 1's arms with the experiments' b and horizon."""
    seed = seed_of(effort, CHAPTER, 1)
    return played(FIGURE_1, EXPERIMENTS_POLICY.b, HORIZON, share_of(effort, 50), seed)


def played(instance: Instance, b: float, horizon: int, replications: int, seed: int) -> Runs:
    """Play ACP-UCB1 and both benchmarks on Gaussian arms; record a tenth of the rounds and all."""
    policies: dict[str, Policy] = {ACP: EXPERIMENTS_POLICY.replace(b=b), **BENCHMARKS}
    rounds = np.array([horizon // 10, horizon])
    return simulate(
        instance.arms, policies, horizon, replications, seed, rounds=rounds, progress=False
    )


def _path() -> Claim:
    errors = [path_errors(instance, a) for instance in (FIGURE_1, FIGURE_3) for a in ALPHAS]
    return Claim(
        "For Gaussian rewards u* = μ + z_{1−α/2} σ: the utility μ + κσ is the mean at κ = 0 and "
        "the ACP value at κ = a = z_{1−α/2}.",
        "The Gaussian arms of Figures 1 and 3 at every α of the paper: both ends of the path, and "
        f"our own u*, against means and quantiles {SOURCE}, up to rounding.",
        {"largest difference": significant(largest(errors), 2)},
        holds_if(largest(errors) <= ROUNDING),
        "section 4.3.1",
    )


def path_errors(instance: Instance, alpha: float) -> Array:
    """Return how far v(0), v(a) and our ACP values are from means and quantiles, (3, K)."""
    laws = list(map(same_law, instance.arms))
    ends = np.concatenate([upper_ends(law, alpha) for law in laws])
    start, end = utility_path.utilities(*instance, [0.0, utility_path.path_end(alpha)])
    values = UpperTail(alpha).values(instance.arms)
    return np.array([start - [law.mean for law in laws], end - ends, values - ends])


def _inequality(cases: list[tuple[Instance, Runs]]) -> Claim:
    ratios = [
        np.abs(differences(instance, runs, policy)).max(axis=-1) / _allowed(instance, runs, policy)
        for instance, runs in cases
        for policy in runs.policies
    ]
    return Claim(
        "Under every utility of the path, R_n^κ(π_g) differs from D_g(κ) n by at most 2 D_max "
        "times the pulls of the other arms.",
        "Each run of ACP-UCB1, UCB1 and UCB1-NORMAL on Figure 1's arms, and on the same arms with "
        f"rewards times {FACTOR}, at a tenth of the rounds and at the end. The difference is "
        "linear in κ, so both ends of the path give its supremum. Holds if every ratio to the "
        "bound is at most 1.",
        {
            "runs": str(sum(ratio.shape[0] for ratio in ratios)),
            "largest ratio": f"{max(map(largest, ratios)):.4f}",
        },
        holds_if(max(map(largest, ratios)) <= 1 + ROUNDING),
        "Proposition 1",
    )


def ends() -> Array:
    """Return both ends of the path, κ = 0 and κ = a."""
    return np.array([0.0, utility_path.path_end(ALPHA)])


def _target(instance: Instance, policy: str) -> int:
    """Return the arm that the policy chases: A or M."""
    best = utility_path.targets(*instance, utility_path.path_end(ALPHA))
    return best.acp if policy == ACP else best.mean


def differences(instance: Instance, runs: Runs, policy: str) -> Array:
    """Return R^κ − D_g(κ) n at κ = 0 and κ = a, (R, G, 2)."""
    regret = proposition_1.utility_regret(runs.pulls[policy], *instance, ends())
    return np.asarray(regret - leading(instance, runs, policy))


def leading(instance: Instance, runs: Runs, policy: str) -> Array:
    """Return D_g(κ) n at κ = 0 and κ = a, (G, 2)."""
    rounds, target = runs.rounds[:, np.newaxis], _target(instance, policy)
    return proposition_1.leading_term(rounds, *instance, target, ends())


def _allowed(instance: Instance, runs: Runs, policy: str) -> Array:
    """Return the bound of Proposition 1 for each run and round, (R, G)."""
    target, end = _target(instance, policy), utility_path.path_end(ALPHA)
    return proposition_1.transfer_error(runs.pulls[policy], *instance, target, end)


def residuals(instance: Instance, runs: Runs, policy: str) -> Array:
    """Return sup_κ |mean of R^κ − D_g(κ) n| at the recorded rounds, (G,)."""
    return np.asarray(np.abs(differences(instance, runs, policy).mean(axis=0)).max(axis=-1))


def _leading_terms(runs: Runs) -> Claim:
    left = {policy: residuals(LARGER, runs, policy) for policy in runs.policies}
    grown = {policy: growth(runs.rounds, each) for policy, each in left.items()}
    return Claim(
        "Uniformly over κ in [0, a], R_n^κ is D_A(κ) n + O(log n) for ACP-UCB1 and D_M(κ) n + "
        "O(log n) for the mean-based policy, if they settle on A and on M.",
        f"Figure 1's arms with rewards times {FACTOR} and b = {LARGER_B:g}, where the policies "
        "settle soon (UCB1-NORMAL is the theory's mean-based one, UCB1 the figures'): sup_κ |R_n^κ "
        "− D(κ) n|, which is taken at an end of the path: equations (12) and (13) are these ends. "
        f"{growth_check(runs.rounds)}",
        {policy: f"{listed(each)}; growth {grown[policy]:.2f}" for policy, each in left.items()},
        worst(growth_verdict(each, growth(runs.rounds, runs.rounds)) for each in grown.values()),
        "equations (9) and (10)",
    )


def listed(values: Array) -> str:
    """Return whole numbers, one for each recorded round."""
    return " and ".join(f"{value:,.0f}" for value in values)
