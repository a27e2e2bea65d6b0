"""What a simulation says, in plain numbers: who is best under which objective, at what regret."""

import math
from typing import Any, Literal

from ..distributions import Distribution
from ..objectives import LowerTail, Mean, Objective, UpperTail
from ..objectives.gaps import best_of
from ..objectives.lowest import judged
from ..policies.spec import settings_for
from .regret import Curve
from .runs import Runs

Tail = Literal["upper", "lower"]


def tail_objective(alpha: float, tail: Tail) -> UpperTail | LowerTail:
    """Return the endpoint that a policy with this α and tail chases."""
    return UpperTail(alpha) if tail == "upper" else LowerTail(alpha)


def summarise(runs: Runs, value: Objective) -> dict[str, Any]:
    """Return arms, best arms and policies as JSON-able values, under the tail and the mean.

    The tail is a quantile or an endpoint; α is that of the interval it is an end of, or None.
    """
    told = settings_for(value, 0.1, runs.horizon)
    objectives: dict[str, Objective] = {"tail": value, "mean": Mean()}
    judges = {key: judged(o, runs.minimize) for key, o in objectives.items()}
    defined = {key: judge for key, judge in judges.items() if judge.is_defined(runs.arms)}
    curves = {key: runs.regret(objectives[key]) for key in defined}
    return {
        "alpha": told["alpha"],
        "tail": told["tail"],
        "minimize": runs.minimize,
        "horizon": runs.horizon,
        "replications": runs.replications,
        "seed": runs.seed,
        "objectives": {key: objective.label for key, objective in objectives.items()},
        "arms": [_arm(arm, objectives) for arm in runs.arms],
        "best": {key: o.best(runs.arms) for key, o in defined.items()},
        "all_best": {key: best_of(o.gaps(runs.arms)) for key, o in defined.items()},
        "policies": [_policy(runs, name, curves) for name in runs.policies],
        "versions": runs.versions,
    }


def _arm(arm: Distribution, objectives: dict[str, Objective]) -> dict[str, Any]:
    values = {key: objective.value(arm) for key, objective in objectives.items()}
    finite = {key: value if math.isfinite(value) else None for key, value in values.items()}
    return {"law": repr(arm), "spec": arm.spec(), **finite}


def _policy(runs: Runs, name: str, curves: dict[str, dict[str, Curve]]) -> dict[str, Any]:
    final = runs.pulls[name][:, -1]  # (R, K)
    return {
        "name": name,
        "settings": runs.policies[name].settings,
        "pulls": final.mean(axis=0).tolist(),
        "regret": {key: _regret(named[name]) for key, named in curves.items()},
    }


def _regret(curve: Curve) -> dict[str, Any]:
    se = curve.se
    return {"mean": float(curve.final.mean()), "se": se if math.isfinite(se) else None}
