"""Bounds on the card: what no policy can beat, and what mean-based UCB is known to do."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...distributions import Distribution, Normal
from ...objectives import Mean, UpperTail
from .. import auer_2002, lower_bounds

SUB_GAUSSIAN = 0.5  # the largest standard deviation of Gaussian arms that UCB1's bound covers


def bounds_part(arms: Sequence[Distribution], alpha: float, n: int) -> dict[str, Any]:
    """Return lower bounds per ln n and at n, and UCB's upper bounds on the mean regret at n.

    No policy loses more than n · max Δ_j: an upper bound above that says nothing, nor does a lower
    one, which n is too small for. They are empty.
    """
    tau, most = UpperTail(alpha).tau, n * float(UpperTail(alpha).gaps(arms).max())
    tail = _lower_bound(
        "tail",
        "all laws",
        lower_bounds.quantile_pulls(arms, tau),
        lower_bounds.quantile_regret(arms, tau),
        n,
        most,
    )
    if not Mean().is_defined(arms):
        return {"lower": [tail], "upper": {}, "empty": []}
    most = n * float(Mean().gaps(arms).max())
    upper = _mean_upper_bounds(arms, n)
    return {
        "lower": [tail, *_mean_lower_bounds(arms, n, most)],
        "upper": upper,
        "empty": [name for name, bound in upper.items() if bound > most],
    }


def _mean_lower_bounds(arms: Sequence[Distribution], n: int, most: float) -> list[dict[str, Any]]:
    """Return Lai and Robbins' bounds, for the classes of laws where they are known."""
    if not lower_bounds.has_mean_bound(arms):
        return []
    classes: dict[str, Literal["known", "unknown"]] = {"Bernoulli": "known"}
    if isinstance(arms[0], Normal):
        classes = {"Gaussian, variances known": "known", "Gaussian, variances unknown": "unknown"}
    return [
        _lower_bound(
            "mean",
            laws,
            lower_bounds.mean_pulls(arms, variance=variance),
            lower_bounds.mean_regret(arms, variance=variance),
            n,
            most,
        )
        for laws, variance in classes.items()
    ]


def _lower_bound(
    objective: str, laws: str, pulls: NDArray[np.float64], regret: float, n: int, most: float
) -> dict[str, Any]:
    """Return one bound: constants of ln n, and their values at n."""
    return {
        "objective": objective,
        "laws": laws,
        "regret_per_log": regret,
        "regret": regret * math.log(n),
        "empty": most < regret * math.log(n) < math.inf,
        "pulls": (pulls * math.log(n)).tolist(),
    }


def _mean_upper_bounds(arms: Sequence[Distribution], n: int) -> dict[str, float]:
    """Return the bounds of Auer et al. on the mean regret that cover these arms."""
    gaps, bounds = Mean().gaps(arms), {}
    if all(map(_has_hoeffding, arms)):
        bounds["UCB1"] = float(auer_2002.ucb1_regret_bound(n, gaps))
    if all(isinstance(arm, Normal) for arm in arms):
        sds = [arm.sd for arm in arms]
        bounds["UCB1-NORMAL"] = float(auer_2002.ucb1_normal_regret_bound(n, gaps, sds))
    return bounds


def _has_hoeffding(arm: Distribution) -> bool:
    """Tell whether Hoeffding's inequality holds for the arm as for rewards in [0, 1]."""
    if isinstance(arm, Normal):
        return arm.sd <= SUB_GAUSSIAN
    return arm.quantile(1.0) - arm.quantile(0.0) <= 1
