"""Figure 1: the same trajectories under two metrics, on Gaussian arms whose best ones differ.

Section "Metric Comparison Results". Settings: appendix, 60 replications for cumulative curves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..figures.layout import panel_figure
from ..figures.regret import MEAN_BOUND, TAIL_BOUND, curve_columns, curve_panel, references
from ..objectives import Mean, UpperTail
from ..policies import UCB1, Policy
from ..simulation.runs import Curve, Runs
from ..text import fixed
from .claim import Claim, Verdict
from .experiment import Experiment, Final, Size, simulate_at
from .paired import ORDER_CHECK, excess, transfer_cost
from .settings import ACP, ALPHA, GAUSSIAN_ARMS, MEAN_BASED, acp_ucb1

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_SIZE = Size(replications=60)
POLICIES: dict[str, Policy] = {ACP: acp_ucb1(ALPHA), MEAN_BASED: UCB1()}
METRICS = {"ACP": UpperTail(ALPHA), "mean": Mean()}
STATED_VALUES = (0.182, 0.247, 0.172)  # the ACP values of the arms that the appendix gives


def run(size: Size = PAPER_SIZE) -> Runs:
    """Play both policies on the Gaussian arms."""
    return simulate_at(size, GAUSSIAN_ARMS, POLICIES)


def curves(runs: Runs) -> dict[str, dict[str, Curve]]:
    """Return each policy's regret curve under each metric."""
    return {metric: runs.regret(objective) for metric, objective in METRICS.items()}


def bounds(runs: Runs) -> dict[str, dict[str, float]]:
    """Return the lower bounds under each metric, as multiples of ln t."""
    return {metric: references(runs.arms, objective) for metric, objective in METRICS.items()}


def draw(runs: Runs) -> Figure:
    """Draw one panel for each metric."""
    titles = {
        "ACP": f"(a) Cumulative ACP regret, α = {ALPHA:g}",
        "mean": "(b) Cumulative mean regret",
    }
    lines = bounds(runs)
    return panel_figure(
        [
            curve_panel(titles[metric], named, lines[metric])
            for metric, named in curves(runs).items()
        ],
        "Regret (reward units)",
    )


def table(runs: Runs) -> dict[str, list[Any]]:
    """Return what is drawn."""
    return curve_columns("metric", curves(runs), bounds(runs))


def finals(runs: Runs) -> list[Final]:
    """Return the last values of the curves."""
    return [
        Final.of(f"Gaussian, α = {ALPHA:g}", metric, policy, curve)
        for metric, named in curves(runs).items()
        for policy, curve in named.items()
    ]


def claims(runs: Runs) -> list[Claim]:
    """Judge what the paper says about this figure."""
    return [_acp_values(runs), _best_arms(runs), *_orders(runs), transfer_cost(runs, ALPHA)]


def _acp_values(runs: Runs) -> Claim:
    values = METRICS["ACP"].values(runs.arms)
    right = all(round(v, 3) == s for v, s in zip(values, STATED_VALUES, strict=True))
    return Claim(
        "At α = 0.1 the ACP values of the arms are approximately 0.182, 0.247 and 0.172.",
        "The quantiles F⁻¹(1 − α/2) of the arms agree to three decimals.",
        {f"arm {j + 1}": fixed(value, 5) for j, value in enumerate(values)},
        Verdict.HOLDS if right else Verdict.FAILS,
        where="appendix A.2",
        exact=True,
    )


def _best_arms(runs: Runs) -> Claim:
    best = {metric: objective.best(runs.arms) + 1 for metric, objective in METRICS.items()}
    return Claim(
        "The first arm is mean-optimal, while the second arm is ACP-optimal.",
        "The arms are ranked by their true values.",
        {f"best arm by {metric}": str(arm) for metric, arm in best.items()},
        Verdict.HOLDS if best == {"ACP": 2, "mean": 1} else Verdict.FAILS,
        where="appendix A.2",
        exact=True,
    )


def _orders(runs: Runs) -> list[Claim]:
    regret = curves(runs)
    acp = excess(regret["ACP"][MEAN_BASED], regret["ACP"][ACP])
    mean = excess(regret["mean"][ACP], regret["mean"][MEAN_BASED])
    return [
        Claim(
            "ACP-UCB1 has smaller ACP-regret.",
            ORDER_CHECK,
            {"ACP regret, UCB1 minus ACP-UCB1": str(acp)},
            acp.verdict,
            where="section 5.1",
        ),
        Claim(
            "Mean-based UCB1 has smaller mean-regret.",
            ORDER_CHECK,
            {"mean regret, ACP-UCB1 minus UCB1": str(mean)},
            mean.verdict,
            where="section 5.1",
        ),
    ]


EXPERIMENT = Experiment(
    name="metrics",
    number=1,
    title="Metric comparison on a Gaussian objective-mismatch instance",
    drawn="Cumulative regret of the same runs under two metrics. The thin dashed line is an "
    f"asymptotic lower bound: in (a) {TAIL_BOUND}; in (b) {MEAN_BOUND}",
    spread="Bands, which may be narrower than the lines,",
    arms={"Gaussian": GAUSSIAN_ARMS},
    policies=POLICIES,
    replications=PAPER_SIZE.replications,
    run=run,
    draw=draw,
    table=table,
    finals=finals,
    claims=claims,
)
