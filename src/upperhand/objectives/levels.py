"""The level of a quantile in words: p95, or p91.7 (best of 8)."""

import math

from .best_of import BestOf
from .quantiles import Quantile

MOST = 10**5  # N that are told from a level: farther out, round levels come near one by chance
ROUNDING = 2.0**-50  # 1 − 2^(−1/N), computed so, differs by no more from the level of N costs


def best_of_at(tau: float, *, minimize: bool = False) -> BestOf | None:
    """Return the best of N > 1 rewards, or costs, that has this level; None if there is none.

    The best of one is the median, which has a name of its own.

    >>> best_of_at(2 ** (-1 / 8)), best_of_at(1 - 2 ** (-1 / 8), minimize=True), best_of_at(0.95)
    (BestOf(n=8), BestOf(n=8).of_costs(), None)
    """
    inside = 1.0 - tau if minimize else tau
    if not 0.5 < inside < 1.0:
        return None
    n = round(-math.log(2.0) / math.log(inside))
    if not 1 < n <= MOST:
        return None
    found = BestOf(n).of_costs() if minimize else BestOf(n)
    return found if abs(found.tau - tau) <= ROUNDING else None


def level_name(tau: float, *, minimize: bool = False) -> str:
    """Return a few words for the level of a quantile of rewards, or of costs.

    >>> level_name(0.95), level_name(2 ** (-1 / 8)), level_name(2 ** (-1 / 512))
    ('p95', 'p91.7 (best of 8)', 'p99.86 (best of 512)')
    """
    found = best_of_at(tau, minimize=minimize)
    if found is None:
        return Quantile(tau).label
    percent = 100.0 * min(tau, 1.0 - tau)
    digits = 1 + max(0, math.ceil(-math.log10(percent)))
    return f"p{100 * tau:.{digits}f} ({found.label})"
