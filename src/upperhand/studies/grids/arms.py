"""The instances of a study: names that are known, or arms that the file says."""

from pathlib import Path
from typing import Any

from ...distributions import Distribution, Mixture
from ...distributions.registry import from_spec, parse_arm
from ...errors import ParameterError
from ..instances import Instance, as_instances
from .keys import at

EXAMPLE = '[instances]\nmine = ["normal:0.10,0.05", "normal:0,0.15"]'


def read_instances(given: Any, folder: Path) -> list[Instance]:
    """Return the instances; files of data are found from the folder of the study."""
    names = [given] if isinstance(given, str) else given
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        with at("instances"):
            return as_instances(names)
    if not isinstance(given, dict) or not given:
        raise ParameterError(
            'instances: these are names, such as instances = ["headline"], or tables of arms, such '
            f"as {EXAMPLE!r}; got {given!r}."
        )
    return [
        Instance(name, _arms(arms, f"instances.{name}", folder)) for name, arms in given.items()
    ]


def _arms(given: Any, path: str, folder: Path) -> list[Distribution]:
    if not isinstance(given, list) or not given:
        raise ParameterError(f"{path} must be a list of arms; got {given!r}.")
    found = []
    for place, arm in enumerate(given):
        with at(f"{path}[{place}]"):
            found.append(_arm(arm, folder))
    return found


def _arm(given: Any, folder: Path) -> Distribution:
    """Return a law: as on the command line, or a table with its family and its parameters."""
    if isinstance(given, str):
        return parse_arm(given, folder)
    if not isinstance(given, dict):
        raise ParameterError(f'An arm is a text such as "normal:0,1", or a table; got {given!r}.')
    if given.get("family") == Mixture.family and isinstance(given.get("components"), list):
        parts = [_arm(each, folder) for each in given["components"]]
        given = {**given, "components": [part.spec() for part in parts]}
    return from_spec(given)
