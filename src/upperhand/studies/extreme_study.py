"""The largest reward found: policies for a quantile beside those made for extremes."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..objectives import BestOf
from ..policies import ACPUCB1, KLQUCB, Policy, QuantileIMED
from ..policies.spec import set_policy, settings_for
from ..simulation.best_found import best_found
from ..simulation.replications import simulate
from ..simulation.runs import Runs
from .extremes import EXTREMES, draws_needed
from .instances import Instance
from .statistics import estimate

Array = NDArray[np.float64]
Players = Callable[[Instance, int], Mapping[str, Policy]]
DRAWS = (8, 64)  # the N that policies for a quantile are told
QUANTILES: dict[str, tuple[type[Policy], dict[str, Any]]] = {  # each of them at each N
    "KL-QUCB+": (KLQUCB, {"plus": True}),
    "Quantile-IMED": (QuantileIMED, {}),
    "ACP-UCB1": (ACPUCB1, {}),
    "ACP-UCB1 auto": (ACPUCB1, {"scale": "auto"}),
}
RIVALS: dict[str, tuple[type[Policy], dict[str, Any]]] = {}  # made for extremes
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


class ExtremeStudy(NamedTuple):
    """Who finds the largest reward on the published instances."""

    instances: tuple[Instance, ...]
    rows: tuple[Found, ...]
    runs: Mapping[str, Runs]  # by instance
    best: Mapping[str, int]  # by instance: the arm that is best for the maximum of all rounds
    draws: Mapping[str, int]  # by instance: from this N on it is the best under the best of N

    @property
    def policies(self) -> list[str]:
        """The labels, in the order in which they were given."""
        return list(dict.fromkeys(row.policy for row in self.rows))

    def row(self, instance: str, policy: str) -> Found:
        """Return how a policy did on an instance."""
        return next(r for r in self.rows if (r.instance, r.policy) == (instance, policy))


def run_extremes(
    players: Players | None = None,
    instances: tuple[Instance, ...] = EXTREMES,
    *,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> ExtremeStudy:
    """Play the policies on the instances, and compare the largest rewards that they found."""
    rows: list[Found] = []
    runs, best, draws = {}, {}, {}
    for instance in instances:
        name = instance.name
        policies = (players or everyone)(instance, horizon)
        best[name], draws[name] = draws_needed(instance.arms, horizon)
        runs[name] = simulate(
            instance.arms, policies, horizon, replications, seed, rounds=[horizon],
            workers=workers, progress=progress,
        )  # fmt: skip
        rows += _rows(name, runs[name], best[name])
    return ExtremeStudy(tuple(instances), tuple(rows), runs, best, draws)


def everyone(instance: Instance, horizon: int) -> dict[str, Policy]:
    """Return the policies for a quantile at each N, by labels such as "KL-QUCB+ 8", and rivals."""
    found: dict[str, Policy] = {}
    for n in DRAWS:
        told = settings_for(BestOf(n), instance.alpha, horizon)
        for name, (cls, settings) in QUANTILES.items():
            found[f"{name} {n}"] = set_policy(cls, told, settings)
    for name, (cls, settings) in RIVALS.items():
        found[name] = set_policy(cls, {"horizon": horizon}, settings)
    return found


def _rows(instance: str, runs: Runs, best: int) -> list[Found]:
    """Return a row for each policy, and for the arms in turn."""
    arms = len(runs.arms)
    alone = np.where(np.arange(arms) == best, runs.horizon, 0)
    turns = runs.horizon // arms + (np.arange(arms) < runs.horizon % arms)
    largest = best_found(runs, {IN_TURN: turns[None], ALONE: alone[None]})
    pulls = {name: counts[:, -1] for name, counts in runs.pulls.items()}
    pulls[IN_TURN] = np.broadcast_to(turns, (runs.replications, arms))
    held = largest.pop(ALONE)[:, -1]
    return [
        Found(
            instance,
            name,
            *geometric_ratio(found[:, -1], held),
            float(np.median(found[:, -1]) / np.median(held)),
            *estimate(pulls[name][:, best] / runs.horizon, 0, 1),
        )
        for name, found in largest.items()
    ]


def geometric_ratio(found: Array, held: Array) -> tuple[float, float, float, float]:
    """Return the geometric mean of found/held (R,), its standard error and its 95 % interval.

    The largest of many rewards may have a mean that is nearly infinite, as of Pareto arms with an
    exponent near 1; its logarithm has all moments.

    >>> geometric_ratio(np.array([1.0, 4.0]), np.array([2.0, 2.0]))[0]
    1.0
    """
    if min(found.min(), held.min()) <= 0:
        raise ParameterError(
            f"Largest rewards are compared by their ratio, so they must be positive; got "
            f"{min(found.min(), held.min()):g}. Play more rounds."
        )
    value, se, low, high = estimate(np.log(found / held))
    ratio = math.exp(value)
    return ratio, ratio * se, math.exp(low), math.exp(high)
