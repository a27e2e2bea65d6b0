"""Which arm fails least: what is left to choose by when every arm's quantile lies among failures.

If more than a share 1 − τ of an arm's costs are failures or time-outs, its τ-quantile is worse than
anything known. Where that holds for every candidate, their quantiles tie, and the choice rests on
the shares of outcomes that did not fail, by KL-UCB (A. Garivier, O. Cappé, COLT 2011):

    argmax_j  max{p : W_j kl(1 − failed share, p) ≤ ln t}.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._kernels.special import kl_upper


def least_failing(
    arms: Sequence[int], good: Sequence[float], pulls: NDArray[np.int64], t: int
) -> int:
    """Return the arm whose share of good outcomes may be the largest; the first of equal ones."""
    bounds = [
        kl_upper(share, math.log(t) / int(pulls[arm]))
        for arm, share in zip(arms, good, strict=True)
    ]
    return arms[int(np.argmax(bounds))]
