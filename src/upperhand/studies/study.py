"""The runs behind the page of comparisons: the paper's settings, hard ones, and a long run."""

from functools import partial
from typing import NamedTuple

from ..intervals import CALIBRATORS, Rescored, parse_calibrator
from ..policies import ACPUCB1, Policy
from .compare import compare
from .instances import Instance
from .line_up import OURS, REFERENCE, line_up
from .result import Comparison
from .river_rival import RiverRuns, load_river, play_river

LONGER = 100  # times the horizon, in half as many replications, as those of river
LONG_RUN = "headline"
UNCORRECTED = "none (η = 0)"


class Study(NamedTuple):
    """Everyone on the paper's instances and on hard ones; ours alone in the long run."""

    paper: Comparison
    hard: Comparison
    long: Comparison
    calibrators: Comparison  # ACP-UCB1 with each of them, on the paper's instances
    river: RiverRuns  # river's UCB on some of all instances


def run_study(
    *,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> Study:
    """Run it all; nothing is timed, so that the same numbers come out every time."""
    load_river()  # if it is missing, that is said at once
    play = partial(compare, seed=seed, timing=False, workers=workers, progress=progress)
    whole = partial(play, horizon=horizon, replications=replications)
    few = max(2, replications // 2)
    hard = whole("hard")  # first: they refuse a horizon that is too short for many arms
    return Study(
        paper=whole("paper"),
        hard=hard,
        long=play(LONG_RUN, ours, horizon=LONGER * horizon, replications=few),
        calibrators=whole("paper", calibrated),
        river=play_river(
            horizon=horizon, replications=min(few, replications), seed=seed, progress=progress
        ),
    )


def ours(instance: Instance, horizon: int) -> dict[str, Policy]:
    """Return the line-up without the others."""
    return {label: p for label, p in line_up(instance, horizon).items() if label in OURS}


def calibrated(instance: Instance, horizon: int) -> dict[str, Policy]:
    """Return ACP-UCB1 with the paper's calibrator, with none (η = 0), and with each of the others.

    All have the paper's b = 1, so that what differs is the calibrator alone.
    """
    alpha = instance.alpha
    others = [name for name, cls in CALIBRATORS.items() if cls is not Rescored]
    made = {name: parse_calibrator(name, alpha=alpha, horizon=horizon) for name in others}
    return {
        REFERENCE: ACPUCB1(alpha),
        UNCORRECTED: ACPUCB1(alpha, eta=0),
        **{name: ACPUCB1(alpha, calibrator=each) for name, each in made.items()},
    }
