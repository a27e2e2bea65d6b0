"""What is to be played, checked before anything is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..errors import ParameterError, UnknownNameError
from ..objectives import CVaR, Mean, MeanVariance, Objective, UpperTail
from ..objectives.lowest import judged
from ..policies import Policy
from ..policies.spec import told_of
from ..simulation.replications import named_policies
from ..simulation.trajectory import check_horizon
from .instances import Instance
from .line_up import REFERENCE, line_up

Policies = (
    Policy
    | Iterable[Policy]
    | Mapping[str, Policy]
    | Callable[[Instance, int], Mapping[str, Policy]]  # those for an instance and a horizon
)


class Plan(NamedTuple):
    """What is to be played on one instance, checked before anything is."""

    instance: Instance
    policies: dict[str, Policy]
    objectives: tuple[Objective, ...]


def planned(
    instances: Iterable[Instance],
    policies: Policies | None,
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool = False,
) -> list[Plan]:
    """Return what is to be played on each instance; all are as in `compare`."""
    players = _chooser(policies)
    return [
        _plan(each, players(each, horizon), objectives, horizon, minimize) for each in instances
    ]


def upper_level(objective: Objective) -> float | None:
    """Return the α of which an objective is the upper endpoint F⁻¹(1−α/2), None if it is none.

    >>> import upperhand as uh
    >>> upper_level(uh.Quantile(0.75)), upper_level(uh.Mean())
    (0.5, None)
    """
    tau = getattr(objective, "tau", 0.0)
    return float(told_of(tau, 1)["alpha"]) if tau > 0.5 else None


def default_objectives(instance: Instance, minimize: bool = False) -> list[Objective]:
    """Return the endpoint that the instance is valued by, and other people's objectives."""
    candidates = [UpperTail(instance.alpha), Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [o for o in candidates if judged(o, minimize).is_defined(instance.arms)]


def _chooser(policies: Policies | None) -> Callable[[Instance, int], Mapping[str, Policy]]:
    """Return what gives the policies for an instance: the same ones for all, unless it is asked."""
    if policies is None:
        return line_up
    if callable(policies):  # a policy is a tuple, and cannot be called; nor can several
        if isinstance(policies, type):
            raise ParameterError(f"A policy such as {policies.__name__}() is wanted; got a class.")
        return policies
    same = named_policies(policies)
    return lambda _instance, _horizon: same


def checked_objectives(objectives: Objective | Iterable[Objective]) -> tuple[Objective, ...]:
    """Return one or several objectives, each once."""
    given = tuple(objectives) if isinstance(objectives, Iterable) else (objectives,)
    for objective in given:
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective such as Mean() is wanted; got {objective!r}.")
    labels = [objective.label for objective in given]
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"Objectives are wanted, each once; got {', '.join(labels) or 'none'}."
        )
    return given


def _plan(
    instance: Instance,
    policies: Mapping[str, Policy],
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool,
) -> Plan:
    """Return what is to be played; refuse what could not be."""
    if not policies:
        raise ParameterError(
            f"No policy can pull each of the {len(instance.arms)} arms of {instance.name} in "
            f"{horizon} rounds. Choose a longer horizon."
        )
    players = named_policies(policies)
    for policy in players.values():
        check_horizon(policy, len(instance.arms), horizon)
    judges = tuple(default_objectives(instance, minimize)) if objectives is None else objectives
    for objective in judges:
        judged(objective, minimize).values(instance.arms)  # refuses an arm that has no such value
    return Plan(instance, players, judges)


def held_against(reference: str | None, plans: Sequence[Plan]) -> str:
    """Return the label that is meant, in any case; ACP-UCB1 or else the first if none is given."""
    labels = [p for p in plans[0].policies if all(p in plan.policies for plan in plans)]
    if not labels:
        raise ParameterError("No policy takes part on all instances. Compare them one by one.")
    if reference is None:
        return REFERENCE if REFERENCE in labels else labels[0]
    for label in labels:
        if label.lower() == str(reference).lower():
            return label
    raise UnknownNameError.among("policy to hold the others against", reference, labels)
