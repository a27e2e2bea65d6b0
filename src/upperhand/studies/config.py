"""A study from its TOML file, checked: errors name the file and the path of their key.

A list in a policy's settings, as horizon or as cap is a grid: every value with every other one.
Settings that a policy leaves out take the level of the first objective and the horizon, as on the
command line. Without objectives each instance is evaluated by its own, as in `compare`.
"""

import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import checks
from ..calibrators import as_calibrator
from ..comparison.compare import default_objectives, refuse_short
from ..comparison.default_policies import COMPARED, default_policies
from ..comparison.instances import Instance, as_instances, named
from ..distributions import Distribution, Mixture
from ..distributions.registry import FAMILIES, from_spec, parse_arm
from ..errors import FileError, ParameterError, UnknownNameError, UpperhandError
from ..objectives import Objective, Quantile, is_of_costs, oriented, parse_objective
from ..parsing import class_named
from ..policies import BEST_ARM_POLICIES, POLICIES, Policy
from ..policies.base import check_horizon
from ..policies.best_arm.base import as_search
from ..policies.parsing import set_policy, settings_for
from ..simulation.identify import CAP, check_search
from ..simulation.simulate import RECORDED_ROUNDS
from ..simulation.workers import MOST_ROUNDS
from .plan import PLAY, SEARCH, Cell, Plan, described, hashed

T = TypeVar("T")
BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that TOML takes without quotes


@contextmanager
def at(path: str, names: Iterable[str] = ()) -> Iterator[None]:
    """Put the path before an error's message; if it begins with one of the names, that key too.

    >>> with at("study.toml"), at("policies[2]", names=["alpha"]):
    ...     raise ParameterError("alpha must lie in (0, 1); got 2.")
    Traceback (most recent call last):
        ...
    upperhand.errors.ParameterError: study.toml: policies[2].alpha: alpha must lie in (0, 1); got 2.
    """
    try:
        yield
    except UpperhandError as error:
        message = str(error)
        key = next((name for name in names if message.startswith(f"{name} ")), None)
        whole = path if key is None else f"{path}.{key}"
        raise type(error)(f"{whole}: {message}") from error


def key_of(name: str) -> str:
    """Return a key as TOML has it: in quotes, if it has other signs than letters and digits."""
    return name if BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def refuse_unknown(what: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse unknown keys, and suggest those that are near."""
    names = list(known)
    for key in table:
        if key not in names:
            raise UnknownNameError.among(what, key, names)


def entries(given: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of an array of tables, each with its path."""
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise ParameterError(f"{name} must be tables, [[{name}]]; got {given!r}.")
    for place, entry in enumerate(given):
        yield f"{name}[{place}]", entry


def text_at(table: Mapping[str, Any], key: str, default: Any, under: str = "") -> Any:
    """Return a text, or the default if there is none; `under` is the path of the table."""
    value = table.get(key, default)
    if value is not default and (not isinstance(value, str) or not value.strip()):
        raise ParameterError(
            f"{under}{key}: {key} must be a text that is not empty; got {value!r}."
        )
    return value


TABLES = {PLAY: "policies", SEARCH: "searches"}  # the file's name for each kind
LENGTHS = {PLAY: "horizon", SEARCH: "cap"}  # and for how long it may take
OWN = ("name", "label")  # keys of an entry that are no settings


class Entry(NamedTuple):
    """A policy of the file, with the grid of its settings."""

    path: str  # such as policies[2]
    cls: type[Policy]
    label: str | None
    settings: Mapping[str, list[Any]]

    @classmethod
    def read(cls, path: str, entry: dict[str, Any], kind: str) -> "Entry":
        """Return an entry, each setting as the list of its values."""
        known: Mapping[str, type[Policy]] = POLICIES if kind == PLAY else BEST_ARM_POLICIES
        if "name" not in entry:
            raise ParameterError(f'{path}: A policy needs a name, such as name = "acp-ucb1".')
        with at(f"{path}.name"):
            policy = class_named("policy", str(entry["name"]), known.values())
        with at(path):
            refuse_unknown(f"setting of {policy.name}", entry, (*OWN, *policy.setting_names()))
        settings = {
            key: list(value) if isinstance(value, list) else [value]
            for key, value in entry.items()
            if key not in OWN
        }
        for key, values in settings.items():
            if not values:
                raise ParameterError(f"{path}.{key}: a list of settings must not be empty.")
        for value in settings.get("calibrator", ()):
            with at(f"{path}.calibrator"):  # which has settings of its own
                if isinstance(value, str):
                    as_calibrator(value)
        return cls(path, policy, text_at(entry, "label", None, under=f"{path}."), settings)

    def policies(self, known: Mapping[str, Any]) -> Iterator[tuple[str, Policy]]:
        """Yield each with its label: its name with what the file sets, or its own with the grid.

        `known` are settings that the policy takes where the file leaves them open.
        """
        for values in product(*self.settings.values()):
            given = dict(zip(self.settings, values, strict=True))
            shown = [
                f"{key}={str(value).lower() if isinstance(value, bool) else value}"
                for key, value in given.items()
                if self.label is None or len(self.settings[key]) > 1
            ]
            with at(self.path, names=given):
                policy = set_policy(self.cls, known, given)
            yield " ".join([self.label or self.cls.name, *shown]), policy


def policies_for(
    found: list[Entry] | None, kind: str, objective: Objective, instance: Instance, length: int
) -> dict[str, Policy]:
    """Return the policies of a cell by their labels: of the entries, or else the default ones.

    The objective sets what the entries leave out.
    """
    if found is None:
        with at(LENGTHS[kind]):
            refuse_short(instance, default_policies(instance, length, objective), length)
        return default_policies(instance, length, objective)
    known = settings_for(objective, instance.alpha, length)
    if kind == SEARCH:
        known = {"tau": known["tau"]}
    policies: dict[str, Policy] = {}
    labels: dict[str, str] = {}  # by what they stand for
    for entry in found:
        for label, policy in entry.policies(known):
            if label in policies:
                raise ParameterError(
                    f"{entry.path}: each policy can take part once; got {label!r} twice. Give it a "
                    "label of its own."
                )
            other = labels.setdefault(hashed(described(policy)), label)
            if other != label:
                raise ParameterError(
                    f"{entry.path}: {label!r} is the same policy as {other!r}. Leave one out."
                )
            policies[label] = policy
    return policies


def check_policies(
    kind: str, instance: Instance, length: int, policies: Mapping[str, Policy], minimize: bool
) -> None:
    """Refuse what could not be played, before anything is."""
    arms = len(instance.arms)
    for label, policy in policies.items():
        who = f"{label} on {instance.name}"
        with at("direction"), at(who):
            policy.parameters_for(minimize)  # refuses one that cannot take costs
        alone = kind == SEARCH and arms < 2
        with at(f"instances.{key_of(instance.name)}" if alone else LENGTHS[kind]), at(who):
            if kind == SEARCH:
                check_search(as_search(policy), arms, length)
            else:
                check_horizon(policy, arms, length)


def read_instances(given: Any, folder: Path) -> list[Instance]:
    """Return the instances; files of data are found from the folder of the study."""
    names = [given] if isinstance(given, str) else given
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        for place, name in enumerate(names):
            with at("instances" if isinstance(given, str) else f"instances[{place}]"):
                named(name)  # refuses one that is not known
        with at("instances"):
            return as_instances(names)
    if not isinstance(given, dict) or not given:
        raise ParameterError(
            'instances: these are names, such as instances = ["headline"], or tables of arms, such '
            f'as instances.mine = ["normal:0.10,0.05", "normal:0,0.15"]; got {given!r}.'
        )
    found = []
    for name, arms in given.items():
        path = f"instances.{key_of(name)}"
        if not isinstance(arms, list) or not arms:
            raise ParameterError(f"{path} must be a list of arms; got {arms!r}.")
        read = [_arm(arm, f"{path}[{place}]", folder) for place, arm in enumerate(arms)]
        with at(path):
            found.append(Instance(name, read))
    return found


def _arm(given: Any, path: str, folder: Path) -> Distribution:
    """Return an arm: as on the command line, or a table with its family and its parameters."""
    if isinstance(given, str):
        with at(path):
            return parse_arm(given, folder)
    if not isinstance(given, dict) or "family" not in given:
        raise ParameterError(
            f'{path}: An arm is a text such as "normal:0,1", or a table such as '
            f'{{ family = "normal", loc = 0, scale = 1 }}; got {given!r}.'
        )
    if given["family"] not in list(FAMILIES):
        with at(f"{path}.family"):
            raise UnknownNameError.among("distribution", given["family"], FAMILIES)
    parts = given.get("components")
    if given["family"] == Mixture.family and isinstance(parts, list):
        found = [_arm(each, f"{path}.components[{i}]", folder) for i, each in enumerate(parts)]
        given = {**given, "components": [each.spec() for each in found]}
    with at(path, names=given):
        return from_spec(given)


KEYS = (
    "title", "seed", "horizon", "cap", "replications", "objectives", "quantiles", "direction",
    "points", "reference", "instances", "policies", "searches",
)  # fmt: skip
MOST_CELLS = 10_000  # of a grid that is played without --yes …
MOST_STEPS = 10**13  # … and its rounds: some weeks on two cores


def read_plan(path: str | os.PathLike[str], *, large: bool = False) -> Plan:
    """Return the study of a file; one of more than 10,000 cells only if it may be large."""
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
    refuse_unknown("key", table, KEYS)
    with at("direction"):
        minimize = is_of_costs(table.get("direction", "maximize"))
    seed = _checked(table, "seed", 0, lambda _, value: checks.seed(value))
    points = _checked(table, "points", RECORDED_ROUNDS, _whole)
    replications = _checked(table, "replications", 100, _whole)
    instances = read_instances(table.get("instances"), file.parent)
    objectives = _several(table, "objectives", lambda given: parse_objective(str(given)))
    levels = _several(table, "quantiles", Quantile)
    grid, cells = list(_grid(table, len(instances) * max(1, len(levels)), large)), []
    for instance in instances:
        for place, chosen in enumerate(_evaluated_by(instance, objectives, levels, minimize)):
            for kind, length, found in grid:
                with at(f"quantiles[{place}]") if levels else nullcontext():
                    policies = policies_for(found, kind, chosen[0], instance, length)
                check_policies(kind, instance, length, policies, minimize)
                name, arms, common = instance.name, tuple(instance.arms), (seed, minimize, points)
                cells.append(Cell(kind, name, arms, length, policies, *common, chosen))
    title, reference = text_at(table, "title", file.stem), _reference(table, cells)
    plan = Plan(title, seed, replications, tuple(cells), minimize, points, reference)
    if plan.steps > MOST_STEPS and not large:
        raise ParameterError(
            f"The study has {plan.steps:,} steps: replications × rounds × policies. More than "
            f"{MOST_STEPS:,} are played with --yes only."
        )
    return plan


def _grid(
    table: Mapping[str, Any], instances: int, large: bool
) -> Iterator[tuple[str, int, list[Entry] | None]]:
    """Yield the kinds and lengths of runs on each instance, and the entries that play."""
    count, grid = 0, list[tuple[str, int, list[Entry] | None]]()
    for kind, default in ((PLAY, 10_000), (SEARCH, CAP)):
        lengths = _several(table, LENGTHS[kind], partial(_whole, LENGTHS[kind])) or [default]
        given, found, size = table.get(TABLES[kind], []), None, len(COMPARED)
        if kind == SEARCH or given != "everyone":  # the default policies of `compare`
            found = [Entry.read(*each, kind) for each in entries(given, TABLES[kind])]
            size = sum(math.prod(map(len, each.settings.values())) for each in found)
        count += instances * len(lengths) * size
        grid += [(kind, length, found) for length in lengths if size]
    if not grid:
        raise ParameterError('There must be [[policies]], [[searches]], or policies = "everyone".')
    if count > MOST_CELLS and not large:
        raise ParameterError(
            f"The grid has {count:,} cells: policies × instances × horizons. More than "
            f"{MOST_CELLS:,} are run with --yes only. Shorten its lists."
        )
    yield from grid


def _evaluated_by(
    instance: Instance, objectives: list[Objective], levels: list[Quantile], minimize: bool
) -> Iterator[tuple[Objective, ...]]:
    """Yield the objectives of each cell of an instance, first the one that policies play for."""
    for level in [[each] for each in levels] or [[]]:
        chosen = {each.label: each for each in (*level, *objectives)}
        default = [] if chosen else default_objectives(instance, minimize)
        if not chosen and not default:
            with at(f"instances.{key_of(instance.name)}"):
                raise ParameterError(
                    "The arms have none of the default objectives, such as a finite endpoint or "
                    'mean. Name one that they have, such as objectives = ["quantile:0.5"].'
                )
        for each in chosen.values():
            place = "quantiles" if each in level else f"objectives[{objectives.index(each)}]"
            with at(place):
                oriented(each, minimize).values(instance.arms)  # refuses what has no value
        yield tuple(e.for_costs() if minimize else e for e in chosen.values()) or tuple(default)


def _whole(key: str, given: Any) -> int:
    return checks.integer(key, given, least=1, most=MOST_ROUNDS)


def _checked(table: Mapping[str, Any], key: str, default: T, check: Callable[[str, Any], T]) -> T:
    with at(key):
        return check(key, table.get(key, default))


def _several(table: Mapping[str, Any], key: str, read: Callable[[Any], T]) -> list[T]:
    """Return what is under a key, one value or a list, each read; nothing if it is not there."""
    given = table.get(key, [])
    found = []
    for place, value in enumerate(given if isinstance(given, list) else [given]):
        with at(f"{key}[{place}]" if isinstance(given, list) else key):
            found.append(read(value))
    if len({getattr(each, "label", each) for each in found}) < len(found) or (
        key in table and not found
    ):
        raise ParameterError(f"{key}: {key} must be given, each value once; got {given!r}.")
    return found


def _reference(table: Mapping[str, Any], cells: list[Cell]) -> str | None:
    """Return the label of the policy that others are compared with, if one is named."""
    given: str | None = text_at(table, "reference", None)
    if given is None:
        return None
    labels = {label.lower(): label for cell in cells for label in cell.policies}
    with at("reference"):
        if given.lower() not in labels:
            raise UnknownNameError.among("policy", given, sorted(labels.values()))
    return labels[given.lower()]
