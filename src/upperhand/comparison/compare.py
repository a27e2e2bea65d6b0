"""Play, and judge everyone under every objective."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from .. import checks
from ..errors import ParameterError, UnknownNameError
from ..instances import Given, Instance, as_instances
from ..objectives import CVaR, Mean, MeanVariance, Objective, UpperTail
from ..policies import Policy
from ..runs import Runs
from ..seeds import settled
from ..simulation import MOST_ROUNDS, named_policies, simulate
from ..summary import is_defined
from .bounds import lower_bound
from .line_up import REFERENCE, line_up, plays_for
from .result import Comparison, Row
from .statistics import (
    best_share,
    estimate,
    log_slope,
    paired_difference,
    paired_ratio,
    recorded,
)
from .timing import step_times

Policies = (
    Policy
    | Iterable[Policy]
    | Mapping[str, Policy]
    | Callable[[Instance, int], Mapping[str, Policy]]  # those for an instance and a horizon
)


class _Plan(NamedTuple):
    """What is to be played on one instance, checked before anything is."""

    instance: Instance
    policies: dict[str, Policy]
    objectives: tuple[Objective, ...]
    reference: str


def compare(
    instances: Given = "headline",
    policies: Policies | None = None,
    objectives: Iterable[Objective] | None = None,
    *,
    alpha: float | None = None,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int | None = 0,
    reference: str | None = None,
    timing: bool = True,
    workers: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Play policies on instances and judge each of them under each objective.

    Parameters
    ----------
    instances
        Names (`instances.INSTANCES`, or the groups "paper", "hard" and "all"), `Instance` objects,
        or the laws of one instance.
    policies
        As in `simulate`; or a function that returns them for an instance and a horizon, as the
        default `line_up` does: everyone, set for that instance.
    objectives
        The first one is what the comparison is about. By default the instance's upper endpoint
        F⁻¹(1−α/2), then the mean, CVaR(α) and the mean-variance at ρ = 1, where the arms have them.
    alpha
        Value the arms at this level, whatever their own is.
    horizon, replications, seed
        As in `simulate`. All instances share the seed.
    reference
        The label of the policy that the others are held against; ACP-UCB1 by default, or the first
        policy if that does not take part.
    timing
        Whether to time a step of each policy. Times differ from run to run; all else does not.
    workers, progress
        As in `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> against = uh.compare("headline", [uh.ACPUCB1(), uh.UCB1()], horizon=2000, replications=20)
    >>> against.main("headline")["UCB1"].ratio > 2  # times the regret of ACP-UCB1
    True
    """
    horizon = checks.integer("horizon", horizon, least=1, most=MOST_ROUNDS)
    seed = settled(seed)
    plans = [
        _planned(instance, policies, objectives, horizon, reference)
        for instance in as_instances(instances, alpha)
    ]
    rounds, runs, rows = recorded(horizon), {}, []
    for plan in plans:
        played = simulate(
            plan.instance.arms,
            plan.policies,
            horizon,
            replications,
            seed,
            rounds=rounds,
            workers=workers,
            progress=progress,
        )
        times = step_times(plan.instance, plan.policies, horizon, played.seed) if timing else {}
        runs[plan.instance.name] = played
        rows += list(_rows(plan, played, times))
    return Comparison(
        instances=tuple(plan.instance for plan in plans),
        objectives={plan.instance.name: plan.objectives for plan in plans},
        reference=plans[0].reference,
        rows=tuple(rows),
        runs=runs,
    )


def default_objectives(instance: Instance) -> list[Objective]:
    """Return the endpoint that the instance is valued by, and other people's objectives."""
    candidates = [UpperTail(instance.alpha), Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [objective for objective in candidates if is_defined(objective, instance.arms)]


def _planned(
    instance: Instance,
    policies: Policies | None,
    objectives: Iterable[Objective] | None,
    horizon: int,
    reference: str | None,
) -> _Plan:
    chosen = line_up if policies is None else policies
    # A policy is a tuple, and cannot be called; nor can lists and mappings of them.
    players = named_policies(chosen(instance, horizon) if callable(chosen) else chosen)
    judges = tuple(default_objectives(instance) if objectives is None else objectives)
    for objective in judges:
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective such as Mean() is wanted; got {objective!r}.")
        objective.values(instance.arms)  # refuses an arm that has no such value
    if not judges or len({objective.label for objective in judges}) < len(judges):
        labels = ", ".join(objective.label for objective in judges)
        raise ParameterError(f"Objectives are wanted, each once; got {labels or 'none'}.")
    return _Plan(instance, players, judges, _held_against(reference, list(players)))


def _held_against(reference: str | None, labels: list[str]) -> str:
    """Return the label that is meant, in any case; ACP-UCB1 or else the first if none is given."""
    if reference is None:
        return REFERENCE if REFERENCE in labels else labels[0]
    for label in labels:
        if label.lower() == reference.lower():
            return label
    raise UnknownNameError.among("policy to hold the others against", reference, labels)


def _rows(plan: _Plan, runs: Runs, times: Mapping[str, float]) -> Iterator[Row]:
    """Yield a row for each policy and objective."""
    for objective in plan.objectives:
        gaps = objective.gaps(runs.arms)
        regrets = {label: pulls @ gaps for label, pulls in runs.pulls.items()}  # each (R, G)
        held = regrets[plan.reference][:, -1]
        bound = lower_bound(runs.arms, objective)
        for label, regret in regrets.items():
            final, slope = regret[:, -1], log_slope(runs.rounds, regret)
            yield Row(
                plan.instance.name,
                label,
                objective.label,
                plays_for(plan.policies[label], objective),
                *estimate(final),
                *paired_difference(final, held),
                *paired_ratio(final, held),
                *best_share(runs.pulls[label][:, -1], gaps),
                *slope,
                bound,
                slope.value / bound if 0 < bound < math.inf else math.nan,
                times.get(label, math.nan),
            )
