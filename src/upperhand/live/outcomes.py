"""What came of a trial: whether it is taken in, known already, late, lost or refused."""

from typing import NamedTuple

from ..errors import ConflictError, UnknownNameError
from .log.event import Event, Kind
from .machine import Machine
from .pending import Pending
from .player import Player
from .sketched import refuse_bound
from .trial import TrialId
from .writer import Writer


class Outcome(NamedTuple):
    """What came of a trial: its kind, and its value or bound."""

    kind: Kind
    value: float = 0.0


def decide_outcome(writer: Writer, identity: TrialId, outcome: Outcome) -> str:
    """Take in the outcome of a trial; return "told", "late", "lost" or, if it is known, "again"."""
    machine, number = writer.machine, identity.number
    asked, status = machine.pending.get(number), "told"
    if asked is None:
        asked, status = machine.released.get(number), "late"
    elif machine.over(asked, writer.now):  # the outcome's own event will release it
        status = "late"
    if asked is None:
        before = writer.outcome(number)
        if before is not None:
            refuse_misread(machine, identity, before.segment, before.arm)
            _refuse_another(machine, identity, before, outcome)
            return "again"
        _refuse_unasked(writer, identity)
        asked, status = Pending(identity.segment, identity.arm, writer.now), "lost"
    elif machine.counts["lost"] and writer.outcome(number) is not None:
        raise ConflictError(
            f"Trial {str(identity)!r} was told before it was asked for, by somebody who made up "
            "its id. What was told then counts; give this one back."
        )
    refuse_misread(machine, identity, asked.segment, asked.arm)
    take(writer, Event(outcome.kind, number, asked.segment, asked.arm, outcome.value, writer.now))
    return status


def refuse_misread(machine: Machine, identity: TrialId, segment: int, arm: int) -> None:
    """Refuse an id that names another arm or segment than its ask was answered with."""
    if (segment, arm) != (identity.segment, identity.arm):
        raise UnknownNameError(
            f"No trial has the id {str(identity)!r}: that ask was answered with arm "
            f"{machine.arms[arm]!r}. Tell the id as it was given."
        )


def take(writer: Writer, event: Event) -> None:
    """Take in an outcome, if the policy can learn it."""
    if event.kind != Kind.TOLD:
        refuse_unknown(writer.machine.players[event.segment], event.kind)
    writer.emit(event)


def refuse_unknown(player: Player, kind: int) -> None:
    """Refuse an outcome without a value that the policy cannot learn."""
    player.refuse_unknown_values()
    if kind == Kind.AT_LEAST:
        refuse_bound(player)


def _refuse_another(machine: Machine, identity: TrialId, told: Event, outcome: Outcome) -> None:
    """Refuse a second outcome that differs from the first, and from what that was corrected to."""
    if outcome in ((told.kind, told.value), machine.corrections.get(identity.number)):
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


def _refuse_unasked(writer: Writer, identity: TrialId) -> None:
    """Refuse a trial that nobody asked for; one that a power cut may have lost is believed."""
    machine = writer.machine
    last = machine.epochs.get(identity.epoch)
    lost = last is not None and identity.ask > last and identity.epoch != writer.epoch
    known = identity.arm < len(machine.arms) and identity.segment < len(machine.labels)
    if not (lost and known):
        raise UnknownNameError(
            f"No trial has the id {str(identity)!r} in this experiment. Is it of another one? "
            'To tell what an arm did without an ask, write tell(arm="…", value=…).'
        )
