"""What an experiment is: its arms, what is better, how arms are chosen, what is forgotten."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .. import checks
from ..errors import ConflictError, ParameterError
from ..objectives import Quantile, best_of_at
from ..policies import KLQUCB, POLICIES, Policy, as_policy, policy_class
from ..policies.base import refuse_search
from ..policies.parsing import parse_policy, settings_for
from .forgetting import Forgetting

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6}  # of a metric that is the time a trial takes
MOST_ARMS, LONGEST_NAME = 10_000, 200
TOLERANCE = 1e-9  # 1 − 0.1/2 is 0.95 but for a rounding
LEVEL_ROUNDING = 1e-12  # of a level that is given again: those of the best of N lie near each other


@dataclass(frozen=True)
class Settings:
    """All that decides the choices, besides what happens. It is the log's first event."""

    arms: tuple[str, ...]
    policy: Policy
    seed: int
    quantile: float | None = None  # None: the policy plays for no quantile
    minimize: bool = False
    lease: float | None = None  # seconds until an ask that nobody told of is released
    duration: str | None = None  # the metric is the time a trial takes, in this unit
    forgetting: Forgetting | None = None
    draws: int = 0  # for the probability of a choice of a policy that draws random numbers

    @property
    def failed(self) -> float:
        """What a failed trial counts as: worse than anything that can be told."""
        return checks.FAILED if self.minimize else -checks.FAILED

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["policy"], plain["arms"] = written(self.policy), list(self.arms)
        plain["forgetting"] = self.forgetting and list(self.forgetting)
        plain["seed"] = str(self.seed)  # entropy has more digits than a JSON number
        return plain

    def but(self, **changes: Any) -> "Settings":
        """Return the same with other values."""
        return Settings(**({f.name: getattr(self, f.name) for f in fields(self)} | changes))


def described(policy: Policy) -> str:
    """Return a policy's name and how it is set otherwise than by default, but for its target.

    >>> described(KLQUCB(0.9, plus=True))
    'KL-QUCB (plus=True)'
    """
    usual = {f.name: f.default for f in fields(policy)}
    told = ("tau", "alpha", "tail", "level_min", "level_max", "level", "score")
    own = {k: v for k, v in policy.settings.items() if k not in told and v != usual[k]}
    listed = ", ".join(f"{key}={value}" for key, value in own.items())
    return f"{policy.name} ({listed})" if own else policy.name


def written(policy: Policy) -> dict[str, Any]:
    """Return a policy's name and settings, as JSON can hold them."""
    text = json.dumps(policy.settings, default=lambda part: part.spec)
    return {"name": policy.name, "settings": json.loads(text)}


def from_json(stored: Mapping[str, Any], policy: Policy | None = None) -> Settings:
    """Return the settings that were stored; a policy of one's own must be given again."""
    entry = stored["policy"]
    if policy is None or written(policy) != entry:
        if entry["name"] not in POLICIES:
            raise ParameterError(
                f"This experiment plays {entry['name']}, which is no policy of the library. Open "
                "it with policy=…, set as it was."
            )
        policy = policy_class(entry["name"])(**entry["settings"])
    rest = {key: value for key, value in stored.items() if key not in ("policy", "seed", "arms")}
    if rest["forgetting"] is not None:
        rest["forgetting"] = Forgetting(*rest["forgetting"])
    return Settings(tuple(stored["arms"]), policy, int(stored["seed"]), **rest)


def refuse_differences(name: str, stored: Settings, given: Mapping[str, Any]) -> None:
    """Refuse to continue an experiment under other settings than it was made with."""
    differ = [key for key, value in given.items() if value is not None]
    differ = [key for key in differ if not _same(key, getattr(stored, key), given[key])]
    if not differ:
        return
    minimize = stored.minimize
    told = "; ".join(
        f"{key} is {_told(key, getattr(stored, key), minimize)}, and "
        f"{_told(key, given[key], minimize)} was given"
        for key in differ
    )
    remedy = (
        "Leave out what is stored already. Arms are added by add_arm and retired by retire; for "
        "other changes begin an experiment under a new name, and carry the data over: "
        "upperhand export, then upperhand import."
    )
    raise ConflictError(f"Experiment {name!r} was made with other settings: {told}. {remedy}")


def _same(key: str, stored: Any, given: Any) -> bool:
    """Tell whether a setting is as it was; a level may be computed in two ways, as 1 − α/2."""
    if key == "quantile" and stored is not None:
        return math.isclose(stored, given, rel_tol=0, abs_tol=LEVEL_ROUNDING)
    return bool(stored == given)


def _told(key: str, value: Any, minimize: bool) -> str:
    """Return a setting as it is given; with a level, the best of N that it is."""
    best = best_of_at(value, minimize=minimize) if key == "quantile" and value else None
    return f"{value!r} ({best.label})" if best else repr(value)


def arm_names(arms: Iterable[str]) -> tuple[str, ...]:
    """Return the arms' names: at least one, all strings, all different, in an order."""
    checks.ordered("arms", arms)
    several = isinstance(arms, Iterable) and not isinstance(arms, str)
    names = tuple(arms) if several else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"arms must be at least one name (a list of strings); got {arms!r}.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ParameterError(f"Every arm needs a name of its own; given twice: {', '.join(twice)}.")
    return names


def storable_names(arms: Iterable[str]) -> tuple[str, ...]:
    """Return names that a store can hold: printable, and not endless."""
    names = arm_names(arms)
    bad = [name for name in names if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME]
    if bad:
        raise ParameterError(
            f"A name must have 1 to {LONGEST_NAME} printable characters; got {bad[0]!r:.80}."
        )
    if len(names) > MOST_ARMS:
        raise ParameterError(f"At most {MOST_ARMS:,} arms can be used; got {len(names):,}.")
    return names


def live_policy(given: Policy | str | None, quantile: float) -> Policy:
    """Return the policy that plays for a quantile of what is told; text names one, such as ucb1.

    Without one it is KL-QUCB+, which looks at the order of the rewards alone and needs no scale.
    """
    if given is None:
        return KLQUCB(quantile, plus=True)
    if isinstance(given, str):
        told = settings_for(Quantile(quantile), 2 * min(quantile, 1 - quantile) or 0.1, 1)
        del told["horizon"]
        given = parse_policy(given, **told)[1]
    policy = as_policy(given)
    refuse_search(policy, "an experiment")
    tau = getattr(policy.objective, "tau", None)
    if tau is not None and abs(tau - quantile) > TOLERANCE:
        raise ParameterError(
            f"{policy!r} plays for the quantile at level {tau:g}, and the experiment asks for "
            f"quantile={quantile:g}. Give both the same, or name the policy, as in "
            f"policy={type(policy).name.lower()!r}: it is then told what it needs."
        )
    return policy
