"""The experiments by name, in the paper's order."""

from collections.abc import Iterable
from typing import Any

from ..errors import UnknownNameError
from . import families, levels, metrics
from .experiment import Experiment

EXPERIMENTS: dict[str, Experiment[Any]] = {
    experiment.name: experiment
    for experiment in (metrics.EXPERIMENT, levels.EXPERIMENT, families.EXPERIMENT)
}


def chosen(names: Iterable[str]) -> list[Experiment[Any]]:
    """Return the experiments of those names in the paper's order; all of them if none is named."""
    wanted = set(names)
    for name in sorted(wanted - EXPERIMENTS.keys()):
        raise UnknownNameError.among("experiment", name, EXPERIMENTS)
    return [e for name, e in EXPERIMENTS.items() if not wanted or name in wanted]
