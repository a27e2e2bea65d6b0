"""Two policies on the same reward tables: paired differences, and the linear transfer cost."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..objectives import Mean, Objective, UpperTail
from ..simulation.runs import Curve, Runs, half_width
from ..text import plus_minus
from .claim import Claim, Verdict, steady
from .settings import ACP, MEAN_BASED

NEAR_ONE = (3 / 4, 4 / 3)  # a ratio that we call "near 1"
SLOWING = 0.6  # a ratio of growth that we call "well below 1"
ORDER_CHECK = (
    "Paired differences of the final regrets: holds if the 95 % interval of their mean lies above "
    "0, with a note if only the mean does."
)


class Difference(NamedTuple):
    """The mean of paired differences and the half-width of its 95 % interval."""

    mean: float
    half: float  # NaN if there is one replication only

    def __str__(self) -> str:
        return plus_minus(steady(self.mean), steady(self.half))

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is positive, surely or only on average."""
        if self.mean - self.half > 0:
            return Verdict.HOLDS
        return Verdict.NOTE if self.mean > 0 else Verdict.FAILS


def excess(worse: Curve, better: Curve) -> Difference:
    """Return by how much the final regret of `worse` exceeds that of `better`."""
    difference = worse.final - better.final
    return Difference(float(difference.mean()), float(half_width(difference)))


def ratio_of(part: float, whole: float) -> float:
    """Return part / whole, infinite if there is no whole."""
    return part / whole if whole > 0 else math.inf


class Halves(NamedTuple):
    """How often each arm is pulled per round in the first and in the last half of a run."""

    first: NDArray[np.float64]  # (R, K)
    last: NDArray[np.float64]  # (R, K)


def halves(runs: Runs, policy: str) -> Halves:
    """Return the shares of the arms in each half."""
    middle = int(np.searchsorted(runs.rounds, runs.horizon // 2))
    pulls, split = runs.pulls[policy], int(runs.rounds[middle])
    early = pulls[:, middle]
    return Halves(early / split, (pulls[:, -1] - early) / (runs.horizon - split))


class Pace(NamedTuple):
    """How fast a policy's regret grows under an objective."""

    rate: Difference  # regret per round in the last half
    ratio: float  # growth in the last half relative to the first: 1 if linear


def pace(runs: Runs, policy: str, objective: Objective) -> Pace:
    """Return the regret's growth over the last half, and relative to the first."""
    gaps = objective.gaps(runs.arms)
    first, last = (share @ gaps for share in halves(runs, policy))
    rate = Difference(float(last.mean()), float(half_width(last)))
    return Pace(rate, ratio_of(float(last.mean()), float(first.mean())))


def transfer_cost(runs: Runs, alpha: float) -> Claim:
    """Judge whether the regret of each policy under the other's metric grows linearly."""
    acp, mean = UpperTail(alpha), Mean()
    across = {
        "UCB1, ACP regret": pace(runs, MEAN_BASED, acp),
        "ACP-UCB1, mean regret": pace(runs, ACP, mean),
    }
    gaps = {
        "UCB1, ACP regret": acp.gaps(runs.arms)[mean.best(runs.arms)],
        "ACP-UCB1, mean regret": mean.gaps(runs.arms)[acp.best(runs.arms)],
    }
    own = {
        "ACP-UCB1, ACP regret": pace(runs, ACP, acp),
        "UCB1, mean regret": pace(runs, MEAN_BASED, mean),
    }
    logarithmic = math.log(2) / math.log(runs.horizon / 2)
    costs = [ratio_of(across[key].rate.mean, gap) for key, gap in gaps.items()]
    return Claim(
        "A policy optimised for one objective may incur a linear transfer cost under the other.",
        "The ratio is regret of the last half of the rounds to that of the first: 1 if growth is "
        f"linear, {logarithmic:.2f} if it is logarithmic. Under the other metric this ratio, and "
        "the growth per round against the gap of the policy's target arm, must be near 1 (0.75 "
        "to 1.33), and under its own metric the ratio below 0.6. With a note if the latter is "
        "still more than twice the logarithmic one: then the policies are still exploring.",
        {key: _describe(found, gaps.get(key)) for key, found in (across | own).items()},
        transfer_verdict(
            [*costs, *(found.ratio for found in across.values())],
            [found.ratio for found in own.values()],
            logarithmic,
        ),
        where="section 5.1",
    )


def transfer_verdict(across: list[float], own: list[float], logarithmic: float) -> Verdict:
    """Judge growth under the other metric, which should be linear, and under a policy's own."""
    low, high = NEAR_ONE
    if not all(low <= ratio <= high for ratio in across) or max(own) > SLOWING:
        return Verdict.FAILS
    return Verdict.HOLDS if max(own) <= 2 * logarithmic else Verdict.NOTE


def _describe(found: Pace, gap: float | None) -> str:
    against = "" if gap is None else f" (gap {gap:.4f})"
    rate = plus_minus(found.rate.mean, found.rate.half, 4)
    return f"{rate} per round in the last half{against}; ratio {found.ratio:.2f}"
