"""Bounds to compare with: slopes in ln n, samples of a search, and what is proved of a policy."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..errors import AssumptionError
from ..objectives import BestOf, LowerTail, Mean, Objective, Quantile, UpperTail
from ..objectives.lowest import Lowest
from ..policies import Policy
from ..policies.best_arm import FixedConfidence
from ..simulation.identification import Identification
from ..simulation.judging import LEVEL_ROUNDING, as_seen
from ..theory import guarantees
from ..theory.best_arm import identification_bound
from ..theory.lower_bounds import has_mean_bound, mean_regret, quantile_regret

DECADES, EACH = 3, 6  # of rounds in which a proved bound is computed, and how often in each
MOST_LAWS = 30  # of arms for which one is computed for a figure: some seconds


class Proved(NamedTuple):
    """The regret that is proved not to be exceeded by a policy, after some of the rounds."""

    label: str  # of the policy
    rounds: NDArray[np.float64]
    regret: NDArray[np.float64]
    most: float  # that any policy can lose in a round

    def at(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a bound at rounds t: that of the next round at which it is known, or t · most.

        A bound does not fall in t, so that it holds in between.
        """
        following = np.searchsorted(self.rounds, t).clip(max=len(self.rounds) - 1)
        bound: NDArray[np.float64] = np.minimum(self.regret[following], t * self.most)
        return bound


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


def proved_bound(
    policies: Mapping[str, Policy], arms: Sequence[Distribution], objective: Objective, n: int
) -> Proved | None:
    """Return the least bound at n that is proved of one of these policies, as a curve up to n.

    None if no policy that plays for this quantile is covered (`theory.guarantees`), if the arms are
    not, or if the bound at n is more than any policy can lose.
    """
    minimize = isinstance(objective, Lowest)
    inner = objective.objective.of_costs() if isinstance(objective, Lowest) else objective
    aims = {label: policy for label, policy in policies.items() if _aims(policy, inner)}
    if len(set(arms)) > MOST_LAWS:
        return None
    largest = float(objective.gaps(arms).max())
    try:
        ends = {
            label: guarantees.regret(policy, arms, n, minimize=minimize)
            for label, policy in aims.items()
        }
    except AssumptionError:
        return None
    label = min(ends, key=lambda each: ends[each], default=None)
    if label is None or not 0 < ends[label] < n * largest:
        return None
    rounds = np.unique(np.geomspace(max(1.0, n / 10**DECADES), n, DECADES * EACH + 1).round())
    found = guarantees.regret_curve(policies[label], arms, rounds, minimize=minimize)
    return Proved(label, rounds, found, largest)


def _aims(policy: Policy, objective: Objective) -> bool:
    """Tell whether a theorem covers the policy, and it is about this quantile."""
    tau, own = getattr(objective, "tau", math.nan), getattr(policy, "tau", math.nan)
    level = math.isclose(tau, own, rel_tol=0, abs_tol=LEVEL_ROUNDING)
    return level and guarantees.theorem(policy) is not None
