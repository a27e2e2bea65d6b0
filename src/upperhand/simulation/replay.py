"""Policies on real outcomes: on a table that knows every arm's outcome, or on a log.

*Tables.* Each replication permutes the arms, draws its rounds from the rows, and lets each policy
choose one column a round. What a policy got is compared with what the best arm paid in the same
rounds. The best arm is that of the whole table, the first of ties.

*Logs.* A log knows the outcome of the arm that was chosen. A row is kept with probability
p_min / p, where p is the propensity of its arm, and no arm's was below p_min: in what is kept, all
arms are equally likely. A policy goes through these rows; one counts, and is learned, if the policy
chooses the row's arm (L. Li, W. Chu, J. Langford, X. Wang, WSDM 2011). The best arm has all rows of
its own that are kept. There are no importance weights: for a policy that learns from what it
chooses they answer another question.
"""

from concurrent.futures import CancelledError, Executor
from functools import partial
from threading import Event
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels.samples import rank
from ..datasets.dataset import with_failures
from ..errors import ParameterError, TableError
from ..objectives import Direction, Quantile, is_of_costs, level_of, wanted
from ..policies.parsing import Policies
from .player import Runner, arms_of
from .replay_result import Measure, Played, Replay, Values
from .replay_source import Log, Source, log_of, table_of
from .rewards import GivenRewards, policy_stream, row_stream
from .simulate import ALPHA, Player, able_policies, players_of
from .workers import Workers

Numbers = tuple[float, ...]  # those of `Played` for one replication
FEWEST = 30  # rows of a log that a policy must meet


class Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    source: Source
    arms: list[Values]  # the outcomes of each arm, with what failures cost
    missing: list[NDArray[np.bool_]]  # which of them failed
    values: Values  # (K,) their quantiles
    tau: float
    minimize: bool
    measure: Measure
    players: dict[str, Player]
    seed: int
    expected: float

    @property
    def best(self) -> int:
        """The best arm, the first of ties."""
        return int(self.values.argmin() if self.minimize else self.values.argmax())

    def judged(self, own: Values, arms: Any, failed: Any, best: Values) -> Numbers:
        """Return the numbers of `Played` for outcomes of these arms, next to the best arm's."""
        mine, top = quantile_of(own, self.tau), quantile_of(best, self.tau)
        if self.measure == "ratio":
            refuse_ratio(min(mine, top))
            realised = mine / top if self.minimize else top / mine
        else:
            realised = mine - top if self.minimize else top - mine
        excess = float(np.abs(self.values[arms] - self.values[self.best]).mean())
        return realised, excess, float(failed.mean()), float((arms == self.best).mean()), len(own)


def refuse_ratio(least: float) -> None:
    """Refuse ratios of quantiles that are not positive."""
    if least <= 0:
        raise ParameterError(
            f'measure="ratio" needs quantiles above 0; got {least:g}. Choose measure="difference".'
        )


def quantile_of(outcomes: Values, tau: float) -> float:
    """Return the smallest x with F(x) ≥ τ."""
    place = rank(tau, len(outcomes)) - 1
    return float(np.partition(outcomes, place)[place])


@checks.our_keywords
def replay(
    given: Any,
    policies: Policies,
    *,
    quantile: float | None = None,
    best_of: int | None = None,
    direction: Direction | None = None,
    order: Literal["time", "shuffle", "resample"] | None = None,
    horizon: float | None = None,
    replications: float = 100,
    failure: float | None = None,
    measure: Measure = "ratio",
    seed: int | None = None,
    arm: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    p_min: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Replay:
    """Play policies on outcomes that were measured, and compare them with the best arm.

    The numbers depend on the seed alone: not on the workers, nor on which other policies take part.

    Parameters
    ----------
    given
        A table: a DataFrame or an array with a row for each round and a column for each arm. Or
        arms: a dict of arrays, whose rows are not paired. Or a log: an `Experiment` with shares, or
        a DataFrame together with `arm`, `reward` and `propensity`.
    policies
        As for `simulate`.
    quantile, best_of, direction
        What an arm is worth, as for `simulate`; by default that of the experiment, or the p95.
    order
        "time" plays the rows in order from a random one, cyclically; "shuffle" in random order,
        each once at most; "resample" draws each outcome of an arm from all of that arm. Arms in a
        dict can only be resampled. By default "time" for a table.
    horizon, replications, seed
        Rounds of a replication, by default the rows of the table; the number of replications, and
        the seed of all random numbers.
    failure
        What a missing outcome costs. It is infinite in what is given.
    measure
        "ratio" of the policy's quantile to the best arm's, or inverse where larger is better;
        "difference" if quantiles may be 0 or negative. Larger is worse.
    arm, reward, propensity
        The columns of a log: the arm chosen, its outcome, and the probability with which it was
        chosen; or ``propensity="uniform"``.
    p_min
        A number that the probability of no arm was below in any row of the log.
    workers, executor, progress
        As for `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> delays = uh.datasets.load_flights().arms(dest="BWI", failure=900)
    >>> options = {"direction": "minimize", "horizon": 200, "replications": 20, "seed": 0}
    >>> found = uh.replay(delays, ["kl-qucb:plus=true", "round-robin"], **options)
    >>> found.arms
    {'9E': 306.0, 'EV': 177.0, 'MQ': 900.0}
    """
    seed = checks.seed(seed)
    checks.choice("measure", measure, ("ratio", "difference"))
    if not hasattr(given, "events") and arm is None:
        source = table_of(given, order, horizon)
    elif (order, horizon) == (None, None):
        source = log_of(given, arm, reward, propensity, p_min)
    else:
        raise ParameterError("A log is played in its own order. Leave out order= and horizon=.")
    if quantile is None and best_of is None:
        quantile = source.quantile
    minimize = is_of_costs(direction or source.direction)
    aim = wanted(quantile, best_of) or Quantile(1 - ALPHA / 2)
    tau = level_of(aim.for_costs() if minimize else aim) or 0.0
    missing = [np.isinf(values) for values in source.arms.values()]
    arms = source.arms
    if failure is not None:
        arms = with_failures(arms, failure, minimize=minimize, callers=2)
    elif count := sum(int(each.sum()) for each in missing):
        raise ParameterError(f"{count} outcomes are infinite. Say what one costs: failure=….")
    if not all(checks.is_reward(values).all() for values in arms.values()):
        raise TableError(f"Each outcome must be {checks.A_REWARD}. Choose a larger unit.")
    values = np.array([quantile_of(each, tau) for each in arms.values()])
    if measure == "ratio":
        refuse_ratio(values.min())
    team = Workers.checked(replications, workers, executor, progress)
    rounds = source.horizon
    named = able_policies("replay", policies, aim, minimize, rounds, len(arms))
    players, expected = players_of(named, minimize), rounds * team.replications_of_one
    worth = (values, tau, minimize, measure)
    job = Job(source, list(arms.values()), missing, *worth, players, seed, expected)
    played = {name: np.empty((len(Played._fields), team.replications)) for name in named}
    play = partial(play_log, job, source.log) if source.log else partial(play_table, job)
    for block, found in team.results("Replaying", play, rounds):
        for name, numbers in found.items():
            played[name][:, block.start : block.stop] = np.transpose(numbers)
    shown = dict(zip(arms, values.tolist(), strict=True))
    size = (source.order, measure, rounds, team.replications, seed)
    each_one = {name: Played(*each) for name, each in played.items()}
    return Replay(shown, tau, minimize, *size, each_one)


def play_table(job: Job, block: range, stop: Event | None) -> dict[str, list[Numbers]]:
    """Play a block of replications; return the numbers of each policy, a row a replication."""
    k, n, signs = len(job.arms), job.source.horizon, -1.0 if job.minimize else 1.0
    source, played = GivenRewards(np.zeros((k, n))), {name: list[Numbers]() for name in job.players}
    runners = dict[str, Runner]()
    for name, (policy, parameters, negated) in job.players.items():
        state, tally = policy.functions.start(parameters, k, n), arms_of(np.empty(n, np.int64))
        options: Any = {"parameters": parameters, "negated": negated, "expected": job.expected}
        runners[name] = Runner(policy, state, source, tally, **options, by_round=True)
    for replication in block:
        rng = row_stream(job.seed, replication)
        order = rng.permutation(k)
        rows = rows_of(job, rng)
        outcomes = np.stack([values[at] for values, at in zip(job.arms, rows, strict=True)])
        failed = np.stack([each[at] for each, at in zip(job.missing, rows, strict=True)])
        source.stock.values[:] = (signs * outcomes[order] + 0.0).ravel()
        for name, runner in runners.items():
            runner.again()
            runner.play(policy_stream(job.seed, replication), n, stop)
            arms = order[runner.tally.arms]
            own, lost = outcomes[arms, np.arange(n)], failed[arms, np.arange(n)]
            played[name].append(job.judged(own, arms, lost, outcomes[job.best]))
    return played


def rows_of(job: Job, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the rows of the rounds, for each arm."""
    n, rows = job.source.horizon, len(job.arms[0])
    if job.source.order == "resample":
        return [rng.integers(len(values), size=n) for values in job.arms]
    if job.source.order == "shuffle":
        return [rng.permutation(rows)[:n]] * len(job.arms)
    return [(rng.integers(rows) + np.arange(n)) % rows] * len(job.arms)


def play_log(job: Job, log: Log, block: range, stop: Event | None) -> dict[str, list[Numbers]]:
    """Play a block of replications on a log; return the numbers of each policy."""
    played = {name: list[Numbers]() for name in job.players}
    outcomes, failed = np.empty(len(log.arm)), np.empty(len(log.arm), np.bool_)
    for arm, own in enumerate(job.arms):
        outcomes[log.arm == arm], failed[log.arm == arm] = own, job.missing[arm]
    for replication in block:
        rng = row_stream(job.seed, replication)
        order = rng.permutation(len(job.arms))
        kept = np.flatnonzero(rng.random(len(outcomes)) < log.keep)
        best = outcomes[kept[log.arm[kept] == job.best]]
        columns = np.argsort(order)[log.arm[kept]].tolist()
        for name, player in job.players.items():
            if stop is not None and stop.is_set():
                raise CancelledError
            rewards = ((1.0 if player.negated == job.minimize else -1.0) * outcomes[kept]).tolist()
            used = kept[
                met(player, len(order), columns, rewards, policy_stream(job.seed, replication))
            ]
            if min(len(used), len(best)) < FEWEST:
                raise ParameterError(
                    f"{name} met {len(used)} rows of the log with the arm that it chose, and the "
                    f"best arm has {len(best)}. Each needs {FEWEST}: log more, or leave it out."
                )
            played[name].append(job.judged(outcomes[used], log.arm[used], failed[used], best))
    return played


def met(player: Player, arms: int, columns: list[int], rewards: list[float], rng: Any) -> list[int]:
    """Return the rows whose arm the policy chooses; it learns their rewards."""
    policy, f = player.policy, player.policy.functions
    state = f.start(player.parameters, arms, len(rewards))
    found, chosen = list[int](), f.choose(player.parameters, state, 1, rng)
    for row, arm in enumerate(columns):
        if arm == chosen:
            f.update(player.parameters, state, arm, rewards[row])
            found.append(row)
            if f.full(player.parameters, state, arm):
                state = f.grow(state)
        if arm == chosen or policy.draws:
            chosen = f.choose(player.parameters, state, len(found) + 1, rng)
    return found
