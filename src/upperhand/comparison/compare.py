"""Play policies on instances, and evaluate each of them under each objective."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import checks
from ..errors import ParameterError, UnknownNameError
from ..objectives import (
    CVaR,
    Direction,
    Mean,
    MeanVariance,
    Objective,
    Quantile,
    UpperTail,
    as_objective,
    is_of_costs,
    level_of,
    oriented,
    wanted,
)
from ..policies import Policy
from ..policies.base import check_horizon
from ..policies.parsing import Policies, as_policies, settings_for
from ..simulation.simulate import simulate
from ..simulation.statistics import recorded
from ..simulation.workers import MOST_ROUNDS
from .default_policies import REFERENCE, default_policies
from .instances import ALPHA, YOURS, Given, Instance, as_instances
from .result import Comparison


@checks.our_keywords
def compare(
    instances: Given = "headline",
    policies: Policies | None = None,
    objectives: Any = None,
    *,
    quantile: float | None = None,
    best_of: int | None = None,
    direction: Direction = "maximize",
    horizon: float = 10_000,
    replications: float = 60,
    seed: int | None = 0,
    reference: str | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Play policies on instances and evaluate each of them under each objective.

    Parameters
    ----------
    instances
        Names (`instances.INSTANCES`, or the groups "paper", "hard" and "all"), `Instance` objects,
        or the distributions of one instance.
    policies
        As in `simulate`, by default those of `default_policies`. What they leave open is set to
        play for the first objective, where a policy can.
    objectives
        The first one is what the comparison is about. By default the p95, or the instance's upper
        endpoint F⁻¹(1−α/2), then the mean, CVaR(α) and the mean-variance at ρ = 1, where the arms
        have them.
    quantile, best_of
        Value the arms of all instances by this quantile, whatever their own is. A first objective
        that is a quantile says that already. An instance that is valued by another quantile than
        its own is renamed, and arms that are the same then are played once.
    direction
        With "minimize" the arms pay costs: under each objective the lowest is best.
    horizon, replications, seed
        As in `simulate`. All instances share the seed.
    reference
        The label of the policy that the others are compared with; ACP-UCB1 by default, or else the
        first policy that takes part everywhere.
    workers, progress
        As in `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> against = uh.compare("headline", [uh.ACPUCB1(), uh.UCB1()], horizon=2000, replications=20)
    >>> against.main("headline")["UCB1"].ratio > 1.5  # times the regret of ACP-UCB1
    True
    """
    horizon = checks.count("horizon", horizon, least=1, most=MOST_ROUNDS)
    seed, minimize = checks.seed(seed), is_of_costs(direction)
    value = wanted(quantile, best_of)
    if value is not None and objectives is not None:
        raise ParameterError(
            f"objectives and {value.label} both say what arms are worth. Give one."
        )
    given = None if objectives is None else checked_objectives(objectives)
    paid = tuple(each.for_costs() for each in given) if given and minimize else given
    value = paid[0] if paid else value.for_costs() if value and minimize else value
    same = list(policies) if isinstance(policies, Iterator) else policies  # read once
    chosen, players = list[Instance](), dict[str, dict[str, Policy]]()  # by the instance's name …
    evaluated, absent = dict[str, tuple[Objective, ...]](), dict[str, dict[str, str]]()  # … as here
    for instance in as_instances(instances, value if level_of(value) else None):
        note = f"{instance.note or f'{len(instance.arms)} arms'} (costs: the lowest is best)"
        shown = replace(instance, note=note) if minimize else instance
        name = shown.name
        absent[name] = {}
        if same is None:
            players[name] = default_policies(shown, horizon, value, left_out=absent[name])
            refuse_short(shown, players[name], horizon)
        else:
            aim = value or UpperTail(shown.alpha)
            players[name] = as_policies(same, settings_for(aim, shown.alpha, horizon))
        for policy in players[name].values():
            check_horizon(policy, len(shown.arms), horizon)
        aims = paid or default_objectives(shown, minimize, value)
        evaluated[name] = tuple(oriented(each, minimize) for each in aims)
        for objective in evaluated[name]:
            objective.values(shown.arms)  # refuses an arm that has no such value
        chosen.append(shown)
    against = reference_label(reference, list(players.values()))
    runs = {
        each.name: simulate(
            dict(zip(each.names, each.arms, strict=True)),
            players[each.name],
            horizon,
            replications,
            seed,
            direction=direction,
            rounds=recorded(horizon),
            workers=workers,
            progress=progress,
        )
        for each in chosen
    }
    return Comparison.of(tuple(chosen), evaluated, against, runs, absent)


def checked_objectives(objectives: Any) -> tuple[Objective, ...]:
    """Return one or several objectives, each once, in any form that `as_objective` takes."""
    given = tuple(map(as_objective, checks.several("objectives", objectives)))
    labels = [objective.label for objective in given]
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"Objectives must be given, each once; got {', '.join(labels) or 'none'}."
        )
    return given


def default_objectives(
    instance: Instance, minimize: bool = False, value: Objective | None = None
) -> list[Objective]:
    """Return the quantile that the instance is valued by, and other people's objectives."""
    usual = Quantile(1 - ALPHA / 2) if instance.name == YOURS else UpperTail(instance.alpha)
    first = value or usual  # of arms alone, nobody spoke of α
    candidates = [first, Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [o for o in candidates if oriented(o, minimize).is_defined(instance.arms)]


def refuse_short(instance: Instance, policies: Mapping[str, Policy], horizon: int) -> None:
    """Refuse a horizon in which no policy can play."""
    if not policies:
        raise ParameterError(
            f"No policy can pull each of the {len(instance.arms)} arms of {instance.name} in "
            f"{horizon} rounds. Choose a longer horizon."
        )


def reference_label(reference: str | None, playing: Sequence[Mapping[str, Policy]]) -> str:
    """Return the label that is meant, in any case; ACP-UCB1 or else the first if none is given."""
    labels = [label for label in playing[0] if all(label in each for each in playing)]
    if not labels:
        raise ParameterError("No policy takes part on all instances. Compare them one by one.")
    if reference is None:
        return REFERENCE if REFERENCE in labels else labels[0]
    for label in labels:
        if label.lower() == str(reference).lower():
            return label
    raise UnknownNameError.among("reference policy", reference, labels)
