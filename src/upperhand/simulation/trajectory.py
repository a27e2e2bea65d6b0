"""One policy on one reward table.

The s-th pull of arm j pays ``table[j, s - 1]``: the paper's Y_{j,s}. The table is drawn before the
first round, so any law will do, none is compiled, and all policies meet the same rewards.
"""

from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import ParameterError, TableError
from ..policies import Policy, as_policy
from .recording import arms_of
from .rewards import GivenRewards
from .rounds import Runner
from .tables import reward_table


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What happened: the arm and the reward of each round, and the policy's final state."""

    arms: NDArray[np.int64]  # (n,)
    rewards: NDArray[np.float64]  # (n,)
    state: Any

    def __repr__(self) -> str:
        pulls = ", ".join(str(count) for count in self.state.pulls[:20])
        more = ", …" if len(self.state.pulls) > 20 else ""
        return f"Trajectory of {len(self.arms)} rounds, pulls ({pulls}{more})"


def play(
    policy: Policy,
    table: ArrayLike,
    seed: int | None = None,
    *,
    rounds: int | None = None,
    compiled: bool = True,
) -> Trajectory:
    """Play a policy on a reward table.

    Parameters
    ----------
    policy
        Any policy of the library.
    table
        (K, n) numbers, of size 1e150 at most: ``table[j, s - 1]`` is the s-th reward of arm j.
    seed
        For policies that draw random numbers.
    rounds
        How many rounds to play, by default as many as the table has columns.
    compiled
        False runs the very same functions without Numba: slow, and good for debugging.

    Examples
    --------
    >>> import upperhand as uh
    >>> trajectory = uh.play(uh.ACPUCB1(), [[0.1, 0.3, 0.2, 0.2], [0.9, 0.8, 0.7, 0.6]])
    >>> trajectory.rewards.tolist()
    [0.1, 0.9, 0.3, 0.8]
    """
    policy, rewards = as_policy(policy), reward_table(table)
    horizon = rewards.shape[1] if rounds is None else checks.integer("rounds", rounds, least=1)
    if horizon > rewards.shape[1]:
        raise TableError(
            f"{horizon} rounds need a table of at least {horizon} columns (one arm could be pulled "
            f"every time); got {rewards.shape[1]}. Draw more rewards or play fewer rounds."
        )
    check_horizon(policy, rewards.shape[0], horizon)
    rng, arms = np.random.default_rng(checks.seed(seed)), np.empty(horizon, np.int64)
    state = policy.functions.start(policy.parameters, len(rewards), horizon)
    state = play_rounds(policy, state, rewards, rng, arms, interpreted=not compiled)
    return Trajectory(arms, _rewards(rewards, arms), state)


def play_rounds(
    policy: Policy,
    state: Any,  # modified
    table: NDArray[np.float64],  # (K, n or more)
    rng: np.random.Generator,
    arms: NDArray[np.int64],  # (n,) modified: the arm of each round
    *,
    stop: Event | None = None,
    **options: Any,  # of `Runner`
) -> Any:
    """Play n rounds on a table that `reward_table` has passed; return the state, maybe grown."""
    runner = Runner(policy, state, GivenRewards(table), arms_of(arms), **options)
    return runner.play(rng, len(arms), stop).state


def check_horizon(policy: Policy, arms: int, horizon: int, name: str = "horizon") -> None:
    """Refuse a horizon that ends before the policy has made its initial pulls.

    `name` is what the user calls it.
    """
    least = arms * policy.initial_pulls
    if horizon < least:
        raise ParameterError(
            f"{policy.name} pulls each of {arms} arms {policy.initial_pulls} times to begin with, "
            f"so the {name} must be {least} or more; got {horizon}."
        )


def _rewards(table: NDArray[np.float64], arms: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the reward of each round: each arm's row, in the order of its pulls."""
    rewards = np.empty(len(arms))
    for arm, row in enumerate(table):
        rounds = np.flatnonzero(arms == arm)
        rewards[rounds] = row[: len(rounds)]
    return rewards
