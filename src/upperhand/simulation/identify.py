"""Policies that look for the best arm × replications, on common rewards.

What is right is decided by the distributions of the arms. With fixed confidence, arm h is right if
q_h(τ+ε) ≥ max_a q_a(τ), with the lower quantiles q_a(p) = inf{x : F_a(x) ≥ p}. With a fixed budget,
m arms are right if no other arm's τ-quantile is larger than one of theirs. Values that differ by
rounding alone are equal (`objectives.gaps_of`).

Arms that pay costs are negated before anything is played, and policies mirrored: they compare at
1−τ, so upper quantiles of costs. An answer is wrong if it is so by the upper and the lower ones.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import checks, objectives
from ..distributions import Distribution
from ..distributions.derived import Negated
from ..distributions.registry import named_distributions
from ..errors import ParameterError, UnknownNameError
from ..files import versions
from ..objectives import Direction, Objective, Quantile
from ..policies import best_arm_class
from ..policies.base import check_horizon
from ..policies.best_arm.base import FixedBudget, FixedConfidence, as_search
from ..policies.parsing import Policies, as_policies, policy_from
from ..results import Classes, Named, Parts, finite, frame
from ..text import counted, short
from .player import search
from .rewards import Rewards, policy_stream
from .runs import ResultOnArms
from .simulate import Arms, as_rewards, defaults
from .statistics import mean_interval, share_interval
from .workers import MOST_ROUNDS, Workers, advised

SearchPolicy = FixedConfidence | FixedBudget
CAP = 1_000_000
LEVEL_ROUNDING = 1e-12  # levels this near are equal: cdfs are not computed more exactly
COLUMNS = ("policy", "replication", "samples", "decided", "wrong", "recommended")
HEADS = ("policy", "samples", "median", "p90", "error", "undecided")


class Answers(NamedTuple):
    """How the runs of one policy ended, one for each replication."""

    samples: NDArray[np.int64]  # (R,) pulls in all; the cap for a run that is undecided
    decided: NDArray[np.bool_]  # (R,) whether the policy stopped by itself
    recommended: NDArray[np.int64]  # (R, m) the arms found; if undecided, the best guess
    pulls: NDArray[np.int64]  # (R, K) of each arm
    wrong: NDArray[np.bool_]  # (R,) the policy stopped, and its answer is wrong
    wrong_guess: NDArray[np.bool_]  # (R,) it is undecided, and its guess would be wrong


class Numbers(NamedTuple):
    """The numbers of one policy. Intervals are 95 % ones; NaN where there is one replication."""

    mean: float  # samples; undecided runs count with the cap
    low: float
    high: float
    median: float
    p90: float
    error: float  # share of the replications in which the policy stopped with a wrong answer
    error_low: float  # Clopper and Pearson's exact interval
    error_high: float
    undecided: float  # share of the replications that ended at the cap


@dataclass(frozen=True, eq=False, repr=False)
class Identification(ResultOnArms):
    """Policies × replications, all on the same rewards: their answers, and which were wrong."""

    format: ClassVar[str] = "upperhand-identification-1"
    summary_by: ClassVar[str] = "reports.summaries:identification_summary"
    plot_by: ClassVar[str] = "figures.results:plot_identification"

    arms: tuple[Distribution, ...]
    policies: dict[str, SearchPolicy]
    cap: int
    replications: int
    seed: int
    answers: dict[str, Answers]
    minimize: bool = False  # whether the arms pay costs
    versions: dict[str, str] = field(default_factory=versions)
    names: tuple[str, ...] = ()  # of the arms; their indices if they have none

    def __getitem__(self, name: str) -> Numbers:
        """Return the numbers of the policy of that name."""
        if name not in self.answers:
            raise UnknownNameError.among("policy", name, self.answers)
        found = self.answers[name]
        samples = found.samples.astype(np.float64)
        low, high = mean_interval(samples, 0.0, self.cap)
        median, p90 = np.quantile(samples, [0.5, 0.9], method="inverted_cdf")
        wrong = int(found.wrong.sum())
        return Numbers(
            float(samples.mean()), float(low), float(high), float(median), float(p90),
            wrong / self.replications, *share_interval(wrong, self.replications),
            1.0 - float(found.decided.mean()),
        )  # fmt: skip

    @property
    def objectives(self) -> dict[str, Objective]:
        """What arms are compared by at each policy's level, by its name."""
        costs, levels = self.minimize, sorted({policy.tau for policy in self.policies.values()})
        return {
            objectives.level_name(t, minimize=costs): objectives.oriented(Quantile(t), costs)
            for t in levels
        }

    @property
    def notes(self) -> list[str]:
        """What the reader of the numbers must know: ties without an end, runs cut off."""
        shown, rewards = dict[tuple[int, ...], float](), as_rewards(self.arms, self.minimize)
        for policy in self.policies.values():
            played = as_played(policy, self.minimize)
            if isinstance(played, FixedConfidence) and (tied := tied_arms(rewards, played)):
                shown[tuple(tied)] = policy.tau
        names = self.arm_names
        notes = [
            f"Arms {', '.join(names[arm] for arm in tied)} tie exactly at level {tau:g} and "
            "epsilon is 0: no policy can stop. Choose an epsilon above 0."
            for tied, tau in shown.items()
        ]
        if self.minimize and not all(arm.has_density for arm in self.arms):
            notes.append(
                "Policies compare upper quantiles of costs, the largest x with P(Y < x) ≤ τ. An "
                "answer counts as an error if it is wrong by these and by the quantiles shown."
            )
        if not all(each.decided.all() for each in self.answers.values()):
            notes.append(
                f"Undecided runs were ended by the cap of {counted(self.cap, 'pull')}: they count "
                "with the cap in samples, and not as errors."
            )
        return notes

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return heads and rows as text, one row a policy; undecided runs only if there are any."""
        count = len(HEADS) if any(s.undecided for s in map(self.__getitem__, self.policies)) else -1
        rows = [_cells(name, self[name])[:count] for name in self.policies]
        return HEADS[:count], rows

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each policy and replication: how its run ended.

        Columns: policy, replication, samples, decided, wrong, recommended (the arm's name; of
        several a tuple).
        """
        rows, names = [], np.array(self.arm_names, dtype=object)
        for name, found in self.answers.items():
            wrong, arms = found.wrong | found.wrong_guess, map(tuple, names[found.recommended])
            runs = zip(
                range(self.replications), found.samples, found.decided, wrong, arms, strict=True
            )
            rows += [(name, *run, arms[0] if len(arms) == 1 else arms) for *run, arms in runs]
        return frame([dict(zip(COLUMNS, row, strict=True)) for row in rows])

    def parts(self) -> Parts:
        """Return everything as settings for JSON and as arrays."""
        settings = {**self.common_parts(), "cap": self.cap}
        arrays = {
            f"{field}_{place}": values
            for place, found in enumerate(self.answers.values())
            for field, values in found._asdict().items()
        }
        return settings, arrays

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the result of these parts."""
        entries = settings["policies"]
        policies = {e["key"]: as_search(policy_from(e, own, best_arm_class)) for e in entries}
        answers = {
            name: Answers(*(arrays[f"{field}_{place}"] for field in Answers._fields))
            for place, name in enumerate(policies)
        }
        cap = checks.integer("its cap", settings["cap"], least=1)
        return cls(**cls.common_from(settings, policies), cap=cap, answers=answers)._checked()

    def _checked(self) -> Self:
        """Return the result, or refuse what no run can give."""
        arms = len(self.arms)
        for found in self.answers.values():
            fits = all(len(each) == self.replications for each in found)
            if not fits or found.pulls.shape != (self.replications, arms):
                raise ParameterError("its arrays do not fit its arms and replications")
            if (found.pulls.sum(axis=1) != found.samples).any() or not np.all(
                (found.recommended >= 0) & (found.recommended < arms)
            ):
                raise ParameterError("its pulls are not its samples, or an arm is none of its own")
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return everything but single replications as JSON-able values."""
        return {
            **objectives.arms_under(self.objectives, self.arms, self.arm_names),
            "minimize": self.minimize,
            "cap": self.cap,
            "replications": self.replications,
            "seed": self.seed,
            "policies": [self._policy(name) for name in self.policies],
            "notes": self.notes,
            "versions": self.versions,
        }

    def _policy(self, name: str) -> dict[str, Any]:
        numbers = self[name]._asdict()
        found, count = self.answers[name], len(self.arms)
        answered = np.bincount(found.recommended.ravel(), minlength=count) / self.replications
        return {
            "name": name,
            "settings": self.policies[name].settings,
            **{key: finite(value) for key, value in numbers.items()},
            "pulls": found.pulls.mean(axis=0).tolist(),
            "recommended": answered.tolist(),
            "wrong_guesses": float(found.wrong_guess.mean()),
        }


def _cells(name: str, numbers: Numbers) -> tuple[str, ...]:
    """Return a row of the table under `HEADS`, with 95 % intervals in brackets."""
    capped = numbers.undecided > 0  # then the mean is known to be at least so large, no more
    known = numbers.low < numbers.high and not capped  # nor has a budget an interval, or one run
    samples = f" ({short(numbers.low)}–{short(numbers.high)})" if known else ""
    return (
        name,
        ("≥ " if capped else "") + short(numbers.mean) + samples,
        short(numbers.median),
        short(numbers.p90),
        error_rate(numbers),
        share(numbers.undecided),
    )


def error_rate(numbers: Numbers) -> str:
    """Write the share of wrong answers with its 95 % interval."""
    ends = f"{share(numbers.error_low)[:-2]}–{share(numbers.error_high)}"
    return f"{share(numbers.error)} ({ends})"


def share(value: float) -> str:
    """Write a share in percent, with two or three significant digits.

    >>> share(0.0), share(0.012), share(1.0)
    ('0 %', '1.2 %', '100 %')
    """
    return f"{100 * value:.{2 if value < 0.995 else 3}g} %"


@checks.our_keywords
def identify(
    arms: Arms,
    policies: Policies,
    delta: float | None = None,
    epsilon: float | None = None,
    cap: float = CAP,
    replications: float = 100,
    seed: int | None = None,
    *,
    quantile: float | None = None,
    best_of: int | None = None,
    direction: Direction = "maximize",
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
        Two or more, in any form that `simulate` takes.
    policies
        One or more policies that look for the best arm, classes or names such as "qlucb", in a list
        or a dict.
    delta, epsilon
        The chance of error and the tolerance, in level, of all policies with fixed confidence; by
        default each has its own.
    cap
        The most pulls of a run.
    replications, seed
        The number of replications, and the seed of all random numbers.
    quantile, best_of
        What an arm is worth, for policies that are given as classes or names: p95 by default.
    direction
        With "minimize" the arms pay costs: the lowest τ-quantile is best, and an arm is good enough
        if its (τ−ε)-quantile is at most that. Policies compare upper quantiles, the largest x with
        P(Y < x) ≤ τ, and tables show lower ones, as everywhere: of the costs 1 … 20, the p95 is 20
        and 19. An answer is wrong if it is wrong by both.
    workers, executor, progress
        As for `simulate`.

    Examples
    --------
    >>> import upperhand as uh
    >>> arms = [uh.Normal(0, 1), uh.Normal(1, 1)]
    >>> found = uh.identify(arms, uh.UniformSampling(0.5, budget=200), replications=20, seed=0)
    >>> found["Uniform sampling"].error
    0.0
    """
    minimize, aim = objectives.is_of_costs(direction), objectives.wanted(quantile, best_of)
    named_arms, named = named_distributions(arms), dict[str, SearchPolicy]()
    arms = tuple(named_arms.values())
    given = {"delta": delta, "epsilon": epsilon}
    set_for_all = {name: value for name, value in given.items() if value is not None}
    levels = {"tau": defaults(aim, minimize, 1)["tau"]}
    for name, policy in as_policies(policies, levels, best_arm_class).items():
        found = as_search(policy)
        confident = isinstance(found, FixedConfidence)
        named[name] = found.replace(**set_for_all) if set_for_all and confident else found
        for key, value in set_for_all.items():
            if f"{key}=" in name and named[name] != found:
                raise ParameterError(f"{key}={value:g} and {name} both set {key}. Give one.")
    cap = checks.count("cap", cap, least=1, most=MOST_ROUNDS)
    if set_for_all and all(isinstance(p, FixedBudget) for p in named.values()):
        raise ParameterError(
            "delta and epsilon are for policies with fixed confidence, and none of "
            f"{', '.join(named)} is one: their budget decides. Leave delta and epsilon out."
        )
    for each in named.values():
        as_played(each, minimize)  # refuses one that cannot take costs
        check_search(each, len(arms), cap)
    team = Workers.checked(replications, workers, executor, progress)
    common = (cap, checks.seed(seed), team.replications_of_one, tuple(named_arms))
    job = Job(as_rewards(arms, minimize), named, minimize, *common)
    blocks = {
        block.start: played
        for block, played in team.results("Identifying", partial(play_block, job), cap)
    }
    answers = {
        name: evaluated(job, name, np.concatenate([blocks[at][name] for at in sorted(blocks)]))
        for name in named
    }
    return Identification(
        arms, named, cap, team.replications, job.seed, answers, minimize, names=tuple(named_arms)
    )


def check_search(policy: SearchPolicy, arms: int, cap: int) -> None:
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

    arms: tuple[Distribution, ...]  # their rewards; of costs the negatives
    policies: Mapping[str, SearchPolicy]  # as they were given
    minimize: bool
    cap: int
    seed: int
    replications: float = math.inf  # in a process, or many
    names: tuple[str, ...] = ()  # of the arms, for errors


def as_played(policy: SearchPolicy, minimize: bool) -> SearchPolicy:
    """Return the policy as it plays on rewards, or on the negatives of costs."""
    return policy.mirrored() if minimize else policy


@advised("Use a smaller cap, fewer arms or fewer workers.")
def play_block(job: Job, block: range, stop: Event | None) -> dict[str, NDArray[np.int64]]:
    """Play a block of replications; return how each policy's runs ended, (len(block), 2 + m + K).

    A row has the samples, whether it was decided, the m arms that were found, and the pulls.
    """
    rows: dict[str, list[list[int]]] = {name: [] for name in job.policies}
    played = {name: as_played(policy, job.minimize) for name, policy in job.policies.items()}
    longest = {name: getattr(policy, "budget", 1) for name, policy in job.policies.items()}
    for replication in block:
        rewards = Rewards(job.arms, job.seed, replication, names=job.names)
        for name, policy in played.items():
            rng = policy_stream(job.seed, replication)
            expected = job.replications * longest[name]
            end = search(policy, rewards, rng, job.cap, expected=expected, stop=stop)
            longest[name] = max(longest[name], end.samples)
            rows[name].append(
                [end.samples, int(end.decided), *end.recommended, *end.pulls.tolist()]
            )
    return {name: np.array(ends, np.int64) for name, ends in rows.items()}


def evaluated(job: Job, name: str, rows: NDArray[np.int64]) -> Answers:
    """Return a policy's answers from the rows that `play_block` gives."""
    samples, decided = rows[:, 0], rows[:, 1].astype(bool)
    recommended, pulls = np.split(rows[:, 2:], [rows.shape[1] - 2 - len(job.arms)], axis=1)
    arms: Sequence[Distribution] = job.arms
    if job.minimize:
        arms = [arm.costs for arm in job.arms if isinstance(arm, Negated)]
    wrong = wrong_answers(arms, job.policies[name], recommended, minimize=job.minimize)
    return Answers(samples, decided, recommended, pulls, wrong & decided, wrong & ~decided)


def wrong_answers(
    arms: Sequence[Distribution],
    policy: SearchPolicy,
    recommended: NDArray[np.int64],  # (R, m)
    *,
    minimize: bool = False,
) -> NDArray[np.bool_]:
    """Return which recommendations are wrong, (R,); of costs, those by both inverses of F."""
    epsilon = getattr(policy, "epsilon", 0.0)
    levels = policy.tau, policy.tau - epsilon if minimize else policy.tau + epsilon
    values, tolerant = (
        objectives.oriented(Quantile(each), minimize).values(arms) for each in levels
    )
    sizes = np.array([arm.magnitude for arm in arms])
    if isinstance(policy, FixedBudget):
        wrong = np.array([not _is_best_set(values, sizes, row) for row in recommended])
    else:
        late = [
            objectives.gaps_of(np.append(values, reached), np.append(sizes, size))[-1] > 0
            for reached, size in zip(tolerant, sizes, strict=True)
        ]
        wrong = np.array(late)[recommended[:, 0]]
    if minimize:
        rewards = as_rewards(tuple(arms), minimize)
        wrong &= wrong_answers(rewards, policy.mirrored(), recommended)
    return wrong


def _is_best_set(
    values: NDArray[np.float64], sizes: NDArray[np.float64], chosen: NDArray[np.int64]
) -> bool:
    """Tell whether no arm outside is better than the worst one inside."""
    others = np.setdiff1d(np.arange(len(values)), chosen)
    pair = [chosen[values[chosen].argmin()], others[values[others].argmax()]]
    return bool(objectives.gaps_of(values[pair], sizes[pair])[0] == 0)


def tied_arms(arms: Sequence[Distribution], policy: FixedConfidence) -> list[int]:
    """Return the best arms if they tie so that no policy can stop; an empty list otherwise.

    At the best τ-quantile v, all distributions near to those of the arms make arm h wrong if
    another arm a has F_a(v) = τ: a little less mass at or below v, and its quantile is larger. Arms
    that share an atom at v can each be shown to be right.
    """
    if policy.epsilon > 0:
        return []
    values = Quantile(policy.tau).values(arms)
    best = objectives.best_arms(objectives.gaps_of(values, [arm.magnitude for arm in arms]))
    largest = float(values.max())
    rivals = {a for a, arm in enumerate(arms) if arm.cdf(largest) <= policy.tau + LEVEL_ROUNDING}
    return best if len(best) > 1 and all(rivals - {arm} for arm in best) else []
