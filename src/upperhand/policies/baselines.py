"""Four rules that people use without a bandit library, to compare with.

`RoundRobin` plays every arm in turn, whatever it pays: a load balancer without measurements.
`EpsilonGreedy` plays the largest empirical quantile Q̂_j(τ), and any arm with probability ε (R. S.
Sutton, A. G. Barto, "Reinforcement Learning", section 2.2, has it for means).
`ExploreThenCommit` plays all arms in turn in the first ⌊share · n⌋ rounds, as an A/B test does, and
then the largest Q̂_j(τ) of these rounds to the end. `MeanOfLast` plays the best mean of an arm's
last outcomes, as LiteLLM's routing by latency does; it never explores.

All of them play each arm once first. A round costs O(K).
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import samples
from .._kernels.argmax import Index, argmax
from .._kernels.compiler import kernel
from .._kernels.moments import two_quotient, two_sum
from .._kernels.samples import OrderState
from ..objectives import Mean
from ..parameters import derived, parameter
from .base import ON_SAMPLES, Functions, LevelPolicy, Policy, central

VALUE = 0  # the cursor


class RoundRobin(Policy):
    """Use all arms equally often.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.RoundRobin(), [[1, 3, 2, 2], [9, 8, 7, 6]]).arms.tolist()
    [0, 1, 0, 1]
    """

    name = "Round robin"
    index_trend = "rises"


@kernel
def in_turn(policy: Policy, state: Any, arm: int, t: int) -> float:
    """Return +∞: among such arms, the one with the fewest pulls is next."""
    return math.inf


RoundRobin.functions = Functions(samples.start_samples, in_turn, samples.learn_reward, **ON_SAMPLES)


class EpsilonGreedy(LevelPolicy):
    """Play the best empirical τ-quantile, and any arm with probability ε.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.EpsilonGreedy(tau=0.5), table, seed=0).arms.tolist()
    [0, 1, 1, 1, 0, 1]
    """

    name = "Epsilon-greedy"
    draws = True

    epsilon: float = parameter(
        "Probability of a round in which any arm is played.", default=0.1, least=0, most=1
    )


@kernel
def empirical(policy: LevelPolicy, state: OrderState, arm: int, t: int) -> float:
    """Return Q̂_j(τ), or +∞ without a reward."""
    if int(state.samples.size[arm]) == 0:
        return math.inf
    return samples.quantile_of(policy.tau, state, arm, VALUE)


@kernel
def now_and_then_any(
    index: Index, policy: EpsilonGreedy, state: OrderState, t: int, rng: np.random.Generator
) -> int:
    """Return the arm with the largest index or, with probability ε, any."""
    known = True
    for arm in range(len(state.pulls)):
        known &= int(state.samples.size[arm]) > 0
    if known and rng.random() < policy.epsilon:
        return int(rng.random() * len(state.pulls))
    return argmax(index, policy, state, t, rng)


EpsilonGreedy.functions = replace(
    RoundRobin.functions, index=empirical, select=now_and_then_any, interval=central
)


class ExploreThenCommit(LevelPolicy):
    """Play all arms in turn for a share of the rounds, then the best empirical τ-quantile.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.ExploreThenCommit(tau=0.5, horizon=6, share=0.5)
    >>> uh.play(policy, [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]).arms.tolist()
    [0, 1, 0, 1, 1, 1]
    """

    name = "Explore-then-commit"

    horizon: int = parameter("The number n of rounds to be played.", least=1)
    share: float = parameter("Share of the rounds that explore.", default=0.2, above=0, below=1)

    @derived
    def explored(self) -> int:
        """Rounds that play all arms in turn: ⌊share · n⌋, with rounding forgiven."""
        return math.floor(self.share * self.horizon * (1.0 + 2.0**-50))


class ExploredState(NamedTuple):
    """What `ExploreThenCommit` remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j
    explored: OrderState  # of the exploration alone


def start_exploration(policy: ExploreThenCommit, arms: int, capacity: int) -> ExploredState:
    """Return the state before the first round."""
    return ExploredState(np.zeros(arms, np.int64), samples.start_samples(policy, arms, capacity))


@kernel
def best_explored(policy: ExploreThenCommit, state: ExploredState, arm: int, t: int) -> float:
    """Return Q̂_j(τ) of the exploration, or +∞ while that lasts, and for an arm without a reward."""
    return math.inf if t <= policy.explored else empirical(policy, state.explored, arm, t)


@kernel
def learn_exploration(
    policy: ExploreThenCommit, state: ExploredState, arm: int, reward: float
) -> None:
    """Learn a reward of the exploration; only count later ones, so that the choice stays."""
    total = 0
    for each in range(len(state.pulls)):
        total += int(state.pulls[each])
    if total < policy.explored or int(state.pulls[arm]) == 0:
        samples.learn_reward(policy, state.explored, arm, reward)
    state.pulls[arm] += 1


@kernel
def exploration_full(policy: ExploreThenCommit, state: ExploredState, arm: int) -> bool:
    """Tell whether the arm's next reward may exceed the capacity."""
    return samples.samples_full(policy, state.explored, arm)


ExploreThenCommit.functions = Functions(
    start_exploration, best_explored, learn_exploration, full=exploration_full
)


class MeanOfLast(Policy):
    """Play the best mean of the last few outcomes.

    Examples
    --------
    >>> import upperhand as uh
    >>> uh.play(uh.MeanOfLast(2), [[3, 3, 3, 3, 3, 3], [9, 5, 1, 0, 0, 0]]).arms.tolist()
    [0, 1, 1, 1, 0, 0]
    """

    name = "Mean of last"
    objective = Mean()
    index_trend = "rises"

    last: int = parameter(
        "How many of an arm's outcomes count.", default=10, least=1, most=10_000, kw_only=False
    )


class LastState(NamedTuple):
    """What `MeanOfLast` remembers of K arms."""

    pulls: NDArray[np.int64]  # (K,) T_j; in live use, asks without an outcome may be among them
    seen: NDArray[np.int64]  # (K,) outcomes so far
    values: NDArray[np.float64]  # (K, last) the last ones: the s-th is at s modulo `last`
    mean: NDArray[np.float64]  # (K,) of these


def start_last(policy: MeanOfLast, arms: int, capacity: int) -> LastState:
    """Return the state before the first round."""
    counts = np.zeros((2, arms), np.int64)
    return LastState(counts[0], counts[1], np.zeros((arms, policy.last)), np.zeros(arms))


@kernel
def mean_so_far(policy: MeanOfLast, state: LastState, arm: int, t: int) -> float:
    """Return the mean of the last outcomes, or +∞ without one."""
    return float(state.mean[arm]) if int(state.seen[arm]) > 0 else math.inf


@kernel
def replace_oldest(policy: MeanOfLast, state: LastState, arm: int, reward: float) -> None:
    """Put an outcome in the place of the oldest, and recompute the mean, rounded once."""
    state.values[arm, int(state.seen[arm]) % policy.last] = reward
    state.pulls[arm] += 1
    state.seen[arm] += 1
    kept, total, lost = min(int(state.seen[arm]), policy.last), 0.0, 0.0
    for place in range(kept):
        total, error = two_sum(total, float(state.values[arm, place]))
        lost += error
    mean, rest = two_quotient(total, lost, kept)
    state.mean[arm] = mean + rest


MeanOfLast.functions = Functions(start_last, mean_so_far, replace_oldest)
