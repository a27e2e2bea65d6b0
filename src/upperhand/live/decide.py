"""What a command is answered with, and which events it appends.

`decide` is a function of the state, the command and the context: it writes nothing. Only what a
policy keeps to choose faster may change in it, and no answer depends on that.

A choice is made in this order: the arm that is pinned; the arm that the same key has under way; a
share, at random; else the policy. The probability that is logged is that of the arm under the
mixture of shares and policy.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import __version__
from ..errors import ConflictError, ParameterError, UnknownNameError
from .choosing import CHANCES, CHOICE, SHARES, pick, prepare
from .learner import Learner
from .log.event import Event, Kind
from .outcomes import Outcome
from .settings import LONGEST_NAME, MOST_ARMS
from .state import ExperimentState, Pending
from .trial import EPOCHS, ID, Trial, TrialId, parse_id


class Context:
    """What a decision depends on besides the state: the time, and what is in the log."""

    __slots__ = ("epoch", "now", "outcome")

    def __init__(
        self, now: float, epoch: int | None, outcome: Callable[[int], Event | None]
    ) -> None:
        self.now = now
        self.epoch = epoch  # of this process, if it has asked
        self.outcome = outcome  # of a trial that is not under way: a look into the store


# What can be wanted of an experiment


class Ask(NamedTuple):
    """An arm to use."""

    among: tuple[Any, ...] | None = None
    by: str | None = None
    key: str | None = None
    default: Any = None  # must be an arm, too


class Tell(NamedTuple):
    """An outcome of a trial."""

    identity: TrialId
    outcome: Outcome


class TellArm(NamedTuple):
    """An outcome without an ask, which is known by a random key below 0 if it comes again."""

    arm: Any
    outcome: Outcome
    by: str | None
    key: int


class TellNamed(NamedTuple):
    """An outcome of an arm or, if the name is an id, of a trial."""

    name: Any
    outcome: Outcome
    by: str | None
    key: int


class Record(NamedTuple):
    """Outcomes without asks."""

    arms: Sequence[Any]
    outcomes: Sequence[Outcome]
    at: Sequence[float] | None
    by: str | None


class Release(NamedTuple):
    """A trial that will have no outcome."""

    identity: TrialId


class Correct(NamedTuple):
    """What an outcome really was."""

    identity: TrialId
    outcome: Outcome


class AddArm(NamedTuple):
    """An arm more."""

    name: Any


class Retire(NamedTuple):
    """An arm that is not asked for any more."""

    name: Any


class Pin(NamedTuple):
    """The arm that every ask gets; None: choose again."""

    name: Any


class Share(NamedTuple):
    """The shares of the asks that arms get at random."""

    shares: Mapping[Any, float]
    least: float


class Note(NamedTuple):
    """A text for the log."""

    text: str


class Clock(NamedTuple):
    """The time by this machine's clock, for a log that is ahead of it."""

    now: float


class Defaulted(NamedTuple):
    """How many asks got a default arm while the store was away."""

    arms: Mapping[Any, int]
    since: float


Command = (
    Ask | Tell | TellArm | TellNamed | Record | Release | Correct | AddArm | Retire | Pin | Share
    | Note | Clock | Defaulted
)  # fmt: skip
RESERVED = 2**20  # epochs behind the one that a copy takes at random, for openings to come
Decision = tuple[Any, Sequence[Event]]  # the answer, and events


def decide(state: ExperimentState, command: Command, context: Context) -> Decision:
    """Return the answer to a command, and the events that come of it."""
    return _DECISIONS[type(command)](state, command, context)


# Asks


class Choice(NamedTuple):
    """An arm, the probability that it had, and how that is known."""

    arm: int
    chance: float
    how: str
    resting: bool = False  # no candidate's quantile is known: the choice rests on who fails least
    hits: int | None = None  # of so many repeated draws, those that gave this arm


def _ask(state: ExperimentState, ask: Ask, context: Context) -> Decision:
    now = context.now
    if ask.default is not None:
        arm_number(state, ask.default)
    candidates = among(state, ask.among)
    segment, events = (0, []) if ask.by is None else _segment(state, ask.by, now)
    key = None if ask.key is None else _hashed(ask.key)
    epoch = context.epoch
    if epoch is None:
        epoch = _opening(state, now, events)
    number = state.epochs.get(epoch, 0) + 1
    choice = choice_of(state, segment, candidates, key, TrialId(epoch, number, 0).number, now)
    identity = TrialId(epoch, number, choice.arm, segment)
    how = "failures" if choice.resting else choice.how
    extra: dict[str, Any] = {} if how == "deterministic" else {"how": how}
    if choice.hits is not None:
        extra["hits"], extra["draws"] = choice.hits, state.settings.draws
    if ask.among is not None:
        extra["among"] = candidates
    if key is not None:
        extra["key"] = key
    events.append(
        Event(Kind.ASKED, identity.number, segment, choice.arm, choice.chance, now, extra or None)
    )
    trial = Trial(
        str(identity), state.arms[choice.arm], state.deadline(now), choice.chance, how, now,
        ask.by or "",
    )  # fmt: skip
    vars(trial)["identity"] = identity
    return trial, events


def _opening(state: ExperimentState, now: float, events: list[Event]) -> int:
    """Return the epoch that a process takes for its asks, and add the event that says so."""
    epoch = max(state.epochs, default=0) + 1
    if state.copied:  # the original may have taken that one since, and others
        epoch += secrets.randbelow(max(EPOCHS - RESERVED - epoch, 1))
    if epoch >= EPOCHS:
        raise ParameterError(
            f"This experiment was opened {epoch - 1:,} times, and there are no more ids. "
            "Begin another, and carry the data over: upperhand export, upperhand import."
        )
    program = {"upperhand": __version__, "numpy": np.__version__}
    events.insert(0, Event(Kind.OPENED, 0, 0, -1, float(epoch), now, program))
    return epoch


def among(state: ExperimentState, names: Iterable[Any] | None) -> list[int] | None:
    """Return the candidates in the order of the arms; None: every arm there is."""
    if names is None:
        active = state.active
        if active is not None and not active:
            raise ParameterError("Every arm is retired. Add one by add_arm, or take one back.")
        return active
    wanted = list(names)
    arms = sorted({arm_number(state, name) for name in wanted} - state.retired)
    if not arms:
        raise ParameterError(
            f"among must name at least one arm that is not retired; got {wanted!r}. "
            f"There are: {', '.join(map(str, state.names())) or 'none'}."
        )
    return arms


def choice_of(
    state: ExperimentState,
    segment: int,
    candidates: list[int] | None,
    key: str | None,
    number: int,
    now: float,
) -> Choice:
    """Return what a trial is answered with, at its time."""
    state.tick(now)  # as the ask's own event will
    if state.pinned is not None or key is not None:
        found = _predetermined(state, segment, candidates, key)
        if found is not None:
            return found
    return choose(state, segment, candidates, number, now)


def _predetermined(
    state: ExperimentState, segment: int, candidates: list[int] | None, key: str | None
) -> Choice | None:
    """Return the choice that is made already: an arm that is pinned, or that the key has."""
    allowed = range(len(state.arms)) if candidates is None else candidates
    if state.pinned is not None and state.pinned in allowed:
        return Choice(state.pinned, 1.0, "pinned")
    same = state.sticky.get((segment, key)) if key is not None else None
    if same:
        arm = state.pending[same[-1]].arm
        if arm in allowed:
            return Choice(arm, 1.0, "sticky")
    return None


def choose(
    state: ExperimentState, segment: int, candidates: list[int] | None, trial: int, now: float
) -> Choice:
    """Return the arm for a trial, pins and keys apart."""
    learner = state.learners[segment] if segment < len(state.learners) else _learner(state, segment)
    draws, streams = learner.draws, state.streams
    if not draws and state.settings.duration is None and not state.shares and not state.least:
        prepared = prepare(learner, candidates)
        arm = pick(learner, prepared, None)
        return Choice(arm, 1.0, "deterministic", prepared.least is not None)
    key = state.stream_key(trial)
    prepared = prepare(learner, candidates, state.ages(segment, now))
    resting = prepared.least is not None
    arm = pick(learner, prepared, streams.at(key, CHOICE) if draws else None)
    shares = _shares(state, candidates)
    own = 1.0 - sum(shares.values())  # what is left to the policy
    played = arm
    if shares:
        point = float(streams.at(key, SHARES).random())
        for other, share in shares.items():
            point -= share
            if point < 0.0:
                arm = other
                break
    repeats = state.settings.draws
    if draws and not resting and repeats:
        hits = sum(
            pick(learner, prepared, streams.at(key, CHANCES + i)) == arm for i in range(repeats)
        )
        counted = hits + (arm == played)  # the choice itself is one draw of the policy's
        chance = shares.get(arm, 0.0) + own * counted / (repeats + 1)
        return Choice(arm, chance, "monte-carlo", resting, hits)
    if draws and not resting:
        return Choice(arm, 0.0, "not computed", resting)
    chance = shares.get(arm, 0.0) + own * (arm == played)
    return Choice(arm, chance, "exact" if shares else "deterministic", resting)


def _shares(state: ExperimentState, candidates: list[int] | None) -> dict[int, float]:
    """Return the share that each candidate gets at random, whatever the policy says."""
    if not state.shares and not state.least:
        return {}
    arms = range(len(state.arms)) if candidates is None else candidates
    return {arm: state.shares.get(arm, state.least) for arm in arms}


def _hashed(key: str) -> str:
    """Return a key as it is logged: what users are called stays out of the log."""
    return hashlib.blake2b(str(key).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# Outcomes


def _tell(state: ExperimentState, tell: Tell, context: Context) -> Decision:
    """Take in the outcome of a trial; answer "told", "late", "lost" or, if it is known, "again"."""
    (identity, outcome), now = tell, context.now
    number, status = identity.number, "told"
    asked = state.pending.get(number)
    if asked is None:
        asked, status = state.released.get(number), "late"
    elif state.over(asked, now):  # the outcome's own event will release it
        status = "late"
    if asked is None:
        before = context.outcome(number)
        if before is not None:
            refuse_misread(state, identity, before.segment, before.arm)
            _refuse_another(state, identity, before, outcome)
            return "again", ()
        _refuse_unasked(state, identity, context)
        asked, status = Pending(identity.segment, identity.arm, now), "lost"
    elif state.counts["lost"] and context.outcome(number) is not None:
        raise ConflictError(
            f"Trial {str(identity)!r} was told before it was asked for, by somebody who made up "
            "its id. What was told then counts; give this one back."
        )
    refuse_misread(state, identity, asked.segment, asked.arm)
    if outcome.kind != Kind.TOLD:
        state.learners[asked.segment].refuse_unknown(outcome.kind)
    event = Event(outcome.kind, number, asked.segment, asked.arm, outcome.value, now)
    return status, (event,)


def refuse_misread(state: ExperimentState, identity: TrialId, segment: int, arm: int) -> None:
    """Refuse an id that names another arm or segment than its ask was answered with."""
    if segment != identity.segment or arm != identity.arm:
        raise UnknownNameError(
            f"No trial has the id {str(identity)!r}: that ask was answered with arm "
            f"{state.arms[arm]!r}. Tell the id as it was given."
        )


def _refuse_another(
    state: ExperimentState, identity: TrialId, told: Event, outcome: Outcome
) -> None:
    """Refuse a second outcome that differs from the first, and from what that was corrected to."""
    if outcome in ((told.kind, told.value), state.corrections.get(identity.number)):
        return
    raise ConflictError(
        f"Trial {str(identity)!r} was told before: {said(told.kind, told.value)}, and now "
        f"{said(outcome.kind, outcome.value)}. The first one counts; to change it, write "
        "correct(trial, value)."
    )


def said(kind: int, value: float) -> str:
    """Write an outcome."""
    if kind == Kind.FAILED:
        return "failed"
    return f"at least {value:g}" if kind == Kind.AT_LEAST else f"{value:g}"


def _refuse_unasked(state: ExperimentState, identity: TrialId, context: Context) -> None:
    """Refuse a trial that nobody asked for; one that a power cut may have lost is believed."""
    last = state.epochs.get(identity.epoch)
    lost = last is not None and identity.ask > last and identity.epoch != context.epoch
    known = identity.arm < len(state.arms) and identity.segment < len(state.labels)
    if not (lost and known):
        raise UnknownNameError(
            f"No trial has the id {str(identity)!r} in this experiment. Is it of another one? "
            'To tell what an arm did without an ask, write tell(arm="…", value=…).'
        )


def _tell_named(state: ExperimentState, tell: TellNamed, context: Context) -> Decision:
    name, outcome, by, key = tell
    named, is_id = state.place(name) is not None, isinstance(name, str) and ID.fullmatch(name)
    if named and is_id:
        raise ParameterError(
            f"{name!r} is an arm, and may be the id of a trial. Write tell(arm={name!r}, …) or "
            f"tell(trial={name!r}, …)."
        )
    if not named and not is_id:
        raise UnknownNameError.among("trial or arm", name, state.names())
    if named:
        return _tell_arm(state, TellArm(name, outcome, by, key), context)
    return _tell(state, Tell(parse_id(name), outcome), context)


def _tell_arm(state: ExperimentState, tell: TellArm, context: Context) -> Decision:
    if context.outcome(tell.key) is not None:
        return "again", ()
    arm = arm_number(state, tell.arm)
    segment, events = _segment(state, tell.by, context.now)
    kind, value = tell.outcome
    if kind != Kind.TOLD:
        _learner(state, segment).refuse_unknown(kind)
    events.append(Event(kind, tell.key, segment, arm, value, context.now))
    return "told", events


def _record(state: ExperimentState, record: Record, context: Context) -> Decision:
    arms, outcomes, at, by = record
    places = [arm_number(state, arm) for arm in arms]
    times = [context.now] * len(arms) if at is None else at
    segment, events = _segment(state, by, context.now)
    for kind in {outcome.kind for outcome in outcomes} - {Kind.TOLD}:
        _learner(state, segment).refuse_unknown(kind)
    events += [
        Event(kind, 0, segment, place, value, when)
        for place, (kind, value), when in zip(places, outcomes, times, strict=True)
    ]
    return len(arms), events


def _release(state: ExperimentState, release: Release, context: Context) -> Decision:
    identity = release.identity
    asked = state.pending.get(identity.number)
    if asked is None:
        return None, ()
    refuse_misread(state, identity, asked.segment, asked.arm)
    place = (identity.number, asked.segment, asked.arm)
    return None, (Event(Kind.RELEASED, *place, 0.0, context.now),)


def _correct(state: ExperimentState, correct: Correct, context: Context) -> Decision:
    identity, outcome = correct
    told = context.outcome(identity.number)
    if told is None:
        raise UnknownNameError(
            f"Nothing was told of trial {str(identity)!r}, so there is nothing to correct. "
            "Tell it instead."
        )
    refuse_misread(state, identity, told.segment, told.arm)
    if outcome.kind != Kind.TOLD:
        state.learners[told.segment].refuse_unknown(outcome.kind)
    extra = {"kind": int(outcome.kind), "was": [int(told.kind), told.value]}
    place = (identity.number, told.segment, told.arm)
    return None, (Event(Kind.CORRECTED, *place, outcome.value, context.now, extra),)


# What people do to an experiment while it runs


def _add_arm(state: ExperimentState, add: AddArm, context: Context) -> Decision:
    if add.name not in state.arms:
        if len(state.arms) >= MOST_ARMS:
            raise ParameterError(f"At most {MOST_ARMS:,} arms can be used.")
        place = len(state.arms)
        _refuse_too_much(state.shares, state.least, place + 1)
        return None, (Event(Kind.ADDED, 0, 0, place, 0.0, context.now, {"name": add.name}),)
    if (arm := state.arms.index(add.name)) in state.retired:
        return None, (Event(Kind.RETIRED, 0, 0, arm, 0.0, context.now),)
    return None, ()


def _retire(state: ExperimentState, retire: Retire, context: Context) -> Decision:
    arm = arm_number(state, retire.name)
    there = arm not in state.retired
    return None, (Event(Kind.RETIRED, 0, 0, arm, 1.0, context.now),) if there else ()


def _pin(state: ExperimentState, pin: Pin, context: Context) -> Decision:
    arm = -1 if pin.name is None else arm_number(state, pin.name)
    return None, (Event(Kind.PINNED, 0, 0, arm, 0.0, context.now),)


def _share(state: ExperimentState, share: Share, context: Context) -> Decision:
    numbers = {arm_number(state, arm): each for arm, each in share.shares.items()}
    _refuse_too_much(numbers, share.least, len(state.arms))
    extra = {"shares": {str(arm): each for arm, each in numbers.items()}}
    return None, (Event(Kind.SHARES, 0, 0, -1, share.least, context.now, extra),)


def _refuse_too_much(shares: Mapping[int, float], least: float, arms: int) -> None:
    """Refuse shares of so many arms that are more than there is."""
    total = sum(shares.get(arm, least) for arm in range(arms))
    if total > 1.0 + 1e-9:
        raise ParameterError(
            f"All shares together must be at most 1; of {arms} arms they would be {total:g}. Set "
            "smaller ones by shares(…)."
        )


def _note(_state: ExperimentState, note: Note, context: Context) -> Decision:
    return None, (Event(Kind.NOTE, 0, 0, -1, 0.0, context.now, {"text": note.text}),)


def _clock(state: ExperimentState, clock: Clock, _context: Context) -> Decision:
    if clock.now >= state.at:
        return 0.0, ()
    ahead = state.at - clock.now
    return ahead, (Event(Kind.CLOCK, 0, 0, -1, ahead, clock.now),)


def _defaulted(_state: ExperimentState, defaulted: Defaulted, context: Context) -> Decision:
    extra = {"arms": defaulted.arms, "since": defaulted.since}
    total = float(sum(defaulted.arms.values()))
    return None, (Event(Kind.DEFAULTED, 0, 0, -1, total, context.now, extra),)


# What names stand for


def arm_number(state: ExperimentState, name: Any) -> int:
    """Return the number of an arm."""
    found = state.place(name)
    if found is None:
        raise UnknownNameError.among("arm", name, state.names())
    return found


def _segment(state: ExperimentState, by: str | None, now: float) -> tuple[int, list[Event]]:
    """Return the segment of that label, and the event that makes it if it is new."""
    if by is None:
        return 0, []
    if not isinstance(by, str) or not by.isprintable() or not 0 < len(by) <= LONGEST_NAME:
        raise ParameterError(
            f"by must be a short text, such as 'region=eu', of at most {LONGEST_NAME} printable "
            f"characters; got {by!r:.80}."
        )
    if by in state.labels:
        return state.labels.index(by), []
    return len(state.labels), [
        Event(Kind.SEGMENT, 0, len(state.labels), -1, 0.0, now, {"label": by})
    ]


def _learner(state: ExperimentState, segment: int) -> Learner:
    """Return the learner of a segment, a new one if that is about to be made."""
    if segment < len(state.learners):
        return state.learners[segment]
    return Learner(state.settings, len(state.arms))


_DECISIONS: dict[type, Callable[[ExperimentState, Any, Context], Decision]] = {
    Ask: _ask, Tell: _tell, TellArm: _tell_arm, TellNamed: _tell_named, Record: _record,
    Release: _release, Correct: _correct, AddArm: _add_arm, Retire: _retire, Pin: _pin,
    Share: _share, Note: _note, Clock: _clock, Defaulted: _defaulted,
}  # fmt: skip
