"""A study from its TOML file, checked: what is wrong is said with the file and the key.

A list in a policy's settings, as horizon or as cap is a grid: every value with every other one.
Settings that a policy leaves out take the level of the first objective and the horizon, as on the
command line.
"""

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ... import checks
from ...errors import FileError, ParameterError, UnknownNameError
from ...objectives import Objective
from ...objectives.spec import parse_objective
from ...parameters.text import class_named
from ...policies import POLICIES, Policy
from ...policies.best_arm import BEST_ARM_POLICIES, as_search
from ...policies.contract import refuse_search
from ...policies.spec import set_policy, settings_for
from ...simulation.identify import CAP, check_search
from ...simulation.replications import RECORDED_ROUNDS
from ...simulation.trajectory import check_horizon
from ...simulation.workers import MOST_ROUNDS
from ..instances import Instance
from ..line_up import line_up
from .arms import read_instances
from .keys import at, entries, refuse_unknown, text_at
from .plan import PLAY, SEARCH, Cell, Plan

KEYS = (
    "title", "seed", "horizon", "cap", "replications", "objectives", "minimize", "points",
    "reference", "instances", "policies", "searches",
)  # fmt: skip
EVERYONE = "everyone"  # instead of policies: the line-up of `compare`
MOST_CELLS = 10_000  # series that are played without a word


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
        """Yield each with its label, which tells what the file says of it."""
        for values in product(*self.settings.values()):
            given = dict(zip(self.settings, values, strict=True))
            shown = given if self.label is None else {
                key: value for key, value in given.items() if len(self.settings[key]) > 1
            }  # fmt: skip
            said = [f"{key}={_written(value)}" for key, value in shown.items()]
            label = " ".join([self.label or self.cls.name, *said])
            with at(self.path, names=given):
                yield label, set_policy(self.cls, told, given)


def read_plan(path: str | os.PathLike[str], *, large: bool = False) -> Plan:
    """Return the study that a file says; one of more than 10,000 series only if it may be large."""
    file = Path(path)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"Cannot read the study {str(file)!r}: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParameterError(f"{file} is not a TOML file: {error}.") from error
    with at(str(file)):
        return _plan(table, file, large)


def _plan(table: dict[str, Any], file: Path, large: bool) -> Plan:
    refuse_unknown("", table, KEYS)
    with at("minimize"):
        minimize = checks.flag("minimize", table.get("minimize", False))
    objectives = tuple(_objectives(table))
    plays, searches = _entries(table, "policies"), _entries(table, "searches")
    everyone = table.get("policies") == EVERYONE
    if not plays and not searches and not everyone:
        raise ParameterError('There must be [[policies]], [[searches]], or policies = "everyone".')
    instances = read_instances(table.get("instances"), file.parent)
    horizons = _numbers(table, "horizon", 10_000)
    caps = _numbers(table, "cap", CAP)
    count = len(instances) * (
        len(horizons) * sum(e.size for e in plays) + len(caps) * sum(e.size for e in searches)
    )
    if count > MOST_CELLS and not large:
        raise ParameterError(
            f"The grid has {count:,} cells: policies × instances × horizons. More than "
            f"{MOST_CELLS:,} are run with --yes only. Shorten its lists."
        )
    seed = checks.seed(table.get("seed", 0))
    with at("points"):
        points = checks.integer("points", table.get("points", RECORDED_ROUNDS), least=1)
    cells = []
    for instance in instances:
        for kind, entries_, lengths in ((PLAY, plays, horizons), (SEARCH, searches, caps)):
            for length in lengths if entries_ or (everyone and kind == PLAY) else ():
                policies = _policies(entries_, objectives, instance, length, kind)
                if everyone and kind == PLAY:
                    policies = {**line_up(instance, length, objectives[0]), **policies}
                _check(kind, instance, length, policies, minimize)
                arms = tuple(instance.arms)
                cells.append(
                    Cell(kind, instance.name, arms, length, policies, seed, minimize, points)
                )
    return Plan(
        title=text_at(table, "title", file.stem),
        seed=seed,
        replications=_number(table, "replications", 100),
        objectives=objectives,
        cells=tuple(cells),
        minimize=minimize,
        points=points,
        reference=_reference(table, cells),
    )


def _objectives(table: Mapping[str, Any]) -> Iterator[Objective]:
    given = table.get("objectives", ["upper-tail:0.1", "mean"])
    if not isinstance(given, list) or not given:
        raise ParameterError(f'objectives is a list such as ["upper-tail:0.1"]; got {given!r}.')
    for place, text in enumerate(given):
        with at(f"objectives[{place}]"):
            if not isinstance(text, str):
                raise ParameterError(f'An objective is a text such as "mean"; got {text!r}.')
            yield parse_objective(text)


def _entries(table: Mapping[str, Any], name: str) -> list[Entry]:
    """Return the policies or searches, each setting as the list of its values."""
    given = table.get(name, [])
    if name == "policies" and given == EVERYONE:
        return []
    known: Mapping[str, type[Policy]] = POLICIES if name == "policies" else BEST_ARM_POLICIES
    found = []
    for path, entry in entries(given, name):
        with at(path):
            if "name" not in entry:
                raise ParameterError('A policy needs a name, such as name = "acp-ucb1".')
            with at("name"):
                cls = class_named("policy", str(entry["name"]), known.values())
            refuse_unknown(f"setting of {cls.name}", entry, ("name", "label", *cls.setting_names()))
            label = text_at(entry, "label", None)
            settings = {
                key: list(value) if isinstance(value, list) else [value]
                for key, value in entry.items()
                if key not in ("name", "label")
            }
            for key, values in settings.items():
                if not values:
                    raise ParameterError(f"{key}: a list of settings must not be empty.")
        found.append(Entry(path, cls, label, settings))
    return found


def _policies(
    found: list[Entry],
    objectives: tuple[Objective, ...],
    instance: Instance,
    length: int,
    kind: str,
) -> dict[str, Policy]:
    """Return the policies of a cell by their labels."""
    told = settings_for(objectives[0], instance.alpha, length)
    if kind == SEARCH:
        told = {"tau": told["tau"]}
    policies: dict[str, Policy] = {}
    for entry in found:
        for label, policy in entry.policies(told):
            if label in policies:
                raise ParameterError(
                    f"{entry.path}: each policy can take part once; got {label!r} twice. Give it a "
                    "label of its own."
                )
            policies[label] = policy
    return policies


def _check(
    kind: str, instance: Instance, length: int, policies: Mapping[str, Policy], minimize: bool
) -> None:
    """Refuse what could not be played, before anything is."""
    for label, policy in policies.items():
        with at(f"{label} on {instance.name}"):
            policy.playing(minimize)
            if kind == SEARCH:
                check_search(as_search(policy), len(instance.arms), length)
            else:
                refuse_search(policy, "a study's [[policies]]")
                check_horizon(policy, len(instance.arms), length)


def _number(table: Mapping[str, Any], key: str, default: int) -> int:
    with at(key):
        return checks.integer(key, table.get(key, default), least=1, most=MOST_ROUNDS)


def _numbers(table: Mapping[str, Any], key: str, default: int) -> list[int]:
    """Return a number, or the list of numbers, of that key."""
    given = table.get(key, default)
    values = given if isinstance(given, list) else [given]
    found = []
    for place, value in enumerate(values):
        with at(f"{key}[{place}]" if isinstance(given, list) else key):
            found.append(checks.integer(key, value, least=1, most=MOST_ROUNDS))
    if not found or len(set(found)) < len(found):
        raise ParameterError(f"{key} must be given, each value once; got {given!r}.")
    return found


def _reference(table: Mapping[str, Any], cells: list[Cell]) -> str | None:
    """Return the label of the policy that others are compared with, if one is named."""
    label: str | None = text_at(table, "reference", None)
    labels = {each for cell in cells for each in cell.policies}
    if label is not None and label not in labels:
        with at("reference"):
            raise UnknownNameError.among("policy", label, sorted(labels))
    return label


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"
