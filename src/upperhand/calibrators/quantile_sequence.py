"""A confidence sequence for a quantile over a stream: an interval that is valid at any time.

For any distribution of independent values, the quantile lies in the intervals of *all* times with
probability at least 1 − δ. So looking after every value, and stopping whenever the interval shows
enough, costs nothing. Both ends are order statistics, at ranks that one of three boundaries gives.

Two boundaries are radii: DKW from B. Szörényi, R. Busa-Fekete, P. Weng, E. Hüllermeier,
"Qualitative multi-armed bandits: a quantile-based approach", ICML 2015, and stitched from
S. R. Howard, A. Ramdas, "Sequential estimation of quantiles with applications to A/B testing and
best-arm identification", Bernoulli 28(3):1704–1728, 2022. With the radius r_t(p) after t
independent values,

    upper end x_(⌊(p + r_t(p)) t⌋ + 1),  +∞ if there are not so many values,
    lower end x_(⌈(p − r_t(1−p)) t⌉),    −∞ if that is not a rank,

and for any distribution, with atoms or without, each end fails at some t with probability at most
δ. The reason, also with ties: let q = sup{x : F(x) ≤ p}, the largest p-quantile. Then P(X < q) ≤ p,
so the number A_t of values below q is at most Binomial(t, p), jointly for all t. The k-th value is
below q exactly if A_t ≥ k, and the rank above is the smallest k with k − pt > t r_t(p): if the
upper end fails, A_t − pt has crossed the boundary t r_t(p). The lower end is the same for the
values above inf{x : F(x) ≥ p}, of which each is one with probability at most 1 − p; counted from
the top, its rank is that of the upper end at the level 1 − p. Both ends together thus hold all
p-quantiles.

The third boundary, the tightest, is the beta-binomial mixture: Howard and Ramdas, Theorem 1(b),
with the mixture of S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences", Ann. Statist. 49(2):1055–1080, 2021. Of t values, let k lie
below the p-quantile. The likelihood ratio of a chance θ against p, mixed over θ ≥ p by a beta
distribution of mean p,

    M_t(k) = ∫_p^1 (θ/p)^k ((1−θ)/(1−p))^(t−k) dπ(θ),   π ∝ Beta(r/(1−p), r/p) on [p, 1],

is a supermartingale for any distribution of the values: P(M_t ≥ 1/δ for some t) ≤ δ (J. Ville,
1939). The upper end is x_(k) with the smallest k that has M_t(k) ≥ 1/δ: it fails only when M_t
crosses 1/δ. The lower end is that of 1 − p, counted from the top: rank t + 1 − k. The constant r
makes the bound tightest around t_opt values:

    r = max(ρ − p(1−p), p(1−p)/1000),  ρ = p(1−p) t_opt / (2 ln(1/2δ) + ln(1 + 2 ln(1/2δ))).

One value more can only lower M at the same k, and only raise it if it lies below the quantile. So
the rank stays or grows by one, and following it costs one evaluation a value.
"""

import copy
import math
from typing import NamedTuple, Self, SupportsIndex

from .. import checks
from .._kernels import sorted_samples
from .._kernels.compiler import kernel
from .._kernels.samples import rank
from .._kernels.sorted_samples import insert, value_at
from .._kernels.special import log_mass_above, mass_reaches
from ..errors import RewardError
from .base import Interval

METHODS = ("beta-binomial", "stitched", "dkw")
LEAST_LEVEL, LEAST_ERROR, MOST_VALUES = 1e-6, 1e-100, 10**9
ESTIMATE, LOWER, UPPER = 0, 1, 2  # the cursors
EXPONENT, RATIO = 1.4, 2.04  # s and η of the stitched boundary, as in the published comparison
ZETA = 3.1055472779775815  # Riemann's ζ(s)
SLOPE = (RATIO**0.25 + RATIO**-0.25) / math.sqrt(2.0)  # k₁
SKEW = (math.sqrt(RATIO) + 1.0) / 2.0  # k₂
OFFSET = math.log(ZETA / math.log(RATIO) ** EXPONENT)
LEAST_SHARE = 1e-3  # of p(1−p): r is not less
LARGEST_TUNING = 0.99  # of 2δ in ρ, which would be infinite at 1; r is free, so this is harmless


class QuantileSequence:
    """Bound the τ-quantile of a stream of independent values, at all times at once.

    The ends are values of the stream, or −∞ and +∞ as long as there are too few. For an upper
    end of error δ/2, no method does with fewer than ln(2/δ) / ln(1/τ) values (72 for τ = 0.95,
    δ = 0.05); the beta-binomial one has it after 165 there, and after 81 with ``t_opt=50``. A
    value costs O(log t), an interval O(log t) or less; the memory is some 15 bytes a value.
    One thread uses it at a time.

    Parameters
    ----------
    tau
        The level, from 0.000001 to 0.999999. If F has a flat part at τ, all τ-quantiles are meant.
    delta
        The probability, at most, that the quantile is outside at some time. Half of it is for
        each end.
    method
        ``"beta-binomial"``, the tightest; ``"stitched"``, a closed formula; ``"dkw"``, which holds
        for all levels at once and is by far the widest for levels near 0 or 1.
    t_opt
        The number of values around which the interval shall be tightest (beta-binomial), or from
        which it shall be tight (stitched). The guarantee does not depend on it.

    Examples
    --------
    >>> import upperhand as uh
    >>> latency = uh.QuantileSequence(tau=0.5, delta=0.1, t_opt=50)
    >>> for y in range(100):
    ...     latency.update(y * 37 % 100)
    >>> latency.interval()
    Interval(lower=36.0, upper=63.0)
    >>> latency.estimate()
    49.0
    """

    def __init__(
        self,
        tau: checks.Real,
        delta: checks.Real = 0.05,
        method: str = "beta-binomial",
        t_opt: SupportsIndex = 1000,
    ) -> None:
        self.tau = checks.real("tau", tau, least=LEAST_LEVEL, most=1.0 - LEAST_LEVEL)
        self.delta = checks.real("delta", delta, least=LEAST_ERROR, below=1.0)
        self.method = checks.choice("method", method, METHODS)
        self.t_opt = checks.integer("t_opt", t_opt, least=1, most=MOST_VALUES)
        self._samples = sorted_samples.empty(1)
        self._mixtures = tuple(
            beta_binomial(p, self.delta / 2.0, float(self.t_opt))
            for p in (self.tau, 1.0 - self.tau)
        )
        self._known = (0, 1, 1)  # values, and the ranks of the two mixtures for so many

    def update(self, y: checks.Real) -> None:
        """Learn the stream's next value."""
        value = checks.as_float(y)
        if not checks.is_reward(value):
            raise RewardError(
                f"A value must be {checks.A_REWARD}; got {y!r}. Nothing was learned: give such a "
                "number, or leave this one out."
            )
        if sorted_samples.full(self._samples, 0):
            self._samples = sorted_samples.grown(self._samples)
        insert(self._samples, 0, value + 0.0)  # −0.0 becomes 0.0

    def interval(self) -> Interval:
        """Return the interval after the values so far; an end is infinite if they are too few."""
        lower, upper = self._ranks()
        return Interval(
            value_at(self._samples, 0, LOWER, lower) if lower > 0 else -math.inf,
            value_at(self._samples, 0, UPPER, upper) if upper <= len(self) else math.inf,
        )

    def estimate(self) -> float:
        """Return the smallest value with a share τ of the values at or below it; NaN if none is."""
        t = len(self)
        return value_at(self._samples, 0, ESTIMATE, rank(self.tau, t)) if t else math.nan

    def _ranks(self) -> tuple[int, int]:
        """Return the ranks of the lower end, 0 if it is −∞, and of the upper, t + 1 if it is +∞."""
        t, p = len(self), self.tau
        if t == 0:
            return 0, 1
        if self.method == "beta-binomial":
            before, *ranks = self._known
            up, down = (
                beta_binomial_rank(mixture, t, before, known)
                for mixture, known in zip(self._mixtures, ranks, strict=True)
            )
            self._known = (t, up, down)
            return t + 1 - down, up
        if self.method == "dkw":  # its radius is for both ends together
            radius = dkw_radius(t, self.delta)
            return lower_rank(p, t, radius), upper_rank(p, t, radius)
        below, above = (
            stitched_radius(level, t, self.delta / 2.0, float(self.t_opt)) for level in (1.0 - p, p)
        )
        return lower_rank(p, t, below), upper_rank(p, t, above)

    def __len__(self) -> int:
        return int(self._samples.size[0])

    def __repr__(self) -> str:
        settings = f"tau={self.tau}, delta={self.delta}, method={self.method!r}, t_opt={self.t_opt}"
        return f"QuantileSequence({settings}) of {len(self)} values"

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


@kernel
def upper_rank(p: float, t: int, radius: float) -> int:
    """Return the rank (1-based) of the upper end for the level p after t values; t + 1 is +∞."""
    return min(t + 1, math.floor((p + radius) * t) + 1)


@kernel
def lower_rank(p: float, t: int, radius: float) -> int:
    """Return the rank of the lower end; 0 is −∞. The radius is the one of the level 1 − p."""
    return max(0, math.ceil((p - radius) * t))


@kernel
def dkw_radius(t: int, delta: float) -> float:
    """Return √(ln(π² t² / 3δ) / 2t), the same for all levels.

    The inequality of Dvoretzky, Kiefer and Wolfowitz, with error 6δ / (π² t²) at t: the sum over t
    is δ for both ends together, and at all levels at once. One end alone fails with δ/2.
    """
    return math.sqrt(math.log((math.pi * t) ** 2 / (3.0 * delta)) / (2.0 * t))


@kernel
def stitched_radius(p: float, t: int, delta: float, t_min: float) -> float:
    """Return the polynomial stitched radius of error δ at the level p, tight from t_min on.

    (√(k₁² v l + (k₂ c l)²) + k₂ c l) / t with v = p (1−p) max(t, t_min), c = (1−2p)/3 and
    l = s ln ln(η max(t, t_min) / t_min) + ln(ζ(s) / ln^s η) + ln(1/δ): Theorem 1(a), as in the
    authors' program (gostevehoward/quantilecs). No public text of the theorem's closed form with
    rounded constants was found; it is not used. Above p = ½ c is negative, which the general
    theorem of stitching does not speak of: there the error was checked by exact chances (a test).
    """
    late = max(float(t), t_min)
    log_term = EXPONENT * math.log(math.log(RATIO * late / t_min)) + OFFSET - math.log(delta)
    skew = SKEW * (1.0 - 2.0 * p) / 3.0 * log_term
    return (math.sqrt(SLOPE**2 * p * (1.0 - p) * late * log_term + skew**2) + skew) / t


class BetaBinomial(NamedTuple):
    """The mixture for a level and an error; made by `beta_binomial`."""

    p: float
    below: float  # r / (1−p): what the prior adds to the number of values below the quantile
    above: float  # r / p: … and to the others
    threshold: float  # ln(1/δ) and the prior's own mass, in the units of `log_mass_above`


@kernel
def beta_binomial(p: float, delta: float, t_opt: float) -> BetaBinomial:
    """Return the mixture of error δ on one side, for the level p; for the lower end, for 1 − p."""
    variance, budget = p * (1.0 - p), -2.0 * math.log(min(2.0 * delta, LARGEST_TUNING))
    rho = variance * t_opt / (budget + math.log1p(budget))
    r = max(rho - variance, LEAST_SHARE * variance)
    below, above = r / (1.0 - p), r / p
    return BetaBinomial(p, below, above, log_mass_above(below, above, p) - math.log(delta))


@kernel
def crosses(mixture: BetaBinomial, t: int, k: float) -> bool:
    """Tell whether M_t(k) ≥ 1/δ: of t values, k are too many to lie below the quantile."""
    a, b = mixture.below + k, mixture.above + (t - k)
    return mass_reaches(a, b, mixture.p, mixture.threshold)


@kernel
def beta_binomial_rank(mixture: BetaBinomial, t: int, known_t: int, known_rank: int) -> int:
    """Return the smallest k with M_t(k) ≥ 1/δ, or t + 1 (the end is infinite) if there is none.

    `known_rank` is the answer for `known_t` ≤ t values; 1 for 0 if there was none. The search is by
    bisection between what it was and what it can be: one evaluation for one value more.
    """
    low, high = known_rank, known_rank + t - known_t
    while low < high:
        middle = (low + high) // 2
        if crosses(mixture, t, middle):
            high = middle
        else:
            low = middle + 1
    return low


def central_ranks(p: float, delta: float, t: int, t_opt: float = 1000.0) -> tuple[int, int]:
    """Return the ranks of both ends after t values: 0 for −∞, t + 1 for +∞; δ/2 for each end."""
    upper = beta_binomial_rank(beta_binomial(p, delta / 2.0, t_opt), t, 0, 1)
    from_top = beta_binomial_rank(beta_binomial(1.0 - p, delta / 2.0, t_opt), t, 0, 1)
    return t + 1 - from_top, upper
