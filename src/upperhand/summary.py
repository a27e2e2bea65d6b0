"""What a simulation says, in plain numbers: who is best under which objective, at what regret."""

import math
from collections.abc import Sequence
from typing import Any, Literal

from .distributions import Distribution
from .errors import ParameterError
from .objectives import LowerTail, Mean, Objective, UpperTail
from .runs import Runs

Tail = Literal["upper", "lower"]


def tail_objective(alpha: float, tail: Tail) -> Objective:
    """Return the endpoint that a policy with this α and tail chases."""
    return UpperTail(alpha) if tail == "upper" else LowerTail(alpha)


def summarise(runs: Runs, alpha: float, tail: Tail = "upper") -> dict[str, Any]:
    """Return arms, best arms and policies as JSON-able values, under the tail and the mean."""
    objectives = {"tail": tail_objective(alpha, tail), "mean": Mean()}
    defined = {key: o for key, o in objectives.items() if _is_defined(o, runs.arms)}
    return {
        "alpha": alpha,
        "tail": tail,
        "horizon": runs.horizon,
        "replications": runs.replications,
        "seed": runs.seed,
        "objectives": {key: objective.label for key, objective in objectives.items()},
        "arms": [_arm(arm, objectives) for arm in runs.arms],
        "best": {key: o.best(runs.arms) for key, o in defined.items()},
        "policies": [_policy(runs, name, defined) for name in runs.policies],
        "versions": runs.versions,
    }


def _is_defined(objective: Objective, arms: Sequence[Distribution]) -> bool:
    try:
        objective.values(arms)
    except ParameterError:
        return False
    return True


def _arm(arm: Distribution, objectives: dict[str, Objective]) -> dict[str, Any]:
    values = {key: objective.value(arm) for key, objective in objectives.items()}
    finite = {key: value if math.isfinite(value) else None for key, value in values.items()}
    return {"law": repr(arm), "spec": arm.spec(), **finite}


def _policy(runs: Runs, name: str, objectives: dict[str, Objective]) -> dict[str, Any]:
    final = runs.pulls[name][:, -1]  # (R, K)
    return {
        "name": name,
        "settings": runs.policies[name].settings,
        "pulls": final.mean(axis=0).tolist(),
        "regret": {key: _regret(runs, name, o) for key, o in objectives.items()},
    }


def _regret(runs: Runs, name: str, objective: Objective) -> dict[str, Any]:
    curve = runs.regret(objective)[name]
    se = curve.se
    return {"mean": float(curve.final.mean()), "se": se if math.isfinite(se) else None}
