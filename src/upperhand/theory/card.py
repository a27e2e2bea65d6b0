"""The card of an instance: values and gaps, the utility path, Theorem 1, bounds, guarantees.

Bounds on the card: what no policy can beat, and what mean-based UCB is known to do.

The Gaussian comparison on the card: where mean and tail part, and what either choice costs.

What is proved of our policies on the card: bounds on tail regret and on pulls at n rounds.

Theorem 1 on the card: its constants, and what it asks for next to the policy's settings.

What the theory says of an instance, in plain numbers: the card of `upperhand theory`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution, Normal
from ..distributions.registry import as_distributions
from ..errors import AssumptionError, ParameterError
from ..files import versions
from ..objectives import Mean, UpperTail, best_of, oriented
from ..policies import ACPUCB1
from . import assumption_1, gaussian, lower_bounds, population, theorem_1, ucb1
from .assumption_1 import LocalConstants
from .population import laws
from .quantile_policies import covered, pulls, regret_of, theorem
from .theorem_1 import side_conditions

SUB_GAUSSIAN = 0.5  # the largest standard deviation of Gaussian arms that UCB1's bound covers


def bounds_part(
    arms: Sequence[Distribution], alpha: float, n: int, minimize: bool = False
) -> dict[str, Any]:
    """Return lower bounds per ln n and at n, and UCB's upper bounds on the mean regret at n.

    No policy loses more than n · max Δ_j: an upper bound above that says nothing, nor does a lower
    one, which n is too small for. They are empty.
    """
    tau = UpperTail(alpha).tau
    most = n * float(oriented(UpperTail(alpha), minimize).gaps(arms).max())
    tails = _tail_lower_bounds(arms, tau, n, most, minimize)
    if not Mean().is_defined(arms):
        return {"lower": tails, "upper": {}, "empty": []}
    most = n * float(oriented(Mean(), minimize).gaps(arms).max())
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
    gaps, bounds = oriented(Mean(), minimize).gaps(arms), {}
    if all(map(_has_hoeffding, arms)):
        bounds["UCB1"] = float(ucb1.ucb1_regret_bound(n, gaps))
    if all(isinstance(arm, Normal) for arm in arms):
        sds = [arm.sd for arm in arms]
        bounds["UCB1-NORMAL"] = float(ucb1.ucb1_normal_regret_bound(n, gaps, sds))
    return bounds


def _has_hoeffding(arm: Distribution) -> bool:
    """Tell whether Hoeffding's inequality holds for the arm as for rewards in [0, 1]."""
    if isinstance(arm, Normal):
        return arm.sd <= SUB_GAUSSIAN
    return arm.quantile(1.0) - arm.quantile(0.0) <= 1


def path_part(arms: Sequence[Distribution], alpha: float) -> dict[str, Any]:
    """Return the utility path of Gaussian arms, and the losses of A and M along it."""
    means, sds = moments(arms)
    a = gaussian.path_end(alpha)
    acp, mean = gaussian.targets(means, sds, a)
    kinks, best = gaussian.envelope(means, sds, a)
    by_name = {"D_A": acp, "D_M": mean}
    return {
        "a": a,
        "envelope": [
            {"kappa": float(kappa), "arm": int(arm)} for kappa, arm in zip(kinks, best, strict=True)
        ],
        "worst": {
            name: gaussian.worst_shortfall(means, sds, arm, a) for name, arm in by_name.items()
        },
        "average": {
            name: gaussian.average_shortfall(means, sds, arm, a) for name, arm in by_name.items()
        },
        "mismatch": None if acp == mean else _mismatch(means, sds, a, acp, mean),
    }


def _mismatch(
    means: list[float], sds: list[float], a: float, acp: int, mean: int
) -> dict[str, Any]:
    """Return the trade-off of two arms that the objectives do not agree on (section 4.3.2)."""
    delta_mu, delta_sigma = means[mean] - means[acp], sds[acp] - sds[mean]
    return {
        "delta_mu": delta_mu,
        "delta_sigma": delta_sigma,
        "kappa_0": float(gaussian.kappa_0(delta_mu, delta_sigma)),
        "two_arm_envelope": gaussian.is_two_arm_envelope(means, sds, a),
        "acp_is_minimax": bool(gaussian.is_acp_minimax(a, delta_mu, delta_sigma)),
    }


def moments(arms: Sequence[Distribution]) -> tuple[list[float], list[float]]:
    """Return the means and standard deviations of Gaussian arms; refuse any other."""
    for j, arm in enumerate(laws(arms)):
        if not isinstance(arm, Normal):
            raise AssumptionError(
                "mean + κ sd leads from the mean to the ACP value for Gaussian arms only; arm "
                f"{j + 1} is {arm!r}."
            )
    return [arm.mean for arm in arms], [arm.sd for arm in arms]


def proved_part(
    arms: Sequence[Distribution], alpha: float, n: int, minimize: bool = False
) -> dict[str, Any]:
    """Return the bound of each policy that a theorem covers; a best arm's pulls have none.

    A bound of n · max Δ_j or more says nothing: it is empty.
    """
    tail = UpperTail(alpha)
    most = n * float(oriented(tail, minimize).gaps(arms).max())
    found = []
    for name, policy in covered(tail.tau).items():
        bounds = pulls(policy, arms, n, minimize=minimize)
        total = regret_of(bounds, arms, tail.tau, minimize=minimize)
        found.append(
            {
                "policy": name,
                "theorem": theorem(policy),
                "regret": total,
                "empty": 0 < most <= total,
                "pulls": bounds.tolist(),
            }
        )
    return {"policies": found}


def theorem_part(
    arms: Sequence[Distribution],
    policy: ACPUCB1,
    n: int,
    r_y: float | None,
    r_s: float | None,
    minimize: bool = False,
) -> dict[str, Any]:
    """Return the theorem's constants, needs and side conditions for these arms and settings.

    Of Gaussian arms there are two sets of constants: the appendix's closed form, and the best ones.
    """
    gaps = oriented(UpperTail(policy.alpha), minimize).gaps(arms)
    radius = theorem_1.least_radius(gaps)
    radii = {"r_y": radius if r_y is None else r_y, "r_s": radius if r_s is None else r_s}
    constants = _constants(arms, policy, radii, gaps)
    best = constants["best"]
    least = {source: theorem_1.b_0(each.f_min, each.g_min) for source, each in constants.items()}
    needs = {source: _needs(b, constants[source], gaps, n) for source, b in least.items()}
    nominal = assumption_1.nominal_density(arms, policy.alpha, r_y=radii["r_y"])
    needs["proof"] = _needs(theorem_1.b_of_the_proof(nominal, best.g_min), best, gaps, n)
    return {
        "window": [policy.level_min, policy.level_max],
        "settings": {"b": policy.b, "lam": policy.lam, "init": policy.init, "horizon": n},
        "constants": {source: _with_derived(each) for source, each in constants.items()},
        "needs": needs,
        "conditions": _conditions(gaps, best, policy, n),
        "trivial_regret": n * float(gaps.max()),
        "logarithmic_constants": []
        if minimize
        else _logarithmic_constants(arms, policy.alpha, least["best"]),
    }


def no_adaptation_part(
    arms: Sequence[Distribution], alpha: float, r_y: float | None, minimize: bool = False
) -> dict[str, Any]:
    """Return what the theorem's proof needs if η = 0 (ours): a density at the upper end alone.

    The initial pulls are those at the least horizon.
    """
    gaps = oriented(UpperTail(alpha), minimize).gaps(arms)
    radius = theorem_1.least_radius(gaps) if r_y is None else r_y
    with _naming_the_radius(arms, gaps):
        f_min = assumption_1.endpoint_density(arms, alpha, r_y=radius)
    b, rho = theorem_1.b_without_adaptation(f_min), radius / 2
    horizon = theorem_1.smallest_horizon(len(gaps), b, rho)
    init = horizon // len(gaps)  # s_loc of the least horizon
    return {"f_min": f_min, "r_y": radius, "b": b, "init": init, "horizon": horizon}


def _constants(
    arms: Sequence[Distribution],
    policy: ACPUCB1,
    radii: dict[str, float],
    gaps: NDArray[np.float64],
) -> dict[str, LocalConstants]:
    window = policy.level_min, policy.level_max
    with _naming_the_radius(arms, gaps):
        best = assumption_1.local_constants(arms, policy.alpha, window, **radii)
        if not all(isinstance(arm, Normal) for arm in arms):
            return {"best": best}
        sds = [arm.sd for arm in arms]
        return {"appendix": assumption_1.gaussian_constants(sds, window, **radii), "best": best}


@contextmanager
def _naming_the_radius(arms: Sequence[Distribution], gaps: NDArray[np.float64]) -> Iterator[None]:
    """Add to a refusal which radii are too small for the theorem."""
    try:
        yield
    except AssumptionError as error:
        if not all(arm.has_density for arm in arms):  # no radius would help
            raise
        least = theorem_1.least_radius(gaps)
        raise AssumptionError(
            f"{error} Theorem 1 needs radii of at least max Δ_j / 4 = {least:.6g}."
        ) from error


def _with_derived(constants: LocalConstants) -> dict[str, float]:
    return {
        **constants._asdict(),
        "h_min": theorem_1.h_min(constants.f_min, constants.g_min),
        "rho": theorem_1.rho(constants.r_y, constants.r_s),
    }


def _needs(
    b: float, constants: LocalConstants, gaps: NDArray[np.float64], n: int
) -> dict[str, Any]:
    """Return what the theorem asks for at this b, and its formulas for pulls and regret at n."""
    rho = theorem_1.rho(constants.r_y, constants.r_s)
    covered = rho >= theorem_1.least_radius(gaps) / 2  # otherwise s_0 exceeds the formulas
    regret = float(theorem_1.regret_bound(n, b, gaps)) if covered else None
    return {
        "b": b,
        "lam": theorem_1.lambda_max(b, constants.g_min),
        "init": theorem_1.s_loc(n, b, rho),
        "horizon": theorem_1.smallest_horizon(len(gaps), b, rho),
        "regret": regret,
        "empty": regret is not None and regret > n * float(gaps.max()),  # any policy does as well
        "pulls": [  # nothing bounds those of the best arm
            float(theorem_1.pull_bound(n, b, gap)) if covered and gap > 0 else None for gap in gaps
        ],
    }


def _conditions(
    gaps: NDArray[np.float64], constants: LocalConstants, policy: ACPUCB1, n: int
) -> list[dict[str, Any]]:
    """Return the side conditions at the policy's settings; without a bonus there are none."""
    if policy.b == 0:
        return []
    checked = side_conditions(
        gaps, constants, b=policy.b, lam=policy.lam, init=policy.init, horizon=n
    )
    return [each._asdict() for each in checked]


def _logarithmic_constants(
    arms: Sequence[Distribution], alpha: float, b: float
) -> list[dict[str, float]]:
    """Return γ^ACP at an admissible b, and γ^UCB, of each arm j ≠ A where A = M (section 4.3.3)."""
    if not all(isinstance(arm, Normal) for arm in arms):
        return []
    (means, sds), a = moments(arms), gaussian.path_end(alpha)
    try:
        acp, mean = gaussian.targets(means, sds, a)
    except AssumptionError:  # two arms share the best mean
        return []
    if acp != mean:
        return []
    others = np.array([j for j in range(len(arms)) if j != acp])
    sd, mean_gap = np.array(sds)[others], means[acp] - np.array(means)[others]
    gap = gaussian.acp_gap(mean_gap, a, sds[acp], sd)
    columns = {
        "arm": others,
        "gamma_acp": gaussian.gamma_acp(b, gap),
        "gamma_ucb": gaussian.gamma_ucb(sd, mean_gap),
        "gap_ratio": gaussian.gap_ratio(gap, mean_gap),
        "least_gap_ratio": gaussian.least_gap_ratio(b, sd, mean_gap),
    }
    return [
        {name: values[i].item() for name, values in columns.items()} for i in range(len(others))
    ]


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
    arms = as_distributions(arms)
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
    gaps = {key: oriented(objective, minimize).gaps(arms) for key, objective in defined.items()}
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
