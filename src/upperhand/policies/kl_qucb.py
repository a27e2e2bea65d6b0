"""KL-QUCB: the upper confidence bound of a quantile that matches the lower bound on regret.

Of N rewards of an arm, the number that lie below its τ-quantile q is at most Binomial(N, τ). So
their share reaches p ≥ τ with probability at most exp(−N kl(p, τ)), where kl is the divergence
between Bernoulli distributions, and for each fixed N the quantile is, up to a chance of 1/t, at
most

    sup{u : F̂(u) ≤ τ or N kl(F̂(u), τ) ≤ ln t} = x_(r+1),
    r = max{r ≤ N : r ≤ τN or N kl(r/N, τ) ≤ ln t},

which is +∞ when r = N, that is for the first ln t / ln(1/τ) pulls. The arm with the largest bound
is played; among several at +∞ the one with the fewest pulls, and among other equal ones the one
with the largest share of rewards that reach the bound. That happens where rewards take few values:
an arm that could at best draw level with one that is there already is not worth a try.

It is the idea of KL-UCB (A. Garivier, O. Cappé, COLT 2011) for quantiles. The divergence stands in
the order in which it stands in the lower bound (`theory.lower_bounds.quantile_pulls`), ln n pulls
over kl(F_j(u*), τ). Only the order of the rewards counts: no scale, no range, no density, nothing
to tune, and the same choices if all rewards pass through an increasing map.

Guarantee (ours, `docs/proofs.md`): for any distributions, a bad arm whose cdf is not flat at height
τ up to u* has E T_j(n) ≤ ln n / kl(F_j(u*), τ) + o(ln n), which is the lower bound, with
finite-time bounds in Theorem Q1. If F_j has an atom at u*, see the Corollary there.

With `plus`, ln(t / N) stands for ln t, as in KL-UCB+ of the same article: less of the early burst,
the same guarantee with other constants (Theorem Q2), and no confidence bound any more. A round
costs O(K), and a pull O(log N).

With `trust` = λ > 0 the shape of the rewards may speak where their order cannot (H-KL-QUCB, ours).
Let an arm be at +∞, with no reward above û, the best of the arms' quantiles Q̂(τ), and let its bound
be finite if the budget b were less by λ. If the Gaussian shape of its rewards has evidence of more
than b against a τ-quantile above û (`_kernels/gaussian_evidence.py`), the index is its largest
reward x_(N) instead of +∞. That lies between the bounds of the budgets b − λ and b, so the
guarantee stays on all distributions, with e^λ on a constant (Theorem Q5). Choices are then the same
under affine maps only.

With `frugal` = m (for `plus`) an arm's budget is b − λ; λ charges a retry for its cost (ours):

    short = (N(1−τ) − #{rewards ≥ û})₊ / ((N + τ)(1−τ)),    gain = min{U(b), M̂} − û
    λ = min{short · (2 + ln(1 + (û − Q̂) / gain)), ln⁺(mK / W)},    0 for an arm with Q̂ = û

M̂ is the largest reward seen of any arm, and the logarithm is 99 where there is no gain. In words: a
retry costs û − Q̂ and may gain so much; the logarithm of that ratio is charged, in proportion to the
share of good rewards that the arm is short of. No arm is treated worse than plainly after mK pulls,
so the charge ends, and the guarantee stays (Theorem F). Trust is in the budget without the charge.

With a `horizon` h, min{t, h + 1 − t} stands for t: exploring pays less towards the end. After round
h it is t again.

While answers are under way, W pulls of which N are seen, shares are of N and evidence is of W:
r = max{r ≤ N : r ≤ τN or W kl(r/N, τ) ≤ ln t}, as if the answers to come were distributed in the
same way. The guarantee stays if at most D answers of an arm are under way (Theorem Q7).
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels import samples
from .._kernels.argmax import Index, Shortlist, argmax_of_two
from .._kernels.compiler import kernel
from .._kernels.gaussian_evidence import Shapes, follow, lose_track, no_shapes, shape_evidence
from .._kernels.samples import (
    ABSOLUTE_SLACK,
    FAILURES,
    Samples,
    add_reward,
    best_quantile,
    count_at_most,
    forget_reward,
    largest_of,
    quantile_of,
    samples_full,
    share_from,
    value_at,
    whole_below,
)
from .._kernels.special import bernoulli_kl
from ..errors import ParameterError
from ..parameters import derived, parameter
from .base import Functions, HedgingPolicy, central

BOUND, SHARE = 0, 1  # the cursors
NO_GAIN = 99.0  # what is charged where nothing can be gained: more than any budget


class KLQUCB(HedgingPolicy):
    """Chase the best τ-quantile by its Kullback–Leibler upper confidence bound.

    Examples
    --------
    >>> import upperhand as uh
    >>> table = [[1, 3, 2, 2, 4, 1], [9, 8, 7, 6, 5, 9]]
    >>> uh.play(uh.KLQUCB(tau=0.5), table).arms.tolist()
    [0, 1, 0, 1, 0, 1]
    """

    name = "KL-QUCB"
    group = "own"
    compared = {
        "KL-QUCB": {},
        "KL-QUCB+": {"plus": True},
        "H-KL-QUCB+": {"plus": True, "trust": 3.0},  # of 3, 4 and 5: benchmarks/hedging.py
    }

    plus: bool = parameter("Explore by ln(t / N) instead of ln t.", default=False)
    frugal: int = parameter(
        "Charge an arm that falls short for each retry, until it has so many pulls times the "
        "number of arms: for few rounds, with plus; 40 is a good value, 0 charges nothing.",
        default=0, least=0,
    )  # fmt: skip
    horizon: int | None = parameter(
        "Expected number of rounds, if it is known: explore less towards its end.",
        default=None, least=1,
    )  # fmt: skip

    @derived
    def end(self) -> int:
        """The value of `horizon`; 0 for none."""
        return self.horizon or 0

    @property
    def index_trend(self) -> Literal["rises"] | None:
        """How an index moves: with ln t it rises; not with û, M̂ or the end of the horizon."""
        return None if self.trust > 0.0 or self.frugal > 0 or self.end > 0 else "rises"

    def check(self) -> None:
        """Refuse settings that do not go together."""
        if self.frugal > 0 and not self.plus:
            raise ParameterError(
                f"frugal={self.frugal} charges the budget ln(t / N) of KL-QUCB+: add plus=True."
            )
        if self.sketch is not None and (self.frugal > 0 or self.end > 0):
            raise ParameterError(
                "frugal and horizon are for few rounds, with all rewards kept, and a sketch for "
                f"many; got sketch={self.sketch}. Leave out one of the two."
            )


class Bounds(NamedTuple):
    """A bound of each arm, remembered while it holds.

    It holds for all budgets b and W with W · here ≤ b < W · above, whatever was asked before.
    """

    below: NDArray[np.int64]  # (K,) r_j
    value: NDArray[np.float64]  # (K,) x_(r_j + 1), or +∞
    here: NDArray[np.float64]  # (K,) kl(r_j / N_j, τ) or more; −∞ if r_j ≤ τN_j, +∞: not known
    above: NDArray[np.float64]  # (K,) kl((r_j + 1) / N_j, τ), +∞ if r_j = N_j; −∞: not known


class State(NamedTuple):
    """What KL-QUCB remembers of K arms."""

    samples: Samples  # the rewards of each arm, sorted
    pulls: NDArray[np.int64]  # (K,) N_j
    plain: Bounds  # with the budget b …
    charged: Bounds  # … and, with `frugal`, b − λ
    clock: NDArray[np.int64]  # (1,) the rounds that were asked for last, t without a horizon …
    log_t: NDArray[np.float64]  # (1,) … and their logarithm
    quantile: NDArray[np.float64]  # (K,) with `trust` or `frugal`: Q̂_j(τ), −∞ before a reward …
    best: NDArray[np.float64]  # (1,) … and their largest, û
    largest: NDArray[np.float64]  # (K,) with `frugal`: the largest reward, −∞ before the first …
    top: NDArray[np.float64]  # (1,) … and the largest of these, M̂
    shapes: Shapes  # with `trust`: what the shapes of the arms say


def start(policy: KLQUCB, arms: int, capacity: int) -> State:
    """Return the state before the first round."""
    return State(
        samples=samples.empty(arms, capacity, policy.most_kept),
        pulls=np.zeros(arms, np.int64),
        plain=_no_bounds(arms),
        charged=_no_bounds(arms),
        clock=np.ones(1, np.int64),
        log_t=np.zeros(1),
        quantile=np.full(arms, -np.inf),
        best=np.full(1, -np.inf),
        largest=np.full(arms, -np.inf),
        top=np.full(1, -np.inf),
        shapes=no_shapes(arms),
    )


def _no_bounds(arms: int) -> Bounds:
    return Bounds(
        below=np.zeros(arms, np.int64),
        value=np.full(arms, np.inf),
        here=np.full(arms, -np.inf),
        above=np.full(arms, np.inf),
    )


@kernel
def index(policy: KLQUCB, state: State, arm: int, t: int) -> float:
    """Return x_(r+1), or +∞ while r = N: even the largest reward may lie below the quantile."""
    pulls, rounds = int(state.pulls[arm]), t
    if t <= policy.end:
        rounds = min(t, policy.end + 1 - t)
    if int(state.clock[0]) != rounds:  # a logarithm a round, and not one an arm
        state.clock[0], state.log_t[0] = rounds, math.log(rounds)
    budget = math.log(rounds / pulls) if policy.plus and pulls > 0 else float(state.log_t[0])
    bound = _bound(policy.tau, state, state.plain, arm, budget)
    if policy.frugal > 0 and pulls < policy.frugal * len(state.pulls):
        charge = _charge(policy, state, arm, bound)
        if charge > 0.0:
            least = math.log(rounds / (policy.frugal * len(state.pulls)))
            bound = _bound(policy.tau, state, state.charged, arm, max(budget - charge, least))
    if policy.trust > 0.0 and bound == math.inf:
        return _hedged(policy, state, arm, t, budget)
    return bound


@kernel
def _charge(policy: KLQUCB, state: State, arm: int, bound: float) -> float:
    """Return λ without its cap, which for an arm whose quantile is a failure is all there is."""
    best, quantile = float(state.best[0]), float(state.quantile[arm])
    if quantile == -math.inf or quantile >= best:
        return 0.0
    seen = int(state.samples.size[arm])
    below = count_at_most(state.samples, arm, SHARE, math.nextafter(best, -math.inf))
    missing = below - seen * policy.tau
    if missing <= ABSOLUTE_SLACK:
        return 0.0
    if quantile < -FAILURES:
        return math.inf
    gain = min(bound, float(state.top[0])) - best
    nats = 2.0 + (math.log1p((best - quantile) / gain) if gain > 0.0 else NO_GAIN)
    return missing / ((seen + policy.tau) * (1.0 - policy.tau)) * nats


@kernel
def _hedged(policy: KLQUCB, state: State, arm: int, t: int, budget: float) -> float:
    """Return +∞, or the largest reward where the shape says that û is out of reach.

    The order alone would give that bound with a budget of less than W ln(1/τ).
    """
    if budget - policy.trust >= int(state.pulls[arm]) * policy.nats:
        return math.inf
    best, budget = float(state.best[0]), max(budget, 0.0)
    if shape_evidence(policy, state, arm, t, best, budget) <= budget:
        return math.inf
    return value_at(state.samples, arm, SHARE, int(state.samples.size[arm]))


@kernel
def _bound(tau: float, state: State, bounds: Bounds, arm: int, budget: float) -> float:
    """Return the bound of a budget, from memory if it holds."""
    pulls = int(state.pulls[arm])
    if pulls * float(bounds.above[arm]) <= budget or pulls * float(bounds.here[arm]) > budget:
        _rebound(tau, state, bounds, arm, budget)
    return float(bounds.value[arm])


@kernel
def _rebound(tau: float, state: State, bounds: Bounds, arm: int, budget: float) -> None:
    """Find r, starting from the last one, with the bound that it gives and where that holds.

    kl(r/N, τ) rises in r ≥ τN, so there is one r from wherever the walk starts. It falls in N: what
    `here` was before a reward came is too much by a little, and mostly tells that r is affordable.
    """
    pulls, seen = int(state.pulls[arm]), int(state.samples.size[arm])
    least = whole_below(tau, seen)
    r = min(max(int(bounds.below[arm]), least), seen)
    above = bernoulli_kl((r + 1) / seen, tau) if r < seen else math.inf
    here = float(bounds.here[arm]) if r > least else -math.inf
    while pulls * above <= budget:
        r, here = r + 1, above
        above = bernoulli_kl((r + 1) / seen, tau) if r < seen else math.inf
    if pulls * here > budget:
        here = bernoulli_kl(r / seen, tau)
    while pulls * here > budget:
        r, above = r - 1, here
        here = bernoulli_kl(r / seen, tau) if r > least else -math.inf
    bounds.below[arm], bounds.here[arm], bounds.above[arm] = r, here, above
    bounds.value[arm] = value_at(state.samples, arm, BOUND, r + 1) if r < seen else math.inf


@kernel
def select(
    index: Index,
    policy: KLQUCB,
    state: State,
    t: int,
    rng: np.random.Generator,
    shortlist: Shortlist | None = None,
) -> int:
    """Return the arm with the largest bound; of equal ones, that which reaches it most often."""
    if policy.trust > 0.0 or policy.frugal > 0:
        state.best[0] = best_quantile(state)
    if policy.frugal > 0:
        state.top[0] = largest_of(state.largest)
    return argmax_of_two(index, reaching, policy, state, t, rng, shortlist)


@kernel
def reaching(policy: KLQUCB, state: State, arm: int, t: int) -> float:
    """Return the share of the arm's rewards that reach its index."""
    return share_from(state, arm, SHARE, index(policy, state, arm, t))


@kernel
def update(policy: KLQUCB, state: State, arm: int, reward: float) -> None:
    """Learn a reward, and refresh; `here` stays, as it is more than enough for a larger N."""
    if policy.trust > 0.0:
        follow(policy, state, arm, reward)
    add_reward(state, arm, reward)
    state.plain.above[arm] = state.charged.above[arm] = -math.inf
    if policy.trust > 0.0 or policy.frugal > 0:
        state.quantile[arm] = quantile_of(policy.tau, state, arm, SHARE)
        state.largest[arm] = max(float(state.largest[arm]), reward)


@kernel
def refresh(policy: KLQUCB, state: State, arm: int) -> None:
    """Mark the arm's bound to be recomputed when it is needed; without a reward it is +∞."""
    seen = int(state.samples.size[arm])
    _mark(state.plain, arm, seen)
    _mark(state.charged, arm, seen)
    if policy.trust > 0.0:
        lose_track(state.shapes, arm)
    if policy.trust > 0.0 or policy.frugal > 0:
        state.quantile[arm] = quantile_of(policy.tau, state, arm, SHARE)
        state.largest[arm] = value_at(state.samples, arm, SHARE, seen) if seen > 0 else -math.inf


@kernel
def _mark(bounds: Bounds, arm: int, seen: int) -> None:
    some = seen > 0
    bounds.above[arm], bounds.here[arm] = (-math.inf, math.inf) if some else (math.inf, -math.inf)
    bounds.value[arm] = math.inf
    if not some:
        bounds.below[arm] = 0


KLQUCB.functions = Functions(
    start,
    index,
    update,
    select=select,
    full=samples_full,
    interval=central,
    forget=forget_reward,
    refresh=refresh,
    memory=("clock", "log_t", "plain", "charged", "best", "top", "shapes"),
)
