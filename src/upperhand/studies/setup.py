"""What is to be played, checked before anything is."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ..errors import ParameterError, UnknownNameError
from ..objectives import CVaR, Mean, MeanVariance, Objective, UpperTail
from ..objectives.lowest import as_paid, judged
from ..policies import Policy
from ..policies.spec import endpoint_alpha
from ..simulation.replications import named_policies
from ..simulation.trajectory import check_horizon
from .instances import Instance
from .line_up import REFERENCE, left_out, line_up

Policies = (
    Policy
    | Iterable[Policy]
    | Mapping[str, Policy]
    | Callable[[Instance, int], Mapping[str, Policy]]  # those for an instance and a horizon
)


class Setup(NamedTuple):
    """What is to be played on one instance, checked before anything is."""

    instance: Instance
    policies: dict[str, Policy]
    objectives: tuple[Objective, ...]
    left_out: dict[str, str]  # of the default line-up: who does not take part, and why


def set_up(
    instances: Iterable[Instance],
    policies: Policies | None,
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool = False,
) -> list[Setup]:
    """Return what is to be played on each instance; all are as in `compare`."""
    first = objectives[0] if objectives else None
    players = partial(line_up, objective=first) if policies is None else _chooser(policies)
    return [
        _setup(
            each,
            players(each, horizon),
            objectives,
            horizon,
            minimize,
            left_out(each, horizon, first) if policies is None else {},
        )
        for each in instances
    ]


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


def default_objectives(instance: Instance, minimize: bool = False) -> list[Objective]:
    """Return the endpoint that the instance is valued by, and other people's objectives."""
    candidates = [UpperTail(instance.alpha), Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [o for o in candidates if judged(o, minimize).is_defined(instance.arms)]


def _chooser(policies: Policies) -> Callable[[Instance, int], Mapping[str, Policy]]:
    """Return what gives the policies for an instance: the same ones for all, unless it is asked."""
    if callable(policies):  # neither a policy nor several can be called
        if isinstance(policies, type):
            name = policies.__name__
            raise ParameterError(f"A policy must be given, such as {name}(); got the class {name}.")
        return policies
    same = named_policies(policies)
    return lambda _instance, _horizon: same


def checked_objectives(
    objectives: Objective | Iterable[Objective], minimize: bool = False
) -> tuple[Objective, ...]:
    """Return one or several objectives, each once, as they are of rewards or of costs."""
    given = tuple(objectives) if isinstance(objectives, Iterable) else (objectives,)
    for objective in given:
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective must be given, such as Mean(); got {objective!r}.")
    labels = [objective.label for objective in given]
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"Objectives must be given, each once; got {', '.join(labels) or 'none'}."
        )
    return tuple(as_paid(objective, minimize) for objective in given)


def _setup(
    instance: Instance,
    policies: Mapping[str, Policy],
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool,
    absent: dict[str, str],
) -> Setup:
    """Return what is to be played; refuse what could not be."""
    refuse_short(instance, policies, horizon)
    players = named_policies(policies)
    for policy in players.values():
        check_horizon(policy, len(instance.arms), horizon)
    judges = tuple(default_objectives(instance, minimize)) if objectives is None else objectives
    for objective in judges:
        judged(objective, minimize).values(instance.arms)  # refuses an arm that has no such value
    return Setup(instance, players, judges, absent)


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


def refuse_short(instance: Instance, policies: Mapping[str, Policy], horizon: int) -> None:
    """Refuse a horizon that leaves nobody to play."""
    if not policies:
        raise ParameterError(
            f"No policy can pull each of the {len(instance.arms)} arms of {instance.name} in "
            f"{horizon} rounds. Choose a longer horizon."
        )
