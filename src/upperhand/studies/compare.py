"""Play, and judge everyone under every objective."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .. import checks
from ..objectives import Objective
from ..objectives.lowest import judged
from ..simulation.replications import MOST_ROUNDS, simulate
from ..simulation.runs import Runs
from .bounds import lower_bound
from .instances import Given, Instance, as_instances
from .line_up import plays_for
from .plan import Plan, Policies, checked_objectives, held_against, planned, upper_level
from .result import Comparison, Row
from .statistics import best_share, estimate, log_slope, paired_difference, paired_ratio, recorded
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
        As in `simulate`; or a function that returns them for an instance and a horizon, as the
        default `line_up` does: everyone, those for the tail set for the upper end of its α.
    objectives
        The first one is what the comparison is about. By default the instance's upper endpoint
        F⁻¹(1−α/2), then the mean, CVaR(α) and the mean-variance at ρ = 1, where the arms have them.
    alpha
        Value the arms at this level, whatever their own is; by default that of the first objective
        if it is an upper endpoint. `line_up` sets the policies for it; policies that are given play
        as they are set.
    horizon, replications, seed
        As in `simulate`. All instances share the seed.
    minimize
        The arms pay costs, as in `simulate`: under each objective the lowest is best.
    reference
        The label of the policy that the others are held against; ACP-UCB1 by default, or else the
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
    judges = None if objectives is None else checked_objectives(objectives)
    arenas = as_instances(instances, alpha)
    if alpha is None and judges and (level := upper_level(judges[0])):
        arenas = [replace(instance, alpha=level) for instance in arenas]
    if minimize:
        arenas = [replace(each, note=_of_costs(each)) for each in arenas]
    plans = planned(arenas, policies, judges, horizon, checks.flag("minimize", minimize))
    held = held_against(reference, plans)
    rounds, runs, rows = recorded(horizon), {}, []
    for plan in plans:
        played = simulate(
            plan.instance.arms,
            plan.policies,
            horizon,
            replications,
            seed,
            minimize=minimize,
            rounds=rounds,
            workers=workers,
            progress=progress,
        )
        times = step_times(plan.instance, plan.policies, horizon, played.seed) if timing else {}
        runs[plan.instance.name] = played
        rows += list(_rows(plan, held, played, times))
    return Comparison(
        instances=tuple(plan.instance for plan in plans),
        objectives={
            plan.instance.name: tuple(judged(o, minimize) for o in plan.objectives)
            for plan in plans
        },
        reference=held,
        rows=tuple(rows),
        runs=runs,
    )


def _of_costs(instance: Instance) -> str:
    return f"{instance.note or f'{len(instance.arms)} arms'} (costs: the lowest is best)"


def _rows(plan: Plan, reference: str, runs: Runs, times: Mapping[str, float]) -> Iterator[Row]:
    """Yield a row for each policy and objective."""
    for objective in plan.objectives:
        judge = judged(objective, runs.minimize)
        gaps = judge.gaps(runs.arms)
        regrets = {label: pulls @ gaps for label, pulls in runs.pulls.items()}  # each (R, G)
        bound = lower_bound(runs.arms, judge)
        for label, regret in regrets.items():
            final, held = regret[:, -1], regrets[reference][:, -1]
            mean, difference = estimate(final), paired_difference(final, held)
            ratio, share = paired_ratio(final, held), best_share(runs.pulls[label][:, -1], gaps)
            slope = log_slope(runs.rounds, regret)
            yield Row(
                instance=plan.instance.name,
                policy=label,
                objective=objective.label,
                own=plays_for(plan.policies[label], objective),
                regret=mean.value,
                regret_se=mean.se,
                worst=float(final.max()),
                difference=difference.value,
                difference_se=difference.se,
                ratio=ratio.value,
                ratio_se=ratio.se,
                best_share=share.value,
                best_share_se=share.se,
                slope=slope.value,
                slope_se=slope.se,
                bound=bound,
                slope_ratio=slope.value / bound if 0 < bound < math.inf else math.nan,
                step_ns=times.get(label, math.nan),
            )
