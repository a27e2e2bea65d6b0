"""Play, and judge everyone under every objective."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .. import checks
from ..objectives import Objective
from ..objectives.lowest import judged
from ..simulation.replications import simulate
from ..simulation.runs import Runs
from ..simulation.workers import MOST_ROUNDS
from .bounds import lower_bound
from .instances import Given, Instance, as_instances
from .line_up import plays_for
from .result import Comparison, Row, row_of
from .setup import Policies, Setup, checked_objectives, common_value, reference_label, set_up
from .statistics import PerReplication, recorded
from .timing import step_times


def compare(
    instances: Given = "headline",
    policies: Policies | None = None,
    objectives: Objective | Iterable[Objective] | None = None,
    *,
    alpha: float | None = None,
    horizon: int = 10_000,
    replications: int = 60,
    seed: int | None = 0,
    minimize: bool = False,
    reference: str | None = None,
    timing: bool = True,
    workers: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Play policies on instances and judge each of them under each objective.

    Parameters
    ----------
    instances
        Names (`instances.INSTANCES`, or the groups "paper", "hard" and "all"), `Instance` objects,
        or the laws of one instance.
    policies
        As in `simulate`; or a function that returns them for an instance and a horizon. By default
        everyone (`line_up`), set to play for the first objective where a policy can.
    objectives
        The first one is what the comparison is about. By default the instance's upper endpoint
        F⁻¹(1−α/2), then the mean, CVaR(α) and the mean-variance at ρ = 1, where the arms have them.
    alpha
        Value the arms of all instances by F⁻¹(1−α/2), whatever their own α is. A first objective
        that is a quantile or an endpoint says that already. An instance that is valued by another
        quantile than its own is renamed, and arms that are the same then are played once.
    horizon, replications, seed
        As in `simulate`. All instances share the seed.
    minimize
        The arms pay costs, as in `simulate`: under each objective the lowest is best.
    reference
        The label of the policy that the others are compared with; ACP-UCB1 by default, or else the
        first policy that takes part everywhere.
    timing
        Whether to time a step of each policy. Times differ from run to run; all else does not.
    workers, progress
        As in `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> against = uh.compare("headline", [uh.ACPUCB1(), uh.UCB1()], horizon=2000, replications=20)
    >>> against.main("headline")["UCB1"].ratio > 1.5  # times the regret of ACP-UCB1
    True
    """
    horizon = checks.integer("horizon", horizon, least=1, most=MOST_ROUNDS)
    seed = checks.seed(seed)
    minimize = checks.flag("minimize", minimize)
    judges = None if objectives is None else checked_objectives(objectives, minimize)
    arenas = as_instances(instances, common_value(alpha, judges))
    if minimize:
        arenas = [replace(each, note=_of_costs(each)) for each in arenas]
    setups = set_up(arenas, policies, judges, horizon, minimize)
    against = reference_label(reference, setups)
    rounds, runs, rows = recorded(horizon), {}, []
    for setup in setups:
        played = simulate(
            setup.instance.arms,
            setup.policies,
            horizon,
            replications,
            seed,
            minimize=minimize,
            rounds=rounds,
            workers=workers,
            progress=progress,
        )
        times = step_times(setup.instance, setup.policies, horizon, played.seed) if timing else {}
        runs[setup.instance.name] = played
        rows += list(_rows(setup, against, played, times))
    return Comparison(
        instances=tuple(setup.instance for setup in setups),
        objectives={
            setup.instance.name: tuple(judged(o, minimize) for o in setup.objectives)
            for setup in setups
        },
        reference=against,
        rows=tuple(rows),
        runs=runs,
        left_out={setup.instance.name: setup.left_out for setup in setups},
    )


def _of_costs(instance: Instance) -> str:
    return f"{instance.note or f'{len(instance.arms)} arms'} (costs: the lowest is best)"


def _rows(setup: Setup, reference: str, runs: Runs, times: Mapping[str, float]) -> Iterator[Row]:
    """Yield a row for each policy and objective."""
    for objective in setup.objectives:
        judge = judged(objective, runs.minimize)
        gaps = judge.gaps(runs.arms)
        found = {
            label: PerReplication.of(runs.rounds, pulls, gaps)
            for label, pulls in runs.pulls.items()
        }
        bound = lower_bound(runs.arms, judge)
        most = runs.horizon * float(gaps.max())
        for label, mine in found.items():
            own = plays_for(setup.policies[label], objective)
            names = (setup.instance.name, label, objective.label, own)
            step = times.get(label, math.nan)
            yield row_of(names, mine, found[reference], most, bound, step)
