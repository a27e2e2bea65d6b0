"""What a bandit and an experiment both say about their arms."""

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from .. import checks
from ..calibrators import Interval
from ..errors import ParameterError, UnknownNameError
from ..results import Result, Summary, imported
from .best import Best
from .decide import arm_number
from .history import History, history
from .learner import Learner
from .log.event import Columns
from .report import (
    ArmReport,
    Leader,
    best_of_learner,
    confidence_interval,
    estimate,
    leader_of,
    prediction,
    report_of,
)
from .settings import Settings
from .state import ExperimentState

DAILY = 0.95  # the confidence of intervals, unless told otherwise


class Views(Result):
    """What one can ask of the arms. `_look` gives the state while nobody changes it."""

    settings: Settings
    summary_by: ClassVar[str] = "reports.live:live_summary"
    plot_by: ClassVar[str] = "figures.results:plot_live"

    _look: Callable[[], AbstractContextManager[ExperimentState]]
    _title: str  # of the table, before the numbers
    _events: Callable[[], Columns]  # all that happened, for calls inside of `_look`

    def pulls(self, arm: Any, *, by: str | None = None) -> int:
        """Return how many outcomes of the arm were told."""
        with self._look() as state:
            return int(_learner(state, by).learned[arm_number(state, arm)])

    def interval(self, arm: Any, *, by: str | None = None) -> Interval:
        """Return the prediction interval for the arm's next outcome."""
        with self._look() as state:
            found = prediction(_learner(state, by), arm_number(state, arm))
            if found is None:
                raise ParameterError(
                    f"{state.settings.policy.name} keeps no prediction intervals; a policy on "
                    "quantiles, such as KLQUCB or ACPUCB1, does."
                )
        return found

    def quantile(self, arm: Any, *, by: str | None = None) -> float:
        """Return the estimate of the arm's quantile: NaN before the first outcome, ±∞ if it lies
        among failures.
        """
        with self._look() as state:
            _demand_quantile(state)
            found = estimate(_learner(state, by), arm_number(state, arm))
        return math.nan if found is None else found

    def quantile_interval(
        self, arm: Any, confidence: float = DAILY, *, by: str | None = None
    ) -> Interval:
        """Return a confidence interval for the arm's quantile, valid whenever one looks."""
        level = checks.real("confidence", confidence, above=0, below=1)
        with self._look() as state:
            _demand_quantile(state)
            learner = _learner(state, by)
            return confidence_interval(learner, arm_number(state, arm), 1.0 - level)

    @checks.our_keywords
    def best(self, quantile: float | None = None, *, by: str | None = None) -> Best:
        """Return the arm with the best quantile by its confidence bound, and how sure that is.

        It is the arm whose 95 % confidence interval for the quantile has the highest lower end; of
        costs, the lowest upper end. While no arm has enough outcomes for such an end, `arm` is
        None. The quantile is by default the one that is played for.

        Look as often as you like: for a δ and a quantile fixed beforehand, the chance that a wrong
        arm ever gets a confidence of 1 − δ is at most δ, if arms are chosen by earlier outcomes.
        Slow answers that arrive late because they are slow break that, and so does forgetting. A
        policy for small regret seldom pulls bad arms, so `best` may need far more outcomes than if
        arms were used in turn.
        """
        with self._look() as state:
            learner = _learner(state, by)
            if learner.own is None and not hasattr(learner.state, "samples"):
                _demand_quantile(state)
            return best_of_learner(state, learner, _level(state, quantile))

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments that were asked for so far."""
        with self._look() as state:
            return tuple(state.labels[1:])

    def leader(self, confidence: float = DAILY, *, by: str | None = None) -> Leader:
        """Return the arm that `best` names, and whether that is conclusive at this confidence.

        Look as often as you like, and stop when it is; see `best`. In an experiment it is
        determined whenever the outcomes have grown by 5 %, after a correction and after an arm was
        retired, and its confidence does not fall while the arm leads. With a window or a half-life
        that does not hold: `anytime_valid` is False then, and `conclusive` never True.
        """
        level = checks.real("confidence", confidence, above=0, below=1)
        with self._look() as state:
            return leader_of(state, segment_of(state, by), level)

    def report(self, confidence: float = DAILY, *, by: str | None = None) -> list[ArmReport]:
        """Return what is known of each arm.

        The confidence intervals may be looked at at any time, except with a window or a half-life.
        """
        level = checks.real("confidence", confidence, above=0, below=1)
        with self._look() as state:
            return report_of(state, segment_of(state, by), level)

    def counts(self) -> Mapping[str, int]:
        """Return how many asks and outcomes there were, and of which kind."""
        with self._look() as state:
            return dict(state.counts, pending=len(state.pending))

    def summary(self, confidence: float = DAILY, *, by: str | None = None) -> Summary:
        """Return the table that `print` shows, of one segment; its `to_frame` has the numbers."""
        level = checks.real("confidence", confidence, above=0, below=1)
        found: Summary = imported(self.summary_by)(self, level, by)
        return found

    def history(self, confidence: float = DAILY, *, by: str | None = None) -> History:
        """Return each arm's share of the outcomes and its quantile over time, as `plot` draws."""
        level = checks.real("confidence", confidence, above=0, below=1)
        with self._look() as state:
            segment, events = segment_of(state, by), self._events()
        return history(self.settings, events, segment=segment, confidence=level)

    def __bool__(self) -> bool:
        return True  # also before anything was told


def segment_of(state: ExperimentState, by: str | None) -> int:
    """Return the number of a segment; the first is of asks without one."""
    if by is None:
        return 0
    if by not in state.labels[1:]:
        raise UnknownNameError.among("segment", by, state.labels[1:])
    return state.labels.index(by)


def _learner(state: ExperimentState, by: str | None) -> Learner:
    """Return the learner of a segment, a new one if nothing is known of it."""
    if by is None:
        return state.learners[0]
    if by in state.labels[1:]:
        return state.learners[state.labels.index(by)]
    return Learner(state.settings, len(state.arms))


def _demand_quantile(state: ExperimentState) -> None:
    if state.settings.quantile is None:
        raise ParameterError(
            f"{state.settings.policy.name} plays for no quantile, so no outcomes are kept. Make "
            "the bandit with quantile=0.95, or with a policy that does, such as KLQUCB(tau=0.95)."
        )


def _level(state: ExperimentState, quantile: float | None) -> float:
    """Return the level that is given, or else that of what is played for."""
    given = state.settings.quantile if quantile is None else quantile
    if given is None:
        raise ParameterError(
            f"{state.settings.policy.name} plays for no quantile, so best() must be told by "
            "which one to compare arms: best(quantile=0.5) for the median, best(quantile=0.95) for "
            "the p95."
        )
    return checks.real("quantile", given, above=0, below=1)
