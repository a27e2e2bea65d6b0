"""Lower bounds: the slope in ln n that goes with an objective, and the samples of a search."""

import math
from collections.abc import Sequence

from ..distributions import Distribution
from ..objectives import BestOf, LowerTail, Mean, Objective, Quantile, UpperTail
from ..objectives.lowest import Lowest
from ..policies.best_arm import FixedConfidence
from ..simulation.identification import Identification
from ..simulation.judging import as_seen
from ..theory.best_arm import identification_bound
from ..theory.lower_bounds import has_mean_bound, mean_regret, quantile_regret


def samples_bound(found: Identification, name: str) -> float:
    """Return the least mean number of samples of the policy of that name, by its δ and ε.

    By `theory.best_arm.identification_bound`, no policy that is wrong with probability δ at most,
    whatever the laws, needs fewer on average. NaN for a policy with a fixed budget.
    """
    policy = found.policies[name]
    if not isinstance(policy, FixedConfidence):
        return math.nan
    laws, tau = as_seen(found.arms, policy, found.minimize)
    return identification_bound(laws, tau, policy.delta, policy.epsilon)


def lower_bound(arms: Sequence[Distribution], objective: Objective) -> float:
    """Return the constant c of the bound c · ln n on regret (`theory.lower_bounds`).

    NaN if there is no such statement for this objective and these arms; 0 if there is nothing to
    learn, and ∞ where regret must grow faster than ln n.

    >>> import upperhand as uh
    >>> lower_bound([uh.Normal(0.5, 1), uh.Normal(0, 1)], uh.Mean())  # 2 σ² / Δ
    4.0
    """
    minimize = isinstance(objective, Lowest)
    match objective.objective.of_costs() if isinstance(objective, Lowest) else objective:
        case UpperTail(tau=tau) | LowerTail(tau=tau) | Quantile(tau=tau) | BestOf(tau=tau):
            return quantile_regret(arms, tau, minimize=minimize)
        case Mean() if has_mean_bound(arms):
            return mean_regret(arms, minimize=minimize)
        case _:
            return math.nan
