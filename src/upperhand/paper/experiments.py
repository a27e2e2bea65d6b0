"""The paper's three experiments: arms, policies, what is drawn, and the table of it.

Settings: appendix, "Algorithms and implementation" and "Data generation".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.instances import ALPHA, ALPHAS, FAMILIES, GAUSSIAN_ARMS
from ..comparison.result import lower_bound
from ..distributions import Distribution
from ..figures.layout import panel_figure
from ..figures.regret import (
    LOWER_BOUND,
    MEAN_BOUND,
    TAIL_BOUND,
    curve_panel,
    curve_rows,
    references,
    sweep_panel,
)
from ..objectives import Mean, Objective, UpperTail
from ..policies import ACPUCB1, UCB1, Policy
from ..simulation.runs import Curve, Runs
from ..simulation.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HORIZON = 10_000
ACP, MEAN_BASED = ACPUCB1.name, UCB1.name  # the two policies of every figure


def acp_ucb1(alpha: float) -> ACPUCB1:
    return ACPUCB1(alpha, b=1.0, eta=0.01, lam=1.0, level_min=1e-4, level_max=0.5, init=2)


def _acp_at(alpha: float) -> str:
    return f"{ACP}, α = {alpha:.2f}"


class Size(NamedTuple):
    """How large a run is, and who works on it; the numbers do not depend on the workers."""

    replications: int
    horizon: int = HORIZON
    seed: int = 0
    workers: int | None = None
    progress: bool | None = None


class Final(NamedTuple):
    """A policy's final regret under a metric, on arms that the setting names."""

    setting: str
    metric: str
    policy: str
    curve: Curve


Played = Mapping[str, Runs]  # the runs of an experiment, by the names of its instances


@dataclass(frozen=True)
class _Experiment:
    """One figure of the paper: what is played and shown."""

    name: str
    number: int
    title: str  # the paper's caption
    drawn: str  # what the figure shows, for a caption
    spread: str  # what shows the intervals
    arms: Mapping[str, tuple[Distribution, ...]]  # by the name of the instance
    policies: dict[str, Policy]  # by the names that their results have
    replications: int

    @property
    def stem(self) -> str:
        return f"figure-{self.number}-{self.name}"

    def run(self, size: Size) -> dict[str, Runs]:
        return {
            name: simulate(arms, self.policies, **size._asdict())
            for name, arms in self.arms.items()
        }

    def is_below(self, size: Size) -> bool:
        return size.replications < self.replications or size.horizon < HORIZON


class Shown(NamedTuple):
    """What a panel shows: the regret of an instance's runs under an objective."""

    title: str
    instance: str
    metric: str
    objective: Objective


@dataclass(frozen=True)
class CurvesExperiment(_Experiment):
    """A figure of regret curves: a panel for each metric or family."""

    column: str  # of the table: what the panels differ in
    panels: dict[str, Shown]
    label: str  # of the y axes
    share_y: bool = False

    def curves(self, played: Played) -> dict[str, dict[str, Curve]]:
        return {
            key: played[panel.instance].regret(panel.objective)
            for key, panel in self.panels.items()
        }

    def bounds(self, played: Played) -> dict[str, dict[str, float]]:
        """Return the lower bounds in each panel, as multiples of ln t."""
        return {
            key: references(played[panel.instance].arms, panel.objective)
            for key, panel in self.panels.items()
        }

    def draw(self, played: Played) -> Figure:
        bounds = self.bounds(played)
        panels = [
            curve_panel(self.panels[key].title, named, bounds[key], log=False)
            for key, named in self.curves(played).items()
        ]
        return panel_figure(panels, self.label, share_y=self.share_y, lettered=True)

    def table(self, played: Played) -> list[tuple[Any, ...]]:
        return curve_rows(self.column, self.curves(played), self.bounds(played))

    def finals(self, played: Played) -> list[Final]:
        return [
            Final(f"{panel.instance}, α = {ALPHA:g}", panel.metric, policy, curve)
            for panel, named in zip(self.panels.values(), self.curves(played).values(), strict=True)
            for policy, curve in named.items()
        ]


ByLevel = dict[float, dict[str, Curve]]  # the policies' curves at each level


@lru_cache(maxsize=1)  # the figure, the table, the final regrets and the claims use them
def level_curves(runs: Runs) -> dict[str, ByLevel]:
    regrets = {
        "ACP": {alpha: runs.regret(UpperTail(alpha)) for alpha in ALPHAS},
        "mean": dict.fromkeys(ALPHAS, runs.regret(Mean())),
    }
    return {
        metric: {
            alpha: {ACP: regret[_acp_at(alpha)], MEAN_BASED: regret[MEAN_BASED]}
            for alpha, regret in by_level.items()
        }
        for metric, by_level in regrets.items()
    }


class LevelsExperiment(_Experiment):
    """The figure of final regret against the level α, which falls to the right."""

    def draw(self, played: Played) -> Figure:
        (runs,) = played.values()
        panels, bounds = [], self.bounds(runs)
        for metric, by_level in level_curves(runs).items():
            curves = {p: [named[p] for named in by_level.values()] for p in (ACP, MEAN_BASED)}
            title = f"Final {metric} regret"
            panels.append(sweep_panel(title, "Nominal level α", ALPHAS, curves, bounds[metric]))
        return panel_figure(panels, "Regret (reward units)", lettered=True)

    def bounds(self, runs: Runs) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Return the lower bounds at the last round under each metric, one at each level."""
        tail = [lower_bound(runs.arms, UpperTail(alpha)) for alpha in ALPHAS]
        slopes = {"ACP": tail, "mean": [lower_bound(runs.arms, Mean())] * len(ALPHAS)}
        log_n = np.log(runs.horizon)
        return {metric: {LOWER_BOUND: log_n * np.array(each)} for metric, each in slopes.items()}

    def table(self, played: Played) -> list[tuple[Any, ...]]:
        (runs,) = played.values()
        rows: list[tuple[Any, ...]] = [("metric", "alpha", "policy", "mean", "low", "high")]
        rows += [
            (metric, alpha, policy, curve.mean[-1], curve.low[-1], curve.high[-1])
            for metric, alpha, policy, curve in _level_cells(runs)
        ]
        rows += [
            (metric, alpha, name, value, np.nan, np.nan)
            for metric, named in self.bounds(runs).items()
            for name, values in named.items()
            for alpha, value in zip(ALPHAS, values, strict=True)
        ]
        return rows

    def finals(self, played: Played) -> list[Final]:
        (runs,) = played.values()
        return [
            Final(f"Gaussian, α = {alpha:.2f}", metric, policy, curve)
            for metric, alpha, policy, curve in _level_cells(runs)
        ]


Experiment = CurvesExperiment | LevelsExperiment


def _level_cells(runs: Runs) -> Iterator[tuple[str, float, str, Curve]]:
    """Yield the curves one by one, with their metric, level and policy."""
    for metric, by_level in level_curves(runs).items():
        for alpha, named in by_level.items():
            for policy, curve in named.items():
                yield metric, alpha, policy, curve


POLICIES: dict[str, Policy] = {ACP: acp_ucb1(ALPHA), MEAN_BASED: UCB1()}

# Section "Metric Comparison Results": the same runs under two metrics.
METRICS = CurvesExperiment(
    name="metrics",
    number=1,
    title="Metric comparison on a Gaussian objective-mismatch instance",
    drawn="Cumulative regret of the same runs under two metrics. The legend has the asymptotic "
    f"lower bound, which is a slope in ln t: in (a) {TAIL_BOUND}; in (b) {MEAN_BOUND}",
    spread="Bands, which may be narrower than the lines,",
    arms={"Gaussian": GAUSSIAN_ARMS},
    policies=POLICIES,
    replications=60,
    column="metric",
    panels={
        "ACP": Shown(f"Cumulative ACP regret, α = {ALPHA:g}", "Gaussian", "ACP", UpperTail(ALPHA)),
        "mean": Shown("Cumulative mean regret", "Gaussian", "mean", Mean()),
    },
    label="Regret (reward units)",
)

# Section "Nominal-Level Dependency Results". UCB1 is played once: its choices do not depend on α.
LEVELS = LevelsExperiment(
    name="levels",
    number=2,
    title="Final regret as the nominal level α varies",
    drawn="Final regret under each metric. UCB1 is simulated once, as its index has no α: its mean "
    "regret is the same at every level. The thin dashed line is an asymptotic lower bound at the "
    "last round t, where it is below the regrets of all policies: "
    f"in (a) {TAIL_BOUND}; in (b) {MEAN_BOUND}",
    spread="Bars, which may be smaller than the markers,",
    arms={"Gaussian": GAUSSIAN_ARMS},
    policies={_acp_at(alpha): acp_ucb1(alpha) for alpha in ALPHAS} | {MEAN_BASED: UCB1()},
    replications=30,
)

# Section "Distributional Robustness Results": heavy and skewed tails.
ROBUSTNESS = CurvesExperiment(
    name="families",
    number=3,
    title="Distributional robustness under cumulative ACP-regret",
    drawn=f"Cumulative ACP regret at α = {ALPHA:g}. The legend has the asymptotic lower bound, "
    f"which is a slope in ln t: {TAIL_BOUND}",
    spread="Bands, which may be narrower than the lines,",
    arms=FAMILIES,
    policies=POLICIES,
    replications=30,
    column="family",
    panels={family: Shown(family, family, "ACP", UpperTail(ALPHA)) for family in FAMILIES},
    label="ACP regret (reward units)",
    share_y=True,
)

EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in (METRICS, LEVELS, ROBUSTNESS)}
