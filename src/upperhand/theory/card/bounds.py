"""Bounds on the card: what no policy can beat, and what mean-based UCB is known to do."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...distributions import Distribution, Normal
from ...objectives import Mean, UpperTail
from ...objectives.lowest import judged
from .. import auer_2002, lower_bounds

SUB_GAUSSIAN = 0.5  # the largest standard deviation of Gaussian arms that UCB1's bound covers


def bounds_part(
    arms: Sequence[Distribution], alpha: float, n: int, minimize: bool = False
) -> dict[str, Any]:
    """Return lower bounds per ln n and at n, and UCB's upper bounds on the mean regret at n.

    No policy loses more than n · max Δ_j: an upper bound above that says nothing, nor does a lower
    one, which n is too small for. They are empty.
    """
    tau = UpperTail(alpha).tau
    most = n * float(judged(UpperTail(alpha), minimize).gaps(arms).max())
    tails = _tail_lower_bounds(arms, tau, n, most, minimize)
    if not Mean().is_defined(arms):
        return {"lower": tails, "upper": {}, "empty": []}
    most = n * float(judged(Mean(), minimize).gaps(arms).max())
    upper = _mean_upper_bounds(arms, n, minimize)
    return {
        "lower": [*tails, *_mean_lower_bounds(arms, n, most, minimize)],
        "upper": upper,
        "empty": [name for name, bound in upper.items() if bound > most],
    }


def _tail_lower_bounds(
    arms: Sequence[Distribution], tau: float, n: int, most: float, minimize: bool
) -> list[dict[str, Any]]:
    """Return Theorem Q4 for the class of all laws and, if the arms are such, of Gaussian ones."""
    classes = {"all laws": (lower_bounds.quantile_pulls, lower_bounds.quantile_regret)}
    if all(isinstance(arm, Normal) for arm in arms):
        gaussian = lower_bounds.gaussian_quantile_pulls, lower_bounds.gaussian_quantile_regret
        classes["Gaussian, variances unknown"] = gaussian
    return [
        _lower_bound(
            "tail",
            name,
            pulls(arms, tau, minimize=minimize),
            regret(arms, tau, minimize=minimize),
            n,
            most,
        )
        for name, (pulls, regret) in classes.items()
    ]


def _mean_lower_bounds(
    arms: Sequence[Distribution], n: int, most: float, minimize: bool
) -> list[dict[str, Any]]:
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
            lower_bounds.mean_pulls(arms, variance=variance, minimize=minimize),
            lower_bounds.mean_regret(arms, variance=variance, minimize=minimize),
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


def _mean_upper_bounds(arms: Sequence[Distribution], n: int, minimize: bool) -> dict[str, float]:
    """Return the bounds of Auer et al. on the mean regret that cover these arms."""
    gaps, bounds = judged(Mean(), minimize).gaps(arms), {}
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
