"""The result of a comparison: a row for each instance, policy and objective; and bounds."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..errors import AssumptionError, UnknownNameError
from ..files import replacing
from ..objectives import Mean, Minimized, Objective, arms_under
from ..policies import Policy
from ..policies.best_arm.base import FixedConfidence
from ..simulation.identify import LEVEL_ROUNDING, Identification, as_played
from ..simulation.runs import Runs
from ..simulation.simulate import as_rewards
from ..simulation.statistics import UNKNOWN, PerReplication, estimate, paired_ratio
from ..text import csv_lines
from ..theory import quantile_policies
from ..theory.lower_bounds import has_mean_bound, identification_bound, mean_regret, quantile_regret
from .default_policies import plays_for
from .instances import Instance

DECADES, EACH = 3, 6  # of rounds in which a proved bound is computed, and how often in each
MOST_DISTRIBUTIONS = 30  # of arms for which one is computed for a figure: some seconds


class Row(NamedTuple):
    """One policy on one instance under one objective; what is not known is NaN.

    _se is a standard error; _low and _high are the ends of a 95 % interval.
    """

    instance: str
    policy: str
    objective: str  # its label
    own: bool  # whether it is the policy's own objective
    regret: float  # at the last round, on average
    regret_se: float
    regret_low: float
    regret_high: float
    worst: float  # the largest regret of a replication
    difference: float  # to the reference, in the same replications
    difference_se: float
    difference_low: float
    difference_high: float
    ratio: float  # to the reference
    ratio_se: float
    ratio_low: float
    ratio_high: float
    best_share: float  # of pulls on the best arm, or arms
    best_share_se: float
    best_share_low: float
    best_share_high: float
    slope: float  # of regret in ln t, over the last two decades of rounds
    slope_se: float
    slope_low: float
    slope_high: float
    bound: float  # the slope of the lower bound
    slope_ratio: float  # slope / bound


def rows_of(
    instance: str,
    arms: Sequence[Distribution],
    policies: Mapping[str, Policy],
    objective: Objective,
    horizon: int,
    found: Mapping[str, PerReplication],  # by policy; NaN for a replication that is missing
    reference: str,
) -> Iterator[Row]:
    """Yield each policy's row under one objective, of rewards or of costs (`Minimized`)."""
    paid, _ = _paid(objective)
    most, bound = horizon * float(objective.gaps(arms).max()), lower_bound(arms, objective)
    against = found[reference].regret if reference in found else np.array([math.nan])
    for policy, given in found.items():
        mine, difference = given.known(), given.regret - against
        pairs = ~np.isnan(difference)
        slope = estimate(mine.slope)
        yield Row(  # in the order of its fields; an estimate fills four
            instance,
            policy,
            objective.label,
            plays_for(policies[policy], paid),
            *estimate(mine.regret, 0, most),
            float(mine.regret.max()),
            *(estimate(difference[pairs]) if pairs.any() else UNKNOWN),
            *(paired_ratio(given.regret[pairs], against[pairs]) if pairs.any() else UNKNOWN),
            *estimate(mine.share, 0, 1),
            *slope,
            bound,
            slope.value / bound if 0 < bound < math.inf else math.nan,
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Policies × instances × objectives, with the runs that they were computed from."""

    instances: tuple[Instance, ...]
    objectives: Mapping[str, tuple[Objective, ...]]  # by instance; the first is what it is about
    reference: str  # the policy that the others are compared with
    rows: tuple[Row, ...]
    runs: Mapping[str, Runs]  # by instance
    left_out: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by instance: why

    def __repr__(self) -> str:
        names = ", ".join(instance.name for instance in self.instances)
        size = f"{self.replications} × {self.horizon} rounds, seed {self.seed}"
        return f"Comparison of {len(self.policies)} policies on {names}: {size}"

    @property
    def policies(self) -> list[str]:
        """The labels of all policies, in the order in which they were given."""
        return list(dict.fromkeys(row.policy for row in self.rows))

    @property
    def horizon(self) -> int:
        """Rounds of a replication."""
        return self._any_runs.horizon

    @property
    def replications(self) -> int:
        """How many there are on each instance."""
        return self._any_runs.replications

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return self._any_runs.seed

    def main(self, instance: str) -> dict[str, Row]:
        """Return each policy's row under the objective that the instance is about."""
        label = self._known(instance)[0].label
        return {policy: rows[label] for policy, rows in self.matrix(instance).items()}

    def matrix(self, instance: str) -> dict[str, dict[str, Row]]:
        """Return the rows of an instance: policy × the labels of the objectives."""
        self._known(instance)
        table: dict[str, dict[str, Row]] = {}
        for row in self.rows:
            if row.instance == instance:
                table.setdefault(row.policy, {})[row.objective] = row
        return table

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a file, numbers with every digit; what is not known is left empty."""
        with replacing(path) as temporary:
            temporary.write_text("".join(csv_lines([Row._fields, *self.rows])), encoding="utf-8")

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the pull counts as JSON-able values; None is not known, or ∞."""
        return {
            "reference": self.reference,
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "minimize": self._any_runs.minimize,
            "instances": [self._instance(instance) for instance in self.instances],
            "rows": [{name: _plain(v) for name, v in row._asdict().items()} for row in self.rows],
            "versions": self._any_runs.versions,
        }

    def _instance(self, instance: Instance) -> dict[str, Any]:
        policies = self.runs[instance.name].policies
        objectives = {each.label: each for each in self.objectives[instance.name]}
        return {
            "name": instance.name,
            "note": instance.note,
            "alpha": instance.alpha,
            **arms_under(objectives, instance.arms),
            "objectives": list(objectives),
            "left_out": dict(self.left_out.get(instance.name, {})),
            "policies": [
                {"label": label, "name": policy.name, "settings": policy.settings}
                for label, policy in policies.items()
            ],
        }

    def _known(self, instance: str) -> tuple[Objective, ...]:
        if instance not in self.objectives:
            raise UnknownNameError.among("instance", instance, self.objectives)
        return self.objectives[instance]

    @property
    def _any_runs(self) -> Runs:
        return next(iter(self.runs.values()))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Proved(NamedTuple):
    """A proved upper bound on the regret of a policy, after some of the rounds."""

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

    By `identification_bound`, no policy that is wrong with probability δ at most, whatever the
    distributions, needs fewer on average. NaN for a policy with a fixed budget.
    """
    policy = as_played(found.policies[name], found.minimize)
    if not isinstance(policy, FixedConfidence):
        return math.nan
    rewards = as_rewards(found.arms, found.minimize)
    return identification_bound(rewards, policy.tau, policy.delta, policy.epsilon)


def lower_bound(arms: Sequence[Distribution], objective: Objective) -> float:
    """Return the constant c of the bound c · ln n on regret (`theory.lower_bounds`).

    NaN if there is no such statement for this objective and these arms; 0 if there is nothing to
    learn, and ∞ where regret must grow faster than ln n.

    >>> import upperhand as uh
    >>> lower_bound([uh.Normal(0.5, 1), uh.Normal(0, 1)], uh.Mean())  # 2 σ² / Δ
    4.0
    """
    paid, minimize = _paid(objective)
    if hasattr(paid, "tau"):
        return quantile_regret(arms, paid.tau, minimize=minimize)
    if isinstance(paid, Mean) and has_mean_bound(arms):
        return mean_regret(arms, minimize=minimize)
    return math.nan


def proved_bound(
    policies: Mapping[str, Policy], arms: Sequence[Distribution], objective: Objective, n: int
) -> Proved | None:
    """Return the least bound at n that is proved of one of these policies, as a curve up to n.

    None if no policy that plays for this quantile is covered by a theorem, if the arms are
    not, or if the bound at n is more than any policy can lose.
    """
    paid, minimize = _paid(objective)
    aims = {label: policy for label, policy in policies.items() if _aims(policy, paid)}
    if len(set(arms)) > MOST_DISTRIBUTIONS:
        return None
    largest = float(objective.gaps(arms).max())
    try:
        ends = {
            label: quantile_policies.regret(policy, arms, n, minimize=minimize)
            for label, policy in aims.items()
        }
    except AssumptionError:
        return None
    label = min(ends, key=lambda each: ends[each], default=None)
    if label is None or not 0 < ends[label] < n * largest:
        return None
    rounds = np.unique(np.geomspace(max(1.0, n / 10**DECADES), n, DECADES * EACH + 1).round())
    found = quantile_policies.regret_curve(policies[label], arms, rounds, minimize=minimize)
    return Proved(label, rounds, found, largest)


def _paid(objective: Objective) -> tuple[Objective, bool]:
    """Return the objective of what the arms pay, and whether that is costs."""
    if isinstance(objective, Minimized):
        return objective.objective.for_costs(), True
    return objective, False


def _aims(policy: Policy, objective: Objective) -> bool:
    """Tell whether a theorem covers the policy, and it is about this quantile."""
    tau, own = getattr(objective, "tau", math.nan), getattr(policy, "tau", math.nan)
    level = math.isclose(tau, own, rel_tol=0, abs_tol=LEVEL_ROUNDING)
    return level and quantile_policies.theorem(policy) is not None
