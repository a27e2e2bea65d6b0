"""What no policy can beat: asymptotic lower bounds on pulls and regret, beyond the paper.

A policy that is good on every instance of a class must keep pulling arm j until it can tell it from
an arm that would be best: lim inf E[T_j(n)] / ln n ≥ 1 / K_j, where K_j is the least divergence
from the arm's distribution to one of the class that beats the best arm. Each function returns
1 / K_j, or the sum Σ_j Δ_j / K_j; times ln n it is the line to compare a regret with. The
statements are about n → ∞: at small n a policy may well lie below the line.

Means: T. L. Lai, H. Robbins, Adv. Appl. Math. 6, 1985; A. N. Burnetas, M. N. Katehakis, Adv. Appl.
Math. 17, 1996. Quantiles: the same argument for the class of all distributions. The lower bounds on
the samples that identifying the best arm takes are below.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._kernels import gaussian_evidence, special
from ..distributions import Bernoulli, Distribution, Normal
from ..errors import AssumptionError, ParameterError
from ..objectives import Mean, Quantile, level_of_negated, oriented
from .population import Arms, checked_arms

Array = NDArray[np.float64]

_each_kl = np.vectorize(special.bernoulli_kl, otypes=[np.float64])
_each_gaussian = np.vectorize(
    lambda a, z: gaussian_evidence.gaussian_divergence(float(a), float(z)), otypes=[np.float64]
)
FARTHEST = 1e3  # the normal quantile of any level is nearer to 0
# Fewer thresholds u give a smaller T, never too large a one: each u is one more constraint.
GRID, ROUNDS, FINER = 65, 4, 16.0  # levels of an arm; each round has them 16 times finer
TIE = 1e-12  # levels this near are equal: quantiles and cdfs are not computed more exactly


def bernoulli_kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return kl(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)), with 0 ln 0 = 0.

    >>> print(f"{bernoulli_kl(1, 0.95):.4f}")  # −ln 0.95
    0.0513
    """
    p, q = checks.reals("p", p, least=0, most=1), checks.reals("q", q, above=0, below=1)
    return np.asarray(_each_kl(p, q))[()]  # a number for numbers, as arithmetic would give


def quantile_pulls(arms: Arms, tau: float, *, minimize: bool = False) -> Array:
    """Return 1 / kl(F_j(u*), τ) for each arm below the best τ-quantile u*, and 0 for the best (Q4).

    Theorem Q4: no policy whose regret grows slower than every power of n on all distributions has a
    smaller lim inf E T_j(n) / ln n. Moving mass across u* alone makes arm j the best one, and costs
    kl(F_j(u*), τ). F_j(u*) = P(Y ≤ u*) is closed: an atom at u* is on its worse side, as an arm is
    better than u* only if less than τ of its mass lies at or below u*. The bound is infinite for an
    arm that has no mass between its own quantile and u*, F_j(u*) = τ, and 1 / ln(1/τ) for one that
    has none above it. `asymptotic_pulls` is the upper bound, on the open side. Where arms pay costs
    and the lowest quantile is best, it is 1 / kl(P_j(Y ≥ u*), 1 − τ).
    """
    objective = oriented(Quantile(tau), minimize)
    best = objective.values(checked_arms(arms)).max()
    if minimize:  # P(Y ≥ u*), u* = −best, from the other side
        shares = np.array([arm.sf(np.nextafter(-best, -np.inf)) for arm in arms])
        tau = level_of_negated(tau)
    else:
        shares = np.array([arm.cdf(best) for arm in arms])
    return _inverse(bernoulli_kl(np.maximum(shares, tau), tau), objective.gaps(arms) > 0)


def quantile_regret(arms: Arms, tau: float, *, minimize: bool = False) -> float:
    """Return Σ_j Δ_j / kl(F_j(u*), τ): the regret per ln n under the τ-quantile."""
    pulls = quantile_pulls(arms, tau, minimize=minimize)
    return _regret(pulls, oriented(Quantile(tau), minimize).gaps(arms))


def gaussian_quantile_divergence(a: ArrayLike, z: ArrayLike) -> Array:
    """Return the least divergence from N(0, 1) to a Gaussian whose quantile at z is a (Q4, eq. 4).

    That quantile is m + r z for N(m, r²), and N(0, 1) has z: a = (u* − μ_j)/σ_j > z = z_τ for an
    arm that is not best. The nearest Gaussian has r² + a z r = 1 + a², and is
    ln r + (1 + (a − z r)²)/(2r²) − ½ away. 0 for a ≤ z, where N(0, 1) itself will do.

    >>> print(gaussian_quantile_divergence([6.645, 11.645], 1.645).round(3))
    [0.805 1.333]
    """
    end, level = checks.reals("a", a), checks.reals("z", z, least=-FARTHEST, most=FARTHEST)
    try:
        return np.asarray(_each_gaussian(*np.broadcast_arrays(end, level)))[()]
    except ValueError:
        raise ParameterError(
            f"a and z must be numbers, or arrays of shapes that go together; got {end.shape} and "
            f"{level.shape}."
        ) from None


def gaussian_quantile_pulls(
    arms: Arms,
    tau: float,
    *,
    variance: Literal["known", "unknown"] = "unknown",
    minimize: bool = False,
) -> Array:
    """Return 1 / K_j of Gaussian arms below the best τ-quantile, and 0 for the best (Q4, eq. 4).

    For policies that are good on all Gaussian arms, and so for those that are good on a larger
    class. With known variances only the mean can differ: K_j = ½ (a − z_τ)².
    """
    checks.choice("variance", variance, ("known", "unknown"))
    gaps = oriented(Quantile(tau), minimize).gaps(checked_arms(arms))
    if others := sorted({type(arm).__name__ for arm in arms if not isinstance(arm, Normal)}):
        raise AssumptionError(
            f"This lower bound is for Gaussian arms; got {', '.join(others)}. For all "
            f"distributions there is quantile_pulls."
        )
    z = Normal(0.0, 1.0).quantile(level_of_negated(tau) if minimize else tau)
    steps = gaps / np.array([arm.sd for arm in arms])  # a − z
    known = np.square(steps) / 2.0
    divergence = known if variance == "known" else gaussian_quantile_divergence(z + steps, z)
    return _inverse(divergence, gaps > 0)


def gaussian_quantile_regret(
    arms: Arms,
    tau: float,
    *,
    variance: Literal["known", "unknown"] = "unknown",
    minimize: bool = False,
) -> float:
    """Return Σ_j Δ_j / K_j: the regret per ln n under the τ-quantile of Gaussian arms (Q4)."""
    pulls = gaussian_quantile_pulls(arms, tau, variance=variance, minimize=minimize)
    return _regret(pulls, oriented(Quantile(tau), minimize).gaps(arms))


def has_mean_bound(arms: Arms) -> bool:
    """Tell whether the arms are all Normal or all Bernoulli, the classes of `mean_pulls`."""
    return any(all(isinstance(a, cls) for a in checked_arms(arms)) for cls in (Normal, Bernoulli))


def mean_pulls(
    arms: Arms, *, variance: Literal["known", "unknown"] = "known", minimize: bool = False
) -> Array:
    """Return 1 / K_j for each arm below the best mean, and 0 for the best (Lai and Robbins).

    Gaussian arms: K_j = Δ_j² / (2 σ_j²) if the policy knows each arm's variance, and
    ½ ln(1 + Δ_j² / σ_j²) if it does not. Bernoulli arms: K_j = kl(μ_j, μ*). With `minimize`, the
    lowest mean is best.
    """
    checks.choice("variance", variance, ("known", "unknown"))
    if not has_mean_bound(arms):
        raise AssumptionError(
            "The lower bound for means is known for arms that are all Normal or all Bernoulli; got "
            f"{', '.join(sorted({type(arm).__name__ for arm in arms}))}. Its value depends on the "
            "class of distributions that the policy must be good for."
        )
    gaps = oriented(Mean(), minimize).gaps(arms)
    means = np.array([arm.mean for arm in arms])
    if isinstance(arms[0], Bernoulli):
        means = 1.0 - means if minimize else means  # of the better outcome
        return _inverse(_kl_to_best(means, means.max()), gaps > 0)
    squares = np.square(gaps / np.array([arm.sd for arm in arms]))
    return _inverse(squares / 2 if variance == "known" else np.log1p(squares) / 2, gaps > 0)


def mean_regret(
    arms: Arms, *, variance: Literal["known", "unknown"] = "known", minimize: bool = False
) -> float:
    """Return Σ_j Δ_j / K_j: the mean regret per ln n (Lai and Robbins)."""
    pulls = mean_pulls(arms, variance=variance, minimize=minimize)
    return _regret(pulls, oriented(Mean(), minimize).gaps(arms))


def _kl_to_best(means: Array, best: float) -> Array:
    """Return kl(μ_j, μ*); an arm that always pays 1 cannot be beaten: infinite then."""
    if best == 1.0:
        return np.full(means.shape, np.inf)
    return bernoulli_kl(means, best) if best > 0 else np.zeros(means.shape)


def _inverse(divergence: Array, below: NDArray[np.bool_]) -> Array:
    """Return 1 / K_j of the arms below the best one, and 0 of the others."""
    with np.errstate(divide="ignore"):
        return np.where(below, 1 / divergence, 0.0)


def _regret(pulls: Array, gaps: Array) -> float:
    return float(np.sum(pulls[gaps > 0] * gaps[gaps > 0]))


# The least number of samples that finding the arm with the best quantile takes (docs/best-arm.md
# has the derivation). Answer h is right if q_h(τ+ε) ≥ max_a q_a(τ), with lower quantiles. A rule is
# δ-correct if on every instance it stops and is wrong with probability δ at most. h is wrong iff,
# for some arm a and threshold u, F_h(u) ≥ τ+ε and F_a(u) < τ. To make it wrong costs, per sample,
#
#     d_h(u) = kl(F_h(u), τ+ε), 0 if F_h(u) ≥ τ+ε,    d_a(u) = kl(F_a(u), τ), 0 if F_a(u) ≤ τ,
#     T_h = min n_h + Σ_{a≠h} n_a  with  n_h d_h(u) + n_a d_a(u) ≥ 1 for all a, u;  T* = min_h T_h.
#
# One right answer: E[N] ≥ T* kl(δ, 1−δ) (E. Kaufmann, O. Cappé, A. Garivier, JMLR 17, 2016,
# Lemma 1; A. Garivier, E. Kaufmann, COLT 2016, Theorem 1). Several: lim inf E[N] / ln(1/δ) ≥ T* as
# δ → 0 (R. Degenne, W. M. Koolen, NeurIPS 2019); what `identification_bound` returns holds for any
# δ. It takes some 5 ms for each right answer and rival, 20 ms for mixtures.


class _Plan(NamedTuple):
    """The least number of samples, by unit of evidence, that shows one answer to be right."""

    time: float
    samples: Array  # of each arm; their sum is the time


def characteristic_time(arms: Arms, tau: float, epsilon: float = 0.0) -> tuple[float, Array]:
    """Return T* and the shares of the samples, one for each arm, that attain it.

    +∞ if the best arms are tied, so that arbitrarily near distributions make each of them wrong;
    all shares are equally good then, and equal ones are returned. Arms with the same quantile on
    atoms are not tied in this sense. If several answers need the same time, the shares are those of
    the first.

    >>> from upperhand.distributions import Normal
    >>> time, shares = characteristic_time([Normal(1, 1), Normal(-1, 1), Normal(-1, 1)], 0.5)
    >>> print(f"{time:.3f}", shares.round(3))
    5.846 [0.343 0.328 0.328]
    """
    best = min(_plans(arms, tau, epsilon), key=lambda plan: plan.time)
    if math.isinf(best.time):
        return math.inf, np.full(len(arms), 1.0 / len(arms))
    return best.time, best.samples / best.time


def identification_bound(arms: Arms, tau: float, delta: float, epsilon: float = 0.0) -> float:
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
    return _first(lambda p: special.bernoulli_kl(p, delta) > budget, delta, 1.0)


def _plans(arms: Arms, tau: float, epsilon: float) -> list[_Plan]:
    """Return the plan of each right answer, in the order of the arms."""
    given = checked_arms(arms)
    if len(given) < 2:
        raise ParameterError("Best-arm identification needs two arms or more; got one. Add an arm.")
    tau = checks.real("tau", tau, above=0.0, below=1.0)
    level = tau + checks.real("epsilon", epsilon, least=0.0, below=1.0 - tau)
    level = min(level, math.nextafter(1.0, 0.0))  # the sum may have been rounded up to 1
    best = max(arm.quantile(tau) for arm in given)
    right = [h for h, arm in enumerate(given) if arm.quantile(level) >= best]
    return [_plan(given, h, tau, level) for h in right]


def _plan(arms: Arms, h: int, tau: float, level: float) -> _Plan:
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


def _cdfs(leader: Distribution, rivals: Arms, places: Array) -> Array:
    """Return F_h at all thresholds, and F_a at those of each rival a."""
    own = [arm.cdf(row) for arm, row in zip(rivals, places, strict=True)]
    return np.array([leader.cdf(places), own])


def _places(leader: Distribution, rivals: Arms, centres: Array, radii: Array) -> Array:
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
        return np.argmax((1.0 - samples * down) / costs, axis=1)

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
