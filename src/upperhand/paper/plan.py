"""What is to be run, checked before anything is."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .. import checks
from .experiment import Experiment, Size
from .registry import EXPERIMENTS, chosen


class Plan(NamedTuple):
    """Which experiments to run, how large, and by whom."""

    replications: dict[str, int]  # by the names of the experiments, in the paper's order
    horizon: int
    seed: int
    workers: int | None
    progress: bool | None

    def sizes(self) -> Iterator[tuple[Experiment[Any], Size]]:
        """Yield each experiment and its size."""
        for name, count in self.replications.items():
            size = Size(count, self.horizon, self.seed, self.workers, self.progress)
            yield EXPERIMENTS[name], size


def planned(
    only: Iterable[str] = (),
    *,
    replications: int | None,
    horizon: int,
    seed: int,
    workers: int | None,
    progress: bool | None,
) -> Plan:
    """Return the plan; refuse what could not be run. All are as in `run_paper`."""
    experiments = chosen(only)
    horizon = checks.integer("horizon", horizon, least=1)
    for experiment in experiments:
        experiment.check_horizon(horizon)
    if replications is not None:
        replications = checks.integer("replications", replications, least=1)
    if workers is not None:
        workers = checks.integer("workers", workers, least=1)
    counts = {e.name: replications or e.replications for e in experiments}
    return Plan(counts, horizon, checks.seed(seed), workers, progress)
