"""The result of a comparison: a row for each instance, policy and objective; and bounds."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..errors import AssumptionError, ParameterError, UnknownNameError
from ..files import replacing
from ..objectives import (
    Mean,
    Minimized,
    Objective,
    arms_under,
    as_objective,
    level_of,
    objective_from,
    objective_spec,
    oriented,
    same_level,
)
from ..policies import Policy
from ..policies.best_arm.base import FixedConfidence
from ..results import Classes, Named, Parts, Saved, finite, frame
from ..simulation.identify import Identification, as_played
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


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Saved):
    """Policies × instances × objectives, with the runs that they were computed from."""

    format: ClassVar[str] = "upperhand-comparison-1"
    summary_by: ClassVar[str] = "reports.summaries:comparison_summary"
    plot_by: ClassVar[str] = "figures.results:plot_comparison"

    instances: tuple[Instance, ...]
    objectives: Mapping[str, tuple[Objective, ...]]  # by instance; the first is what it is about
    reference: str  # the policy that the others are compared with
    rows: tuple[Row, ...]
    runs: Mapping[str, Runs]  # by instance
    left_out: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by instance: why

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

    def best(self, instance: str | None = None, objective: Any = None) -> Row:
        """Return the row of the policy with the least regret, with its interval.

        Where there are several instances, one must be named; the objective is by default that which
        the instance is about.
        """
        if instance is None and len(self.instances) > 1:
            names = ", ".join(each.name for each in self.instances)
            raise ParameterError(f"Say on which instance, such as best({self.instances[0].name!r}):"
                                 f" there are {names}.")  # fmt: skip
        rows = self.matrix(instance or self.instances[0].name).values()
        known = list(next(iter(rows)))
        given = known[0] if objective is None else objective
        said = given if isinstance(given, str) else as_objective(given).label
        label = next((each for each in known if each in (said, f"ACP value ({said})")), said)
        if label not in known:
            raise UnknownNameError.among("objective", label, known)
        return min((each[label] for each in rows), key=lambda row: row.regret)

    def to_frame(self) -> Any:
        """Return the rows as a DataFrame: one for each instance, policy and objective (`Row`)."""
        return frame([row._asdict() for row in self.rows])

    def parts(self) -> Parts:
        """Return everything as settings for JSON and as arrays."""
        runs, arrays = dict[str, Any](), dict[str, Any]()
        for place, (name, each) in enumerate(self.runs.items()):
            runs[name], own = each.parts()
            arrays |= {f"{place}/{key}": values for key, values in own.items()}
        objectives = {
            name: [objective_spec(_paid(each)[0]) for each in several]
            for name, several in self.objectives.items()
        }
        instances = [
            {"name": each.name, "alpha": each.alpha, "note": each.note} for each in self.instances
        ]
        return {
            "reference": self.reference,
            "instances": instances,
            "objectives": objectives,
            "left_out": {name: dict(each) for name, each in self.left_out.items()},
            "runs": runs,
        }, arrays

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the comparison of these parts; its rows are computed again."""
        runs = {
            name: Runs.from_parts(each, _under(arrays, place), own)
            for place, (name, each) in enumerate(settings["runs"].items())
        }
        instances = tuple(
            Instance(each["name"], runs[each["name"]].arms, each["alpha"], each["note"])
            for each in settings["instances"]
        )
        objectives = {
            name: tuple(
                oriented(objective_from(each), runs[name].minimize)
                for each in settings["objectives"][name]
            )
            for name in runs
        }
        reference, left_out = settings["reference"], settings["left_out"]
        return cls.of(instances, objectives, reference, runs, left_out)

    @classmethod
    def of(
        cls,
        instances: tuple[Instance, ...],
        objectives: Mapping[str, tuple[Objective, ...]],
        reference: str,
        runs: Mapping[str, Runs],
        left_out: Mapping[str, Mapping[str, str]],
    ) -> Self:
        """Return the comparison of runs under objectives that larger values are better for."""
        rows = list[Row]()
        for name, played in runs.items():
            for objective in objectives[name]:
                gaps = objective.gaps(played.arms)
                found = {
                    label: PerReplication.of(played.rounds, pulls, gaps)
                    for label, pulls in played.pulls.items()
                }
                size = (played.horizon, found, reference)
                rows += rows_of(name, played.arms, played.policies, objective, *size)
        return cls(instances, objectives, reference, tuple(rows), runs, left_out)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a file, numbers with every digit; what is not known is left empty."""
        with replacing(path) as temporary:
            temporary.write_text("".join(csv_lines([Row._fields, *self.rows])), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pull counts as JSON-able values; None is not known, or ∞."""
        return {
            "reference": self.reference,
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "minimize": self._any_runs.minimize,
            "instances": [self._instance(instance) for instance in self.instances],
            "rows": [{name: finite(v) for name, v in row._asdict().items()} for row in self.rows],
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


def _under(arrays: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Return the arrays of the runs at this place."""
    start = f"{place}/"
    return {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}


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
    same = same_level(level_of(objective), getattr(policy, "tau", None))
    return same and quantile_policies.theorem(policy) is not None
