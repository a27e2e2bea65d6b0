"""Steering an experiment that runs: arms, pins, shares, corrections, notes. Each is an event."""

from collections.abc import Mapping
from typing import Any

from .. import checks
from ..errors import ParameterError, UnknownNameError
from .decisions import arm_number
from .log.event import Event, Kind
from .outcomes import refuse_misread, refuse_unknown
from .settings import MOST_ARMS, storable_arms
from .telling import identity_of, outcome_of
from .trial import Trial
from .writer import Writer

LONGEST_NOTE = 10_000


class Control:
    """What people do to an experiment while it runs."""

    name: str

    def _perform(self, operation: Any, *, durable: bool, timeout: float | None = None) -> Any:
        raise NotImplementedError

    def add_arm(self, name: Any) -> None:
        """Add an arm. Adding one that is there changes nothing; one that is retired comes back."""
        (name,) = storable_arms([name])

        def operation(writer: Writer) -> None:
            machine = writer.machine
            if name not in machine.arms:
                if len(machine.arms) >= MOST_ARMS:
                    raise ParameterError(f"At most {MOST_ARMS:,} arms can be used.")
                place = len(machine.arms)
                _refuse_too_much(machine.shares, machine.least, place + 1)
                writer.emit(Event(Kind.ADDED, 0, 0, place, 0.0, writer.now, {"name": name}))
            elif (arm := machine.arms.index(name)) in machine.retired:
                writer.emit(Event(Kind.RETIRED, 0, 0, arm, 0.0, writer.now))

        self._perform(operation, durable=True)

    def retire(self, name: Any) -> None:
        """Ask for an arm no more; what is under way can be told, and nothing is forgotten."""

        def operation(writer: Writer) -> None:
            arm = arm_number(writer.machine, name)
            if arm not in writer.machine.retired:
                writer.emit(Event(Kind.RETIRED, 0, 0, arm, 1.0, writer.now))

        self._perform(operation, durable=True)

    def pin(self, name: Any) -> None:
        """Give every ask this arm, if it is among the candidates; None: choose again."""

        def operation(writer: Writer) -> None:
            arm = -1 if name is None else arm_number(writer.machine, name)
            writer.emit(Event(Kind.PINNED, 0, 0, arm, 0.0, writer.now))

        self._perform(operation, durable=True)

    def shares(self, shares: Mapping[Any, float] | None = None, *, least: float = 0.0) -> None:
        """Give arms a share of the asks by lot, whatever the policy says.

        ``shares({"small": 0.1})`` keeps 10 % for a control arm, ``shares(least=0.02)`` at least 2 %
        for each arm. They replace those set before; ``shares()`` ends them.
        """
        if not isinstance(shares or {}, Mapping):
            raise ParameterError(f'shares must be such as {{"small": 0.1}}; got {shares!r:.80}.')
        given = {arm: checks.real(f"the share of {arm!r}", share, least=0, most=1)
                 for arm, share in (shares or {}).items()}  # fmt: skip
        floor = checks.real("least", least, least=0, most=1)

        def operation(writer: Writer) -> None:
            machine = writer.machine
            numbers = {arm_number(machine, arm): share for arm, share in given.items()}
            _refuse_too_much(numbers, floor, len(machine.arms))
            extra = {"shares": {str(arm): share for arm, share in numbers.items()}}
            writer.emit(Event(Kind.SHARES, 0, 0, -1, floor, writer.now, extra))

        self._perform(operation, durable=True)

    def correct(
        self,
        trial: Trial | str,
        value: float | None = None,
        *,
        failed: bool = False,
        at_least: float | None = None,
    ) -> None:
        """Correct what was told of a trial. The log keeps both; what is known is made anew."""
        identity = identity_of(trial, self.name)
        outcome = outcome_of(str(identity), value, failed=failed, at_least=at_least)

        def operation(writer: Writer) -> None:
            told = writer.outcome(identity.number)
            if told is None:
                raise UnknownNameError(
                    f"Nothing was told of trial {str(identity)!r}, so there is nothing to correct. "
                    "Tell it instead."
                )
            refuse_misread(writer.machine, identity, told.segment, told.arm)
            if outcome.kind != Kind.TOLD:
                refuse_unknown(writer.machine.players[told.segment], outcome.kind)
            extra = {"kind": int(outcome.kind), "was": [int(told.kind), told.value]}
            place = (identity.number, told.segment, told.arm)
            writer.emit(Event(Kind.CORRECTED, *place, outcome.value, writer.now, extra))

        self._perform(operation, durable=True)

    def note(self, text: str) -> None:
        """Write a note into the log."""
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NOTE:
            raise ParameterError(f"A note must be a text of 1 to {LONGEST_NOTE:,} characters.")

        def operation(writer: Writer) -> None:
            writer.emit(Event(Kind.NOTE, 0, 0, -1, 0.0, writer.now, {"text": text}))

        self._perform(operation, durable=True)


def _refuse_too_much(shares: Mapping[int, float], least: float, arms: int) -> None:
    """Refuse shares of so many arms that are more than there is."""
    total = sum(shares.get(arm, least) for arm in range(arms))
    if total > 1.0 + 1e-9:
        raise ParameterError(
            f"All shares together must be at most 1; of {arms} arms they would be {total:g}. Set "
            "smaller ones by shares(…)."
        )
