"""Sections 4.3 and 4.3.1: the benchmark, the Gaussian utility path, and Proposition 1, played."""

import numpy as np

from upperhand.objectives import UpperTail
from upperhand.paper.claim import Claim
from upperhand.paper.levels import ALPHAS
from upperhand.paper.settings import ACP, ALPHA
from upperhand.policies import UCB1, Policy, UCB1Normal
from upperhand.simulation.runs import Runs
from upperhand.theory import gaussian

from .benchmark import same_benchmark
from .cases import (
    EXPERIMENTS_POLICY,
    FIGURE_1,
    FIGURE_3,
    SOURCE,
    Gaussians,
    same_law,
    upper_ends,
)
from .evidence import (
    GROWTH_CHECK,
    ROUNDING,
    Array,
    Effort,
    described,
    growths_verdict,
    holds_if,
    largest,
    long_runs,
    seed_of,
    share_of,
    shown,
)

CHAPTER = 8
FACTOR, LARGER_B = 10, 3.0  # a unit and a b at which all policies find their arms soon
LARGER = Gaussians(FACTOR * FIGURE_1.means, FACTOR * FIGURE_1.sds)  # the same arms, another unit
BENCHMARKS: tuple[Policy, ...] = UCB1(), UCB1Normal()


def claims(effort: Effort) -> list[Claim]:
    """Judge sections 4.3 and 4.3.1."""
    headline, larger = figure_1(effort), played(LARGER, LARGER_B, effort, 2)
    return [
        same_benchmark(),
        _path(),
        _inequality([(FIGURE_1, headline), (LARGER, larger)]),
        _leading_terms(larger),
    ]


def figure_1(effort: Effort) -> Runs:
    """Play Figure 1's arms with the experiments' b."""
    return played(FIGURE_1, EXPERIMENTS_POLICY.b, effort, 1)


def played(gaussians: Gaussians, b: float, effort: Effort, place: int) -> Runs:
    """Play ACP-UCB1 and both benchmarks on Gaussian arms for long."""
    policies = EXPERIMENTS_POLICY.replace(b=b), *BENCHMARKS
    replications, seed = share_of(effort, 500, least=2), seed_of(effort, CHAPTER, place)
    return long_runs(gaussians.arms, policies, replications, seed)


def _path() -> Claim:
    errors = [path_errors(gaussians, a) for gaussians in (FIGURE_1, FIGURE_3) for a in ALPHAS]
    return Claim(
        "For Gaussian rewards u* = μ + z_{1−α/2} σ: the utility μ + κσ is the mean at κ = 0 and "
        "the ACP value at κ = a = z_{1−α/2}.",
        "The Gaussian arms of Figures 1 and 3 at every α of the paper: both ends of the path, and "
        f"our own u*, against means and quantiles {SOURCE}, up to rounding.",
        {"largest difference": shown(largest(errors))},
        holds_if(largest(errors) <= ROUNDING),
        "section 4.3.1",
    )


def path_errors(gaussians: Gaussians, alpha: float) -> Array:
    """Return how far v(0), v(a) and our ACP values are from means and quantiles, (3, K)."""
    laws = list(map(same_law, gaussians.arms))
    ends = np.concatenate([upper_ends(law, alpha) for law in laws])
    start, end = gaussian.utilities(*gaussians, [0.0, gaussian.path_end(alpha)])
    values = UpperTail(alpha).values(gaussians.arms)
    return np.array([start - [law.mean for law in laws], end - ends, values - ends])


def _inequality(played: list[tuple[Gaussians, Runs]]) -> Claim:
    cases = [(gaussians, runs, name) for gaussians, runs in played for name in runs.policies]
    ratio = max(
        largest(np.abs(differences(*case)).max(axis=-1) / _allowed(*case)) for case in cases
    )
    identity = max(identity_error(*case) for case in cases)
    return Claim(
        "Under every utility of the path, R_n^κ(π_g) differs from D_g(κ) n by at most 2 D_max "
        "times the pulls of the other arms.",
        "Each run of ACP-UCB1, UCB1 and UCB1-NORMAL on Figure 1's arms, and on the same arms with "
        f"rewards times {FACTOR}, at each recorded round. The proof's identity, the difference is "
        "Σ_h (D_h(κ) − D_g(κ)) T_h, is recounted from means and deviations, up to rounding. The "
        "difference is linear in κ, so both ends of the path give its supremum. Holds if the "
        "identity does and every ratio to the bound is at most 1. (The ratio is never above 1/2, "
        "as no |D_h − D_g| exceeds D_max: the factor 2 is not needed, and only the identity has "
        "the power to refuse small errors.)",
        {
            "runs": str(sum(len(runs.pulls[name]) for _, runs, name in cases)),
            "identity, largest relative error": shown(identity),
            "largest ratio to the bound": f"{ratio:.3f}",
        },
        holds_if(ratio <= 1 + ROUNDING and identity <= ROUNDING),
        "Proposition 1",
    )


def identity_error(gaussians: Gaussians, runs: Runs, policy: str) -> float:
    """Return how far R^κ − D_g(κ) n is from Σ_h (D_h − D_g) T_h, relative to n times a gap."""
    utilities = gaussians.means + np.outer(ends(), gaussians.sds)  # (2, K)
    short = utilities.max(axis=1, keepdims=True) - utilities
    apart = short - short[:, [_target(gaussians, policy)]]
    recounted = runs.pulls[policy].astype(np.float64) @ apart.T
    error = differences(gaussians, runs, policy) - recounted
    return largest(error / (runs.rounds[:, np.newaxis] * short.max()))


def ends() -> Array:
    """Return both ends of the path, κ = 0 and κ = a."""
    return np.array([0.0, gaussian.path_end(ALPHA)])


def _target(gaussians: Gaussians, policy: str) -> int:
    """Return the arm that the policy chases: A or M."""
    best = gaussian.targets(*gaussians, gaussian.path_end(ALPHA))
    return best.acp if policy == ACP else best.mean


def differences(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return R^κ − D_g(κ) n at κ = 0 and κ = a, (R, G, 2)."""
    regret = gaussian.utility_regret(runs.pulls[policy], *gaussians, ends())
    return np.asarray(regret - leading(gaussians, runs, policy))


def leading(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return D_g(κ) n at κ = 0 and κ = a, (G, 2)."""
    rounds, target = runs.rounds[:, np.newaxis], _target(gaussians, policy)
    return gaussian.leading_term(rounds, *gaussians, target, ends())


def _allowed(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return the bound of Proposition 1 for each run and round, (R, G)."""
    target, end = _target(gaussians, policy), gaussian.path_end(ALPHA)
    return gaussian.transfer_error(runs.pulls[policy], *gaussians, target, end)


def residuals(gaussians: Gaussians, runs: Runs, policy: str) -> Array:
    """Return sup_κ |mean of R^κ − D_g(κ) n| at the recorded rounds, (G,)."""
    return np.asarray(np.abs(differences(gaussians, runs, policy).mean(axis=0)).max(axis=-1))


def _leading_terms(runs: Runs) -> Claim:
    left = {policy: residuals(LARGER, runs, policy) for policy in runs.policies}
    return Claim(
        "Uniformly over κ in [0, a], R_n^κ is D_A(κ) n + O(log n) for ACP-UCB1 and D_M(κ) n + "
        "O(log n) for the mean-based policy, if they pull arms other than A and M O(log n) times.",
        f"Figure 1's arms with rewards times {FACTOR} and b = {LARGER_B:g}, where the policies "
        "find their arms soon (UCB1-NORMAL is the theory's mean-based one, UCB1 the figures'): "
        "sup_κ |R_n^κ − D(κ) n|, which is taken at an end of the path: equations (12) and (13) are "
        f"these ends. {GROWTH_CHECK}",
        described(left),
        growths_verdict(left.values()),
        "equations (9) and (10)",
    )
