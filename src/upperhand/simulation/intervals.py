"""95 % intervals for means over replications that also cover where regrets are skewed.

Most replications lose little and a few lose much, and Student's interval of such regrets ends too
early above. P. Hall, "On the removal of skewness by transformation", JRSS B 54(1):221–228, 1992,
corrects Student's ratio by a cubic in it that follows from the sample's skewness and can be
inverted. Each end here is the one of the two intervals that lies further out. From 60 replications
of 1,000 rounds on the headline's arms this covers the mean regret of Quantile-IMED in 94 % of the
cases (Student's interval: 90 %), of UCB-CP in 95 % (91 %): tests/slow/test_coverage.py.

It is not always 95 %, as no interval knows what the replications do not show. The mean of KL-QUCB+
there is covered in 92 % (87 %). In 10,000 rounds UCB-CP loses much in 2 % of the replications, and
60 of them cover its mean in 86 % (74 %), its ratio to ACP-UCB1's in 85 % (74 %).
"""

import numpy as np
from numpy.typing import NDArray

from ..distributions._special import beta_quantile, t_quantile

Array = NDArray[np.float64]


def standard_error(samples: Array) -> Array:
    """Return the standard error of the mean over the first axis, NaN for a single sample."""
    if len(samples) < 2:
        return np.full(samples.shape[1:], np.nan)
    return np.asarray(np.std(samples, axis=0, ddof=1) / np.sqrt(len(samples)))


def mean_interval(
    samples: Array, least: float = -np.inf, most: float | Array = np.inf
) -> tuple[Array, Array]:
    """Return the ends of the 95 % interval for the mean over the first axis; NaN for one sample.

    What no mean can be, below `least` and above `most`, is cut off.

    >>> low, high = mean_interval(np.array([1.0, 1.0, 1.0, 2.0, 9.0]))
    >>> bool(high - 2.8 > 2.8 - low)  # around the mean 2.8, more is unknown above
    True
    """
    mean, error = samples.mean(axis=0), standard_error(samples)
    return corrected_interval(len(samples), mean, error, _skewness(samples), least, most)


def corrected_interval(
    count: int, mean: Array, error: Array, skew: Array, least: float, most: float | Array
) -> tuple[Array, Array]:
    """Return the same from what is known of the sample."""
    t = float(t_quantile(np.asarray(0.975), max(count - 1, 1)))
    above, below = (_uncorrected(end, skew, count) for end in (t, -t))
    low, high = mean - np.maximum(above, t) * error, mean - np.minimum(below, -t) * error
    return np.maximum(low, least), np.minimum(high, np.maximum(most, mean))


def share_interval(count: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's exact interval of a probability, from a count of runs.

    Each end is missed with a probability of (1 − confidence) / 2 at most, whatever the probability.
    C. J. Clopper, E. S. Pearson, Biometrika 26(4):404–413, 1934.

    >>> low, high = share_interval(0, 100)
    >>> low, round(high, 4)  # 1 − 0.025 ** (1 / 100)
    (0.0, 0.0362)
    """
    tail = (1 - confidence) / 2
    low = beta_quantile(tail, count, total - count + 1) if count > 0 else 0.0
    high = beta_quantile(1 - tail, count + 1, total - count) if count < total else 1.0
    return low, high


def _uncorrected(ratio: float, skew: Array, count: int) -> Array:
    """Return Student's ratio T√n for which Hall's corrected one is `ratio`.

    With T = (mean − μ) / sd, it is √n (T + γT²/3 + γ²T³/27 + γ/6n), which rises in T.
    """
    flat = np.abs(skew) < 1e-6  # nothing to correct, and 0 / 0
    gamma = np.where(flat, 1.0, skew)
    root = np.cbrt(1 + gamma * (ratio / np.sqrt(count) - gamma / (6 * count)))
    return np.where(flat, ratio, np.sqrt(count) * 3 * (root - 1) / gamma)


def _skewness(samples: Array) -> Array:
    rest = samples - samples.mean(axis=0)
    return adjusted_skewness(len(samples), np.mean(rest**2, axis=0), np.mean(rest**3, axis=0))


def adjusted_skewness(count: int, second: Array, third: Array) -> Array:
    """Return the adjusted Fisher–Pearson skewness from central moments, 0 if it is not defined."""
    if count < 3:
        return np.zeros_like(second)
    adjusted = np.sqrt(count * (count - 1)) / (count - 2) * third
    return np.asarray(adjusted / np.where(second > 0, second, np.inf) ** 1.5)
