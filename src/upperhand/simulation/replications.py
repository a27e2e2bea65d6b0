"""Policies × replications on common reward tables."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import pairwise
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.registry import as_laws
from ..errors import ParameterError
from ..policies import Policy, as_policy
from .progress import progress_bar
from .recording import pull_counts, recorded_rounds
from .runs import Runs
from .seeds import policy_stream
from .tables import draw_table
from .trajectory import check_horizon, play_rounds

MOST_ROUNDS = 2**40  # of a replication, or replications: more than any memory holds
RECORDED_ROUNDS = 200  # points of a curve: smooth at any size of figure
BLOCKS_PER_WORKER = 4  # so that a slow block does not leave the other workers idle for long
ROUNDS_PER_BLOCK = 1_000_000  # so that a bar moves every second or so


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
    """Play every policy on the same random reward tables, again and again.

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
    job = _Job(
        arms=as_laws(arms),
        policies=named_policies(policies),
        minimize=checks.flag("minimize", minimize),
        horizon=horizon,
        seed=checks.seed(seed),
        rounds=recorded_rounds(rounds, horizon),
    )
    for policy in job.policies.values():
        policy.playing(job.minimize)  # refuses one that cannot take costs
        check_horizon(policy, len(job.arms), horizon)
    total = checks.integer("replications", replications, least=1, most=MOST_ROUNDS)
    count = cores() if workers is None else checks.integer("workers", workers, least=1)
    pulls = _run(job, total, count, executor, progress)
    return Runs(
        job.arms, job.policies, horizon, total, job.seed, job.rounds, pulls, minimize=job.minimize
    )


def cores() -> int:
    """Return how many cores this process may use: a batch system or taskset may allow a few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    arms: tuple[Distribution, ...]
    policies: dict[str, Policy]
    horizon: int
    seed: int
    rounds: NDArray[np.int64]  # (G,)
    minimize: bool = False


def _run(
    job: _Job, replications: int, workers: int, executor: Executor | None, progress: bool | None
) -> dict[str, NDArray[np.int64]]:
    """Spread the replications over the workers and gather their pull counts in order."""
    shape = (replications, len(job.rounds), len(job.arms))
    pulls = {name: np.empty(shape, np.int64) for name in job.policies}
    blocks = _blocks(replications, workers * BLOCKS_PER_WORKER, job.horizon)
    bar = progress_bar("Simulating", replications, progress)
    stop = Event()
    with _pool(executor, workers) as pool, bar as advance:
        shared = stop if isinstance(pool, ThreadPoolExecutor) else None  # not across processes
        futures: dict[Future[Any], range] = {
            pool.submit(_play_block, job, block, shared): block for block in blocks
        }
        try:
            for future in as_completed(futures):
                block = futures[future]
                for name, counts in future.result().items():
                    pulls[name][block.start : block.stop] = counts
                advance(len(block))
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise
    return pulls


def _play_block(job: _Job, block: range, stop: Event | None) -> dict[str, NDArray[np.int64]]:
    """Play a block of replications; return each policy's pull counts (len(block), G, K)."""
    played = [_play_replication(job, replication, stop) for replication in block]
    return {name: np.stack([counts[name] for counts in played]) for name in job.policies}


def _play_replication(
    job: _Job, replication: int, stop: Event | None
) -> dict[str, NDArray[np.int64]]:
    """Draw one reward table, play every policy on it, return each one's pull counts (G, K)."""
    table = draw_table(job.arms, job.horizon, job.seed, replication)
    negated = 0.0 - table if job.minimize else table
    arms = np.empty(job.horizon, np.int64)
    counts = {}
    for name, policy in job.policies.items():
        parameters, negates = policy.playing(job.minimize)
        state = policy.functions.start(parameters, len(table), job.horizon)
        play_rounds(
            policy,
            state,
            negated if negates else table,
            policy_stream(job.seed, replication),
            arms,
            parameters=parameters,
            stop=stop,
        )
        counts[name] = pull_counts(arms, job.rounds, len(table))
    return counts


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


def _blocks(replications: int, pieces: int, horizon: int) -> list[range]:
    """Cut the replications into ranges of nearly equal length: that many, or more short ones."""
    longest = max(1, ROUNDS_PER_BLOCK // horizon)
    count = min(max(pieces, math.ceil(replications / longest)), replications)
    edges = np.linspace(0, replications, count + 1).astype(int)
    return [range(a, b) for a, b in pairwise(edges)]


@contextmanager
def _pool(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """Give the caller's executor, left running, or threads of our own."""
    if isinstance(executor, Executor):
        yield executor
    elif executor is not None:
        raise ParameterError(f"executor must be a concurrent.futures.Executor; got {executor!r}.")
    else:
        with ThreadPoolExecutor(workers) as threads:
            yield threads
