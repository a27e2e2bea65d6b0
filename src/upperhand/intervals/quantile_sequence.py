"""A confidence sequence for a quantile over a stream: an interval that may be read at any time.

For any law of independent values, the quantile lies in the intervals of *all* times with
probability at least 1 − δ. So looking after every value, and stopping whenever the interval shows
enough, costs nothing. The formulas are in `quantile_bounds.py` and `beta_binomial.py`.
"""

import copy
import math
from typing import Self, SupportsIndex

from .. import checks
from .._kernels import sorted_samples
from .._kernels.ranks import rank
from .._kernels.sorted_samples import insert, value_at
from ..errors import RewardError
from .beta_binomial import beta_binomial, beta_binomial_rank
from .quantile_bounds import dkw_radius, lower_rank, stitched_radius, upper_rank
from .stream import Interval

METHODS = ("beta-binomial", "stitched", "dkw")
LEAST_LEVEL, LEAST_ERROR, MOST_VALUES = 1e-6, 1e-100, 10**9
ESTIMATE, LOWER, UPPER = 0, 1, 2  # the cursors


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
