"""Instances by name: the arms of the paper's experiments, and some that are hard for everyone.

Each is a set of arms with the α by whose endpoint F⁻¹(1−α/2) they are valued.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from .. import checks
from ..distributions import Distribution
from ..errors import ParameterError, UnknownNameError
from ..objectives import BestOf, Objective, UpperTail
from ..policies.spec import endpoint_alpha
from .hard_instances import ENTRY as ENTRY
from .hard_instances import HARD as HARD
from .hard_instances import TRAPS as TRAPS
from .instance import ALPHA as ALPHA
from .instance import Instance as Instance
from .paper_instances import ALPHAS as ALPHAS
from .paper_instances import FAMILIES as FAMILIES
from .paper_instances import GAUSSIAN_ARMS as GAUSSIAN_ARMS
from .paper_instances import PAPER as PAPER

Given = str | Instance | Iterable[str | Instance | Distribution | Any]  # Any: laws of scipy.stats

YOURS = "your arms"  # the name of an instance that is given as a list of laws
INSTANCES: dict[str, Instance] = {instance.name: instance for instance in (*PAPER, *HARD)}
GROUPS = {"paper": PAPER, "hard": HARD, "all": (*PAPER, *HARD)}
EXTREME = "extreme"  # a group of its own: `extremes.EXPERIMENTS`
EXTREME_NAMES = tuple(f"{EXTREME}-{place}" for place in range(1, 9))
NAMES = (*GROUPS, EXTREME, *INSTANCES, *EXTREME_NAMES)  # all that `named` knows


def named(name: str) -> tuple[Instance, ...]:
    """Return the instance of that name, or those of a group."""
    if name in GROUPS:
        return GROUPS[name]
    if name.startswith(EXTREME):
        from .extremes import EXPERIMENTS  # which loads SciPy

        if found := tuple(each for each in EXPERIMENTS if name in (EXTREME, each.name)):
            return found
    if name not in INSTANCES:
        raise UnknownNameError.among("instance", name, NAMES)
    return (INSTANCES[name],)


def as_instances(given: Given, value: Objective | None = None) -> list[Instance]:
    """Return names, instances or the laws of one instance as instances, each once.

    With `value`, a quantile or an endpoint, all are valued by it; those that are valued by another
    one are renamed, and arms that are the same then are kept once.
    """
    checks.ordered("instances", given)
    several = isinstance(given, Iterable) and not isinstance(given, str)
    items: list[Any] = list(given) if several else [given]  # type: ignore[arg-type]
    if items and not any(isinstance(item, str | Instance) for item in items):
        return [Instance(YOURS, items, (value and endpoint_alpha(value)) or ALPHA)]
    found = [instance for item in items for instance in _as_several(item)]
    if value is not None:
        by_arms: dict[Sequence[Distribution], Instance] = {}
        for instance in found:
            by_arms.setdefault(instance.arms, _valued_by(instance, value))
        found = list(by_arms.values())
    by_name = {instance.name: instance for instance in found}
    if not found or any(by_name[instance.name] != instance for instance in found):
        names = ", ".join(instance.name for instance in found)
        raise ParameterError(
            "There must be at least one instance, each with a name of its own; got "
            f"{names or 'none'}."
        )
    return list(by_name.values())


def _as_several(item: object) -> Sequence[Instance]:
    if isinstance(item, Instance):
        return [item]
    if isinstance(item, str):
        return named(item)
    raise ParameterError(
        "Instances are names, Instance(…) or one list of laws, not laws among them; got "
        f"{item!r}. Make it Instance('mine', [law, …])."
    )


def _valued_by(instance: Instance, value: Objective) -> Instance:
    own, tau = UpperTail(instance.alpha), getattr(value, "tau", 0.5)
    if math.isclose(own.tau, tau, rel_tol=0, abs_tol=1e-12):
        return instance
    alpha = endpoint_alpha(value) or instance.alpha  # the median is the end of no interval
    at = value.label if isinstance(value, BestOf) else f"p{100 * tau:.12g}"
    at = f"{alpha:g}" if isinstance(value, UpperTail) else at
    name = f"{instance.name} at {at}"
    return replace(instance, name=name, alpha=alpha, note=f"the arms of {instance.name}")
