"""Opening an experiment: a new one is written down, an old one continued as it was made."""

import time
from collections.abc import Mapping
from typing import Any

from .. import checks
from ..errors import ParameterError
from ..objectives import is_of_costs, level_of, wanted
from ..policies import Policy
from ..policies.parsing import PolicyLike
from .forgetting import forgetting
from .learner import Learner
from .log import Log, Transaction
from .log.event import Columns, Event, Kind
from .settings import (
    UNITS,
    Settings,
    from_json,
    live_policy,
    refuse_differences,
    storable_arms,
)
from .sketched import refuse_sketching

LEASE, DRAWS = 600.0, 32


def opened(log: Log, given: Mapping[str, Any]) -> Settings:
    """Return the settings of a log, after checking those that are given; a new log gets them."""
    found = stored(log, given["policy"])
    given = with_quantile(given, found)
    if found is not None:
        if isinstance(given["arms"], Mapping):  # it may have arms that were added later
            known = [arm for arm in found.arms if arm in given["arms"]]
            given["arms"] = known or list(given["arms"])
        refuse_differences(log.name, found, _translated(given, found.quantile))
        return found
    settings = _new(log.name, given)
    created = {"format": 1, "settings": settings.to_json()}

    def create(transaction: Transaction) -> bool:
        new = transaction.news(0) == ()
        if new:
            transaction.append([Event(Kind.CREATED, at=time.time(), extra=created)])
        return new

    return settings if log.transact(create, durable=True) else opened(log, given)


def stored(log: Log, policy: PolicyLike | None = None) -> Settings | None:
    """Return the settings that a log begins with; None if it is empty."""
    first = _first(log)
    if not len(first.n):
        return None
    extra = first.event(0).extra or {}
    if first.kind[0] != Kind.CREATED or extra.get("format") != 1:
        raise ParameterError(
            f"The experiment {log.name!r} was written by a newer version of upperhand, or by "
            "something else. Use that version to open it."
        )
    return from_json(extra["settings"], policy if isinstance(policy, Policy) else None)


def with_quantile(given: Mapping[str, Any], found: Settings | None) -> dict[str, Any]:
    """Return what is given, with the quantile that `best_of` is in the experiment's direction."""
    direction = given["direction"]
    minimize = found.minimize if found and direction is None else direction == "minimize"
    level = wanted_level(given["quantile"], given["best_of"], minimize=minimize)
    return {**given, "quantile": level, "best_of": None}


def wanted_level(quantile: float | None, best_of: int | None, *, minimize: bool) -> float | None:
    """Return the level of the quantile that is given by itself, or as the best of N."""
    value = wanted(quantile, best_of)
    return level_of(value.for_costs() if value and minimize else value)


def _first(log: Log) -> Columns:
    return log.read(most=1)


def _new(name: str, given: Mapping[str, Any]) -> Settings:
    """Return the settings of a new experiment."""
    needed = {"arms": 'arms=["a", "b"]', "quantile": "quantile=0.95 (or best_of=8)"}
    needed["direction"] = 'direction="minimize" (or "maximize")'
    missing = [word for key, word in needed.items() if given[key] is None]
    if missing:
        raise ParameterError(
            f"There is no experiment {name!r} in this store yet. To make it, give "
            f"{', '.join(missing)}; to continue another one, give its name."
        )
    settings = Settings(
        **{
            "seed": checks.seed(None), "lease": LEASE, "draws": DRAWS,
            "policy": live_policy(None, given["quantile"], given["rounds"]),
            **{k: v for k, v in _translated(given, given["quantile"]).items()
               if v is not None and k != "rounds"},
        }
    )  # fmt: skip
    refuse_forgetting(settings, given["rounds"])
    refuse_sketching(settings)
    Learner(settings, len(settings.arms))  # a policy that does not take these is refused here
    return settings


def _translated(given: Mapping[str, Any], quantile: float | None) -> dict[str, Any]:
    """Return what is given as settings hold it, checked; None for what is not given."""
    checked: dict[str, Any] = dict.fromkeys(("arms", "minimize", "policy", "seed"))
    checked["quantile"] = given["quantile"]
    if (rounds := given["rounds"]) is not None:
        checked["rounds"] = rounds = checks.integer("rounds", rounds, least=1)
    if given["arms"] is not None:
        checked["arms"] = storable_arms(given["arms"])
    if given["direction"] is not None:
        checked["minimize"] = is_of_costs(given["direction"])
    if given["policy"] is not None:
        checked["policy"] = policy = live_policy(given["policy"], quantile or 0.5, rounds)
        if policy.interpreted:
            raise ParameterError(
                f"{policy.name} is a plain class, which only a Bandit can play live. Give a policy "
                "as in examples/policy_of_your_own.py."
            )
    if given["seed"] is not None:
        checked["seed"] = checks.seed(given["seed"])
    if given["lease"] is not None:
        checked["lease"] = checks.real("lease", given["lease"], above=0)
    if given["duration"] is not None:
        checked["duration"] = checks.choice("duration", given["duration"], tuple(UNITS))
    if given["draws"] is not None:
        checked["draws"] = checks.integer("draws", given["draws"], least=0, most=10_000)
    checked["forgetting"] = forgetting(given["window"], given["half_life"])
    return checked


def refuse_forgetting(settings: Settings, rounds: int | None) -> None:
    """Refuse to forget by a policy that cannot, or that explores less towards an end."""
    if settings.forgetting is not None and not settings.policy.forgets:
        sketched = getattr(settings.policy, "sketch", None) is not None
        other = "leave out sketch" if sketched else "use a policy on quantiles, such as kl-qucb"
        raise ParameterError(
            f"{settings.policy!r} cannot forget: what it learned cannot be taken back. Leave out "
            f"window and half_life, or {other}."
        )
    if settings.forgetting is not None and (rounds or settings.end):
        raise ParameterError(
            f"rounds={rounds or settings.end} says when an experiment ends, and with window or "
            "half_life it goes on while arms change. Leave out one of them."
        )
