"""Special functions of coins: divergence, evidence, incomplete beta integrals, binomial draws.

**Divergence** kl(p, q) of two coins, and the largest q that a budget of it allows.

**Evidence** that a coin's chance is above a level, valid at every moment.

Toss a coin whose chance of heads is at most q. For any fixed q' > q, the likelihood ratio

    (q'/q)^heads ((1−q')/(1−q))^tails

is a nonnegative supermartingale that begins at 1, and so is a mixture of such ratios. By Ville's
inequality the mixture ever reaches 1/δ with probability at most δ: its value is evidence that the
chance is above q. It grows with the number of heads, since each of its ratios does.

The mixture is over sixteen q', logit q' = logit q + x, x geometric up to 4, and ln x is logistic
about ln σ: the weight is ∝ 1/cosh²(ln(x/σ)). With a tolerance ε, what matters are differences in
chance of that order: σ = 1.5 ε / (q (1−q)), and x begins at 0.15 σ, less than ε makes. Without one,
σ² = 6 / (1000 q (1−q)), most weight where 1,000 tosses can show it, and x begins at 0.005: a chance
that is above q by less than half of that (in logits) is not detected. With a small ε neither is
less than that: σ is at least 0.9 of it. Any weights fixed beforehand are valid; these were chosen
by simulation (docs/best-arm.md).

**The incomplete beta integral**, by its logarithm, accurate where its parts are huge and cancel:

    J(a, b, p) = ∫_p^1 θ^(a−1) (1−θ)^(b−1) dθ / (p^a (1−p)^b)

is a posterior's mass above p in units of the integrand at p. With n = a + b and Stirling's formula,

    ln B(a, b) − a ln p − b ln(1−p) = n kl(a/n, p) + ½ ln(2πn / ab) + rest(a) + rest(b) − rest(n),

where nothing is large unless the result is (with `lgamma`, 10⁷ trials would leave eight digits).
What lies below p comes from the continued fraction of A. R. DiDonato, A. H. Morris, "Significant
digit computation of the incomplete beta function ratios", ACM Trans. Math. Softw. 18:360–373, 1992,
eq. (9). It needs a few steps where p is some standard deviations from a/n, and of the order of
√n steps where they are equal.

**Binomial draws**, exact and a few times faster than NumPy's, which prepares each draw separately.
Few expected: inversion, counting up from 0. Many: the transformed rejection BTRS of W. Hörmann,
"The generation of binomial random variates", J. Statist. Comput. Simul. 46:101–110, 1993.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiler import kernel

ULP, HALF_ULP = 2.0**-52, 2.0**-53  # relative spacing of doubles
# Halley's method cubes the error: after a step this small against the distance to p and to 1, what
# is left is below the rounding of q. A step of the size of that rounding is noise, and the last.
LAST_STEP = 1e-5
MOST_STEPS = 20  # three do for budgets down to 1e-19; below, rounding alone moves the last ones

# Stirling's series: what lnΓ(x) is beyond (x − ½) ln x − x + ½ ln 2π.
HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)
ACCURATE = 16.0  # from here on, four terms of the series are off by less than 10⁻¹⁴

POINTS = 16  # of the mixture of evidence
FARTHEST_LOGIT = 4.0  # distance of the last point from the level, in logits
TOGETHER = 20.0  # weight of evidence of two coins at once, relative to the second alone

FEW = 15.0  # expected outcomes of the rarer kind below which inversion is used; BTRS needs 10
TABLE = 64  # more than that many, of fewer than 15 expected, have a chance below 10⁻¹⁹


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
        if abs(step) <= LAST_STEP * min(gap, rest) + ULP * q:
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


class Evidence(NamedTuple):
    """The mixture against one level, each point by its logarithms."""

    weight: NDArray[np.float64]  # (POINTS,) of the weight
    heads: NDArray[np.float64]  # (POINTS,) of the factor that heads adds to that of any toss
    toss: NDArray[np.float64]  # (POINTS,) of the factor of any toss


def evidence_above(level: float, epsilon: float = 0.0) -> Evidence:
    """Return the mixture against chances of at most `level`, for a tolerance ε of the finding."""
    width = level * (1.0 - level)
    spread = math.sqrt(0.006 / width)
    if epsilon > 0.0:
        spread = max(1.5 * epsilon / width, 0.9 * spread)
    nearest = max(0.225 * epsilon / width, 0.005)
    x = np.geomspace(min(nearest, FARTHEST_LOGIT / 2), FARTHEST_LOGIT, POINTS)
    likely = np.cosh(np.log(x / spread)) ** -2.0
    return Evidence(np.log(likely / likely.sum()), x, -np.log1p(level * np.expm1(x)))


def log_evidences(evidence: Evidence, heads: NDArray[np.int64], tosses: int) -> NDArray[np.float64]:
    """Return `log_evidence` for many numbers of heads."""
    gained = np.multiply.outer(evidence.heads, heads) + (evidence.toss * tosses)[:, None]
    return np.logaddexp.reduce(evidence.weight[:, None] + gained)


@kernel
def log_evidence(evidence: Evidence, heads: int, tosses: int) -> float:
    """Return the logarithm of the mixture after so many heads among so many tosses."""
    most = -math.inf
    for i in range(POINTS):
        most = max(most, _term(evidence, i, heads, tosses))
    total = 0.0
    for i in range(POINTS):
        total += math.exp(_term(evidence, i, heads, tosses) - most)
    return most + math.log(total)


@kernel
def _term(evidence: Evidence, i: int, heads: int, tosses: int) -> float:
    gained = heads * float(evidence.heads[i]) + tosses * float(evidence.toss[i])
    return float(evidence.weight[i]) + gained


@kernel
def log_weights(shares: int) -> tuple[float, float, float]:
    """Return the logarithms of the weights of A, B and A B in `log_joint`."""
    total = shares + 1.0 + TOGETHER
    second = -math.log(shares * total)
    return math.log(shares / total), second, second + math.log(TOGETHER)


@kernel
def log_joint(first: float, second: float, shares: int) -> float:
    """Return ln{c A + (B + 20 A B) / c} − ln(c + 21) for A and B given by their logarithms."""
    alone, other, both = log_weights(shares)
    one, two, three = alone + first, other + second, both + first + second
    most = max(one, two, three)
    return most + math.log(math.exp(one - most) + math.exp(two - most) + math.exp(three - most))


@kernel
def stirling_series(x: float) -> float:
    """Return 1/(12x) − 1/(360x³) + …, for x ≥ `ACCURATE`."""
    square = 1.0 / (x * x)
    return (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x


@kernel
def stirling_rest(x: float) -> float:
    """Return lnΓ(x) − (x − ½) ln x + x − ½ ln 2π, for any x > 0."""
    if x >= ACCURATE:
        return stirling_series(x)
    return math.lgamma(x) - (x - 0.5) * math.log(x) + x - HALF_LOG_2_PI


@kernel
def log_mass_above(a: float, b: float, p: float) -> float:
    """Return ln J(a, b, p) for a, b > 0 and 0 < p < 1."""
    if a < (a + b) * p:
        return math.log(_mass_below(b, a, 1.0 - p, math.inf))
    whole = log_mass(a, b, p)
    unit = math.exp(-whole)
    return whole + math.log1p(-unit * _mass_below(a, b, p, unit))


@kernel
def mass_reaches(a: float, b: float, p: float, level: float) -> bool:
    """Tell whether ln J(a, b, p) ≥ level, mostly without the continued fraction: four times faster.

    J is at most the whole integral. For a, b ≥ 1 the integrand is log-concave: below p it lies
    under its tangent there (in logarithms), which bounds what J lacks by 1 / slope.
    """
    whole = log_mass(a, b, p)
    if whole < level:
        return False
    slope = (a - 1.0) * (1.0 - p) - (b - 1.0) * p
    if a >= 1.0 and b >= 1.0 and slope > 0.0:
        lack = math.exp(-whole) / slope
        if lack < 1.0 and whole + math.log1p(-lack) >= level:
            return True
    return log_mass_above(a, b, p) >= level


@kernel
def log_mass(a: float, b: float, p: float) -> float:
    """Return ln J(a, b, p) with the integral from 0: ln B(a, b) − a ln p − b ln(1−p)."""
    n = a + b
    rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(n)
    return n * bernoulli_kl(a / n, p) - 0.5 * math.log(a * (b / n)) + HALF_LOG_2_PI + rest


@kernel
def _mass_below(a: float, b: float, x: float, unit: float) -> float:
    """Return ∫_0^x θ^(a−1) (1−θ)^(b−1) dθ / (x^a (1−x)^b), for x up to about a/(a+b).

    Lentz's method, until a step changes neither the result nor, a `unit` of it being that large,
    the number 1.
    """
    y = 1.0 - x
    slope = a - (a + b) * x
    value = a / (a + 1.0) * (slope + 1.0)
    upper, lower, change, n = value, 0.0, 2.0, 0.0
    while abs(change - 1.0) > HALF_ULP and abs(change - 1.0) * unit > HALF_ULP * abs(value):
        n += 1.0
        low = a + 2.0 * n - 1.0
        part = n * (b - n) * x / low
        top = (a + n - 1.0) * (a + b + n - 1.0) * x / low * part
        base = n + part + (a + n) / (low + 2.0) * (slope + 1.0 + n * (1.0 + y))
        lower = 1.0 / (base + top * lower)
        upper = base + top / upper
        change = upper * lower
        value *= change
    return 1.0 / value


@kernel
def tabulate(sums: NDArray[np.float64], n: int, p: float) -> None:
    """Fill `sums` with P(0), P(0) + P(1), … of the rarer outcome; for few expected ones only."""
    rare = min(p, 1.0 - p)
    if n * rare < FEW:
        chance, odds = math.exp(n * math.log1p(-rare)), rare / (1.0 - rare)
        total = chance
        for k in range(len(sums)):
            sums[k] = total
            chance *= odds * max(n - k, 0) / (k + 1)
            total += chance


@kernel
def binomial(rng: np.random.Generator, n: int, p: float, sums: NDArray[np.float64]) -> int:
    """Return the number of successes in n trials of chance p; `sums` are of `tabulate(…, n, p)`.

    The sums are the expensive part of a draw: keep them for many draws with the same n.
    """
    rare = min(p, 1.0 - p)
    count = _by_inversion(rng, n, sums) if n * rare < FEW else _by_rejection(rng, n, rare)
    return count if p <= 0.5 else n - count


@kernel
def binomial_once(rng: np.random.Generator, n: int, p: float) -> int:
    """Return what `binomial` returns, without a table: for a single draw with this n."""
    rare = min(p, 1.0 - p)
    if n * rare < FEW:
        chance, odds = math.exp(n * math.log1p(-rare)), rare / (1.0 - rare)
        u, count, total = rng.random(), 0, chance
        while count < min(n, TABLE - 1) and total < u:
            chance *= odds * max(n - count, 0) / (count + 1)
            total += chance
            count += 1
    else:
        count = _by_rejection(rng, n, rare)
    return count if p <= 0.5 else n - count


@kernel
def _by_inversion(rng: np.random.Generator, n: int, sums: NDArray[np.float64]) -> int:
    """Return the first k with P(0) + … + P(k) ≥ u, u uniform."""
    u, k, most = rng.random(), 0, min(n, len(sums) - 1)
    while k < most and sums[k] < u:
        k += 1
    return k


@kernel
def _by_rejection(rng: np.random.Generator, n: int, p: float) -> int:
    """Draw from a hat over the histogram; a box under it accepts most draws at once."""
    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, box = n * p + 0.5, 0.92 - 4.2 / b
    while True:
        u = rng.random() - 0.5
        v = rng.random()
        edge = 0.5 - abs(u)
        if edge >= 0.07 and v <= box:  # so far from the edge, no place lies outside 0 … n
            return int((2.0 * a / edge + b) * u + centre)
        if edge <= 0.0:
            continue
        place = (2.0 * a / edge + b) * u + centre
        if place < 0.0 or place >= n + 1:
            continue
        k = int(place)
        hat = v * (2.83 + 5.1 / b) * sd / (a / (edge * edge) + b)
        if hat <= 0.0 or _reaches(n, p, k, math.log(hat)):
            return k


@kernel
def _reaches(n: int, p: float, k: int, height: float) -> bool:
    """Tell whether ln P(k) − ln P(m) ≥ height, m being the likeliest number of successes.

    −(k − m)² / 2np(1−p) is that, up to an error with a known bound (V. Kachitvichyanukul,
    B. W. Schmeiser, Commun. ACM 31:216–222, 1988), and mostly decides.
    """
    m, variance = int((n + 1) * p), n * p * (1.0 - p)
    far = abs(k - m)
    if far < variance / 2.0 - 1.0:
        bell = -far * far / (2.0 * variance)
        error = far / variance * (((far / 3.0 + 0.625) * far + 1.0 / 6.0) / variance + 0.5)
        if abs(height - bell) > error:
            return height < bell
    ways = _log_factorial(m) + _log_factorial(n - m) - _log_factorial(k) - _log_factorial(n - k)
    return height <= ways + (k - m) * math.log(p / (1.0 - p))


@kernel
def _log_factorial(k: int) -> float:
    """Return ln k!, by Stirling's series where it is accurate: half the time of `lgamma`."""
    x = k + 1.0
    if x < ACCURATE:
        return math.lgamma(x)
    return (x - 0.5) * math.log(x) - x + HALF_LOG_2_PI + stirling_series(x)
