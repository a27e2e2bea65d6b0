"""The instances of a study: names that are known, or arms that the file says."""

from pathlib import Path
from typing import Any

from ...distributions import Distribution, Mixture
from ...distributions.registry import FAMILIES, from_spec, parse_arm
from ...errors import ParameterError, UnknownNameError
from ..instances import Instance, as_instances, named
from .keys import at, key_of

EXAMPLE = '[instances]\nmine = ["normal:0.10,0.05", "normal:0,0.15"]'


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
            f"as {EXAMPLE!r}; got {given!r}."
        )
    found = []
    for name, arms in given.items():
        path = f"instances.{key_of(name)}"
        laws = _arms(arms, path, folder)
        with at(path):
            found.append(Instance(name, laws))
    return found


def _arms(given: Any, path: str, folder: Path) -> list[Distribution]:
    """Return the arms of an instance."""
    if not isinstance(given, list) or not given:
        raise ParameterError(f"{path} must be a list of arms; got {given!r}.")
    return [_arm(arm, f"{path}[{place}]", folder) for place, arm in enumerate(given)]


def _arm(given: Any, path: str, folder: Path) -> Distribution:
    """Return a law: as on the command line, or a table with its family and its parameters."""
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
        laws = [_arm(each, f"{path}.components[{i}]", folder) for i, each in enumerate(parts)]
        given = {**given, "components": [law.spec() for law in laws]}
    with at(path, names=given):
        return from_spec(given)
