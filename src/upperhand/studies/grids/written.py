"""A plan as JSON, in its folder: what `status` and `report` need, wherever the folder is."""

import json
from typing import Any

from ...distributions.registry import from_spec
from ...errors import FileError, ParameterError, UpperhandError
from ...files import replacing
from ...objectives.spec import objective_from, objective_spec
from ...policies import POLICIES, Policy
from ...policies.best_arm import BEST_ARM_POLICIES
from .folder import Folder
from .plan import Cell, Plan, described

NAME = "plan.json"


def write_plan(plan: Plan, folder: Folder) -> None:
    """Write the plan that the folder's blocks are of now; a larger one may replace it later."""
    arms = {cell.instance: [arm.spec() for arm in cell.arms] for cell in plan.cells}
    content = {
        "title": plan.title,
        "seed": plan.seed,
        "replications": plan.replications,
        "minimize": plan.minimize,
        "points": plan.points,
        "reference": plan.reference,
        "arms": arms,
        "cells": [
            {
                "kind": cell.kind,
                "instance": cell.instance,
                "horizon": cell.horizon,
                "objectives": [objective_spec(objective) for objective in cell.objectives],
                "policies": {label: described(each) for label, each in cell.policies.items()},
            }
            for cell in plan.cells
        ],
    }
    text = json.dumps(content, indent=1, default=lambda part: part.spec, allow_nan=False)
    with replacing(folder.path / NAME) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_written(folder: Folder) -> Plan:
    """Return the plan of a folder."""
    folder.told()  # refuses what is no study
    path = folder.path / NAME
    try:
        return _plan(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UpperhandError) as error:
        raise FileError(
            f"Cannot read {str(path)!r}: {error}. Run the study again, and it is written anew."
        ) from error


def _plan(told: dict[str, Any]) -> Plan:
    arms = {name: tuple(map(from_spec, specs)) for name, specs in told["arms"].items()}
    common = (told["seed"], told["minimize"], told["points"])
    cells = tuple(
        Cell(
            each["kind"],
            each["instance"],
            arms[each["instance"]],
            each["horizon"],
            {label: _policy(entry) for label, entry in each["policies"].items()},
            *common,
            tuple(map(objective_from, each["objectives"])),
        )
        for each in told["cells"]
    )
    return Plan(
        title=told["title"],
        seed=told["seed"],
        replications=told["replications"],
        cells=cells,
        minimize=told["minimize"],
        points=told["points"],
        reference=told["reference"],
    )


def _policy(entry: dict[str, Any]) -> Policy:
    known: dict[str, type[Policy]] = {**POLICIES, **BEST_ARM_POLICIES}
    if entry["policy"] not in known:
        raise ParameterError(f"no policy is called {entry['policy']!r}")
    return known[entry["policy"]](**entry["settings"])
