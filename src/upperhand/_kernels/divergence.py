"""The divergence between two coins, and the largest chance that a budget of it allows."""

import math

from .compile import kernel

# Halley's method cubes the error: after a step this small against the distance to p and to 1, what
# is left is below the rounding of q. A step of the size of that rounding is noise, and the last.
LAST_STEP = 1e-5
ROUNDING = 2.0**-52
MOST_STEPS = 20  # three do for budgets down to 1e-19; below, rounding alone moves the last ones


@kernel
def bernoulli_kl(p: float, q: float) -> float:
    """Return kl(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)) for p, q in [0, 1], with 0 ln 0 = 0.

    +∞ if q rules out what p allows: kl(p, 0) for p > 0, kl(p, 1) for p < 1.
    """
    divergence = _x_log_ratio(p, q, p - q) + _x_log_ratio(1.0 - p, 1.0 - q, q - p)
    return max(0.0, divergence)  # rounding may leave a hair below 0


@kernel
def kl_upper(p: float, budget: float) -> float:
    """Return the largest q ≤ 1 with kl(p, q) ≤ budget, to rounding.

    The excess kl(p, q) − budget is convex and increasing to the right of p, with slope
    (q−p) / (q (1−q)). Newton's steps come down to the root from the right; Halley's division by the
    curvature makes two or three of them enough, where Newton takes four and bisection fifty.
    """
    if budget <= 0.0 or p >= 1.0:
        return p
    if p <= 0.0:
        return -math.expm1(-budget)  # kl(0, q) = −ln(1 − q)
    gap = _gap_above(p, budget)
    if p + gap == p:
        return p  # to rounding
    for _ in range(MOST_STEPS):
        q, rest = p + gap, 1.0 - p - gap
        if rest <= 0.0:
            return 1.0
        excess = _x_log_ratio(p, q, -gap) + _x_log_ratio(1.0 - p, rest, gap) - budget
        ratio = excess / gap
        bend = ratio * (p * rest + q * gap) / (2.0 * gap)
        step = ratio * q * rest / max(0.5, 1.0 - bend)
        gap -= step
        if abs(step) <= LAST_STEP * min(gap, rest) + ROUNDING * q:
            break
    return min(1.0, p + max(0.0, gap))


@kernel
def _gap_above(p: float, budget: float) -> float:
    """Return a gap q − p whose divergence is the budget or more, and not much more.

    With d the budget, the least of three, each tight somewhere:
    kl ≥ 2 (q−p)², Pinsker: gap ≤ √(d/2), for p near ½;
    kl ≥ (q−p)² / (2 q (1−p)): gap ≤ D + √(D² + 2 D p) with D = d (1−p), for small d;
    kl ≥ (1−p) ln(1/(1−q)) − H, H the entropy of p: 1 − q ≥ e^(−(d+H)/(1−p)), for q near 1.
    """
    rest = 1.0 - p
    small = budget * rest
    gap = min(math.sqrt(budget / 2.0), small + math.sqrt(small * small + 2.0 * small * p))
    if gap < rest / 2.0:
        return gap  # far from 1 the third helps little, and it takes as long as a step
    entropy = -p * math.log(p) - rest * math.log(rest)
    return min(gap, rest - math.exp(-(budget + entropy) / rest))


@kernel
def _x_log_ratio(x: float, y: float, difference: float) -> float:
    """Return x ln(x / y), 0 where x is; the difference x − y keeps the digits of a ratio near 1."""
    if x == 0.0:
        return 0.0
    if y == 0.0:
        return math.inf
    if abs(difference) < y / 2.0:
        return x * math.log1p(difference / y)
    return x * math.log(x / y)
