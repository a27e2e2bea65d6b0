"""The runs behind the page of comparisons: the paper's settings, hard ones, and a long run."""

from functools import partial
from typing import NamedTuple

from ..policies import Policy
from .compare import compare
from .instances import Instance
from .line_up import OURS, line_up
from .result import Comparison

LONGER = 100  # times the horizon, in half as many replications
LONG_RUN = "headline"


class Study(NamedTuple):
    """Everyone on the paper's instances and on hard ones; ours alone in the long run."""

    paper: Comparison
    hard: Comparison
    long: Comparison


def run_study(
    *,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> Study:
    """Run it all; nothing is timed, so that the same numbers come out every time."""
    play = partial(compare, seed=seed, timing=False, workers=workers, progress=progress)
    return Study(
        paper=play("paper", horizon=horizon, replications=replications),
        hard=play("hard", horizon=horizon, replications=replications),
        long=play(LONG_RUN, ours, horizon=LONGER * horizon, replications=max(2, replications // 2)),
    )


def ours(instance: Instance, horizon: int) -> dict[str, Policy]:
    """Return the line-up without the others."""
    return {label: p for label, p in line_up(instance, horizon).items() if label in OURS}
