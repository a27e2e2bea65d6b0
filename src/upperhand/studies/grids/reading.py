"""A study from its TOML file, checked: what is wrong is said with the file and the key.

A list in a policy's settings, as horizon or as cap is a grid: every value with every other one.
Settings that a policy leaves out take the level of the first objective and the horizon, as on the
command line. Without objectives each instance is judged by its own, as in `compare`.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ... import checks
from ...errors import FileError, ParameterError, UnknownNameError
from ...objectives import Objective
from ...objectives.lowest import judged
from ...objectives.spec import parse_objective
from ...policies import Policy
from ...simulation.identify import CAP
from ...simulation.replications import RECORDED_ROUNDS
from ...simulation.workers import MOST_ROUNDS
from ..instances import Instance
from ..line_up import EVERYONE as EVERYBODY
from ..line_up import line_up
from ..setup import checked_objectives, default_objectives, refuse_short
from .arms import read_instances
from .keys import at, refuse_unknown, text_at
from .plan import PLAY, SEARCH, Cell, Plan
from .players import LENGTHS, TABLES, Entry, check_players, policies_for, read_entries

KEYS = (
    "title", "seed", "horizon", "cap", "replications", "objectives", "minimize", "points",
    "reference", "instances", "policies", "searches",
)  # fmt: skip
EVERYONE = "everyone"  # instead of policies: the line-up of `compare`
MOST_CELLS = 10_000  # of a grid that is played without a word …
MOST_STEPS = 10**13  # … and its rounds: some weeks on two cores


def read_plan(path: str | os.PathLike[str], *, large: bool = False) -> Plan:
    """Return the study that a file says; one of more than 10,000 cells only if it may be large."""
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
    with at("minimize"):
        minimize = checks.flag("minimize", table.get("minimize", False))
    with at("seed"):
        seed = checks.seed(table.get("seed", 0))
    points = _number(table, "points", RECORDED_ROUNDS)
    instances = read_instances(table.get("instances"), file.parent)
    objectives = _objectives(table, minimize)
    grid, cells = list(_grid(table, len(instances), large)), []
    for instance in instances:
        judges = objectives or tuple(default_objectives(instance, minimize))
        for place, objective in enumerate(judges):
            with at(f"objectives[{place}]"):
                judged(objective, minimize).values(instance.arms)  # refuses what has no value
        for kind, length, found in grid:
            policies = _policies(kind, length, found, instance, judges[0])
            with at(LENGTHS[kind]):
                refuse_short(instance, policies, length)
            check_players(kind, instance, length, policies, minimize)
            name, arms = instance.name, tuple(instance.arms)
            cells.append(Cell(kind, name, arms, length, policies, seed, minimize, points, judges))
    plan = Plan(
        title=text_at(table, "title", file.stem),
        seed=seed,
        replications=_number(table, "replications", 100),
        cells=tuple(cells),
        minimize=minimize,
        points=points,
        reference=_reference(table, cells),
    )
    if plan.steps > MOST_STEPS and not large:
        raise ParameterError(
            f"The study has {plan.steps:,} steps: replications × rounds × policies. More than "
            f"{MOST_STEPS:,} are played with --yes only."
        )
    return plan


def _grid(
    table: Mapping[str, Any], instances: int, large: bool
) -> Iterator[tuple[str, int, list[Entry] | None]]:
    """Yield the kinds and lengths of runs that there are on each instance, and who plays."""
    given = table.get("policies", [])
    players = {PLAY: None if given == EVERYONE else read_entries(given, PLAY)}
    players[SEARCH] = read_entries(table.get(TABLES[SEARCH], []), SEARCH)
    lengths = {PLAY: _numbers(table, "horizon", 10_000), SEARCH: _numbers(table, "cap", CAP)}
    if players == {PLAY: [], SEARCH: []}:
        raise ParameterError('There must be [[policies]], [[searches]], or policies = "everyone".')
    sizes = {
        kind: len(EVERYBODY) if found is None else sum(each.size for each in found)
        for kind, found in players.items()
    }
    count = instances * sum(len(lengths[kind]) * sizes[kind] for kind in players)
    if count > MOST_CELLS and not large:
        raise ParameterError(
            f"The grid has {count:,} cells: policies × instances × horizons. More than "
            f"{MOST_CELLS:,} are run with --yes only. Shorten its lists."
        )
    for kind, found in players.items():
        for length in lengths[kind] if found != [] else ():
            yield kind, length, found


def _policies(
    kind: str, length: int, found: list[Entry] | None, instance: Instance, objective: Objective
) -> dict[str, Policy]:
    """Return who plays in a cell: the entries of the file, or everyone."""
    if found is None:
        with at(LENGTHS[kind]):
            return line_up(instance, length, objective)
    return policies_for(found, kind, objective, instance, length)


def _objectives(table: Mapping[str, Any], minimize: bool) -> tuple[Objective, ...]:
    given = table.get("objectives")
    if given is None:
        return ()
    if not isinstance(given, list) or not given:
        raise ParameterError(f'objectives is a list such as ["upper-tail:0.1"]; got {given!r}.')
    found = []
    for place, text in enumerate(given):
        with at(f"objectives[{place}]"):
            if not isinstance(text, str):
                raise ParameterError(f'An objective is a text such as "mean"; got {text!r}.')
            found.append(parse_objective(text))
    with at("objectives"):
        return checked_objectives(found, minimize)


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
        raise ParameterError(f"{key}: {key} must be given, each value once; got {given!r}.")
    return found


def _reference(table: Mapping[str, Any], cells: list[Cell]) -> str | None:
    """Return the label of the policy that others are compared with, if one is named."""
    given: str | None = text_at(table, "reference", None)
    if given is None:
        return None
    labels = {each for cell in cells for each in cell.policies}
    for label in labels:
        if label.lower() == given.lower():
            return label
    with at("reference"):
        raise UnknownNameError.among("policy", given, sorted(labels))
