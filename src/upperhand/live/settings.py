"""What an experiment is: its arms, what is better, how arms are chosen, what is forgotten."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

import numpy as np

from .. import checks
from ..errors import ConflictError, ParameterError
from ..objectives import Quantile, best_of_at
from ..policies import KLQUCB, POLICIES, Policy, policy_class
from ..policies.base import refuse_search
from ..policies.parsing import PolicyLike, policy_set, settings_for
from ..results import spec_of
from .forgetting import Forgetting

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6}  # of a metric that is the time a trial takes
MOST_ARMS, LONGEST_NAME = 10_000, 200
DEFAULT: dict[str, Any] = {"plus": True, "frugal": 40, "trust": 3.0}  # settings of KL-QUCB
USUAL_QUANTILE = 0.95  # of a bandit that is told none
TOLERANCE = 1e-9  # 1 − 0.1/2 is 0.95 but for a rounding
LEVEL_ROUNDING = 1e-12  # of a level that is given again: those of the best of N lie near each other


@dataclass(frozen=True)
class Settings:
    """All that decides the choices, besides what happens. It is the log's first event."""

    arms: tuple[Any, ...]
    policy: Policy
    seed: int
    quantile: float | None = None  # None: the policy plays for no quantile
    minimize: bool = False
    lease: float | None = None  # seconds until an ask that nobody told of is released
    duration: str | None = None  # the metric is the time a trial takes, in this unit
    forgetting: Forgetting | None = None
    draws: int = 0  # for the probability of a choice of a policy that draws random numbers
    by_count: bool = True  # random numbers are keyed by the count of asks, else by the trial

    @property
    def failed(self) -> float:
        """What a failed trial counts as: worse than anything that can be told."""
        return checks.FAILED if self.minimize else -checks.FAILED

    @property
    def rounds(self) -> int | None:
        """The expected number of asks of a segment: the horizon of the policy, if it has one."""
        return getattr(self.policy, "horizon", None)

    @property
    def end(self) -> int:
        """The ask with which a horizon of KL-QUCB ends; 0 without one."""
        return self.policy.end if isinstance(self.policy, KLQUCB) else 0

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["policy"], plain["arms"] = written(self.policy), list(self.arms)
        plain["forgetting"] = self.forgetting and list(self.forgetting)
        plain["seed"] = str(self.seed)  # entropy has more digits than a JSON number
        if not self.by_count:
            del plain["by_count"]  # as in logs that were written before there was such a setting
        return plain

    def but(self, **changes: Any) -> "Settings":
        """Return the same with other values."""
        return Settings(**({f.name: getattr(self, f.name) for f in fields(self)} | changes))


def described(policy: Policy) -> str:
    """Return a policy's name and how it is set otherwise than by default, but for its target.

    >>> described(KLQUCB(0.9, plus=True))
    'KL-QUCB (plus=True)'
    >>> described(KLQUCB(0.9, **DEFAULT, horizon=500))
    'frugal KL-QUCB+ (horizon=500)'
    """
    usual = {f.name: f.default for f in fields(policy)}
    told = ("tau", "alpha", "tail", "level_min", "level_max", "level", "score")
    own = {k: v for k, v in policy.settings.items() if k not in told and v != usual.get(k, ...)}
    name = policy.name
    if name == KLQUCB.name and own.items() >= DEFAULT.items():
        name, own = "frugal KL-QUCB+", {k: v for k, v in own.items() if k not in DEFAULT}
    listed = ", ".join(f"{key}={value}" for key, value in own.items())
    return f"{name} ({listed})" if own else name


def written(policy: Policy) -> dict[str, Any]:
    """Return a policy's name and settings, as JSON can hold them."""
    text = json.dumps(policy.settings, default=spec_of)
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
    stored = {"by_count": False, **stored}  # as it was before there was such a setting
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


def listed_arms(arms: Any) -> tuple[Any, ...]:
    """Return the arms: at least one, all different, in an order. A number K stands for 0 … K−1."""
    if isinstance(arms, Integral):
        return tuple(range(checks.integer("arms", int(arms), least=1)))
    checks.ordered("arms", arms)
    listed = tuple(arms) if isinstance(arms, Iterable) and not isinstance(arms, str) else ()
    if not listed:
        raise ParameterError(
            f"arms must be a list of at least one arm, or the number of arms; got {arms!r}."
        )
    numbered(listed)
    return listed


def numbered(arms: Sequence[Any]) -> dict[Any, int]:
    """Return the places of the arms that are hashable; refuse an arm that is given twice."""
    numbers: dict[Any, int] = {}
    for place, arm in enumerate(arms):
        if place_of(arms, numbers, arm) not in (None, place):
            raise ParameterError(f"All arms must be different; given twice: {arm}.")
        with suppress(TypeError):
            numbers[arm] = place
    return numbers


def place_of(arms: Sequence[Any], numbers: Mapping[Any, int], arm: Any) -> int | None:
    """Return the place of an arm, by comparison if it is not hashable; None if it is no arm."""
    try:
        return numbers.get(arm)
    except TypeError:
        return next((place for place, each in enumerate(arms) if _equal(each, arm)), None)


def _equal(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except ValueError:  # arrays, or configurations that contain some
        return False


def storable_arms(arms: Any) -> tuple[str | int | float, ...]:
    """Return arms that a store can hold: finite numbers, or short names that can be printed."""
    given = listed_arms(arms)
    listed = tuple(arm.item() if isinstance(arm, np.generic) else arm for arm in given)
    bad = [arm for arm in listed if not _storable(arm)]
    if bad:
        raise ParameterError(
            f"An arm must be a finite number or a name of 1 to {LONGEST_NAME} printable "
            f"characters; got {bad[0]!r:.80}. Name other values: {{name: configuration}}."
        )
    if len(listed) > MOST_ARMS:
        raise ParameterError(f"At most {MOST_ARMS:,} arms can be used; got {len(listed):,}.")
    return listed


def _storable(arm: Any) -> bool:
    if isinstance(arm, str):
        return arm.isprintable() and 0 < len(arm) <= LONGEST_NAME
    return type(arm) in (int, float) and math.isfinite(arm)


def live_policy(
    given: PolicyLike | None, quantile: float | None, rounds: int | None = None
) -> Policy:
    """Return the policy that plays for a quantile, the 0.95-quantile if None is given.

    By default it is frugal KL-QUCB+, and docs/which-policy.md says why. A name or a class gets the
    level; an instance must have it, unless None is given. The expected number of asks is its
    horizon.
    """
    level = USUAL_QUANTILE if quantile is None else quantile
    rounds = None if rounds is None else checks.integer("rounds", rounds, least=1)
    if given is None:
        return KLQUCB(level, **DEFAULT, horizon=rounds)
    told = settings_for(Quantile(level), 2 * min(level, 1 - level) or 0.1, rounds or 1)
    if rounds is None:
        del told["horizon"]
    policy = policy_set(given, told)[1]
    refuse_search(policy, "live use")
    tau = getattr(policy.objective, "tau", None)
    if quantile is not None and tau is not None and abs(tau - quantile) > TOLERANCE:
        raise ParameterError(
            f"{policy!r} plays for the quantile at level {tau:g}, and quantile={quantile:g} is "
            "asked for. Give both the same level, or name the policy, as in "
            f"policy={type(policy).name.lower()!r}: it then gets the level."
        )
    return policy if rounds is None else _with_rounds(policy, rounds)


def _with_rounds(policy: Policy, rounds: int) -> Policy:
    """Return the policy with this horizon."""
    if "horizon" not in policy.declared():
        raise ParameterError(
            f"rounds={rounds} is for a policy with a horizon, such as KL-QUCB, and {policy.name} "
            "has none. Leave out rounds, or policy."
        )
    known = policy.settings["horizon"]
    if known not in (None, rounds):
        raise ParameterError(
            f"rounds={rounds} is given, and {policy.name} has horizon={known}. Leave out one."
        )
    return policy.replace(horizon=rounds)
