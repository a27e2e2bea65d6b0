"""Policies × replications on common rewards."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.registry import as_laws
from ..errors import ParameterError
from ..policies import Policy, as_policy
from ..policies.base import refuse_search
from .player import Runner, check_horizon, pulls_at, recorded_rounds
from .rewards import Rewards, policy_stream
from .runs import Runs
from .workers import MOST_ROUNDS, Workers

RECORDED_ROUNDS = 200  # points of a curve: smooth at any size of figure


def simulate(
    arms: Sequence[Distribution | Any],
    policies: Policy | Iterable[Policy] | Mapping[str, Policy],
    horizon: int,
    replications: int = 100,
    seed: int | None = None,
    *,
    minimize: bool = False,
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
        Laws of the library, or frozen laws of ``scipy.stats``.
    policies
        A policy, several, or a mapping from the names that the results shall have.
    horizon, replications, seed
        Rounds of a replication, the number of replications, and the seed of all random numbers.
    minimize
        The arms pay costs: as in `Bandit`, policies look for the lowest, and regret counts that.
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
    horizon = checks.integer("horizon", horizon, least=1, most=MOST_ROUNDS)
    job = Job(
        arms=as_laws(arms),
        policies=named_policies(policies),
        minimize=checks.flag("minimize", minimize),
        horizon=horizon,
        seed=checks.seed(seed),
        rounds=recorded_rounds(rounds, horizon),
    )
    for policy in job.policies.values():
        refuse_search(policy, "simulate")
        policy.parameters_for(job.minimize)  # refuses one that cannot take costs
        check_horizon(policy, len(job.arms), horizon)
    team = Workers.checked(replications, workers, executor, progress)
    return Runs(
        job.arms,
        job.policies,
        horizon,
        team.replications,
        job.seed,
        job.rounds,
        _run(job, team),
        minimize=job.minimize,
    )


class Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    arms: tuple[Distribution, ...]
    policies: dict[str, Policy]
    horizon: int
    seed: int
    rounds: NDArray[np.int64]  # (G,)
    minimize: bool = False


def _run(job: Job, team: Workers) -> dict[str, NDArray[np.int64]]:
    """Return the pull counts (R, G, K) of each policy."""
    shape = (team.replications, len(job.rounds), len(job.arms))
    pulls = {name: np.empty(shape, np.int64) for name in job.policies}

    def keep(block: range, played: dict[str, NDArray[np.int64]]) -> None:
        for name, counts in played.items():
            pulls[name][block.start : block.stop] = counts

    size = sum(counts[0].nbytes for counts in pulls.values())
    team.run("Simulating", play_block, job, job.horizon, keep, size)
    return pulls


def play_block(job: Job, block: range, stop: Event | None) -> dict[str, NDArray[np.int64]]:
    """Play a block of replications; return each policy's pull counts (len(block), G, K)."""
    shape = (len(block), len(job.rounds), len(job.arms))
    played = {name: np.empty(shape, np.int64) for name in job.policies}
    rewards = Rewards(job.arms, job.seed, block.start, job.horizon)
    runners = {name: _runner(job, policy, rewards) for name, policy in job.policies.items()}
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


def _runner(job: Job, policy: Policy, rewards: Rewards) -> Runner:
    """Return the policy on these rewards."""
    parameters, negates = policy.parameters_for(job.minimize)
    state = policy.functions.start(parameters, len(job.arms), job.horizon)
    tally = pulls_at(job.rounds, len(job.arms))
    return Runner(policy, state, rewards, tally, parameters=parameters, negated=negates)


def named_policies(
    policies: Policy | Iterable[Policy] | Mapping[str, Policy],
) -> dict[str, Policy]:
    """Return the policies by name, refusing what is not a policy, and names given twice."""
    checks.ordered("policies", policies)
    if isinstance(policies, Mapping):
        pairs = [(name, as_policy(policy)) for name, policy in policies.items()]
    else:
        several = policies if isinstance(policies, Iterable) else [policies]
        pairs = [(policy.name, policy) for policy in map(as_policy, several)]
    names = [name for name, _ in pairs]
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"The names of policies must be strings; got {names}.")
    if not names or len(set(names)) < len(names):
        raise ParameterError(
            f"There must be at least one policy, each with a name of its own; got {names}. "
            'Name them with a mapping: {"b=1": ACPUCB1(b=1), "b=2": ACPUCB1(b=2)}.'
        )
    return dict(pairs)
