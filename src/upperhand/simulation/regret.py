"""Pull counts × objective → regret curves.

Pull counts are the sufficient statistic: the pseudo-regret under any objective is ``pulls @ gaps``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..distributions._special import t_quantile
from .intervals import mean_interval, standard_error


@dataclass(frozen=True, eq=False)
class Curve:
    """Cumulative regret, averaged over replications, with 95 % intervals of that average.

    They hold round by round, not for the whole curve at once (`intervals`).
    """

    rounds: NDArray[np.int64]  # (G,)
    mean: NDArray[np.float64]  # (G,)
    low: NDArray[np.float64]  # (G,) NaN if there is one replication only
    high: NDArray[np.float64]  # (G,)
    final: NDArray[np.float64]  # (R,) the regret of each replication at the last round

    def __repr__(self) -> str:
        final = f"{self.final.mean():.6g} ± {self.se:.2g} (standard error)"
        return f"Curve of {len(self.rounds)} points, regret {final} at round {self.rounds[-1]}"

    @property
    def se(self) -> float:
        """Standard error of the mean final regret."""
        return float(standard_error(self.final))


def regret_curve(
    rounds: NDArray[np.int64], pulls: NDArray[np.int64], gaps: NDArray[np.float64]
) -> Curve:
    """Return the curve of pulls (R, G, K) under gaps (K,)."""
    regret = pulls @ gaps
    ends = mean_interval(regret, 0.0, rounds * gaps.max())
    return Curve(rounds, regret.mean(axis=0), *ends, regret[:, -1])


def half_width(samples: NDArray[np.float64], confidence: float = 0.95) -> NDArray[np.float64]:
    """Return the half-width of Student's confidence interval for the mean over the first axis.

    It covers if the mean is about normal; for skewed samples use `mean_interval`.
    """
    level = np.asarray(0.5 + confidence / 2)
    return np.asarray(t_quantile(level, max(len(samples) - 1, 1)) * standard_error(samples))
