"""Q-SAR's error tables: the top m arms by their quantile, with a fixed budget.

M. Zhang, C. S. Ong, ICML 2021, figure 4.

There are 15 arms |N(0, 2²)|; in group 1 (τ = 0.5) m arms |N(3.5, 2²)|, the best, and 5 exponential
ones of mean 4; in group 2 (τ = 0.8) 5 and m, the latter the best. An answer is wrong if the m arms
found are not the m best. Three of the published budgets of a panel are shown.

Batch elimination is Q-BS in the figure and Q-Batch here. The authors give what is left of a uniform
budget to arms at random, never to the last one; ours gives one pull each to the first arms. That
concerns m = 1, where 21 does not divide the budget. Quantiles are interpolated here, as theirs are;
the library's own rule takes order statistics.

Assumed: published standard errors are √(p (1−p) / 5,000). Where no answer of ours is wrong or
right, the published share gives the standard error. Not in the library: successive rejects on means
(SR and SAR of group 2). Figure 6 (vaccine data) is not reproduced: its data are not in this
repository.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import upperhand as uh
from upperhand._kernels.samples import interpolated_quantile
from upperhand.distributions.base import Array
from upperhand.policies.base import Functions

from . import published
from .judging import Line
from .section import SEED, Comparison, Effort, Section, mean_and_error

RUNS, THEIR_RUNS = 2000, 5000
BUDGETS = {1: (500, 1500, 2500), 5: (1000, 2000, 4000)}
GROUPS = {"0.5": "group 1, τ = 0.5", "0.8": "group 2, τ = 0.8"}


@dataclass(frozen=True)
class AbsoluteNormal(uh.Distribution):
    """The law of |N(loc, scale²)|."""

    family: ClassVar[str] = "absolute-normal"
    loc: float
    scale: float

    @property
    def mean(self) -> float:
        """The mean: not needed here."""
        return math.nan

    @property
    def sd(self) -> float:
        """The standard deviation: not needed here."""
        return math.nan

    def _cdf(self, x: Array) -> Array:
        above, below = (x - self.loc) / self.scale, (-x - self.loc) / self.scale
        return np.where(x > 0, ndtr(above) - ndtr(below), 0.0)

    def _quantile(self, p: Array) -> Array:
        low, high = np.zeros_like(p), np.full_like(p, abs(self.loc) + 40 * self.scale)
        for _ in range(60):
            middle = (low + high) / 2
            enough = self._cdf(middle) >= p
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return abs(rng.normal(self.loc, self.scale, shape))


class Uniform(uh.UniformSampling):
    """Uniform sampling as the authors judge it, by interpolated quantiles."""

    name = "Q-Uniform"


def _recommend(policy: Any, state: Any) -> list[int]:
    values = [
        interpolated_quantile(state.samples, arm, 0, policy.tau) for arm in range(len(state.pulls))
    ]
    return sorted(range(len(values)), key=lambda arm: -values[arm])[: policy.top]


_same = uh.UniformSampling.functions
Uniform.functions = Functions(
    _same.start, _same.index, _same.update, full=_same.full, stop=_same.stop, recommend=_recommend
)


def arms(tau: str, top: int) -> list[uh.Distribution]:
    """Return the arms of a group, in the authors' order; `top` of them are the best."""
    a, b, c = AbsoluteNormal(0, 2), AbsoluteNormal(3.5, 2), uh.Exponential(4)
    middle, last = (top, 5) if tau == "0.5" else (5, top)
    return [a, *[b] * middle, *[a] * 14, *[c] * last]


def policies(tau: float, top: int, budget: int) -> dict[str, uh.Policy]:
    """Return the policies of the figure, by their names there."""
    classes = {"Q-SR": uh.QSR, "Q-SAR": uh.QSAR, "Q-Batch": uh.QBatch, "Q-Uniform": Uniform}
    return {name: cls(tau, budget=budget, top=top) for name, cls in classes.items()}


def section(effort: Effort) -> Section:
    """Return the four simulated panels."""
    runs = effort.of(RUNS, 5)
    lines = []
    for tau in GROUPS:
        for top, budgets in BUDGETS.items():
            for budget in budgets[:1] if effort.quick else budgets:
                lines += _lines(tau, top, budget, runs)
    return Section(
        title="Q-SAR: errors with a fixed budget",
        comparisons=(
            Comparison(
                "Share of wrong answers, figure 4",
                ("arms", "m", "budget", "policy"),
                tuple(lines),
            ),
        ),
    )


def _lines(tau: str, top: int, budget: int, runs: int) -> list[Line]:
    told = {
        row["policy"]: float(row["error"])
        for row in published.rows("q_sar")
        if (row["tau"], row["top"], row["budget"]) == (tau, str(top), str(budget))
    }
    some = {n: p for n, p in policies(float(tau), top, budget).items() if n in told}
    laws = arms(tau, top)
    found = uh.identify(laws, some, cap=budget, replications=runs, seed=SEED, progress=False)
    lines = []
    for name in some:
        wrong: NDArray[np.float64] = found.answers[name].wrong.astype(np.float64)
        share, error = mean_and_error(wrong)
        said = told[name]
        if error == 0:
            error = math.sqrt(said * (1 - said) / runs)
        their = math.sqrt(said * (1 - said) / THEIR_RUNS)
        what = (GROUPS[tau], str(top), f"{budget:,}", name)
        lines.append(Line(what, said, share, their, error))
    return lines
