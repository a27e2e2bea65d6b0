"""Policies that look for the best arm × replications, on common rewards."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.registry import as_laws
from ..errors import ParameterError
from ..policies import Policy
from ..policies.best_arm import FixedBudget, FixedConfidence, as_search
from .identification import Answers, Identification
from .judging import wrong_answers
from .replications import named_policies
from .rewards import Rewards
from .search import Search, search
from .seeds import policy_stream
from .trajectory import check_horizon
from .workers import MOST_ROUNDS, Workers

CAP = 1_000_000


def identify(
    arms: Sequence[Distribution | Any],
    policies: Policy | Iterable[Policy] | Mapping[str, Policy],
    delta: float | None = None,
    epsilon: float | None = None,
    cap: int = CAP,
    replications: int = 100,
    seed: int | None = None,
    *,
    minimize: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Identification:
    """Have each policy look for the arm with the best quantile, again and again.

    A run ends when its policy stops, or at the cap: then it is undecided, and its answer is a
    guess. In each replication all policies meet the same rewards, drawn as they are needed. The
    numbers depend on the seed alone: not on the workers, nor on which other policies take part.

    Parameters
    ----------
    arms
        Two or more laws of the library, or frozen laws of ``scipy.stats``.
    policies
        A policy that looks for the best arm, several, or a mapping from the names that the results
        shall have.
    delta, epsilon
        The chance of error and the tolerance, in level, of all policies with fixed confidence; by
        default each has its own.
    cap
        The most pulls of a run.
    replications, seed
        The number of replications, and the seed of all random numbers.
    minimize
        The arms pay costs: the lowest τ-quantile is best, and an arm is good enough if its
        (τ−ε)-quantile is at most that. Where a law has atoms these are upper quantiles, the
        largest x with P(Y < x) ≤ τ: costs 1 … 20 have the p95 20 here, and 19 in `simulate`.
    workers, executor, progress
        As for `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    >>> found = uh.identify(arms, uh.UniformSampling(0.5, budget=200), replications=20, seed=0)
    >>> found.summary("Uniform sampling").error
    0.0
    """
    laws = as_laws(arms)
    named = {
        name: _set(as_search(policy), delta, epsilon)
        for name, policy in named_policies(policies).items()
    }
    cap = checks.integer("cap", cap, least=1, most=MOST_ROUNDS)
    minimize = checks.flag("minimize", minimize)
    if (delta, epsilon) != (None, None) and all(isinstance(p, FixedBudget) for p in named.values()):
        raise ParameterError(
            "delta and epsilon are for policies with fixed confidence, and none of "
            f"{', '.join(named)} is one: their budget decides. Leave delta and epsilon out."
        )
    for policy in named.values():
        policy.playing(minimize)  # refuses one that cannot take costs
        check_search(policy, len(laws), cap)
    job = Job(laws, named, cap, checks.seed(seed), minimize)
    team = Workers.checked(replications, workers, executor, progress)
    answers = _run(job, team)
    return Identification(laws, named, cap, team.replications, job.seed, answers, minimize)


def _set(
    policy: FixedConfidence | FixedBudget, delta: float | None, epsilon: float | None
) -> FixedConfidence | FixedBudget:
    """Return the policy with the chance of error and the tolerance that all shall have."""
    given = {"delta": delta, "epsilon": epsilon}
    told = {name: value for name, value in given.items() if value is not None}
    return policy.replace(**told) if told and isinstance(policy, FixedConfidence) else policy


def check_search(policy: FixedConfidence | FixedBudget, arms: int, cap: int) -> None:
    """Refuse what cannot be played to its end: too small a cap or budget, too many arms sought."""
    if arms < 2:
        raise ParameterError("A best arm is found among two arms or more; got one. Add an arm.")
    check_horizon(policy, arms, cap, "cap")
    if not isinstance(policy, FixedBudget):
        return
    check_horizon(policy, arms, policy.budget, "budget")
    if policy.budget > cap:
        raise ParameterError(
            f"{policy.name} stops after its budget of {policy.budget:,} pulls, and the cap is "
            f"{cap:,}. Raise the cap, or choose a smaller budget."
        )
    if policy.top >= arms:
        raise ParameterError(
            f"{policy.name} looks for the best {policy.top} of {arms} arms: top must be below the "
            "number of arms. Choose a smaller top, or add arms."
        )


class Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    arms: tuple[Distribution, ...]
    policies: dict[str, FixedConfidence | FixedBudget]
    cap: int
    seed: int
    minimize: bool


def _run(job: Job, team: Workers) -> dict[str, Answers]:
    """Return each policy's answers, judged."""
    found: dict[int, dict[str, NDArray[np.int64]]] = {}

    def keep(block: range, played: dict[str, NDArray[np.int64]]) -> None:
        found[block.start] = played

    team.run("Identifying", play_block, job, job.cap, keep)
    ordered = [found[start] for start in sorted(found)]
    return {
        name: judged(job, name, np.concatenate([each[name] for each in ordered]))
        for name in job.policies
    }


def judged(job: Job, name: str, rows: NDArray[np.int64]) -> Answers:
    """Return a policy's answers from what `play_block` gives."""
    samples, decided = rows[:, 0], rows[:, 1].astype(bool)
    recommended, pulls = np.split(rows[:, 2:], [rows.shape[1] - 2 - len(job.arms)], axis=1)
    wrong = wrong_answers(job.arms, job.policies[name], job.minimize, recommended)
    return Answers(
        samples=samples,
        decided=decided,
        recommended=recommended,
        pulls=pulls,
        wrong=wrong & decided,
        wrong_guess=wrong & ~decided,
    )


def play_block(job: Job, block: range, stop: Event | None) -> dict[str, NDArray[np.int64]]:
    """Play a block of replications; return how each policy's runs ended, (len(block), 2 + m + K).

    A row has the samples, whether it was decided, the m arms that were found, and the pulls.
    """
    ends = [_play_replication(job, replication, stop) for replication in block]
    return {name: np.array([_row(each[name]) for each in ends], np.int64) for name in job.policies}


def _row(end: Search) -> list[int]:
    return [end.samples, int(end.decided), *end.recommended, *end.pulls.tolist()]


def _play_replication(job: Job, replication: int, stop: Event | None) -> dict[str, Search]:
    """Play every policy on one replication's rewards."""
    rewards, ends = Rewards(job.arms, job.seed, replication), {}
    for name, policy in job.policies.items():
        parameters, negates = policy.playing(job.minimize)
        rng = policy_stream(job.seed, replication)
        ends[name] = search(
            policy, parameters, rewards, rng, job.cap, negated=negates, stop=stop
        )  # fmt: skip
    return ends
