"""KL-QUCB: the upper confidence bound of a quantile that matches the lower bound on regret.

Of N rewards of an arm, the number that lie below its τ-quantile q is at most Binomial(N, τ). So
their share reaches p ≥ τ with probability at most exp(−N kl(p, τ)), where kl is the divergence
between Bernoulli laws, and for each fixed N the quantile is, up to a chance of 1/t, at most

    sup{u : F̂(u) ≤ τ or N kl(F̂(u), τ) ≤ ln t} = x_(r+1),
    r = max{r ≤ N : r ≤ τN or N kl(r/N, τ) ≤ ln t},

which is +∞ when r = N, that is for the first ln t / ln(1/τ) pulls. The arm with the largest bound
is played; among several at +∞ the one with the fewest pulls, and among other equal ones the one
with the largest share of rewards that reach the bound. That happens where rewards take few values:
an arm that could at best draw level with one that is there already is not worth a try.

It is the idea of KL-UCB (A. Garivier, O. Cappé, COLT 2011) for quantiles. The divergence stands in
the order in which it stands in the lower bound (`theory.lower_bounds.quantile_pulls`), ln n pulls
over kl(F_j(u*), τ). Only the order of the rewards counts: no scale, no range, no density, nothing
to tune, and the same choices if all rewards pass through an increasing map. There is no proof yet
that its regret meets the lower bound; `docs/comparison.md` has the measured slope.

With `plus`, ln(t / N) stands for ln t, as in KL-UCB+ of the same article: less of the early burst,
and no confidence bound any more. A round costs O(K), and a pull O(log N).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import sorted_samples
from .._kernels.argmax import Index, argmax_of_two
from .._kernels.compile import kernel
from .._kernels.divergence import bernoulli_kl
from .._kernels.ordered import full, learn_order, share_from
from .._kernels.ranks import whole_below
from .._kernels.sorted_samples import SortedSamples, value_at
from ..parameters import parameter
from .contract import Functions
from .kinds import LevelPolicy

BOUND, SHARE = 0, 1  # the cursors


class KLQUCB(LevelPolicy):
    """Chase the best τ-quantile by its Kullback–Leibler upper confidence bound.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.KLQUCB(tau=0.5), table).arms.tolist()
    [0, 1, 0, 1, 0, 1]
    """

    name = "KL-QUCB"

    plus: bool = parameter("Explore by ln(t / N) instead of ln t.", default=False)


class State(NamedTuple):
    """What KL-QUCB remembers of K arms; the bound is remembered while it holds."""

    samples: SortedSamples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    below: NDArray[np.int64]  # (K,) r_j
    bound: NDArray[np.float64]  # (K,) x_(r_j + 1), or +∞
    until: NDArray[np.float64]  # (K,) the ln t from which r_j is too small; −∞ after a pull


def start(policy: KLQUCB, arms: int, room: int) -> State:
    """Return the state before the first round."""
    return State(
        samples=sorted_samples.empty(arms, room),
        pulls=np.zeros(arms, np.int64),
        below=np.zeros(arms, np.int64),
        bound=np.full(arms, np.inf),
        until=np.full(arms, np.inf),
    )


@kernel
def index(policy: KLQUCB, state: State, arm: int, t: int) -> float:
    """Return x_(r+1), or +∞ while r = N: even the largest reward may lie below the quantile.

    What was found for a round is remembered for later ones, so t must not go back.
    """
    pulls = int(state.pulls[arm])
    budget = math.log(t / pulls) if policy.plus and pulls > 0 else math.log(t)
    if budget >= float(state.until[arm]):
        _rebound(policy, state, arm, budget)
    return float(state.bound[arm])


@kernel
def _rebound(policy: KLQUCB, state: State, arm: int, budget: float) -> None:
    """Find r, starting from the last one, with the bound that it gives and how long that holds.

    N kl(r/N, τ) falls in N for r ≥ τN, and ln t rises, so r never falls. With `plus` a pull lowers
    the budget by less than 1/N, and r does not fall either (tested by whole runs).
    """
    pulls, tau = int(state.pulls[arm]), policy.tau
    r = max(int(state.below[arm]), whole_below(tau, pulls))
    cost = pulls * bernoulli_kl((r + 1) / pulls, tau) if r < pulls else math.inf
    while cost <= budget:
        r += 1
        cost = pulls * bernoulli_kl((r + 1) / pulls, tau) if r < pulls else math.inf
    state.below[arm] = r
    state.bound[arm] = value_at(state.samples, arm, BOUND, r + 1) if r < pulls else math.inf
    state.until[arm] = cost


@kernel
def select(index: Index, policy: KLQUCB, state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest bound; of equal ones, that which reaches it most often."""
    return argmax_of_two(index, reaching, policy, state, t, rng)


@kernel
def reaching(policy: KLQUCB, state: State, arm: int, t: int) -> float:
    """Return the share of the arm's rewards that reach its bound."""
    return share_from(state, arm, SHARE, float(state.bound[arm]))


@kernel
def update(policy: KLQUCB, state: State, arm: int, reward: float) -> None:
    """Learn a reward; the arm's bound is computed anew."""
    learn_order(state, arm, reward)
    state.until[arm] = -math.inf


KLQUCB.functions = Functions(start, index, update, select=select, full=full)
