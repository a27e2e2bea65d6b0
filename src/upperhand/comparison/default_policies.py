"""The policies that are compared by default, and whether a policy plays for an objective."""

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError
from ..objectives import Objective, UpperTail, level_of, same_level
from ..policies import ACPUCB1, POLICIES, Policy
from ..policies.parsing import set_policy, settings_for
from .instances import Instance

REFERENCE = ACPUCB1.name  # the policy whose regret is the unit of the others'
MEDIAN = "the median is the end of no central interval with α < 1"
Entries = Mapping[str, tuple[type[Policy], Mapping[str, Any]]]  # by label: class and settings


def _group(name: str) -> Entries:
    """Return the entries of a group of policies, which the classes declare (`Policy.compared`)."""
    return {
        label: (cls, settings)
        for cls in POLICIES.values()
        if cls.group == name
        for label, settings in cls.compared.items()
    }


OURS = tuple(_group("own"))
COMPARED: Entries = {**_group("own"), **_group("quantile"), **_group("other")}
EXTREMES = _group("largest")  # play for one large reward, which is no objective of a round


def default_policies(
    instance: Instance,
    horizon: int,
    objective: Objective | None = None,
    entries: Entries = COMPARED,
) -> dict[str, Policy]:
    """Return the policies of the library set for an instance, by labels that say what they know.

    Each plays for the objective if it has a setting for it (`settings_for`). By default that is the
    upper endpoint at the instance's α. In brackets is what else a policy knows: n is the horizon,
    sd the largest of the arms, and span 1 a range of rewards that is about right for the paper's
    arms. `left_out` says which do not take part. Of `entries`, EXTREMES are others.
    """
    found = _set_or_refused(instance, horizon, objective, entries)
    return {label: each for label, each in found.items() if isinstance(each, Policy)}


def left_out(
    instance: Instance,
    horizon: int,
    objective: Objective | None = None,
    entries: Entries = COMPARED,
) -> dict[str, str]:
    """Return which policies `default_policies` leaves out, and why.

    >>> from upperhand.comparison.instances import INSTANCES
    >>> left_out(INSTANCES["headline"], 5)["Quantile-UCB"]
    'each arm is pulled 2 times first, and 5 rounds are too few'
    """
    found = _set_or_refused(instance, horizon, objective, entries)
    return {label: each for label, each in found.items() if isinstance(each, str)}


def _set_or_refused(
    instance: Instance, horizon: int, objective: Objective | None, entries: Entries
) -> dict[str, Policy | str]:
    """Return each policy by its label, or why it cannot take part."""
    known = settings_for(objective or UpperTail(instance.alpha), instance.alpha, horizon)
    sd = {"sd": max(arm.sd for arm in instance.arms)}
    found: dict[str, Policy | str] = {}
    for name, (cls, settings) in entries.items():
        label = name.format(**known)
        if known["alpha"] is None and "alpha" in cls.setting_names():
            found[label] = MEDIAN
            continue
        try:
            policy = set_policy(cls, known, {**settings, **(sd if "sd" in settings else {})})
        except ParameterError as error:
            found[label] = str(error).removesuffix(".")
            continue
        pulls = policy.initial_pulls
        few = f"each arm is pulled {pulls} times first, and {horizon} rounds are too few"
        found[label] = policy if pulls * len(instance.arms) <= horizon else few
    return found


def plays_for(policy: Policy, objective: Objective) -> bool:
    """Tell whether the objective is the policy's own; an endpoint is the quantile of its level.

    >>> import upperhand as uh
    >>> plays_for(uh.KLQUCB(0.95), uh.UpperTail(0.1))
    True
    """
    same = same_level(level_of(policy.objective), level_of(objective))
    return same or policy.objective == objective
