"""Policies × replications on common rewards."""

import math
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.derived import Negated
from ..distributions.registry import named_distributions
from ..errors import ParameterError
from ..objectives import Direction, Objective, UpperTail, is_of_costs, oriented, wanted
from ..policies import Policy
from ..policies.base import check_horizon, refuse_search
from ..policies.parsing import Policies, as_policies, settings_for
from .player import Runner, pulls_at
from .rewards import Rewards, policy_stream
from .runs import Runs
from .workers import MOST_ROUNDS, Workers, advised

RECORDED_ROUNDS = 200  # points of a curve: smooth at any size of figure
ALPHA = 0.1  # of policies that nothing else sets
Arms = Iterable[Any] | Mapping[str, Any]


@checks.our_keywords
def simulate(
    arms: Arms,
    policies: Policies,
    horizon: float,
    replications: float = 100,
    seed: int | None = None,
    *,
    quantile: float | None = None,
    best_of: int | None = None,
    objective: Objective | str | float | None = None,
    direction: Direction = "maximize",
    rounds: int | ArrayLike = RECORDED_ROUNDS,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Runs:
    """Play every policy on the same random rewards, again and again.

    In each replication all policies meet the same rewards, so their differences are paired. The
    numbers depend on the seed alone: not on the workers, nor on which other policies take part.

    Parameters
    ----------
    arms
        A list or a dict of distributions, frozen distributions of ``scipy.stats``, arrays of
        observations, or functions of a random generator; or a DataFrame with a column for each arm.
    policies
        One or more policies, classes or names such as ``"kl-qucb:plus=true"``, in a list or a dict;
        also plain classes of your own, with methods `start`, `select` and `update`.
    horizon, replications, seed
        Rounds of a replication, the number of replications, and the seed of all random numbers.
    quantile, best_of, objective
        What an arm is worth: its quantile, the best of N rewards, or an objective such as "mean",
        "p95" or ``CVaR(0.1)``. It sets the level of policies that are given as classes or names,
        and `Runs.regret` uses it.
    direction
        "minimize" if the arms pay costs: the lowest value is best.
    rounds
        At which rounds to record pull counts: a number of evenly spaced ones, or a list. The
        horizon is always among them.
    workers
        Threads, by default one for each core that this process may use (the compiled loop
        releases the GIL).
    executor
        Any ``concurrent.futures.Executor`` to use instead, such as a process pool or a cluster's;
        `workers` then says for how many the work is cut.
    progress
        Whether to show a progress bar; by default on a terminal only.

    Examples
    --------
    >>> import upperhand as uh
    >>> arms = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
    >>> runs = uh.simulate(arms, [uh.ACPUCB1(), uh.UCB1()], horizon=2000, replications=20, seed=0)
    >>> regret = runs.regret(uh.UpperTail(0.1))
    >>> bool(regret["ACP-UCB1"].final.mean() < regret["UCB1"].final.mean())
    True
    """
    horizon = checks.count("horizon", horizon, least=1, most=MOST_ROUNDS)
    minimize, seed = is_of_costs(direction), checks.seed(seed)
    aim = wanted(quantile, best_of, objective)
    given = named_distributions(arms)
    arms = tuple(given.values())
    recorded = recorded_rounds(rounds, horizon)
    named = able_policies("simulate", policies, aim, minimize, horizon, len(arms))
    if aim is not None:  # if its values need SciPy, that is said before the work
        oriented(aim, minimize).is_defined(arms)
    team = Workers.checked(replications, workers, executor, progress)
    expected = horizon * team.replications_of_one
    played_on, players = as_rewards(arms, minimize), players_of(named, minimize)
    job = Job(played_on, players, horizon, seed, recorded, expected, tuple(given))
    shape = (team.replications, len(recorded), len(arms))
    with advised("Use fewer replications or arms."):
        pulls = {name: np.empty(shape, np.int64) for name in named}
    size = sum(counts[0].nbytes for counts in pulls.values())
    for block, played in team.results("Simulating", partial(play_block, job), horizon, size):
        for name, counts in played.items():
            pulls[name][block.start : block.stop] = counts
    return Runs(
        arms, named, horizon, team.replications, seed, recorded, pulls,
        minimize=minimize, objective=aim, names=tuple(given),
    )  # fmt: skip


def able_policies(
    where: str, policies: Policies, aim: Objective | None, minimize: bool, horizon: int, arms: int
) -> dict[str, Policy]:
    """Return the policies, set for these rounds; refuse those that cannot play them."""
    named = as_policies(policies, defaults(aim, minimize, horizon))
    for policy in named.values():
        refuse_search(policy, where)
        check_horizon(policy, arms, horizon)
    return named


def defaults(aim: Objective | None, minimize: bool, horizon: int) -> dict[str, Any]:
    """Return the settings of policies that are given as classes or names."""
    aim = aim or UpperTail(ALPHA)
    return settings_for(aim.for_costs() if minimize else aim, ALPHA, horizon)


class Player(NamedTuple):
    """A policy as it plays on rewards, or on the negatives of costs."""

    policy: Policy
    parameters: Any  # what its functions get
    negated: bool  # whether it learns the negatives of these rewards, which are the costs


class Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    arms: tuple[Distribution, ...]  # their rewards; of costs the negatives
    policies: dict[str, Player]
    horizon: int
    seed: int
    rounds: NDArray[np.int64]  # (G,)
    expected: float = math.inf  # rounds of each policy in a process, or many
    names: tuple[str, ...] = ()  # of the arms, for errors


def players_of(policies: Mapping[str, Policy], minimize: bool) -> dict[str, Player]:
    """Return the policies as they play; one that cannot play on costs is refused."""
    return {
        name: Player(policy, policy.parameters_for(minimize), minimize and policy.learns_costs)
        for name, policy in policies.items()
    }


def as_rewards(arms: tuple[Distribution, ...], minimize: bool) -> tuple[Distribution, ...]:
    """Return the arms as policies play on them: those that pay costs are negated."""
    return tuple(map(Negated, arms)) if minimize else arms


@advised("Use a smaller horizon, fewer arms or fewer workers.")
def play_block(job: Job, block: range, stop: Event | None) -> dict[str, NDArray[np.int64]]:
    """Play a block of replications; return each policy's pull counts (len(block), G, K)."""
    k = len(job.arms)
    played = {name: np.empty((len(block), len(job.rounds), k), np.int64) for name in job.policies}
    rewards = Rewards(job.arms, job.seed, block.start, job.horizon, job.names)
    runners = {
        name: Runner(
            policy,
            policy.functions.start(parameters, k, job.horizon),
            rewards,
            pulls_at(job.rounds, k),
            parameters=parameters,
            negated=negated,
            expected=job.expected,
        )
        for name, (policy, parameters, negated) in job.policies.items()
    }
    for place, replication in enumerate(block):
        if place > 0:
            rewards.begin(replication)
        for turn, (name, runner) in enumerate(runners.items()):
            if turn > 0:
                rewards.rewind(replication)
            runner.again()
            ended = runner.play(policy_stream(job.seed, replication), job.horizon, stop)
            rewards.note(ended.state.pulls)
            played[name][place] = runner.tally.pulls
    return played


def recorded_rounds(rounds: int | ArrayLike, horizon: int) -> NDArray[np.int64]:
    """Return the rounds at which pulls are recorded: rising, from 1 on, the last the horizon."""
    if isinstance(rounds, str) or not np.iterable(rounds):
        count = min(checks.integer("rounds", rounds, least=1), horizon)  # type: ignore[arg-type]
        return np.unique(np.linspace(0, horizon, count + 1).round().astype(np.int64)[1:])
    try:
        given = np.asarray(rounds)
    except ValueError:  # rows of unequal lengths
        given = np.empty(0)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.any((given < 1) | (given > horizon)):
        raise ParameterError(
            f"rounds must be whole numbers from 1 to the horizon {horizon}; got {rounds!r}."
        )
    return np.unique(np.append(given, horizon)).astype(np.int64)
