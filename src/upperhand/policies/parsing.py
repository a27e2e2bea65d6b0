"""Policies as text, for the command line, and the settings that an objective gives them."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from .. import checks
from ..errors import FileError, ParameterError, UnknownNameError
from ..objectives import CVaR, LowerTail, MeanVariance, Objective, UpperTail
from ..parsing import made, settings_in, typed_name
from . import BEST_ARM_POLICIES, POLICIES, Policy, as_policy, policy_class

PolicyLike = Policy | type[Policy] | str | Any  # a policy as users give it, or an object of theirs
Policies = PolicyLike | Iterable[PolicyLike] | Mapping[str, PolicyLike]
Find = Callable[[str], type[Policy]]  # `policy_class`, or `best_arm_class` for `identify`


def as_policies(
    given: Policies, defaults: Mapping[str, Any], find: Find = policy_class
) -> dict[str, Policy]:
    """Return policies in any form that users give them, by their labels.

    One or several, or a mapping from labels: each as `policy_set` takes it.
    """
    if isinstance(given, Mapping):
        pairs = [(name, policy_set(each, defaults, find)[1]) for name, each in given.items()]
    else:
        listed = checks.several("policies", given)
        pairs = [policy_set(each, defaults, find) for each in listed]
    names = [name for name, _ in pairs]
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"The names of policies must be strings; got {names}.")
    if not names or len(set(names)) < len(names):
        raise ParameterError(
            f"There must be at least one policy, each with a name of its own; got {names}. "
            'Name them with a mapping: {"b=1": ACPUCB1(b=1), "b=2": ACPUCB1(b=2)}.'
        )
    return dict(pairs)


def policy_set(
    given: Any, defaults: Mapping[str, Any], find: Find = policy_class
) -> tuple[str, Policy]:
    """Return label and policy of a policy, a class, or text such as ``acp-ucb1:b=0.5``.

    A policy is used as it is set; `defaults` are for what a class or a text leaves open.
    """
    if isinstance(given, str):
        return parse_policy(given, find, **defaults)
    if isinstance(given, type) and issubclass(given, Policy):
        given = set_policy(given, defaults)
    policy = as_policy(given, defaults)
    return policy.name, policy


def parse_policy(text: str, find: Find = policy_class, **defaults: Any) -> tuple[str, Policy]:
    """Return label and policy of text such as ``acp-ucb1`` or ``acp-ucb1:b=0.5,eta=0``.

    The settings in `defaults` that the policy has are used unless the text gives them. A class of
    one's own is named ``module:Class``.
    """
    name, _, given = (part.strip() for part in text.partition(":"))
    is_class = all(map(str.isidentifier, (*name.split("."), given)))
    if is_class and (own := own_class(name, given)) is not None:
        return policy_set(own, defaults)
    try:
        cls = find(name)
    except UnknownNameError as error:
        if is_class or ":" in given:
            alone = ", as a class takes no settings here" * (not is_class)
            raise UnknownNameError(f"There is no class {name}:{given}{alone}. {error}") from None
        raise
    settings = settings_in(given, ",", name, cls.setting_names())
    label = " ".join([cls.name, *(f"{key}={value}" for key, value in settings.items())])
    return label, set_policy(cls, defaults, settings)


def own_class(module: str, name: str) -> Any:
    """Return a user's class, also of a file in the working directory; None if it is not there."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return getattr(import_module(module), name, None)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            return None
        raise


def policy_entry(policy: Policy) -> dict[str, Any]:
    """Return a policy as a file has it, with the name of its class if that is a user's own."""
    entry = {"name": policy.name, "settings": policy.settings}
    if {**POLICIES, **BEST_ARM_POLICIES}.get(policy.name) is type(policy):
        return entry
    return {**entry, "own": type(getattr(policy, "original", policy)).__name__}


def policy_from(entry: Mapping[str, Any], own: Iterable[Any], find: Find = policy_class) -> Policy:
    """Return the policy of a file's entry, made from these classes if it is a user's own."""
    if "own" not in entry:
        return find(entry["name"])(**entry["settings"])
    for cls in own:
        if cls.__name__ == entry["own"]:
            return as_policy(cls(**entry["settings"]))
    raise FileError(
        f"The file has results of {entry['own']}, a policy of your own. Give its class: "
        f"upperhand.load(path, policies=[{entry['own']}])."
    )


def set_policy(
    cls: type[Policy], defaults: Mapping[str, Any], settings: Mapping[str, Any] | None = None
) -> Policy:
    """Return the policy with its settings; those left out come from `defaults`.

    What is None by default is the user's alone, such as the horizon of KL-QUCB.
    """
    typed = typed_name(cls)
    filled = (f.name for f in fields(cls) if f.default is not None)
    known = {key: defaults[key] for key in filled if key in defaults}
    passed = {**known, **(settings or {})}
    if passed.get("alpha", 0.1) is None:
        raise ParameterError(
            f"{cls.name} plays for an end of the central interval, F⁻¹(α/2) or F⁻¹(1−α/2) with "
            f"0 < α < 1, and the median is none. Play for it by kl-qucb, or set {typed}:alpha=…."
        )
    return made(cls, passed, ",")


def settings_for(objective: Objective, alpha: float, horizon: int) -> dict[str, Any]:
    """Return the settings by which policies play for an objective, in so many rounds.

    Each policy uses those that it has. What the objective does not give follows from α: policies
    for a quantile or an endpoint maximise F⁻¹(1−α/2), those for the CVaR the mean of the worst
    share α. The setting `alpha` is None for the median, which is the end of no central interval.

    >>> settings_for(LowerTail(0.1), 0.1, 1000)["tail"], settings_for(CVaR(0.3), 0.1, 1000)["level"]
    ('lower', 0.3)
    """
    tau = getattr(objective, "tau", 1 - alpha / 2)
    end = endpoint_alpha(objective) if hasattr(objective, "tau") else alpha
    level = alpha if end is None else end
    settings = {"horizon": horizon, "tau": tau, "alpha": end, "level": level}
    settings |= {"tail": "upper", "score": "U"} if tau >= 0.5 else {"tail": "lower", "score": "L"}
    if end is not None:  # the usual bounds of an adaptive level, widened where they do not hold α
        settings |= {"level_min": min(1e-4, end / 2), "level_max": max(0.5, end)}
    if isinstance(objective, CVaR):
        settings["level"] = objective.alpha
    if isinstance(objective, MeanVariance):
        settings["rho"] = objective.rho
    return settings


def endpoint_alpha(objective: Objective) -> float | None:
    """Return the α < 1 of the central interval that an objective is an end of, or None.

    >>> from upperhand.objectives import Mean, Quantile
    >>> endpoint_alpha(Quantile(0.95)), endpoint_alpha(Quantile(0.5)), endpoint_alpha(Mean())
    (0.1, None, None)
    """
    if isinstance(objective, UpperTail | LowerTail):
        return objective.alpha
    tau = getattr(objective, "tau", 0.5)
    share = 2 * min(tau, 1 - tau)
    alpha = round(share, 12) or share  # 0.1, not 0.10000000000000009
    return alpha if alpha < 1 else None
