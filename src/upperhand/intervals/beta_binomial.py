"""Ranks that bound a quantile at all times at once, by the beta-binomial mixture: the tightest.

S. R. Howard, A. Ramdas, Bernoulli 28(3):1704–1728, 2022, Theorem 1(b), with the mixture of
S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic
confidence sequences", Ann. Statist. 49(2):1055–1080, 2021. Of t values, let k lie below the
p-quantile. The likelihood ratio of a chance θ against p, mixed over θ ≥ p by a beta law of mean p,

    M_t(k) = ∫_p^1 (θ/p)^k ((1−θ)/(1−p))^(t−k) dπ(θ),   π ∝ Beta(r/(1−p), r/p) on [p, 1],

is a supermartingale for any law of the values: P(M_t ≥ 1/δ for some t) ≤ δ (J. Ville, 1939). The
upper end is x_(k) with the smallest k that has M_t(k) ≥ 1/δ: it fails only when M_t crosses 1/δ.
The lower end is that of 1 − p, counted from the top: rank t + 1 − k (`quantile_bounds.py` says why,
and why ties do no harm). The constant r makes the bound tightest around t_opt values:

    r = max(ρ − p(1−p), p(1−p)/1000),  ρ = p(1−p) t_opt / (2 ln(1/2δ) + ln(1 + 2 ln(1/2δ))).

One value more can only lower M at the same k, and only raise it if it lies below the quantile. So
the rank stays or grows by one, and following it costs one evaluation a value.
"""

import math
from typing import NamedTuple

from .._kernels.compile import kernel
from .._kernels.incomplete_beta import log_mass_above, mass_reaches

LEAST_SHARE = 1e-3  # of p(1−p): r is not less
LARGEST_TUNING = 0.99  # of 2δ in ρ, which would be infinite at 1; r is free, so this is harmless


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


@kernel
def beta_binomial_radius(p: float, t: int, delta: float, t_opt: float) -> float:
    """Return the radius, the k/t − p at which M_t(k) = 1/δ; 1 − p if none is that large."""
    mixture = beta_binomial(p, delta, t_opt)
    low, high = p * t, float(t)
    if not crosses(mixture, t, high):
        return 1.0 - p
    middle = (low + high) / 2.0
    while low < middle < high:
        if crosses(mixture, t, middle):
            high = middle
        else:
            low = middle
        middle = (low + high) / 2.0
    return high / t - p
