"""Figure 2: the final regret as the nominal level α falls, on the arms of Figure 1.

Section "Nominal-Level Dependency Results". Settings: appendix, 30 replications.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.instances import ALPHAS as ALPHAS
from ..figures.layout import panel_figure
from ..figures.regret import MEAN_BOUND, TAIL_BOUND, references
from ..figures.sweeps import Sweep, sweep_panel
from ..objectives import Mean, Objective, UpperTail
from ..policies import UCB1, Policy
from ..simulation.runs import Curve, Runs
from ..text import columns
from .claim import Claim, Verdict, worst
from .experiment import Experiment, Final, Size, simulate_at
from .paired import ORDER_CHECK, excess, ratio_of
from .settings import ACP, GAUSSIAN_ARMS, MEAN_BASED, acp_ucb1

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_SIZE = Size(replications=30)
SHARPLY = 2.0  # the least ratio that we call a sharp rise


def _acp_at(alpha: float) -> str:
    return f"{ACP}, α = {alpha:.2f}"


POLICIES: dict[str, Policy] = {_acp_at(alpha): acp_ucb1(alpha) for alpha in ALPHAS}
POLICIES[MEAN_BASED] = UCB1()
ByLevel = dict[float, dict[str, Curve]]  # the policies' curves at each level


def run(size: Size = PAPER_SIZE) -> Runs:
    """Play an ACP-UCB1 for each level, and UCB1 once: its choices do not depend on α."""
    return simulate_at(size, GAUSSIAN_ARMS, POLICIES)


@lru_cache(maxsize=1)  # figure, table, last values and claims ask for the same seven regrets
def curves(runs: Runs) -> dict[str, ByLevel]:
    """Return the regret of ACP-UCB1 at each level, and of UCB1, under each metric."""
    mean = runs.regret(Mean())
    regrets = {
        "ACP": {alpha: runs.regret(UpperTail(alpha)) for alpha in ALPHAS},
        "mean": dict.fromkeys(ALPHAS, mean),
    }
    return {
        metric: {
            alpha: {ACP: regret[_acp_at(alpha)], MEAN_BASED: regret[MEAN_BASED]}
            for alpha, regret in by_level.items()
        }
        for metric, by_level in regrets.items()
    }


def bounds(runs: Runs) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the lower bounds at the last round under each metric, one at each level."""
    objectives: dict[str, list[Objective]] = {
        "ACP": [UpperTail(alpha) for alpha in ALPHAS],
        "mean": [Mean() for _ in ALPHAS],
    }
    return {metric: _final_bounds(runs, by_level) for metric, by_level in objectives.items()}


def _final_bounds(runs: Runs, by_level: list[Objective]) -> dict[str, NDArray[np.float64]]:
    found = [references(runs.arms, objective) for objective in by_level]
    return {
        name: np.log(runs.horizon) * np.array([constants.get(name, np.nan) for constants in found])
        for name in found[0]
    }


def draw(runs: Runs) -> Figure:
    """Draw one panel for each metric, α falling to the right."""
    titles = {"ACP": "(a) Final ACP regret", "mean": "(b) Final mean regret"}
    panels, lines = [], bounds(runs)
    for metric, by_level in curves(runs).items():
        sweeps = {p: Sweep.of(named[p] for named in by_level.values()) for p in (ACP, MEAN_BASED)}
        panels.append(sweep_panel(titles[metric], "Nominal level α", ALPHAS, sweeps, lines[metric]))
    return panel_figure(panels, "Regret (reward units)")


def table(runs: Runs) -> dict[str, list[Any]]:
    """Return what is drawn."""
    rows = [
        (metric, alpha, policy, curve.mean[-1], curve.low[-1], curve.high[-1])
        for metric, alpha, policy, curve in _cells(runs)
    ]
    rows += [
        (metric, alpha, name, value, np.nan, np.nan)
        for metric, named in bounds(runs).items()
        for name, values in named.items()
        for alpha, value in zip(ALPHAS, values, strict=True)
    ]
    return columns(("metric", "alpha", "policy", "mean", "low", "high"), rows)


def finals(runs: Runs) -> list[Final]:
    """Return the values drawn."""
    return [
        Final.of(f"Gaussian, α = {alpha:.2f}", metric, policy, curve)
        for metric, alpha, policy, curve in _cells(runs)
    ]


def claims(runs: Runs) -> list[Claim]:
    """Judge what the paper says about this figure."""
    regret = curves(runs)
    return [
        _sensitivity(runs),
        _order("ACP-UCB1 continues to have smaller final ACP-regret.", regret["ACP"], ACP),
        _order(
            "Mean-based UCB1 continues to have smaller final mean-regret.",
            regret["mean"],
            MEAN_BASED,
        ),
        _sharp_rise(regret["ACP"]),
    ]


def _sensitivity(runs: Runs) -> Claim:
    target = Mean().best(runs.arms)
    gaps = {alpha: UpperTail(alpha).gaps(runs.arms)[target] for alpha in ALPHAS}
    return Claim(
        "As α decreases, the ACP objective moves farther into the upper tail and becomes more "
        "sensitive to reward variability.",
        "The true ACP gap of the mean-optimal arm grows at each step.",
        {f"gap at α = {alpha:.2f}": f"{gap:.4f}" for alpha, gap in gaps.items()},
        Verdict.HOLDS if np.all(np.diff(list(gaps.values())) > 0) else Verdict.FAILS,
        where="section 5.2",
        exact=True,
    )


def _order(statement: str, by_level: ByLevel, better: str) -> Claim:
    worse = MEAN_BASED if better == ACP else ACP
    differences = {a: excess(named[worse], named[better]) for a, named in by_level.items()}
    return Claim(
        f"{statement} (At every α.)",
        ORDER_CHECK,
        {f"{worse} minus {better} at α = {a:.2f}": str(d) for a, d in differences.items()},
        worst(difference.verdict for difference in differences.values()),
        where="section 5.2",
    )


def _sharp_rise(by_level: ByLevel) -> Claim:
    final = {
        policy: np.array([named[policy].final.mean() for named in by_level.values()])
        for policy in (MEAN_BASED, ACP)
    }
    ratios = {policy: ratio_of(values[-1], values[0]) for policy, values in final.items()}
    return Claim(
        "The ACP-regret of mean-based UCB1 increases sharply for smaller α.",
        "It grows at each step, and from the largest to the smallest α at least twofold; with a "
        "note if it grows at each step, but less.",
        {f"{policy}, α = 0.05 to α = 0.30": f"ratio {r:.1f}" for policy, r in ratios.items()},
        rise_verdict(final[MEAN_BASED]),
        where="section 5.2",
    )


def rise_verdict(values: NDArray[np.float64]) -> Verdict:
    """Judge whether the values rise sharply."""
    if np.any(np.diff(values) <= 0):
        return Verdict.FAILS
    return Verdict.HOLDS if values[-1] >= SHARPLY * values[0] else Verdict.NOTE


def _cells(runs: Runs) -> Iterator[tuple[str, float, str, Curve]]:
    """Yield the curves one by one, with their metric, level and policy."""
    for metric, by_level in curves(runs).items():
        for alpha, named in by_level.items():
            for policy, curve in named.items():
                yield metric, alpha, policy, curve


EXPERIMENT = Experiment(
    name="levels",
    number=2,
    title="Final regret as the nominal level α varies",
    drawn="Final regret under each metric. UCB1 is simulated once, as its index has no α: its mean "
    "regret is the same at every level. The thin dashed line is an asymptotic lower bound at the "
    f"last round t: in (a) {TAIL_BOUND}; in (b) {MEAN_BOUND}",
    spread="Bars, which may be smaller than the markers,",
    arms={"Gaussian": GAUSSIAN_ARMS},
    policies=POLICIES,
    replications=PAPER_SIZE.replications,
    run=run,
    draw=draw,
    table=table,
    finals=finals,
    claims=claims,
)
