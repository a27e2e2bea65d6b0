"""Play, and judge everyone under every objective.

What is to be played, checked before anything is.

What a step costs: the compiled loop, timed on the arms of an instance.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import ParameterError, UnknownNameError
from ..objectives import CVaR, Mean, MeanVariance, Objective, UpperTail, oriented
from ..policies import Policy
from ..policies.parsing import endpoint_alpha
from ..simulation.player import check_horizon, play_rounds
from ..simulation.rewards import draw_table, policy_stream
from ..simulation.runs import Runs
from ..simulation.simulate import named_policies, simulate
from ..simulation.statistics import PerReplication, recorded
from ..simulation.workers import MOST_ROUNDS
from .default_policies import REFERENCE, left_out, line_up, plays_for
from .instances import Given, Instance, as_instances
from .result import Comparison, Row, lower_bound, row_of

Policies = (
    Policy
    | Iterable[Policy]
    | Mapping[str, Policy]
    | Callable[[Instance, int], Mapping[str, Policy]]  # those for an instance and a horizon
)


class Setup(NamedTuple):
    """What is to be played on one instance, checked before anything is."""

    instance: Instance
    policies: dict[str, Policy]
    objectives: tuple[Objective, ...]
    left_out: dict[str, str]  # of the default line-up: who does not take part, and why


def set_up(
    instances: Iterable[Instance],
    policies: Policies | None,
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool = False,
) -> list[Setup]:
    """Return what is to be played on each instance; all are as in `compare`."""
    first = objectives[0] if objectives else None
    players = partial(line_up, objective=first) if policies is None else _chooser(policies)
    return [
        _setup(
            each,
            players(each, horizon),
            objectives,
            horizon,
            minimize,
            left_out(each, horizon, first) if policies is None else {},
        )
        for each in instances
    ]


def common_value(alpha: float | None, objectives: tuple[Objective, ...] | None) -> Objective | None:
    """Return the quantile by which the arms of all instances are valued; None if by their own α.

    >>> import upperhand as uh
    >>> common_value(0.2, None), common_value(None, (uh.Mean(),))
    (UpperTail(alpha=0.2), None)
    """
    first = objectives[0] if objectives and hasattr(objectives[0], "tau") else None
    if alpha is None or first is None:
        return first if alpha is None else UpperTail(alpha)
    if not math.isclose(endpoint_alpha(first) or 1, UpperTail(alpha).alpha, abs_tol=1e-12):
        raise ParameterError(
            f"alpha = {alpha:g} and the first objective, {first.label}, are two levels. Leave one "
            "of the two out."
        )
    return first


def default_objectives(instance: Instance, minimize: bool = False) -> list[Objective]:
    """Return the endpoint that the instance is valued by, and other people's objectives."""
    candidates = [UpperTail(instance.alpha), Mean(), CVaR(instance.alpha), MeanVariance(1.0)]
    return [o for o in candidates if oriented(o, minimize).is_defined(instance.arms)]


def _chooser(policies: Policies) -> Callable[[Instance, int], Mapping[str, Policy]]:
    """Return what gives the policies for an instance: the same ones for all, unless it is asked."""
    if callable(policies):  # neither a policy nor several can be called
        if isinstance(policies, type):
            name = policies.__name__
            raise ParameterError(f"A policy must be given, such as {name}(); got the class {name}.")
        return policies
    same = named_policies(policies)
    return lambda _instance, _horizon: same


def checked_objectives(
    objectives: Objective | Iterable[Objective], minimize: bool = False
) -> tuple[Objective, ...]:
    """Return one or several objectives, each once, as they are of rewards or of costs."""
    given = tuple(objectives) if isinstance(objectives, Iterable) else (objectives,)
    for objective in given:
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective must be given, such as Mean(); got {objective!r}.")
    labels = [objective.label for objective in given]
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"Objectives must be given, each once; got {', '.join(labels) or 'none'}."
        )
    return tuple(each.for_costs() if minimize else each for each in given)


def _setup(
    instance: Instance,
    policies: Mapping[str, Policy],
    objectives: tuple[Objective, ...] | None,
    horizon: int,
    minimize: bool,
    absent: dict[str, str],
) -> Setup:
    """Return what is to be played; refuse what could not be."""
    refuse_short(instance, policies, horizon)
    players = named_policies(policies)
    for policy in players.values():
        check_horizon(policy, len(instance.arms), horizon)
    judges = tuple(default_objectives(instance, minimize)) if objectives is None else objectives
    for objective in judges:
        oriented(objective, minimize).values(instance.arms)  # refuses an arm that has no such value
    return Setup(instance, players, judges, absent)


def reference_label(reference: str | None, setups: Sequence[Setup]) -> str:
    """Return the label that is meant, in any case; ACP-UCB1 or else the first if none is given."""
    labels = [p for p in setups[0].policies if all(p in setup.policies for setup in setups)]
    if not labels:
        raise ParameterError("No policy takes part on all instances. Compare them one by one.")
    if reference is None:
        return REFERENCE if REFERENCE in labels else labels[0]
    for label in labels:
        if label.lower() == str(reference).lower():
            return label
    raise UnknownNameError.among("reference policy", reference, labels)


def refuse_short(instance: Instance, policies: Mapping[str, Policy], horizon: int) -> None:
    """Refuse a horizon that leaves nobody to play."""
    if not policies:
        raise ParameterError(
            f"No policy can pull each of the {len(instance.arms)} arms of {instance.name} in "
            f"{horizon} rounds. Choose a longer horizon."
        )


TABLES = 9  # fresh ones: on a table met before, the processor would predict the branches
TIMED_ROUNDS = 10_000  # of a table, if the horizon is longer


def step_times(
    instance: Instance, policies: Mapping[str, Policy], horizon: int, seed: int
) -> dict[str, float]:
    """Return nanoseconds a round of each policy, choosing and learning.

    The median over tables, each played once by all policies in turn, so that a machine that slows
    down slows them all.
    """
    rounds = min(horizon, TIMED_ROUNDS)
    tables = [draw_table(instance.arms, rounds, seed, i) for i in range(TABLES + 1)]
    _, *turns = [  # the first turn may compile
        [_seconds(policy, table, seed) for policy in policies.values()] for table in tables
    ]
    medians = 1e9 / rounds * np.median(turns, axis=0)
    return dict(zip(policies, medians.tolist(), strict=True))


def _seconds(policy: Policy, table: NDArray[np.float64], seed: int) -> float:
    """Return the seconds of one run from an empty state on, without making the state."""
    arms, rng = np.empty(table.shape[1], np.int64), policy_stream(seed, 0)
    state = policy.functions.start(policy.parameters, *table.shape)
    start = time.perf_counter()
    play_rounds(policy, state, table, rng, arms)
    return time.perf_counter() - start


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
            setup.instance.name: tuple(oriented(o, minimize) for o in setup.objectives)
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
        judge = oriented(objective, runs.minimize)
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
