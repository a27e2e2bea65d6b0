"""Who takes part unless told otherwise, and which objective each policy plays for."""

import math

from ..objectives import CVaR, LowerTail, Mean, MeanVariance, Objective, Quantile, UpperTail
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
    Policy,
    QuantileIMED,
    QuantileTS,
    QuantileUCB,
    ThompsonSampling,
    UCB1Normal,
)
from ..policies.spec import levels_around
from .instances import Instance

REFERENCE = ACPUCB1.name  # what the others are held against
OURS = ("KL-QUCB", "KL-QUCB+", "Quantile-TS", "Quantile-IMED")  # by their labels below


def line_up(instance: Instance, horizon: int) -> dict[str, Policy]:
    """Return the policies of the library set for an instance, by labels that say what they know.

    Those for the tail know α, as the instance is valued by it. The others know what stands in
    brackets: n is the horizon, sd the largest of the arms, and span 1 a range of rewards that is
    about right for the paper's arms. A policy that could not make its initial pulls within the
    horizon is left out.
    """
    candidates = {**_for_the_tail(instance.alpha), **_for_the_mean(instance)}
    candidates |= {
        "MV-LCB (n, span 1)": MVLCB(horizon, 1.0),
        "ExpExp (n)": ExpExp(horizon),
        "MaRaB": MaRaB(instance.alpha),
    }
    most = horizon // len(instance.arms)
    return {label: p for label, p in candidates.items() if p.initial_pulls <= most}


def _for_the_tail(alpha: float) -> dict[str, Policy]:
    tau = 1 - alpha / 2
    acp = ACPUCB1(alpha, **levels_around(alpha))
    return {
        "KL-QUCB": KLQUCB(tau),
        "KL-QUCB+": KLQUCB(tau, plus=True),
        "Quantile-TS": QuantileTS(tau),
        "Quantile-IMED": QuantileIMED(tau),
        REFERENCE: acp,
        f"{REFERENCE} auto": acp.replace(scale="auto"),
        "Quantile-UCB": QuantileUCB(alpha),
        "QUCB": QUCB(tau),
        "UCB-CP U": UCBCP("U", alpha=alpha, **levels_around(alpha)),
    }


def _for_the_mean(instance: Instance) -> dict[str, Policy]:
    sd = max(arm.sd for arm in instance.arms)
    told = {"KL-UCB (sd)": KLUCB("gaussian", sd=sd)} if 0 < sd < math.inf else {}
    return {
        "UCB1": UCB1(),
        "UCB1-NORMAL": UCB1Normal(),
        **told,
        "UCB-V (span 1)": UCBV(1.0),
        "Thompson sampling": ThompsonSampling("gaussian"),
    }


def own_objective(policy: Policy) -> Objective | None:
    """Return what the policy plays for, as it is set; None if it is no objective of ours.

    >>> own_objective(ACPUCB1(0.2))
    UpperTail(alpha=0.2)
    """
    match policy:
        case ACPUCB1() | QuantileUCB():
            return UpperTail(policy.alpha) if policy.tail == "upper" else LowerTail(policy.alpha)
        case UCBCP() if policy.score in ("U", "L"):
            return UpperTail(policy.alpha) if policy.score == "U" else LowerTail(policy.alpha)
        case KLQUCB() | QuantileTS() | QuantileIMED() | QUCB():
            return Quantile(policy.tau)
        case UCB1() | UCB1Normal() | KLUCB() | UCBV() | ThompsonSampling():
            return Mean()
        case MVLCB() | ExpExp():
            return MeanVariance(policy.rho)
        case MaRaB():
            return CVaR(policy.level)
        case _:
            return None


def plays_for(policy: Policy, objective: Objective) -> bool:
    """Tell whether the objective is the policy's own; an endpoint is the quantile of its level.

    >>> plays_for(KLQUCB(0.95), UpperTail(0.1))
    True
    """
    own = own_objective(policy)
    if own == objective:
        return True
    levels = [getattr(each, "tau", math.nan) for each in (own, objective)]
    return math.isclose(*levels, rel_tol=0, abs_tol=1e-12)
