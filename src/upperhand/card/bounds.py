"""Bounds on the card: what no policy can beat, and what mean-based UCB is known to do."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution, Normal
from ..objectives import Mean, UpperTail
from ..theory import auer_2002, lower_bounds

SUB_GAUSSIAN = 0.5  # the largest standard deviation of Gaussian arms that UCB1's bound covers


def bounds_part(arms: Sequence[Distribution], alpha: float, n: int) -> dict[str, Any]:
    """Return lower bounds per ln n and at n, and UCB's upper bounds on the mean regret at n."""
    tau = UpperTail(alpha).tau
    tail = _lower_bound(
        "tail",
        "all laws",
        lower_bounds.quantile_pulls(arms, tau),
        lower_bounds.quantile_regret(arms, tau),
        n,
    )
    return {"lower": [tail, *_mean_lower_bounds(arms, n)], "upper": _mean_upper_bounds(arms, n)}


def _mean_lower_bounds(arms: Sequence[Distribution], n: int) -> list[dict[str, Any]]:
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
        )
        for laws, variance in classes.items()
    ]


def _lower_bound(
    objective: str, laws: str, pulls: NDArray[np.float64], regret: float, n: int
) -> dict[str, Any]:
    """Return one bound: constants of ln n, and their values at n; None stands for infinity."""
    return {
        "objective": objective,
        "laws": laws,
        "regret_per_log": _finite(regret),
        "regret": _finite(regret * math.log(n)),
        "pulls": [_finite(each * math.log(n)) for each in pulls.tolist()],
    }


def _mean_upper_bounds(arms: Sequence[Distribution], n: int) -> dict[str, float]:
    """Return the bounds of Auer et al. on the mean regret that cover these arms."""
    if not all(isinstance(arm, Normal) for arm in arms):
        return {"UCB1": _ucb1(arms, n)} if _within_unit_range(arms) else {}
    gaps, sds = Mean().gaps(arms), [arm.sd for arm in arms]
    covered = {"UCB1": _ucb1(arms, n)} if max(sds) <= SUB_GAUSSIAN else {}
    return covered | {"UCB1-NORMAL": auer_2002.ucb1_normal_regret_bound(n, gaps, sds)}


def _ucb1(arms: Sequence[Distribution], n: int) -> float:
    return auer_2002.ucb1_regret_bound(n, Mean().gaps(arms))


def _within_unit_range(arms: Sequence[Distribution]) -> bool:
    """Tell whether each arm's rewards lie in some interval of length 1."""
    return all(arm.quantile(1.0) - arm.quantile(0.0) <= 1 for arm in arms)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
