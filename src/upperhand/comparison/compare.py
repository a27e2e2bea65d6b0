"""Play policies on instances, and evaluate each of them under each objective."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from .. import checks
from ..errors import ParameterError, UnknownNameError
from ..objectives import CVaR, Mean, MeanVariance, Objective, UpperTail, oriented
from ..policies import Policy
from ..policies.base import check_horizon
from ..policies.parsing import endpoint_alpha, parse_policies, settings_for
from ..simulation.simulate import named_policies, simulate
from ..simulation.statistics import PerReplication, recorded
from ..simulation.workers import MOST_ROUNDS
from .default_policies import REFERENCE, default_policies, left_out
from .instances import Given, Instance, as_instances
from .result import Comparison, Row, rows_of

Policies = (
    Policy
    | Iterable[Policy]
    | Mapping[str, Policy]
    | str
    | Iterable[str]  # texts, such as "acp-ucb1:b=0.5"
    | Callable[[Instance, int], Mapping[str, Policy]]  # those for an instance and a horizon
)


class Setup(NamedTuple):
    """What is to be played on one instance, checked before anything is."""

    instance: Instance
    policies: dict[str, Policy]
    objectives: tuple[Objective, ...]  # that larger values are better for, of costs `Minimized`
    left_out: dict[str, str]  # of the default policies: which do not take part, and why


def compare(
    instances: Given = "headline",
    policies: Policies | None = None,
    objectives: Objective | Iterable[Objective] | None = None,
    *,
    alpha: float | None = None,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int | None = 0,
    minimize: bool = False,
    reference: str | None = None,
    timing: bool = False,  # noqa: ARG001
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
        As in `simulate`; or their texts, such as ``"acp-ucb1:b=0.5"``, set to play for the first
        objective; or a function that returns them for an instance and a horizon. By default those
        of `default_policies`, set to play for the first objective where a policy can.
    objectives
        The first one is what the comparison is about. By default the instance's upper endpoint
        F⁻¹(1−α/2), then the mean, CVaR(α) and the mean-variance at ρ = 1, where the arms have them.
    alpha
        Value the arms of all instances by F⁻¹(1−α/2), whatever their own α is. A first objective
        that is a quantile or an endpoint says that already. An instance that is valued by another
        quantile than its own is renamed, and arms that are the same then are played once.
    horizon, replications, seed
        As in `simulate`. All instances share the seed.
    minimize
        The arms pay costs, as in `simulate`: under each objective the lowest is best.
    reference
        The label of the policy that the others are compared with; ACP-UCB1 by default, or else the
        first policy that takes part everywhere.
    timing
        Without effect since version 0.2: steps are timed by ``make bench``.
    workers, progress
        As in `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> against = uh.compare("headline", [uh.ACPUCB1(), uh.UCB1()], horizon=2000, replications=20)
    >>> against.main("headline")["UCB1"].ratio > 1.5  # times the regret of ACP-UCB1
    True
    """
    horizon = checks.integer("horizon", horizon, least=1, most=MOST_ROUNDS)
    seed, minimize = checks.seed(seed), checks.flag("minimize", minimize)
    given = None if objectives is None else checked_objectives(objectives)
    paid = tuple(each.for_costs() for each in given) if given and minimize else given
    choose, setups = _chooser(policies, paid[0] if paid else None), list[Setup]()
    for instance in as_instances(instances, common_value(alpha, paid)):
        note = f"{instance.note or f'{len(instance.arms)} arms'} (costs: the lowest is best)"
        shown = replace(instance, note=note) if minimize else instance
        players = choose(shown, horizon)
        refuse_short(shown, players, horizon)
        players = named_policies(players)
        for policy in players.values():
            check_horizon(policy, len(shown.arms), horizon)
        evaluated = tuple(
            oriented(each, minimize) for each in paid or default_objectives(shown, minimize)
        )
        for objective in evaluated:
            objective.values(shown.arms)  # refuses an arm that has no such value
        absent = left_out(shown, horizon, paid[0] if paid else None) if policies is None else {}
        setups.append(Setup(shown, players, evaluated, absent))
    against = reference_label(reference, setups)
    runs, rows = {}, list[Row]()
    for instance, players, evaluated, _ in setups:
        runs[instance.name] = played = simulate(
            instance.arms,
            players,
            horizon,
            replications,
            seed,
            minimize=minimize,
            rounds=recorded(horizon),
            workers=workers,
            progress=progress,
        )
        for objective in evaluated:
            gaps = objective.gaps(played.arms)
            found = {
                label: PerReplication.of(played.rounds, pulls, gaps)
                for label, pulls in played.pulls.items()
            }
            rows += rows_of(instance.name, played.arms, players, objective, horizon, found, against)
    return Comparison(
        instances=tuple(setup.instance for setup in setups),
        objectives={setup.instance.name: setup.objectives for setup in setups},
        reference=against,
        rows=tuple(rows),
        runs=runs,
        left_out={setup.instance.name: setup.left_out for setup in setups},
    )


def checked_objectives(objectives: Objective | Iterable[Objective]) -> tuple[Objective, ...]:
    """Return one or several objectives, each once."""
    given = tuple(objectives) if isinstance(objectives, Iterable) else (objectives,)
    for objective in given:
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective must be given, such as Mean(); got {objective!r}.")
    labels = [objective.label for objective in given]
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"Objectives must be given, each once; got {', '.join(labels) or 'none'}."
        )
    return given


def default_objectives(instance: Instance, minimize: bool = False) -> list[Objective]:
    """Return the endpoint that the instance is valued by, and other people's objectives."""
    candidates = [UpperTail(instance.alpha), Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [o for o in candidates if oriented(o, minimize).is_defined(instance.arms)]


def common_value(alpha: float | None, objectives: tuple[Objective, ...] | None) -> Objective | None:
    """Return the quantile by which the arms of all instances are valued; None if by their own α.

    >>> import upperhand as uh
    >>> common_value(0.2, None), common_value(None, (uh.Mean(),))
    (UpperTail(alpha=0.2), None)
    """
    first = objectives[0] if objectives and hasattr(objectives[0], "tau") else None
    if alpha is None or first is None:
        return first if alpha is None else UpperTail(alpha)
    if not math.isclose(endpoint_alpha(first) or 1, UpperTail(alpha).alpha, abs_tol=1e-12):
        raise ParameterError(
            f"alpha = {alpha:g} and the first objective, {first.label}, are two levels. Leave one "
            "of the two out."
        )
    return first


def _chooser(
    policies: Policies | None, first: Objective | None
) -> Callable[[Instance, int], Mapping[str, Policy]]:
    """Return what gives the policies for an instance and a horizon."""
    if policies is None:
        return lambda instance, horizon: default_policies(instance, horizon, first)
    if callable(policies):  # neither a policy nor several can be called
        if isinstance(policies, type):
            name = policies.__name__
            raise ParameterError(f"A policy must be given, such as {name}(); got the class {name}.")
        return policies
    texts = [policies] if isinstance(policies, str) else policies
    if isinstance(texts, list | tuple) and texts and all(isinstance(text, str) for text in texts):

        def parsed(instance: Instance, horizon: int) -> Mapping[str, Policy]:
            objective = first or UpperTail(instance.alpha)
            return parse_policies(texts, settings_for(objective, instance.alpha, horizon), {})

        return parsed
    same = named_policies(cast("Policy", policies))
    return lambda _instance, _horizon: same


def refuse_short(instance: Instance, policies: Mapping[str, Policy], horizon: int) -> None:
    """Refuse a horizon in which no policy can play."""
    if not policies:
        raise ParameterError(
            f"No policy can pull each of the {len(instance.arms)} arms of {instance.name} in "
            f"{horizon} rounds. Choose a longer horizon."
        )


def reference_label(reference: str | None, setups: Sequence[Setup]) -> str:
    """Return the label that is meant, in any case; ACP-UCB1 or else the first if none is given."""
    labels = [p for p in setups[0].policies if all(p in setup.policies for setup in setups)]
    if not labels:
        raise ParameterError("No policy takes part on all instances. Compare them one by one.")
    if reference is None:
        return REFERENCE if REFERENCE in labels else labels[0]
    for label in labels:
        if label.lower() == str(reference).lower():
            return label
    raise UnknownNameError.among("reference policy", reference, labels)
