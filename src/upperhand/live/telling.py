"""Operations that take in outcomes, their arguments checked before anything is written."""

import secrets
from collections.abc import Sequence
from typing import Any

from .. import checks
from ..errors import ParameterError, RewardError, UnknownNameError
from .decisions import arm_number, segment_number
from .leaders import note_leader
from .log.event import Event, Kind
from .outcomes import Outcome, decide_outcome, refuse_misread, take
from .session import Operation
from .trial import Trial, TrialId, parse_id
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
        raise ParameterError("Tell one of: a value, failed=True, at_least=….")
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


def tell_arm(arm: str, outcome: Outcome, by: str | None) -> Operation:
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


def tell_arms(arms: Sequence[str], outcomes: Sequence[Outcome], by: str | None) -> Operation:
    """Return the operation that takes in what arms did without an ask, all of it or nothing."""

    def operation(writer: Writer) -> str:
        names = dict.fromkeys(arm if isinstance(arm, str) else repr(arm) for arm in arms)
        known = {arm: arm_number(writer.machine, arm) for arm in names}
        segment = segment_number(writer, by)
        for arm, (kind, value) in zip(arms, outcomes, strict=True):
            take(writer, Event(kind, 0, segment, known[arm], value, writer.now))
        note_leader(writer, segment)
        return "told"

    return operation


def tell_segments(
    arms: Sequence[str], outcomes: Sequence[Outcome], labels: Sequence[str | None]
) -> Operation:
    """Return the operation that takes in what arms did in several segments, all or nothing."""
    places: dict[str | None, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    tells = [
        tell_arms([arms[i] for i in own], [outcomes[i] for i in own], label)
        for label, own in places.items()
    ]
    return lambda writer: [tell(writer) for tell in tells]


def give_back(identity: TrialId) -> Operation:
    """Return the operation that releases a trial, if it is under way."""

    def operation(writer: Writer) -> None:
        asked = writer.machine.pending.get(identity.number)
        if asked is not None:
            refuse_misread(writer.machine, identity, asked.segment, asked.arm)
            place = (identity.number, asked.segment, asked.arm)
            writer.emit(Event(Kind.RELEASED, *place, 0.0, writer.now))

    return operation
