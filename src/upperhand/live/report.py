"""What is known of each arm, in numbers: for tables, pages and whoever asks."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.samples import rank
from ..calibrators import Interval
from ..calibrators.quantile_sequence import central_ranks
from ..checks import FAILED
from .best import Best, Counted, best_of, counted
from .censored import quantile
from .learner import Learner, finite
from .sketched import around, possible

if TYPE_CHECKING:
    from .state import ExperimentState

Values = NDArray[np.float64]


class ArmReport(NamedTuple):
    """What is known of one arm."""

    arm: Any
    retired: bool
    pulls: int  # outcomes told of it, those forgotten included
    pending: int
    share: float  # of all outcomes
    quantile: float | None  # the estimate; None: nothing is known
    confidence: Interval  # for the quantile, valid whenever one looks
    prediction: Interval | None  # for the next outcome
    coverage: float | None  # the share of outcomes that their prediction interval held
    failed: int  # among what is remembered
    at_least: int  # outcomes of which only a bound is known, likewise


class Leader(NamedTuple):
    """The arm that looks best."""

    arm: Any  # None: no arm has enough outcomes for a confidence bound
    conclusive: bool  # whether its confidence reaches what was asked for
    confidence: float  # that no other arm has a better quantile, whenever one looks
    rival: Any  # the arm that is hardest to rule out
    quantile: float | None
    anytime_valid: bool = True  # whether the confidence holds whenever one looks


def report_of(
    state: "ExperimentState", segment: int, confidence: float, most: int | None = None
) -> list[ArmReport]:
    """Return what is known of each arm of a segment, of the first `most` if that is given."""
    learner = state.learners[segment]
    total = max(learner.outcomes, 1)
    return [
        ArmReport(
            name,
            arm in state.retired,
            int(learner.learned[arm]),
            int(learner.pending[arm]),
            int(learner.learned[arm]) / total,
            estimate(learner, arm),
            confidence_interval(learner, arm, 1.0 - confidence),
            prediction(learner, arm),
            int(learner.covered[arm]) / int(learner.judged[arm]) if learner.judged[arm] else None,
            int(learner.failures[arm]),
            len(learner.cuts[arm]),
        )
        for arm, name in enumerate(state.arms[:most])
    ]


def leader_of(state: "ExperimentState", segment: int, confidence: float) -> Leader:
    """Return which arm leads among those that are not retired, and how surely.

    What is forgotten may have spoken for another arm, so with a window or a half-life the
    confidence does not hold for all times at once, and is never conclusive.
    """
    valid = state.settings.forgetting is None
    if state.follows:
        found = state.looks.get(segment) or Best(None, 0.0, None, state.settings.quantile or 0.5)
    else:
        found = best_of_learner(state, state.learners[segment])
    arm = None if found.arm is None else state.place(found.arm)
    value = None if arm is None else estimate(state.learners[segment], arm)
    sure = valid and found.confidence >= confidence
    return Leader(found.arm, sure, found.confidence, found.rival, value, valid)


def best_of_learner(state: "ExperimentState", learner: Learner, tau: float | None = None) -> Best:
    """Return the arm with the best quantile, with outcomes that are known in part."""
    settings = state.settings
    level = tau if tau is not None else settings.quantile
    arms = [arm for arm in range(len(state.arms)) if arm not in state.retired]
    outcomes = [_outcomes(learner, arm) for arm in arms]  # none if all are retired
    worst, best = [found[0] for found in outcomes], [found[1] for found in outcomes]
    names = [state.arms[arm] for arm in arms]
    ever, minimize = len(state.arms), settings.minimize
    return best_of(names, worst, level or 0.5, minimize=minimize, best=best, ever=ever)


def _outcomes(learner: Learner, arm: int) -> tuple[Counted, Counted]:
    """Return the worst and the best that the arm's outcomes can be."""
    cuts, found = learner.cuts[arm], possible(learner, arm)
    if found is not None:
        least, most = found
    else:
        known = learner.known(arm)
        least = counted(np.append(known, cuts))
        most = counted(np.append(known, np.full(len(cuts), FAILED)))
    return (most, least) if learner.settings.minimize else (least, most)


def estimate(learner: Learner, arm: int) -> float | None:
    """Return the arm's quantile; ±∞ if it lies among failures, None if nothing is known."""
    tau = learner.settings.quantile
    if tau is None:
        return None
    size, cuts = int(learner.samples.size[arm]), learner.cuts[arm]
    if learner.needs_estimate(arm):
        known = learner.known(arm)
        value = quantile(known, cuts, learner.beyond(known, cuts), tau)
    elif size:
        value = learner.ordered(arm, rank(tau, size))
    else:
        return None
    return finite(value)


def confidence_interval(learner: Learner, arm: int, delta: float) -> Interval:
    """Return an interval for the arm's quantile that may be looked at at any time.

    What is known only to be at least so much counts as just that in the lower end, and as +∞ in
    the upper.
    """
    tau, cuts = learner.settings.quantile, learner.cuts[arm]
    size = 0 if tau is None else int(learner.samples.size[arm])
    if tau is None or not size:
        return Interval(-np.inf, np.inf)
    lower, upper = central_ranks(tau, delta, size)
    low, high = -np.inf, np.inf
    if lower > 0 and cuts:
        low = float(np.sort(np.append(learner.known(arm), cuts))[lower - 1])
    elif lower > 0:
        low = around(learner, arm, lower)[0]
    if upper <= size - len(cuts):
        high = float(learner.known(arm)[upper - 1]) if cuts else around(learner, arm, upper)[1]
    return Interval(*(finite(end) for end in (low, high)))


def prediction(learner: Learner, arm: int) -> Interval | None:
    """Return the arm's prediction interval for what comes next, if there is one."""
    ends = learner.interval(arm)
    if ends is None:
        return None
    return Interval(*(finite(end) for end in ends))
