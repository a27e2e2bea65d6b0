"""ThresholdAscent: chase the arm with the most of the s best rewards.

M. J. Streeter, S. F. Smith, "A simple distribution-free approach to the max k-armed bandit
problem", CP 2006, LNCS 4204:560–574. The aim is one large reward, not a large sum. With θ the s-th
largest of all rewards so far, a reward counts as a success if it is θ or more. Successes are rare
and become rarer, so the bound on their share is Chernoff's: the arm with the largest

    μ̂_j + (a + √(2 N_j μ̂_j a + a²)) / N_j,   μ̂_j = S_j / N_j,   a = ln(2 K n / δ),

is played, S_j its successes. Until there are s rewards, all of them are successes.

For one fixed threshold the bound holds at all n rounds with probability 1 − δ; with a threshold
that moves it is a heuristic, and there is no guarantee on the largest reward. Only the order of the
rewards counts. It needs the horizon n.

The article has rewards in [0, 1] on a grid, moves θ up the grid while s rewards lie above it, and
counts those above: on a fine grid the s − 1 best. The code of D. Baudry, Y. Russac, E. Kaufmann,
"Efficient algorithms for extreme bandits", AISTATS 2022, has no grid and counts the rewards from
the s-th best on, and so do we. It recounts only when θ moves, and thus misses rewards that equal θ;
we count every one of them. Its δ = 0.1 is our default; the article has s = 100 and δ = 0.01.

A round costs O(K), and a reward above θ O(s); memory is O(K + s), whatever the horizon. While
answers are under way, W pulls of which N are seen, μ̂ is of N and the rest of the formula of W.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import kernel
from ..parameters import parameter
from .base import Functions, Policy

MOST = 10**6  # rewards that are kept: 16 MB of each replication


class ThresholdAscent(Policy):
    """Chase the largest single reward: the arm with the most of the s best ones so far.

    Examples
    --------
    >>> import upperhand as uh
    >>> policy = uh.ThresholdAscent(horizon=6, s=2)
    >>> uh.play(policy, [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]).arms.tolist()
    [0, 1, 0, 1, 1, 0]
    """

    name = "ThresholdAscent"
    group = "largest"
    compared = {"ThresholdAscent (n)": {}}

    horizon: int = parameter("The number n of rounds to be played.", least=1, kw_only=False)
    s: int = parameter("How many of the best rewards count.", default=100, least=1, most=MOST)
    delta: float = parameter(
        "The chance δ that a bound at a fixed threshold fails.", default=0.1, above=0, below=1
    )


class State(NamedTuple):
    """What ThresholdAscent remembers of K arms, and the s best rewards of all."""

    pulls: NDArray[np.int64]  # (K,) N_j
    seen: NDArray[np.int64]  # (K,) the rewards that S_j is of
    successes: NDArray[np.int64]  # (K,) S_j
    spare: NDArray[np.int64]  # (K,) of these, the ones that equal θ and are not among the s best
    best: NDArray[np.float64]  # (1, s) the s best rewards, ascending; θ is the first
    owner: NDArray[np.int64]  # (1, s) whose each is
    kept: NDArray[np.int64]  # (1,) how many these are


def start(policy: ThresholdAscent, arms: int, capacity: int) -> State:
    pulls, seen, successes, spare = np.zeros((4, arms), np.int64)
    return State(
        pulls=pulls,
        seen=seen,
        successes=successes,
        spare=spare,
        best=np.zeros((1, policy.s)),
        owner=np.zeros((1, policy.s), np.int64),
        kept=np.zeros(1, np.int64),
    )


@kernel
def index(policy: ThresholdAscent, state: State, arm: int, t: int) -> float:
    """Return the upper bound on the arm's share of successes, or +∞ without a reward."""
    pulls, seen = int(state.pulls[arm]), int(state.seen[arm])
    if seen == 0:
        return math.inf
    share = int(state.successes[arm]) / seen
    a = math.log(2.0 * len(state.pulls) * policy.horizon / policy.delta)
    return share + (a + math.sqrt(2.0 * pulls * share * a + a * a)) / pulls


@kernel
def update(policy: ThresholdAscent, state: State, arm: int, reward: float) -> None:
    """Learn a reward: a success if it is among the s best, or equal to the last of them."""
    state.pulls[arm] += 1
    state.seen[arm] += 1
    if int(state.kept[0]) < policy.s:
        _keep(state, arm, reward)
        state.successes[arm] += 1
    elif reward >= float(state.best[0, 0]):
        state.successes[arm] += 1
        if reward > float(state.best[0, 0]):
            _replace_last(policy, state, arm, reward)
        else:
            state.spare[arm] += 1


@kernel
def _keep(state: State, arm: int, reward: float) -> None:
    """Put a reward among the best, of which there are fewer than s."""
    i = int(state.kept[0])
    state.kept[0] = i + 1
    while i > 0 and float(state.best[0, i - 1]) > reward:
        state.best[0, i], state.owner[0, i] = state.best[0, i - 1], state.owner[0, i - 1]
        i -= 1
    state.best[0, i], state.owner[0, i] = reward, arm


@kernel
def _replace_last(policy: ThresholdAscent, state: State, arm: int, reward: float) -> None:
    """Put a reward above θ among the best for one that equals θ; θ may rise by that."""
    threshold, loser, i = float(state.best[0, 0]), int(state.owner[0, 0]), 0
    while i + 1 < policy.s and float(state.best[0, i + 1]) < reward:
        state.best[0, i], state.owner[0, i] = state.best[0, i + 1], state.owner[0, i + 1]
        i += 1
    state.best[0, i], state.owner[0, i] = reward, arm
    state.spare[loser] += 1
    if float(state.best[0, 0]) > threshold:  # then what equals the old one counts no more
        for each in range(len(state.pulls)):
            state.successes[each] -= state.spare[each]
            state.spare[each] = 0


ThresholdAscent.functions = Functions(start, index, update)
