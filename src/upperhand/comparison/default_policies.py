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
    left_out: dict[str, str] | None = None,  # modified
) -> dict[str, Policy]:
    """Return the policies of the library set for an instance, by labels that say what they know.

    Each plays for the objective if it has a setting for it (`settings_for`). By default that is the
    upper endpoint at the instance's α. In brackets is what else a policy knows: n is the horizon,
    sd the largest of the arms, and span 1 a range of rewards that is about right for the paper's
    arms. Of `entries`, EXTREMES are others. `left_out` gets those that cannot take part, and why.

    >>> from upperhand.comparison.instances import INSTANCES
    >>> few = default_policies(INSTANCES["headline"], 5, left_out=(absent := {}))
    >>> absent["Quantile-UCB"]
    'each arm is pulled 2 times first, and 5 rounds are too few'
    """
    known = settings_for(objective or UpperTail(instance.alpha), instance.alpha, horizon)
    sd = {"sd": max(arm.sd for arm in instance.arms)}
    found, absent = dict[str, Policy](), {} if left_out is None else left_out
    for name, (cls, settings) in entries.items():
        label = name.format(**known)
        if known["alpha"] is None and "alpha" in cls.setting_names():
            absent[label] = MEDIAN
            continue
        try:
            policy = set_policy(cls, known, {**settings, **(sd if "sd" in settings else {})})
        except ParameterError as error:
            absent[label] = str(error).removesuffix(".")
            continue
        if (pulls := policy.initial_pulls) * len(instance.arms) <= horizon:
            found[label] = policy
        else:
            few = f"each arm is pulled {pulls} times first, and {horizon} rounds are too few"
            absent[label] = few
    return found


def plays_for(policy: Policy, objective: Objective) -> bool:
    """Tell whether the objective is the policy's own; an endpoint is the quantile of its level.

    >>> import upperhand as uh
    >>> plays_for(uh.KLQUCB(0.95), uh.UpperTail(0.1))
    True
    """
    same = same_level(level_of(policy.objective), level_of(objective))
    return same or policy.objective == objective
