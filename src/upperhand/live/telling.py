"""Operations that take in outcomes, their arguments checked before anything is written."""

import secrets
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from .. import checks
from ..errors import ParameterError, RewardError, UnknownNameError
from .decisions import arm_number, segment_number
from .leaders import note_leader
from .log.event import Event, Kind
from .outcomes import Outcome, decide_outcome, refuse_misread, take
from .session import Operation
from .trial import ID, Trial, TrialId, parse_id
from .writer import Writer


def reward(arm: str, given: Any) -> float:
    """Return what is told as a float, or refuse it before anything is learned."""
    value = given if type(given) is float else checks.as_float(given)
    if checks.is_reward(value):
        return value + 0.0  # −0.0 becomes 0.0
    raise RewardError(
        f"A reward must be {checks.A_REWARD}; got {given!r} for arm {arm!r}. Nothing was "
        "learned: tell such a number, or leave this one out."
    )


def outcome_of(name: str, value: Any, *, failed: bool, at_least: Any) -> Outcome:
    """Return the outcome that is told, exactly one of three."""
    known = checks.flag("failed", failed) + (value is not None) + (at_least is not None)
    if known != 1:
        got = "several" if known else f"none for {name!r}"
        raise ParameterError(f"Tell one of: a value, failed=True, at_least=…; got {got}.")
    if failed:
        return Outcome(Kind.FAILED)
    if at_least is not None:
        return Outcome(Kind.AT_LEAST, reward(name, at_least))
    return valued(name, value)


def valued(name: str, value: Any) -> Outcome:
    """Return the outcome that is a value; what is an outcome already stays one."""
    if isinstance(value, Outcome):
        return value._replace(value=reward(name, value.value))
    return Outcome(Kind.TOLD, reward(name, value))


def identity_of(trial: Trial | str, experiment: str) -> TrialId:
    """Return the id of a trial, or the one that a text is; refuse one of another experiment."""
    if isinstance(trial, Trial) and trial.experiment not in ("", experiment):
        raise UnknownNameError(
            f"Trial {trial.id!r} is of the experiment {trial.experiment!r}, and not of "
            f"{experiment!r}. Tell it there."
        )
    return parse_id(trial.id if isinstance(trial, Trial) else trial)


def tell_trial(identity: TrialId, outcome: Outcome) -> Operation:
    """Return the operation that takes in the outcome of a trial."""

    def operation(writer: Writer) -> str:
        status = decide_outcome(writer, identity, outcome)
        note_leader(writer, identity.segment)
        return status

    return operation


def tell_named(told: Any, outcome: Outcome, by: str | None) -> Operation:
    """Return the operation that takes in the outcome of an arm or, if it is an id, of a trial."""
    of_arm, is_id = tell_arm(told, outcome, by), isinstance(told, str) and ID.fullmatch(told)

    def operation(writer: Writer) -> Any:
        named = writer.machine.place(told) is not None
        if named and is_id:
            raise ParameterError(
                f"{told!r} is an arm, and may be the id of a trial. Write tell(arm={told!r}, …) or "
                f"tell(trial={told!r}, …)."
            )
        if not named and not is_id:
            raise UnknownNameError.among("trial or arm", told, writer.machine.names())
        return of_arm(writer) if named else tell_trial(parse_id(told), outcome)(writer)

    return operation


def tell_arm(arm: Any, outcome: Outcome, by: str | None) -> Operation:
    """Return the operation that takes in what an arm did without an ask, once if run twice.

    Instead of a trial's number the event has a random one below 0, by which it is known again.
    """
    key = -1 - secrets.randbits(62)

    def operation(writer: Writer) -> str:
        if writer.outcome(key) is not None:
            return "again"
        number, segment = arm_number(writer.machine, arm), segment_number(writer, by)
        take(writer, Event(outcome.kind, key, segment, number, outcome.value, writer.now))
        note_leader(writer, segment)
        return "told"

    return operation


def tell_arms(
    arms: Sequence[Any], outcomes: Sequence[Outcome], at: Sequence[float] | None, by: str | None
) -> Operation:
    """Return the operation that takes in what arms did without an ask, all of it or nothing."""

    def operation(writer: Writer) -> str:
        places = [arm_number(writer.machine, arm) for arm in arms]
        times = [writer.now] * len(arms) if at is None else at
        segment = segment_number(writer, by)
        for place, (kind, value), when in zip(places, outcomes, times, strict=True):
            take(writer, Event(kind, 0, segment, place, value, when))
        note_leader(writer, segment)
        return "told"

    return operation


def tell_segments(
    arms: Sequence[Any],
    outcomes: Sequence[Outcome],
    at: Sequence[float] | None,
    labels: Sequence[str | None],
) -> Operation:
    """Return the operation that takes in what arms did in several segments, all or nothing."""
    places: dict[str | None, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    tells = [
        tell_arms(
            [arms[i] for i in own], [outcomes[i] for i in own], at and [at[i] for i in own], label
        )
        for label, own in places.items()
    ]
    return lambda writer: [tell(writer) for tell in tells]


def seconds(at: Iterable[Any]) -> list[float]:
    """Return times of the past as seconds since 1970; a date without a zone is in UTC."""
    found = [_seconds(each) for each in at]
    if not all(0 < each <= time.time() for each in found):
        raise ParameterError("at must be times of the past, as dates or seconds since 1970.")
    return found


def _seconds(when: Any) -> float:
    if isinstance(when, np.datetime64):
        return float(when.astype("datetime64[us]").astype(float)) / 1e6  # NaN, if it is missing
    if isinstance(when, datetime) and when == when:  # unlike the NaT of pandas
        return when.replace(tzinfo=when.tzinfo or UTC).timestamp()
    return checks.as_float(when)


def give_back(identity: TrialId) -> Operation:
    """Return the operation that releases a trial, if it is under way."""

    def operation(writer: Writer) -> None:
        asked = writer.machine.pending.get(identity.number)
        if asked is not None:
            refuse_misread(writer.machine, identity, asked.segment, asked.arm)
            place = (identity.number, asked.segment, asked.arm)
            writer.emit(Event(Kind.RELEASED, *place, 0.0, writer.now))

    return operation
