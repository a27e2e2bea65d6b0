"""Who takes part unless told otherwise, and whether a policy plays for an objective."""

import math
from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError
from ..objectives import Objective, UpperTail
from ..policies import (
    ACPUCB1,
    KLQUCB,
    KLUCB,
    MVLCB,
    QUCB,
    UCB1,
    UCBCP,
    UCBV,
    ExpExp,
    MaRaB,
    MaxMedian,
    Policy,
    QoMaxETC,
    QoMaxSDA,
    QuantileIMED,
    QuantileTS,
    QuantileUCB,
    ThompsonSampling,
    ThresholdAscent,
    UCB1Normal,
)
from ..policies.parsing import set_policy, settings_for
from .instances import Instance

REFERENCE = ACPUCB1.name  # the policy whose regret is the unit of the others'
OURS = (  # by their labels below
    "KL-QUCB", "KL-QUCB+", "H-KL-QUCB+", "Quantile-TS", "Quantile-IMED", "H-Quantile-IMED",
)  # fmt: skip
TRUST = 3.0  # nats: of 3, 4 and 5 the one that liars do not make linear (benchmarks/hedging.py)
SD = "KL-UCB (sd)"
MEDIAN = "the median is the end of no central interval with α < 1"
Players = Mapping[str, tuple[type[Policy], dict[str, Any]]]  # and what no objective tells them
EVERYONE: Players = {
    "KL-QUCB": (KLQUCB, {}),
    "KL-QUCB+": (KLQUCB, {"plus": True}),
    "H-KL-QUCB+": (KLQUCB, {"plus": True, "trust": TRUST}),
    "Quantile-TS": (QuantileTS, {}),
    "Quantile-IMED": (QuantileIMED, {}),
    "H-Quantile-IMED": (QuantileIMED, {"trust": TRUST}),
    REFERENCE: (ACPUCB1, {}),
    f"{REFERENCE} auto": (ACPUCB1, {"scale": "auto"}),
    "Quantile-UCB": (QuantileUCB, {}),
    "QUCB": (QUCB, {}),
    "UCB-CP": (UCBCP, {}),
    "UCB1": (UCB1, {}),
    "UCB1-NORMAL": (UCB1Normal, {}),
    SD: (KLUCB, {"model": "gaussian"}),
    "UCB-V (span 1)": (UCBV, {"span": 1.0}),
    "Thompson sampling": (ThompsonSampling, {"model": "gaussian"}),
    "MV-LCB (n, span 1)": (MVLCB, {"span": 1.0}),
    "ExpExp (n)": (ExpExp, {}),
    "MaRaB": (MaRaB, {}),
}
EXTREMES: Players = {  # play for one large reward, which is no objective of a round
    "ThresholdAscent (n)": (ThresholdAscent, {}),
    "MaxMedian": (MaxMedian, {}),
    "QoMax-ETC (n)": (QoMaxETC, {}),
    "QoMax-SDA": (QoMaxSDA, {}),
}


def line_up(
    instance: Instance,
    horizon: int,
    objective: Objective | None = None,
    players: Players = EVERYONE,
) -> dict[str, Policy]:
    """Return the policies of the library set for an instance, by labels that say what they know.

    Each plays for the objective if it has a setting for it (`settings_for`). By default that is the
    upper endpoint at the instance's α. In brackets is what else a policy knows: n is the horizon,
    sd the largest of the arms, and span 1 a range of rewards that is about right for the paper's
    arms. `left_out` says who does not take part. Of `players`, EXTREMES are others.
    """
    found = _set_or_refused(instance, horizon, objective, players)
    return {label: each for label, each in found.items() if isinstance(each, Policy)}


def left_out(
    instance: Instance,
    horizon: int,
    objective: Objective | None = None,
    players: Players = EVERYONE,
) -> dict[str, str]:
    """Return which policies `line_up` leaves out, and why.

    >>> from upperhand.comparison.instances import INSTANCES
    >>> left_out(INSTANCES["headline"], 5)["Quantile-UCB"]
    'each arm is pulled 2 times first, and 5 rounds are too few'
    """
    found = _set_or_refused(instance, horizon, objective, players)
    return {label: each for label, each in found.items() if isinstance(each, str)}


def _set_or_refused(
    instance: Instance, horizon: int, objective: Objective | None, players: Players
) -> dict[str, Policy | str]:
    """Return each policy by its label, or why it cannot take part."""
    told = settings_for(objective or UpperTail(instance.alpha), instance.alpha, horizon)
    sd = {"sd": max(arm.sd for arm in instance.arms)}
    found: dict[str, Policy | str] = {}
    for name, (cls, settings) in players.items():
        label = f"{name} {told['score']}" if cls is UCBCP else name
        if told["alpha"] is None and "alpha" in cls.setting_names():
            found[label] = MEDIAN
            continue
        try:
            policy = set_policy(cls, told, settings | (sd if name == SD else {}))
        except ParameterError as error:
            found[label] = str(error).removesuffix(".")
            continue
        pulls = policy.initial_pulls
        few = f"each arm is pulled {pulls} times first, and {horizon} rounds are too few"
        found[label] = policy if pulls * len(instance.arms) <= horizon else few
    return found


def plays_for(policy: Policy, objective: Objective) -> bool:
    """Tell whether the objective is the policy's own; an endpoint is the quantile of its level.

    >>> plays_for(KLQUCB(0.95), UpperTail(0.1))
    True
    """
    if policy.objective == objective:
        return True
    levels = [getattr(each, "tau", math.nan) for each in (policy.objective, objective)]
    return math.isclose(*levels, rel_tol=0, abs_tol=1e-12)
