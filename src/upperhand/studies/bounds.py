"""The lower bound that goes with an objective: the slope in ln n that no good policy beats."""

import math
from collections.abc import Sequence

from ..distributions import Distribution
from ..objectives import LowerTail, Mean, Objective, Quantile, UpperTail
from ..objectives.lowest import Lowest
from ..theory.lower_bounds import has_mean_bound, mean_regret, quantile_regret


def lower_bound(arms: Sequence[Distribution], objective: Objective) -> float:
    """Return the constant c of the bound c · ln n on regret (`theory.lower_bounds`).

    NaN if there is no such statement for this objective and these arms; 0 if there is nothing to
    learn, and ∞ where regret must grow faster than ln n.

    >>> import upperhand as uh
    >>> lower_bound([uh.Normal(0.5, 1), uh.Normal(0, 1)], uh.Mean())  # 2 σ² / Δ
    4.0
    """
    minimize = isinstance(objective, Lowest)
    match objective.objective if isinstance(objective, Lowest) else objective:
        case UpperTail(tau=tau) | LowerTail(tau=tau) | Quantile(tau=tau):
            return quantile_regret(arms, tau, minimize=minimize)
        case Mean() if has_mean_bound(arms):
            return mean_regret(arms, minimize=minimize)
        case _:
            return math.nan
