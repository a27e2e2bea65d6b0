"""The largest reward found: policies for a quantile beside those made for extremes."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..objectives import BestOf
from ..policies import Policy
from ..simulation.best_found import best_found
from ..simulation.replications import simulate
from ..simulation.runs import Runs
from .extremes import EXPERIMENTS, draws_needed
from .instances import Instance
from .line_up import EVERYONE, EXTREMES, REFERENCE, line_up
from .setup import refuse_short
from .statistics import Estimate, estimate

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Players = Callable[[Instance, int], Mapping[str, Policy]]
DRAWS = (8, 64)  # the N that policies for a quantile are told
FAR_DRAWS, LONGER = 512, 5  # where tails cross far out: another N, and times as many rounds
FEW = ("KL-QUCB+", "Quantile-IMED")
QUANTILES = (*FEW, REFERENCE, f"{REFERENCE} auto")  # of `line_up.EVERYONE`, each at each N
IN_TURN = "arms in turn"
ALONE = "best arm alone"


class Found(NamedTuple):
    """One policy on one instance; _low and _high are the ends of a 95 % interval."""

    instance: str
    policy: str
    ratio: float  # the largest reward found over that of the best arm alone: geometric mean
    ratio_se: float
    ratio_low: float
    ratio_high: float
    medians: float  # the median of the one over the median of the other
    share: float  # of pulls on the best arm
    share_se: float
    share_low: float
    share_high: float


class LargestFound(NamedTuple):
    """Who finds the largest reward on some instances, in so many rounds."""

    instances: tuple[Instance, ...]
    rows: tuple[Found, ...]
    runs: Mapping[str, Runs]  # by instance
    best: Mapping[str, int]  # by instance: the arm that is best for the maximum of all rounds
    draws: Mapping[str, int]  # by instance: from this N on it is the best under the best of N
    largest: Mapping[str, Mapping[str, Array]]  # by instance and policy: rewards (R,)

    @property
    def policies(self) -> list[str]:
        """The labels, in the order in which they were given."""
        return list(dict.fromkeys(row.policy for row in self.rows))

    @property
    def horizon(self) -> int:
        """Rounds of a replication."""
        return next(iter(self.runs.values())).horizon

    def by_instance(self, policy: str) -> dict[str, Found | None]:
        """Return how a policy did on each instance, None where it did not take part."""
        found = {row.instance: row for row in self.rows if row.policy == policy}
        return {each.name: found.get(each.name) for each in self.instances}

    def against(self, instance: str, policy: str, other: str) -> Estimate:
        """Return the largest reward of a policy over another's, in the same replications."""
        return geometric_ratio(*(self.largest[instance][each] for each in (policy, other)))


class ExtremeStudy(NamedTuple):
    """The published instances; and those whose tails cross far out again, with more rounds."""

    all: LargestFound
    crossing: LargestFound | None  # policies for a quantile are told a larger N, too


def run_extremes(
    *,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> ExtremeStudy:
    """Run it all."""
    for each in EXPERIMENTS:
        refuse_short(each, everyone(each, horizon), horizon)
    play = partial(largest_found, seed=seed, workers=workers, progress=progress)
    whole = play(EXPERIMENTS, everyone, horizon=horizon, replications=replications)
    far = [each for each in EXPERIMENTS if whole.draws[each.name] > DRAWS[-1]]
    players = partial(everyone, draws=(*DRAWS, FAR_DRAWS), quantiles=FEW)
    half = max(2, replications // 2)
    again = play(far, players, horizon=LONGER * horizon, replications=half) if far else None
    return ExtremeStudy(whole, again)


def largest_found(
    instances: Sequence[Instance],
    players: Players,
    *,
    horizon: int,
    replications: int,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> LargestFound:
    """Play the policies on the instances, and compare the largest rewards that they found."""
    rows: list[Found] = []
    runs, best, draws, largest = {}, {}, {}, {}
    for instance in instances:
        name = instance.name
        best[name], draws[name] = draws_needed(instance.arms, horizon)
        runs[name] = simulate(
            instance.arms, players(instance, horizon), horizon, replications, seed,
            rounds=[horizon], workers=workers, progress=progress,
        )  # fmt: skip
        pulls = _pulls(runs[name], best[name])
        largest[name] = _largest(runs[name], pulls)
        rows += _rows(name, largest[name], pulls, best[name])
    return LargestFound(tuple(instances), tuple(rows), runs, best, draws, largest)


def everyone(
    instance: Instance,
    horizon: int,
    draws: Iterable[int] = DRAWS,
    quantiles: Iterable[str] = QUANTILES,
) -> dict[str, Policy]:
    """Return the policies for a quantile at each N, by labels such as "KL-QUCB+ 8", and rivals.

    Without those that pull each arm more often to begin with than there are rounds for. In brackets
    is what else a policy knows, as in `line_up`.
    """
    players = {name: EVERYONE[name] for name in quantiles}
    found: dict[str, Policy] = {}
    for n in draws:
        told = line_up(instance, horizon, BestOf(n), players)
        found |= {f"{name} {n}": policy for name, policy in told.items()}
    return found | line_up(instance, horizon, players=EXTREMES)


def _pulls(runs: Runs, best: int) -> dict[str, Counts]:
    """Return the final pulls (R, K) of each policy, of the arms in turn, and of the best alone."""
    arms = np.arange(len(runs.arms))
    turns = runs.horizon // len(arms) + (arms < runs.horizon % len(arms))
    alone = np.where(arms == best, runs.horizon, 0)
    fixed = {IN_TURN: turns, ALONE: alone}
    shape = (runs.replications, len(arms))
    played = {name: counts[:, -1] for name, counts in runs.pulls.items()}
    return played | {name: np.broadcast_to(counts, shape) for name, counts in fixed.items()}


def _largest(runs: Runs, pulls: Mapping[str, Counts]) -> dict[str, Array]:
    """Return the largest reward (R,) that each found."""
    fixed = {name: counts[:1] for name, counts in pulls.items() if name not in runs.pulls}
    return {name: found[:, -1] for name, found in best_found(runs, fixed).items()}


def _rows(
    instance: str, largest: Mapping[str, Array], pulls: Mapping[str, Counts], best: int
) -> list[Found]:
    """Return a row for each policy, and for the arms in turn."""
    held = largest[ALONE]
    return [
        Found(
            instance,
            name,
            *geometric_ratio(found, held),
            float(np.median(found) / np.median(held)),
            *estimate(pulls[name][:, best] / pulls[name].sum(axis=1), 0, 1),
        )
        for name, found in largest.items()
        if name != ALONE
    ]


def geometric_ratio(found: Array, held: Array) -> Estimate:
    """Return the geometric mean of found/held (R,), its standard error and its 95 % interval.

    The largest of many rewards may have a mean that is nearly infinite, as of Pareto arms with an
    exponent near 1; its logarithm has all moments.

    >>> geometric_ratio(np.array([1.0, 4.0]), np.array([2.0, 2.0])).value
    1.0
    """
    if min(found.min(), held.min()) <= 0:
        raise ParameterError(
            f"Largest rewards are compared by their ratio, so they must be positive; got "
            f"{min(found.min(), held.min()):g}. Play more rounds."
        )
    value, se, low, high = estimate(np.log(found / held))
    ratio = math.exp(value)
    return Estimate(ratio, ratio * se, math.exp(low), math.exp(high))
