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

import math
from concurrent.futures import CancelledError, Executor
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from .. import checks
from .._kernels.samples import rank
from ..datasets.dataset import Values, with_failures
from ..errors import ParameterError, TableError, UnknownNameError
from ..objectives import Direction, Quantile, is_of_costs, level_of, wanted
from ..policies.parsing import Policies
from ..results import Result, frame
from .player import Runner, arms_of
from .replay_source import Log, Source, log_of, table_of
from .rewards import GivenRewards, policy_stream, row_stream
from .simulate import ALPHA, Player, able_policies, players_of
from .statistics import standard_error
from .workers import Workers

Measure = Literal["ratio", "difference"]
Numbers = tuple[float, ...]  # those of `Played` for one replication
FEWEST = 30  # rows of a log that a policy must meet
BAD = 0.95  # a bad run: as bad as this share of the replications are at most


class Played(NamedTuple):
    """How one policy did, a value for each replication."""

    realised: Values  # its quantile relative to the best arm's in the same rounds: large is bad
    excess: Values  # mean gap of the arms it chose, by their quantiles in all rows
    failures: Values  # share of rounds without an outcome
    best_arm: Values  # share of rounds with the best arm
    rows: Values  # rounds that counted


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Result):
    """Policies on real outcomes: what each realised, relative to the best arm."""

    summary_by: ClassVar[str] = "reports.summaries:replay_summary"
    plot_by: ClassVar[str] = "figures.results:plot_replay"

    arms: dict[str, float]  # their quantiles in all rows
    quantile: float
    minimize: bool
    order: str  # "log" for a log
    measure: Measure
    horizon: int  # of a log: the rows that count if arms do not matter
    replications: int
    seed: int
    played: dict[str, Played]

    def __getitem__(self, policy: str) -> Played:
        """Return the values of one policy, one for each replication."""
        if policy not in self.played:
            raise UnknownNameError.among("policy", policy, self.played)
        return self.played[policy]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each policy, as `to_frame` has it."""
        rows = []
        for name, each in self.played.items():
            ratio = self.measure == "ratio"
            values = np.log(each.realised) if ratio else each.realised
            mean, error = float(values.mean()), float(standard_error(values))
            row = {"policy": name, "realised": math.exp(mean) if ratio else mean}
            row["realised_se"] = math.exp(mean) * error if ratio else error
            row["bad_run"] = float(np.quantile(each.realised, BAD, method="inverted_cdf"))
            row["excess"] = float(each.excess.mean())
            row["excess_se"] = float(standard_error(each.excess))
            row["failures"] = float(each.failures.mean())
            row["best_arm_share"] = float(each.best_arm.mean())
            rows.append(row | ({"rows": float(each.rows.mean())} if self.order == "log" else {}))
        return rows

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each policy.

        Columns: policy, realised (geometric mean of ratios, or mean of differences) and its
        standard error, bad_run (their 95th percentile over replications), excess (mean gap of the
        chosen arms, by their quantiles in all rows) and its standard error, failures,
        best_arm_share; for a log also rows, how many counted on average.
        """
        return frame(self.records())


class Job(NamedTuple):
    """What every replication has in common; plain enough to be sent to another machine."""

    source: Source
    failure: float  # what an outcome that is missing costs
    values: Values  # (K,) the quantiles of the arms
    best: int  # the arm with the best of these, the first of ties
    tau: float
    minimize: bool
    measure: Measure
    players: dict[str, Player]
    seed: int
    expected: float

    def priced(self, outcomes: Values) -> Values:
        """Return the outcomes with what failures cost."""
        return np.where(np.isinf(outcomes), self.failure, outcomes)

    def judged(self, own: Values, arms: Any, best: Values) -> Numbers:
        """Return the numbers of `Played` for outcomes of these arms, next to the best arm's."""
        mine, top = (quantile_of(self.priced(each), self.tau) for each in (own, best))
        if self.measure == "ratio":
            refuse_ratio(min(mine, top))
            realised = mine / top if self.minimize else top / mine
        else:
            realised = mine - top if self.minimize else top - mine
        excess = np.abs(self.values[arms] - self.values[self.best]).mean()
        return realised, excess, np.isinf(own).mean(), (arms == self.best).mean(), len(own)


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
        What an arm is worth, as for `simulate`; by default that of the experiment or
        dataset, or the p95.
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
    live = callable(getattr(given, "events", None))
    if not live and (arm, reward, propensity, p_min) == (None,) * 4:
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
    arms = source.arms
    if failure is not None:
        arms = with_failures(arms, failure, minimize=minimize, callers=2)
    elif count := sum(int(np.isinf(each).sum()) for each in arms.values()):
        raise ParameterError(f"{count} outcomes are infinite. Say what one costs: failure=….")
    if not all(checks.is_reward(each).all() for each in arms.values()):
        raise TableError(f"Each outcome must be {checks.A_REWARD}. Choose a larger unit.")
    values = np.array([quantile_of(each, tau) for each in arms.values()])
    best = int(values.argmin() if minimize else values.argmax())
    if measure == "ratio":
        refuse_ratio(values.min())
    team = Workers.checked(replications, workers, executor, progress)
    rounds, total = source.horizon, team.replications
    named = able_policies("replay", policies, aim, minimize, rounds, len(arms))
    players, expected = players_of(named, minimize), rounds * team.replications_of_one
    common = (tau, minimize, measure, players, seed, expected)
    job = Job(source, 0.0 if failure is None else failure, values, best, *common)
    played = {name: np.empty((len(Played._fields), total)) for name in named}
    play = partial(play_log, job, source.log) if source.log else partial(play_table, job)
    for block, found in team.results("Replaying", play, rounds):
        for name, numbers in found.items():
            played[name][:, block.start : block.stop] = np.transpose(numbers)
    worth = dict(zip(arms, values.tolist(), strict=True))
    results = {name: Played(*each) for name, each in played.items()}
    return Replay(worth, tau, minimize, source.order, measure, rounds, total, seed, results)


def play_table(job: Job, block: range, stop: Event | None) -> dict[str, list[Numbers]]:
    """Play a block of replications; return the numbers of each policy, a row a replication."""
    k, n, sign = len(job.values), job.source.horizon, -1.0 if job.minimize else 1.0
    source, played = GivenRewards(np.zeros((k, n))), {name: list[Numbers]() for name in job.players}
    runners = dict[str, Runner]()
    for name, (policy, parameters, negated) in job.players.items():
        state, tally = policy.functions.start(parameters, k, n), arms_of(np.empty(n, np.int64))
        options: Any = {"parameters": parameters, "negated": negated, "expected": job.expected}
        runners[name] = Runner(policy, state, source, tally, **options, by_round=True)
    for replication in block:
        rng = row_stream(job.seed, replication)
        order = rng.permutation(k)
        outcomes = drawn(job.source, rng)
        source.stock.values[:] = (sign * job.priced(outcomes)[order] + 0.0).ravel()
        for name, runner in runners.items():
            runner.again()
            runner.play(policy_stream(job.seed, replication), n, stop)
            arms = order[runner.tally.arms]
            played[name].append(job.judged(outcomes[arms, np.arange(n)], arms, outcomes[job.best]))
    return played


def drawn(source: Source, rng: np.random.Generator) -> Values:
    """Return the outcomes of one replication, a row for each arm and a column for each round."""
    n, arms = source.horizon, list(source.arms.values())
    if source.order == "resample":
        return np.stack([values[rng.integers(len(values), size=n)] for values in arms])
    rows = len(arms[0])
    at = (
        rng.permutation(rows)[:n]
        if source.order == "shuffle"
        else rng.integers(rows) + np.arange(n)
    )
    return np.stack([values[at % rows] for values in arms])


def play_log(job: Job, log: Log, block: range, stop: Event | None) -> dict[str, list[Numbers]]:
    """Play a block of replications on a log; return the numbers of each policy."""
    played = {name: list[Numbers]() for name in job.players}
    for replication in block:
        rng = row_stream(job.seed, replication)
        order = rng.permutation(len(job.values))
        kept = np.flatnonzero(rng.random(len(log.arm)) < log.keep)
        arms, outcomes = log.arm[kept], log.outcome[kept]
        best, columns = outcomes[arms == job.best], np.argsort(order)[arms].tolist()
        for name, player in job.players.items():
            if stop is not None and stop.is_set():
                raise CancelledError
            sign = 1.0 if player.negated == job.minimize else -1.0
            rewards, stream = sign * job.priced(outcomes), policy_stream(job.seed, replication)
            used = met(player, len(order), columns, rewards.tolist(), stream)
            if min(len(used), len(best)) < FEWEST:
                raise ParameterError(
                    f"{name} met {len(used)} rows of the log with the arm that it chose, and the "
                    f"best arm has {len(best)}. Each needs {FEWEST}: log more, or leave it out."
                )
            played[name].append(job.judged(outcomes[used], arms[used], best))
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
