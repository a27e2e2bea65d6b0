"""What the theory says of an instance, as plain data: the card of `upperhand theory`."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution, Normal
from ..distributions.registry import named_distributions
from ..errors import AssumptionError, ParameterError
from ..files import versions
from ..objectives import Mean, UpperTail, best_arms, oriented
from ..policies import ACPUCB1
from ..results import finite, frame, imported
from . import assumption_1, gaussian, lower_bounds, theorem_1, ucb1
from .assumption_1 import LocalConstants
from .population import Arms, q_high, q_low
from .quantile_policies import covered, pulls, regret_of, theorem

Array = NDArray[np.float64]
Part = dict[str, Any]

USUAL = {"scale": "unit", "calibrator": None, "sketch": None}  # Theorem 1 is about no others
SUB_GAUSSIAN = 0.5  # the largest standard deviation of Gaussian arms that UCB1's bound covers


class Card(dict[str, Any]):
    """What the theory says of an instance: plain data, which prints as the tables of the CLI."""

    def __repr__(self) -> str:
        report = imported("reports.theory:theory_report")(self)
        return str(imported("reports.markdown:to_text")(report)).strip("\n")

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each arm: its distribution, values and gaps."""
        heads = {"name": "arm", "law": "distribution", "sd": "sd"}
        rows = [{head: arm[key] for key, head in heads.items()} for arm in self["arms"]]
        for row, arm in zip(rows, self["arms"], strict=True):
            row |= arm["values"] | {f"{key}_gap": gap for key, gap in arm["gaps"].items()}
        return frame(rows)


@checks.our_keywords
def theory_card(
    arms: Any,
    policy: ACPUCB1 | None = None,
    horizon: int = 10_000,
    *,
    minimize: bool = False,
    r_y: float | None = None,
    r_s: float | None = None,
) -> Card:
    """Return what the theory says of the arms, as JSON-able values.

    A part that does not apply (the utility path to arms that are not Gaussian, Theorem 1 to atoms,
    Theorems Q1 to Q3 to an exact tie) is `{"fails": reason}` instead of numbers. What is infinite
    or unknown is None.

    Parameters
    ----------
    arms
        Two or more, in any form that `simulate` takes.
    policy
        An ACP-UCB1, by default with its usual settings. Its α values the arms, and its b, λ and
        initial pulls stand next to what Theorem 1 needs.
    horizon
        The n at which bounds are evaluated.
    minimize
        The arms pay costs, and the lowest upper endpoint is best. Theorem 1 holds for the mirrored
        policy, as the upper endpoint of a cost is the lower one of its negative, negated.
    r_y, r_s
        The radii of Assumption 1; by default the smallest that Theorem 1 allows, max Δ_j / 4.
    """
    named = named_distributions(arms)
    arms = tuple(named.values())
    if len(arms) < 2:
        raise ParameterError(f"An instance has two arms or more; got {len(arms)}.")
    policy = ACPUCB1() if policy is None else policy
    if not isinstance(policy, ACPUCB1):
        raise ParameterError(f"Theorem 1 is about ACP-UCB1; got {policy!r}.")
    if policy.tail != "upper":
        raise ParameterError(
            "The theory is about the upper end of the interval; got tail='lower'. Leave tail out. "
            "If low values are good, as for costs, say minimize=True or --minimize."
        )
    n, alpha = checks.integer("horizon", horizon, least=2), policy.alpha
    objectives = {"tail": UpperTail(alpha), "mean": Mean()}
    defined = {key: o for key, o in objectives.items() if key == "tail" or o.is_defined(arms)}
    values = {key: objective.values(arms) for key, objective in defined.items()}
    gaps = {key: oriented(objective, minimize).gaps(arms) for key, objective in defined.items()}
    tail, no_path = gaps["tail"], {"fails": "It is about rewards, and these arms pay costs."}
    card = {
        "alpha": alpha,
        "horizon": n,
        "minimize": minimize,
        "objectives": {key: o.label for key, o in objectives.items()},
        "arms": [
            {
                "name": name,
                "law": repr(arm),
                "spec": arm.spec(),
                "sd": arm.sd,
                "q_low": q_low(arm, alpha),
                "q_high": q_high(arm, alpha),
                "values": {key: each[j] for key, each in values.items()},
                "gaps": {key: each[j] for key, each in gaps.items()},
            }
            for j, (name, arm) in enumerate(named.items())
        ],
        "best": {key: best_arms(each) for key, each in gaps.items()},
        "transfer": {  # what the best arm of one objective loses per round under the other
            "acp_arm_in_mean": gaps["mean"][best_arms(tail)].min(),
            "mean_arm_in_acp": tail[best_arms(gaps["mean"])].min(),
        }
        if "mean" in gaps
        else None,
        "path": no_path if minimize else _unless_it_fails(lambda: _path(arms, alpha)),
        "theorem": _unless_it_fails(lambda: _theorem(arms, policy, n, tail, r_y, r_s, minimize)),
        "no_adaptation": _unless_it_fails(lambda: _no_adaptation(arms, alpha, tail, r_y)),
        "bounds": _bounds(arms, UpperTail(alpha).tau, n, gaps, minimize),
        "proved": _unless_it_fails(lambda: _proved(arms, UpperTail(alpha).tau, n, tail, minimize)),
        "versions": versions(),
    }
    return Card(_plain(card))


def moments(arms: Arms) -> tuple[list[float], list[float]]:
    """Return the means and standard deviations of Gaussian arms; refuse any other."""
    for j, arm in enumerate(arms):
        if not isinstance(arm, Normal):
            raise AssumptionError(
                "mean + κ sd leads from the mean to the ACP value for Gaussian arms only; arm "
                f"{j} is {arm!r}."
            )
    return [arm.mean for arm in arms], [arm.sd for arm in arms]


def _path(arms: Arms, alpha: float) -> Part:
    """Return the utility path of Gaussian arms, and what A alone or M alone loses along it."""
    (means, sds), a = moments(arms), gaussian.path_end(alpha)
    acp, mean = gaussian.targets(means, sds, a)
    part: Part = {"a": a, "envelope": [], "worst": {}, "average": {}, "mismatch": None}
    for kappa, arm in zip(*gaussian.envelope(means, sds, a), strict=True):
        part["envelope"].append({"kappa": kappa, "arm": arm})
    for name, arm in {"D_A": acp, "D_M": mean}.items():
        part["worst"][name] = gaussian.worst_shortfall(means, sds, arm, a)
        part["average"][name] = gaussian.average_shortfall(means, sds, arm, a)
    if acp != mean:  # the trade-off of the two arms (section 4.3.2)
        delta_mu, delta_sigma = means[mean] - means[acp], sds[acp] - sds[mean]
        part["mismatch"] = {
            "delta_mu": delta_mu,
            "delta_sigma": delta_sigma,
            "kappa_0": gaussian.kappa_0(delta_mu, delta_sigma),
            "two_arm_envelope": gaussian.is_two_arm_envelope(means, sds, a),
            "acp_is_minimax": gaussian.is_acp_minimax(a, delta_mu, delta_sigma),
        }
    return part


def _theorem(
    arms: Arms,
    policy: ACPUCB1,
    n: int,
    gaps: Array,
    r_y: float | None,
    r_s: float | None,
    minimize: bool,
) -> Part:
    """Return Theorem 1's constants, needs and side conditions for these arms and settings.

    For Gaussian arms there are two sets of constants: the appendix's closed form, and the best.
    """
    radius, window = theorem_1.least_radius(gaps), (policy.level_min, policy.level_max)
    radii = {"r_y": radius if r_y is None else r_y, "r_s": radius if r_s is None else r_s}
    constants: dict[str, LocalConstants] = {}
    with _naming_the_radius(arms, radius):
        best = assumption_1.local_constants(arms, policy.alpha, window, **radii)
        if all(isinstance(arm, Normal) for arm in arms):
            sds = [arm.sd for arm in arms]
            constants["appendix"] = assumption_1.gaussian_constants(sds, window, **radii)
    constants["best"] = best
    least = {source: theorem_1.b_0(each.f_min, each.g_min) for source, each in constants.items()}
    needs = {source: _needs(b, constants[source], gaps, n) for source, b in least.items()}
    nominal = assumption_1.nominal_density(arms, policy.alpha, r_y=radii["r_y"])
    needs["proof"] = _needs(theorem_1.b_of_the_proof(nominal, best.g_min), best, gaps, n)
    settings: Part = {"b": policy.b, "lam": policy.lam, "init": policy.init, "horizon": n}
    given = {name: getattr(policy, name) for name in USUAL}
    other = [f"{name}={value!r}" for name, value in given.items() if value != USUAL[name]]
    tested = policy.b and not other
    conditions = theorem_1.side_conditions(gaps, best, **settings) if tested else ()
    return {
        "window": list(window),
        "settings": settings,
        "constants": {
            source: {
                **each._asdict(),
                "h_min": theorem_1.h_min(each.f_min, each.g_min),
                "rho": theorem_1.rho(each.r_y, each.r_s),
            }
            for source, each in constants.items()
        },
        "needs": needs,
        "conditions": [each._asdict() for each in conditions],
        "trivial_regret": n * float(gaps.max()),
        "logarithmic_constants": []
        if minimize
        else _logarithmic_constants(arms, policy.alpha, least["best"]),
        **({"not_about": other} if other else {}),
    }


def _needs(b: float, constants: LocalConstants, gaps: Array, n: int) -> Part:
    """Return what the theorem asks for at this b, and its formulas for pulls and regret at n."""
    rho = theorem_1.rho(constants.r_y, constants.r_s)
    applies = rho >= theorem_1.least_radius(gaps) / 2  # otherwise s_0 exceeds the formulas
    regret = theorem_1.regret_bound(n, b, gaps) if applies else None
    return {
        "b": b,
        "lam": theorem_1.lambda_max(b, constants.g_min),
        "init": theorem_1.s_loc(n, b, rho),
        "horizon": theorem_1.smallest_horizon(len(gaps), b, rho),
        "regret": regret,
        "empty": regret is not None and regret > n * float(gaps.max()),  # any policy does as well
        "pulls": [theorem_1.pull_bound(n, b, d) if applies and d > 0 else None for d in gaps],
    }


def _no_adaptation(arms: Arms, alpha: float, gaps: Array, r_y: float | None) -> Part:
    """Return what the theorem's proof needs if η = 0 (ours): a density at the upper end alone."""
    least = theorem_1.least_radius(gaps)
    radius = least if r_y is None else r_y
    with _naming_the_radius(arms, least):
        f_min = assumption_1.endpoint_density(arms, alpha, r_y=radius)
    b = theorem_1.b_without_adaptation(f_min)
    horizon = theorem_1.smallest_horizon(len(gaps), b, radius / 2)
    init = horizon // len(gaps)  # s_loc of the least horizon
    return {"f_min": f_min, "r_y": radius, "b": b, "init": init, "horizon": horizon}


@contextmanager
def _naming_the_radius(arms: Arms, least: float) -> Iterator[None]:
    """Add to a refusal which radii are too small for the theorem."""
    try:
        yield
    except AssumptionError as error:
        if not all(arm.has_density for arm in arms):  # no radius would help
            raise
        raise AssumptionError(
            f"{error} Theorem 1 needs radii of at least max Δ_j / 4 = {least:.6g}."
        ) from error


def _logarithmic_constants(arms: Arms, alpha: float, b: float) -> list[Part]:
    """Return γ^ACP at an admissible b, and γ^UCB, of each arm j ≠ A where A = M (section 4.3.3)."""
    a = gaussian.path_end(alpha)
    try:
        means, sds = map(np.array, moments(arms))
        acp, mean = gaussian.targets(means, sds, a)
    except AssumptionError:  # arms that are not Gaussian, or two that share the best mean
        return []
    if acp != mean:
        return []
    others = np.delete(np.arange(len(arms)), acp)
    sd, mean_gap = sds[others], means[acp] - means[others]
    gap = gaussian.acp_gap(mean_gap, a, sds[acp], sd)
    columns = {
        "arm": others,
        "gamma_acp": gaussian.gamma_acp(b, gap),
        "gamma_ucb": gaussian.gamma_ucb(sd, mean_gap),
        "gap_ratio": gaussian.gap_ratio(gap, mean_gap),
        "least_gap_ratio": gaussian.least_gap_ratio(b, sd, mean_gap),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _bounds(arms: Arms, tau: float, n: int, gaps: dict[str, Array], minimize: bool) -> Part:
    """Return lower bounds per ln n and at n, and UCB's upper bounds on the mean regret at n.

    A bound above n · max Δ_j, the most that any policy can lose, is empty.
    """
    normal = all(isinstance(arm, Normal) for arm in arms)
    lower = [("tail", "all laws", lower_bounds.quantile_pulls(arms, tau, minimize=minimize))]
    if normal:
        bound = lower_bounds.gaussian_quantile_pulls(arms, tau, minimize=minimize)
        lower.append(("tail", "Gaussian, variances unknown", bound))
    if lower_bounds.has_mean_bound(arms):
        known = lower_bounds.mean_pulls(arms, minimize=minimize)
        lower.append(("mean", "Gaussian, variances known" if normal else "Bernoulli", known))
    if normal:
        unknown = lower_bounds.mean_pulls(arms, variance="unknown", minimize=minimize)
        lower.append(("mean", "Gaussian, variances unknown", unknown))
    upper = {}
    if all(map(_has_hoeffding, arms)):
        upper["UCB1"] = float(ucb1.ucb1_regret_bound(n, gaps["mean"]))
    if normal:
        sds = [arm.sd for arm in arms]
        upper["UCB1-NORMAL"] = float(ucb1.ucb1_normal_regret_bound(n, gaps["mean"], sds))
    most, parts = {key: n * float(each.max()) for key, each in gaps.items()}, []
    for key, name, bound in lower:
        behind = gaps[key] > 0
        per_log = float(np.sum(bound[behind] * gaps[key][behind]))
        part = {"objective": key, "laws": name, "regret_per_log": per_log}
        part["regret"] = regret = per_log * math.log(n)
        part["empty"] = most[key] < regret < math.inf
        parts.append(part | {"pulls": (bound * math.log(n)).tolist()})
    empty = [name for name, regret in upper.items() if regret > most["mean"]]
    return {"lower": parts, "upper": upper, "empty": empty}


def _has_hoeffding(arm: Distribution) -> bool:
    """Tell whether Hoeffding's inequality holds for the arm as for rewards in [0, 1]."""
    if isinstance(arm, Normal):
        return arm.sd <= SUB_GAUSSIAN
    return arm.quantile(1.0) - arm.quantile(0.0) <= 1


def _proved(arms: Arms, tau: float, n: int, gaps: Array, minimize: bool) -> Part:
    """Return the bound of each policy that a theorem covers; a best arm's pulls have none."""
    most, parts = n * float(gaps.max()), []
    for name, policy in covered(tau).items():
        bounds = pulls(policy, arms, n, minimize=minimize)
        total = regret_of(bounds, arms, tau, minimize=minimize)
        part = {"policy": name, "theorem": theorem(policy), "regret": total}
        parts.append(part | {"empty": 0 < most <= total, "pulls": bounds.tolist()})
    return {"policies": parts}


def _unless_it_fails(part: Callable[[], Part]) -> Part:
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
    if isinstance(value, np.generic):
        value = value.item()
    return finite(value)
