"""The least number of samples that finding the arm with the best quantile takes.

A rule samples arms, stops, and answers an arm h. The answer is right if q_h(τ+ε) ≥ max_a q_a(τ),
with the lower quantiles q_a(p) = inf{x : F_a(x) ≥ p}. The rule is δ-correct if on every instance,
of all laws, it stops and is wrong with probability δ at most.

h is wrong iff, for some arm a and threshold u, F_h(u) ≥ τ+ε and F_a(u) < τ. The laws nearest to the
arms for which this holds move mass across u alone, at the cost, for each sample, of

    d_h(u) = kl(F_h(u), τ+ε), 0 if F_h(u) ≥ τ+ε,    d_a(u) = kl(F_a(u), τ), 0 if F_a(u) ≤ τ,

both with F(u) = P(Y ≤ u), closed. At shares w of the samples, one sample tells the arms from the
nearest such laws by min_{a≠h} inf_u [w_h d_h(u) + w_a d_a(u)]. One over its maximum over w is

    T_h = min n_h + Σ_{a≠h} n_a  with  n_h d_h(u) + n_a d_a(u) ≥ 1 for all a and u;  T* = min_h T_h.

One right answer: E[N] ≥ T* kl(δ, 1−δ) (E. Kaufmann, O. Cappé, A. Garivier, JMLR 17, 2016, Lemma 1;
A. Garivier, E. Kaufmann, COLT 2016, Theorem 1). Several: lim inf E[N] / ln(1/δ) ≥ T* as δ → 0
(R. Degenne, W. M. Koolen, NeurIPS 2019, Theorem 1); what `identification_bound` returns holds for
any δ. The derivation is in docs/best-arm.md. Cost: some 5 ms for each right answer and rival;
for mixtures, whose quantiles are searched for, some 20 ms.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._kernels import divergence
from ..distributions import Distribution
from ..errors import ParameterError
from ._arms import laws
from .lower_bounds import bernoulli_kl

Array = NDArray[np.float64]

# Fewer thresholds u give a smaller T, never too large a one: each u is an instance to be told from.
GRID, ROUNDS, FINER = 65, 4, 16.0  # levels of a law at a time; each round has them 16 times finer
TIE = 1e-12  # levels this near are equal: quantiles and cdfs are not computed more exactly


class _Plan(NamedTuple):
    """The least number of samples, by unit of evidence, that shows one answer to be right."""

    time: float
    samples: Array  # of each arm; their sum is the time


def characteristic_time(
    arms: Sequence[Distribution], tau: float, epsilon: float = 0.0
) -> tuple[float, Array]:
    """Return T* and the shares of the samples, one for each arm, that attain it.

    +∞ if the best arms are tied, so that laws however near make each of them wrong; all shares are
    equally good then, and equal ones are returned. Arms with the same quantile on atoms are not
    tied in this sense. If several answers need the same time, the shares are those of the first.

    >>> from upperhand.distributions import Normal
    >>> time, shares = characteristic_time([Normal(1, 1), Normal(-1, 1), Normal(-1, 1)], 0.5)
    >>> print(f"{time:.3f}", shares.round(3))
    5.846 [0.343 0.328 0.328]
    """
    best = min(_plans(arms, tau, epsilon), key=lambda plan: plan.time)
    if math.isinf(best.time):
        return math.inf, np.full(len(arms), 1.0 / len(arms))
    return best.time, best.samples / best.time


def identification_bound(
    arms: Sequence[Distribution], tau: float, delta: float, epsilon: float = 0.0
) -> float:
    """Return a number of samples that every δ-correct rule needs in expectation on these arms.

    With one right answer it is T* kl(δ, 1−δ). With several, a rule that answers h with probability
    p_h needs T_h kl(p_h, δ) for each p_h > δ, and right answers are given with probability 1 − δ,
    or 1 if no answer is wrong: the bound is the least of max_h T_h kl(p_h, δ) over such p. It may
    be far smaller than T* ln(1/δ), the line for δ → 0: with m right answers by m times or more. It
    is +∞ for tied arms and 0 where guessing is good enough, as it is for δ ≥ ½.

    >>> from upperhand.distributions import Normal
    >>> round(identification_bound([Normal(1, 1), Normal(-1, 1)], 0.5, 0.05), 1)
    10.4
    """
    delta = checks.real("delta", delta, above=0.0, below=1.0)
    times = [plan.time for plan in _plans(arms, tau, epsilon)]
    wanted = 1.0 if len(times) == len(arms) else 1.0 - delta

    def reached(samples: float) -> bool:
        return math.fsum(_chance(samples / time, delta) for time in times) >= wanted

    if len(times) * delta >= wanted:
        return 0.0
    if math.isinf(least := min(times)):
        return math.inf
    return _first(reached, 0.0, least * -math.log(delta))


def _chance(budget: float, delta: float) -> float:
    """Return the largest p in [δ, 1] with kl(p, δ) ≤ budget."""
    if budget >= -math.log(delta):
        return 1.0
    return _first(lambda p: divergence.bernoulli_kl(p, delta) > budget, delta, 1.0)


def _plans(arms: Sequence[Distribution], tau: float, epsilon: float) -> list[_Plan]:
    """Return the plan of each right answer, in the order of the arms."""
    given = laws(arms)
    if len(given) < 2:
        raise ParameterError("A best arm is found among two arms or more; got one. Add an arm.")
    tau = checks.real("tau", tau, above=0.0, below=1.0)
    level = tau + checks.real("epsilon", epsilon, least=0.0, below=1.0 - tau)
    level = min(level, math.nextafter(1.0, 0.0))  # the sum may have been rounded up to 1
    best = max(arm.quantile(tau) for arm in given)
    right = [h for h, arm in enumerate(given) if arm.quantile(level) >= best]
    return [_plan(given, h, tau, level) for h in right]


def _plan(arms: Sequence[Distribution], h: int, tau: float, level: float) -> _Plan:
    """Return the plan of answer h, on thresholds that are finer where they decide.

    Arrays have a row for each rival, and a column for each threshold.
    """
    leader, rivals = arms[h], [arm for a, arm in enumerate(arms) if a != h]
    ends = np.array([[-np.inf, arm.quantile(tau), leader.quantile(level)] for arm in rivals])
    spans = _cdfs(leader, rivals, ends)[..., 1:]
    centres, radii = spans.mean(axis=-1, keepdims=True), np.abs(np.diff(spans)) / 2.0
    shares = np.empty((2, len(rivals), 0))
    samples, rows = np.empty(0), np.arange(len(rivals))[:, None]
    for _ in range(ROUNDS):
        places = np.hstack([ends, _places(leader, rivals, centres, radii)])
        places = np.hstack([places, np.nextafter(places, -np.inf)])  # before an atom is a place too
        shares = np.concatenate([shares, _cdfs(leader, rivals, places)], axis=-1)
        if ((shares[0] >= level - TIE) & (shares[1] <= tau + TIE)).any():
            return _Plan(math.inf, np.full(len(arms), np.inf))
        down = bernoulli_kl(np.minimum(shares[0], level), level)
        up = bernoulli_kl(np.maximum(shares[1], tau), tau)
        samples, decisive = _least_samples(down, up)
        centres, radii = shares[:, rows, decisive], radii / FINER
    return _Plan(math.fsum(samples), np.insert(samples[1:], h, samples[0]))


def _cdfs(leader: Distribution, rivals: Sequence[Distribution], places: Array) -> Array:
    """Return F_h at all thresholds, and F_a at those of each rival a."""
    own = [arm.cdf(row) for arm, row in zip(rivals, places, strict=True)]
    return np.array([leader.cdf(places), own])


def _places(
    leader: Distribution, rivals: Sequence[Distribution], centres: Array, radii: Array
) -> Array:
    """Return the quantiles of levels around the centres: of F_h, and of each rival's own F_a."""
    levels = centres[..., None] + radii[..., None] * np.linspace(-1.0, 1.0, GRID)
    levels = np.clip(levels, 0.0, 1.0).reshape(2, len(rivals), -1)
    own = [arm.quantile(row) for arm, row in zip(rivals, levels[1], strict=True)]
    return np.hstack([leader.quantile(levels[0]), own])


def _least_samples(down: Array, up: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return the least n_h, n_a, … with n_h down + n_a up ≥ 1, and two columns for each n_a.

    Given n_h, n_a is the largest (1 − n_h down) / up. Their sum is convex in n_h: it is least where
    its slope 1 − Σ_a down / up, at the columns that decide, turns positive. They may change there:
    those of a slightly smaller n_h decide too.
    """
    rows, free = np.arange(len(up)), up == 0.0
    costs = np.where(free, np.inf, up)  # a free one asks for n_h alone: n_h ≥ 1 / down

    def decisive(samples: float) -> NDArray[np.intp]:
        places: NDArray[np.intp] = np.argmax((1.0 - samples * down) / costs, axis=1)
        return places

    def rises(samples: float) -> bool:
        columns = decisive(samples)
        return math.fsum(down[rows, columns] / costs[rows, columns]) <= 1.0

    lowest = float(1.0 / down[free].min())
    highest = 2.0 * lowest
    while not rises(highest):
        highest *= 2.0
    leader = _first(rises, lowest, highest)
    columns = decisive(leader)
    others = (1.0 - leader * down[rows, columns]) / costs[rows, columns]
    before = decisive(math.nextafter(leader, 0.0))
    return np.concatenate([[leader], others]), np.column_stack([before, columns])


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number from low to high, to rounding, from which on a statement holds."""
    while low < (middle := low + (high - low) / 2.0) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
