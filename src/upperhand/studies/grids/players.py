"""The policies of a study's file: each an entry with lists of settings, which are a grid."""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from ...errors import ParameterError, UpperhandError
from ...objectives import Objective
from ...parameters.text import class_named
from ...policies import POLICIES, Policy
from ...policies.best_arm import BEST_ARM_POLICIES, as_search
from ...policies.contract import refuse_search
from ...policies.spec import set_policy, settings_for
from ...simulation.identify import check_search
from ...simulation.trajectory import check_horizon
from ..instances import Instance
from .keys import at, entries, key_of, refuse_unknown, text_at
from .plan import PLAY, SEARCH, described, hashed

TABLES = {PLAY: "policies", SEARCH: "searches"}  # the file's name for each kind
LENGTHS = {PLAY: "horizon", SEARCH: "cap"}  # and for how long it may take
CALIBRATOR = "calibrator"  # a setting with a name and settings of its own
OWN = ("name", "label")  # keys of an entry that are no settings


class Entry(NamedTuple):
    """A policy of the file, with the grid of its settings."""

    path: str  # such as policies[2]
    cls: type[Policy]
    label: str | None
    settings: Mapping[str, list[Any]]

    @property
    def size(self) -> int:
        """How many policies it is."""
        return math.prod(map(len, self.settings.values()))

    def policies(self, told: Mapping[str, Any]) -> Iterator[tuple[str, Policy]]:
        """Yield each with its label: its name with what the file sets, or its own with the grid."""
        for values in product(*self.settings.values()):
            given = dict(zip(self.settings, values, strict=True))
            said = [
                f"{key}={str(value).lower() if isinstance(value, bool) else value}"
                for key, value in given.items()
                if self.label is None or len(self.settings[key]) > 1
            ]
            policy = self._policy(told, given)
            yield " ".join([self.label or self.cls.name, *said]), policy

    def _policy(self, told: Mapping[str, Any], given: Mapping[str, Any]) -> Policy:
        """Return the policy with these settings; a calibrator's mistakes are told at its key."""
        try:
            return set_policy(self.cls, told, given)
        except UpperhandError:
            own = CALIBRATOR in given and self._is_fine_without(told, given)
            with at(f"{self.path}.{CALIBRATOR}") if own else at(self.path, names=given):
                raise

    def _is_fine_without(self, told: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Tell whether the calibrator is at fault."""
        try:
            set_policy(self.cls, told, {k: v for k, v in given.items() if k != CALIBRATOR})
        except UpperhandError:
            return False
        return True


def read_entries(given: Any, kind: str) -> list[Entry]:
    """Return the entries of one kind, each setting as the list of its values."""
    known: Mapping[str, type[Policy]] = POLICIES if kind == PLAY else BEST_ARM_POLICIES
    found = []
    for path, entry in entries(given, TABLES[kind]):
        if "name" not in entry:
            raise ParameterError(f'{path}: A policy needs a name, such as name = "acp-ucb1".')
        with at(f"{path}.name"):
            cls = class_named("policy", str(entry["name"]), known.values())
        with at(path):
            refuse_unknown(f"setting of {cls.name}", entry, (*OWN, *cls.setting_names()))
        settings = {
            key: list(value) if isinstance(value, list) else [value]
            for key, value in entry.items()
            if key not in OWN
        }
        for key, values in settings.items():
            if not values:
                raise ParameterError(f"{path}.{key}: a list of settings must not be empty.")
        label = text_at(entry, "label", None, under=f"{path}.")
        found.append(Entry(path, cls, label, settings))
    return found


def policies_for(
    found: list[Entry], kind: str, objective: Objective, instance: Instance, length: int
) -> dict[str, Policy]:
    """Return the policies of a cell by their labels; what they leave out the objective says."""
    told = settings_for(objective, instance.alpha, length)
    if kind == SEARCH:
        told = {"tau": told["tau"]}
    policies: dict[str, Policy] = {}
    known: dict[str, str] = {}  # labels by what they stand for
    for entry in found:
        for label, policy in entry.policies(told):
            if label in policies:
                raise ParameterError(
                    f"{entry.path}: each policy can take part once; got {label!r} twice. Give it a "
                    "label of its own."
                )
            other = known.setdefault(hashed(described(policy)), label)
            if other != label:
                raise ParameterError(
                    f"{entry.path}: {label!r} is the same policy as {other!r}. Leave one out."
                )
            policies[label] = policy
    return policies


def check_players(
    kind: str, instance: Instance, length: int, policies: Mapping[str, Policy], minimize: bool
) -> None:
    """Refuse what could not be played, before anything is."""
    arms = len(instance.arms)
    for label, policy in policies.items():
        who = f"{label} on {instance.name}"
        with at("minimize"), at(who):
            policy.playing(minimize)
        alone = kind == SEARCH and arms < 2
        with at(f"instances.{key_of(instance.name)}" if alone else LENGTHS[kind]), at(who):
            if kind == SEARCH:
                check_search(as_search(policy), arms, length)
            else:
                refuse_search(policy, "a study's [[policies]]")
                check_horizon(policy, arms, length)
