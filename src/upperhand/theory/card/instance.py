"""The card of an instance: values and gaps, the utility path, Theorem 1, bounds, guarantees."""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ... import checks
from ...distributions import Distribution
from ...distributions.registry import as_laws
from ...errors import AssumptionError, ParameterError
from ...files import versions
from ...objectives import Mean, UpperTail
from ...objectives.gaps import best_of
from ...objectives.lowest import judged
from ...policies import ACPUCB1
from .. import population
from .bounds import bounds_part
from .gaussian import path_part
from .proved import proved_part
from .theorem import no_adaptation_part, theorem_part

NO_PATH = "It is about rewards, and these arms pay costs."


def theory_card(
    arms: Sequence[Distribution],
    policy: ACPUCB1,
    horizon: int = 10_000,
    *,
    minimize: bool = False,
    r_y: float | None = None,
    r_s: float | None = None,
) -> dict[str, Any]:
    """Return what the theory says of the arms, as JSON-able values.

    A part that does not apply (the utility path to arms that are not Gaussian, Theorem 1 to laws
    with atoms, Theorems Q1 to Q3 to an exact tie) is `{"fails": reason}` instead of numbers; what
    is infinite or unknown is None.

    Parameters
    ----------
    arms
        Two laws or more.
    policy
        An ACP-UCB1: its α values the arms, and its b, λ and initial pulls stand next to what
        Theorem 1 asks for.
    horizon
        The n at which bounds are evaluated.
    minimize
        The arms pay costs, and the lowest upper endpoint is best. Theorem 1 holds for the mirrored
        policy, as the upper endpoint of a cost is the lower one of its negative, negated.
    r_y, r_s
        The radii of Assumption 1; by default the smallest that Theorem 1 allows, max Δ_j / 4.
    """
    arms = as_laws(arms)
    if len(arms) < 2:
        raise ParameterError(f"An instance has two arms or more; got {len(arms)}.")
    if not isinstance(policy, ACPUCB1):
        raise ParameterError(f"Theorem 1 is about ACP-UCB1; got {policy!r}.")
    if policy.tail != "upper":
        raise ParameterError(
            "The theory is about the upper end of the interval; got tail='lower'. Leave tail out. "
            "If low values are good, as for costs, say minimize=True or --minimize."
        )
    n = checks.integer("horizon", horizon, least=2)
    objectives = {"tail": UpperTail(policy.alpha), "mean": Mean()}
    defined = {key: o for key, o in objectives.items() if key == "tail" or o.is_defined(arms)}
    values = {key: objective.values(arms) for key, objective in defined.items()}
    gaps = {key: judged(objective, minimize).gaps(arms) for key, objective in defined.items()}
    card = {
        "alpha": policy.alpha,
        "horizon": n,
        "minimize": checks.flag("minimize", minimize),
        "objectives": {key: o.label for key, o in objectives.items()},
        "arms": [
            _arm(arm, policy.alpha)
            | {"values": {key: values[key][j] for key in values}}
            | {"gaps": {key: gaps[key][j] for key in gaps}}
            for j, arm in enumerate(arms)
        ],
        "best": {key: best_of(each) for key, each in gaps.items()},
        "transfer": _transfer(gaps),
        "path": {"fails": NO_PATH}
        if minimize
        else _unless_it_fails(lambda: path_part(arms, policy.alpha)),
        "theorem": _unless_it_fails(lambda: theorem_part(arms, policy, n, r_y, r_s, minimize)),
        "no_adaptation": _unless_it_fails(
            lambda: no_adaptation_part(arms, policy.alpha, r_y, minimize)
        ),
        "bounds": bounds_part(arms, policy.alpha, n, minimize),
        "proved": _unless_it_fails(lambda: proved_part(arms, policy.alpha, n, minimize)),
        "versions": versions(),
    }
    return cast(dict[str, Any], _plain(card))


def _arm(arm: Distribution, alpha: float) -> dict[str, Any]:
    return {
        "law": repr(arm),
        "spec": arm.spec(),
        "sd": arm.sd,
        "q_low": population.q_low(arm, alpha),
        "q_high": population.q_high(arm, alpha),
    }


def _transfer(gaps: dict[str, NDArray[np.float64]]) -> dict[str, float] | None:
    """Return what the best arm of one objective loses per round under the other."""
    if len(gaps) < 2:
        return None
    tail, mean = gaps["tail"], gaps["mean"]
    return {
        "acp_arm_in_mean": mean[best_of(tail)].min(),
        "mean_arm_in_acp": tail[best_of(mean)].min(),
    }


def _unless_it_fails(part: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a part of the card, or why the theory does not apply."""
    try:
        return part()
    except AssumptionError as error:
        return {"fails": str(error)}


def _plain(value: Any) -> Any:
    """Return plain data: numbers of Python's own, and None for what is infinite or unknown."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
