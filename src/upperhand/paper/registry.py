"""The experiments by name, in the paper's order, and how large they are run."""

from collections.abc import Iterable
from typing import Any

from .. import checks
from ..errors import UnknownNameError
from . import families, levels, metrics
from .experiment import Experiment, Size

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


def sized(
    only: Iterable[str] = (),
    *,
    replications: int | None,
    horizon: int,
    seed: int,
    workers: int | None,
    progress: bool | None,
) -> list[tuple[Experiment[Any], Size]]:
    """Return each experiment with its size; refuse what could not be run. As in `run_paper`."""
    experiments = chosen(only)
    horizon = checks.integer("horizon", horizon, least=1)
    for experiment in experiments:
        experiment.check_horizon(horizon)
    if replications is not None:
        replications = checks.integer("replications", replications, least=1)
    if workers is not None:
        workers = checks.integer("workers", workers, least=1)
    rest = horizon, checks.seed(seed), workers, progress
    return [(e, Size(replications or e.replications, *rest)) for e in experiments]
