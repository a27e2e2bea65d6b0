"""The state of live use: events in, choices out. `Bandit` and `Experiment` both run it.

`apply` is the only thing that changes it, and it needs nothing but the event: times are those that
were logged. So the state is the replay of its log, to the bit, whoever wrote it. `decide` looks at
it and says which events to append.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .. import checks
from .best import Best
from .choosing import Streams
from .learner import Learner
from .log.event import OUTCOMES, Event, Kind
from .report import best_of_learner
from .settings import UNITS, Settings, numbered, place_of
from .trial import ASKS

# The numbers of outcomes at which to look which arm leads: the ⌈1.05^k⌉
LOOKS = tuple(dict.fromkeys(-(-(21**k) // 20**k) for k in range(600)))
ASKED, TOLD = int(Kind.ASKED), int(Kind.TOLD)  # members of an enumeration are slow to look up


class Pending(NamedTuple):
    """What is known of an ask that is under way."""

    segment: int
    arm: int
    at: float
    key: str | None = None  # a hash of what the user keeps the same arm for


def pending(segment: int, arm: int, at: float, key: str | None) -> Pending:
    """Return the same as the class does, in half the time."""
    return tuple.__new__(Pending, (segment, arm, at, key))


class ExperimentState:
    """What is known after the events so far."""

    def __init__(
        self,
        settings: Settings,
        corrections: Mapping[int, tuple[int, float]] | None = None,
        *,
        follows: bool = True,
    ) -> None:
        self.settings = settings
        # Whether to look now and then which arm leads; what is forgotten may speak for another.
        self.follows = follows and settings.quantile is not None and settings.forgetting is None
        self.looks: dict[int, Best] = {}  # by segment, the last one
        self.corrections = dict(corrections or {})  # kind and value that a trial really had
        self.n, self.at = 0, 0.0  # of the last event
        self.arms = list(settings.arms)
        self.numbers = numbered(self.arms)  # of those that are hashable
        self.retired: set[int] = set()
        self.epochs: dict[int, int] = {}  # of each opening, the highest ask
        self.labels = [""]  # of the segments; the first is for asks without one
        self.learners = [Learner(settings, len(self.arms))]
        self.pending: dict[int, Pending] = {}  # by trial number, the oldest first
        self.released: dict[int, Pending] = {}  # expired or given back, and not told of since
        self.sticky: dict[tuple[int, str], list[int]] = {}  # trials under way of a segment and key
        self.pinned: int | None = None
        self.copied = False  # and not opened since
        self.shares: dict[int, float] = {}
        self.least = 0.0
        self.counts = dict.fromkeys(COUNTED, 0)
        self.streams = Streams(settings.seed)
        self.active: list[int] | None = None  # arms that may be asked for; None: all of them

    def names(self) -> list[Any]:
        """Return the arms that may be asked for."""
        return [name for arm, name in enumerate(self.arms) if arm not in self.retired]

    def place(self, arm: Any) -> int | None:
        """Return the place of an arm, a number also by its text, as shells and files have it."""
        found = place_of(self.arms, self.numbers, arm)
        if found is None and isinstance(arm, str):
            found = self.numbers.get(checks.number_in(arm))
        return found

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        self.tick(event.at)
        self.take(event)

    def take(self, event: Event) -> None:
        """Take in an event; time stands still."""
        kind, trial, segment, arm, value, at, extra = event
        if kind == ASKED:
            self.take_ask(trial, segment, arm, extra)
        elif kind in OUTCOMES:
            self.take_outcome(trial, segment, arm, value, kind, at)
        else:
            self.n += 1
            _APPLY[kind](self, event)

    def tick(self, at: float) -> None:
        """Let time go on: leases end, and rewards are forgotten."""
        if at > self.at:
            self.at = at
        if self.pending and self.settings.lease is not None:
            self.expire(self.at)
        rule = self.settings.forgetting
        if rule is not None and rule.unit == "seconds":
            for learner in self.learners:
                if learner.due[0] and learner.due[0][0][0] <= self.at:
                    learner.forget_until(self.at)

    def ages(self, segment: int, now: float) -> Mapping[int, list[float]]:
        """Return how long the arms' requests have been running, if that is what is measured."""
        unit = self.settings.duration
        found: dict[int, list[float]] = {}
        if unit is not None:
            for asked in self.pending.values():
                if asked.segment == segment and now > asked.at:
                    found.setdefault(asked.arm, []).append((now - asked.at) * UNITS[unit])
        return found

    def stream_key(self, trial: int) -> int:
        """Return the key of the next choice's random numbers: what opening again cannot change."""
        return ASKS + self.counts["asked"] + 1 if self.settings.by_count else trial

    def deadline(self, at: float) -> float | None:
        """Return when an ask of this time is released."""
        return None if self.settings.lease is None else at + self.settings.lease

    def over(self, asked: Pending, now: float) -> bool:
        """Tell whether the lease of an ask is over."""
        lease = self.settings.lease
        return lease is not None and asked.at + lease < now

    def expire(self, now: float) -> None:
        """Release the asks whose time is over; the oldest come first."""
        while self.pending:
            trial, asked = next(iter(self.pending.items()))
            if not self.over(asked, now):
                return
            self._release(trial)
            self.counts["expired"] += 1

    def _release(self, trial: int) -> None:
        """Take an ask off the pending ones; its outcome may still come, late."""
        self.released[trial] = self.end(trial)._replace(key=None)  # nobody holds the arm by it

    def end(self, trial: int) -> Pending:
        """Take an ask off the pending ones; return it."""
        asked = self.pending.pop(trial)
        segment, arm, _, key = asked
        self.learners[segment].released(arm)
        if key is not None:
            held = self.sticky[segment, key]
            held.remove(trial)
            if not held:
                del self.sticky[segment, key]
        return asked

    # Most events are asks and outcomes: what these say can be taken in without one

    def take_ask(
        self, trial: int, segment: int, arm: int, extra: dict[str, Any] | None = None
    ) -> None:
        """Take in an ask; time stands still."""
        self.n += 1
        epoch, ask = divmod(trial, ASKS)
        if ask > self.epochs.get(epoch, 0):
            self.epochs[epoch] = ask
        self.counts["asked"] += 1
        self.learners[segment].asks += 1
        self.note_pending(trial, segment, arm, self.at, extra)

    def take_outcome(
        self, trial: int, segment: int, arm: int, value: float, kind: int = TOLD, at: float = 0.0
    ) -> None:
        """Take in an outcome, of now or of an earlier time; time stands still."""
        at = at or self.at
        self.n += 1
        if trial:
            self.note_outcome(trial)
        if trial in self.corrections:
            kind, value = self.corrections[trial]
        learner = self.learners[segment]
        self.counts["outcomes"] += 1
        if kind == TOLD:
            learner.learn(arm, value, at)
        elif kind == Kind.AT_LEAST:
            self.counts["at_least"] += 1
            learner.learn_at_least(arm, value, at)
        else:
            self.counts["failed"] += 1
            learner.learn(arm, self.settings.failed, at)
        if at < self.at:  # by its time, it may be forgotten already
            learner.forget_until(self.at)
        if learner.outcomes >= learner.look_at and self.follows:
            self.look(segment)

    def look(self, segment: int, *, again: bool = False) -> None:
        """Note which arm leads, and how surely: the most that it was since it leads.

        That is valid, as its confidence is valid at all times at once. `again` begins anew, after
        what was known has changed.
        """
        learner = self.learners[segment]
        found, before = best_of_learner(self, learner), self.looks.get(segment)
        if before is not None and not again and before.arm == found.arm:
            found = found._replace(confidence=max(found.confidence, before.confidence))
        self.looks[segment] = found
        learner.look_at = LOOKS[bisect_right(LOOKS, learner.outcomes)]

    def _corrected(self, event: Event) -> None:
        # What was told is corrected already: see `replay.py`
        if self.follows:
            self.look(event.segment, again=True)

    # One method for each other kind of event

    def _nothing(self, event: Event) -> None:
        pass

    def _opened(self, event: Event) -> None:
        self.epochs[int(event.value)] = 0
        self.copied = False

    def _copied(self, _event: Event) -> None:
        self.copied = True
        self.epochs = dict.fromkeys(self.epochs, ASKS)  # further ids are the original's

    def _clock(self, event: Event) -> None:
        """Put time back to what another clock says: the one before was ahead."""
        self.at = event.at
        for asks in (self.pending, self.released):
            for trial, ask in asks.items():
                asks[trial] = ask._replace(at=min(ask.at, event.at))
        for learner in self.learners:
            learner.put_back(event.value)

    def note_pending(
        self, trial: int, segment: int, arm: int, at: float, extra: dict[str, Any] | None
    ) -> None:
        """Put an ask among the pending ones."""
        key = None
        if extra is not None:
            key = extra.get("key")
            self.counts["resting"] += extra.get("how") == "failures"
            if key is not None:
                self.sticky.setdefault((segment, key), []).append(trial)
        self.pending[trial] = pending(segment, arm, at, key)
        self.learners[segment].asked(arm)

    def note_outcome(self, trial: int) -> None:
        """Take a trial off the pending ones, or count its outcome as late or of a lost ask."""
        if trial in self.pending:
            self.end(trial)
        elif trial in self.released:
            del self.released[trial]
            self.counts["late"] += 1
        elif trial > 0:
            self.counts["lost"] += 1

    def _released(self, event: Event) -> None:
        self.give_back(event.trial)

    def give_back(self, trial: int) -> None:
        """Release a trial that nobody will tell of."""
        if trial in self.pending:
            self._release(trial)
            self.counts["given_back"] += 1

    def _segment(self, event: Event) -> None:
        self.labels.append(_extra(event)["label"])
        self.learners.append(Learner(self.settings, len(self.arms)))

    def _added(self, event: Event) -> None:
        self.arms.append(_extra(event)["name"])
        self.numbers[self.arms[-1]] = len(self.arms) - 1
        for learner in self.learners:
            learner.add_arm()
        self.list_active()

    def _retired(self, event: Event) -> None:
        if event.value:
            self.retired.add(event.arm)
        else:
            self.retired.discard(event.arm)
        self.list_active()
        for segment, learner in enumerate(self.learners):
            if self.follows and learner.outcomes:
                self.look(segment, again=True)

    def list_active(self) -> None:
        """Note which arms may be asked for, after one was added or retired."""
        arms = [arm for arm in range(len(self.arms)) if arm not in self.retired]
        self.active = arms if self.retired else None

    def _pinned(self, event: Event) -> None:
        self.pinned = event.arm if event.arm >= 0 else None

    def _shares(self, event: Event) -> None:
        self.least = event.value
        self.shares = {int(arm): share for arm, share in _extra(event)["shares"].items()}

    def _defaulted(self, event: Event) -> None:
        self.counts["defaulted"] += int(event.value)


def _extra(event: Event) -> dict[str, Any]:
    return event.extra or {}


COUNTED = (
    "asked", "outcomes", "expired", "late", "lost", "failed", "at_least", "given_back",
    "defaulted", "resting",
)  # fmt: skip

_APPLY: dict[int, Callable[[ExperimentState, Event], None]] = {
    Kind.CREATED: ExperimentState._nothing,
    Kind.OPENED: ExperimentState._opened,
    Kind.RELEASED: ExperimentState._released,
    Kind.ADDED: ExperimentState._added,
    Kind.RETIRED: ExperimentState._retired,
    Kind.PINNED: ExperimentState._pinned,
    Kind.SHARES: ExperimentState._shares,
    Kind.CORRECTED: ExperimentState._corrected,
    Kind.NOTE: ExperimentState._nothing,
    Kind.LEADER: ExperimentState._nothing,  # of older logs
    Kind.DEFAULTED: ExperimentState._defaulted,
    Kind.SEGMENT: ExperimentState._segment,
    Kind.CLOCK: ExperimentState._clock,
    Kind.COPIED: ExperimentState._copied,
}
