"""A log and the machine that replays it, kept together whatever happens.

A turn is: catch up with the log, let the operations look and emit events, append these, commit. The
machine is marked while that goes on. Where the mark is found at the next turn, because an
interrupt, a failed commit or a fault of a policy cut the last one short, the machine is made anew
from the log, which says what happened and what did not.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import EventsLostError, UpperhandError
from .log.event import Event, Kind
from .log.protocol import Log, Turn
from .machine import Machine
from .replay import Replay
from .writer import Writer

Operation = Callable[[Writer], Any]


class FailedError(Exception):
    """An operation failed half-way, so that its turn was taken back."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place  # which of the operations


class Attempt:
    """What a turn was about to write, for whoever must find out later whether it did."""

    def __init__(self) -> None:
        self.after = 0
        self.events: list[Event] | None = None
        self.found: list[Any] = []


class Session:
    """What one process knows of an experiment. One thread at a time uses it."""

    def __init__(self, log: Log, replay: Replay) -> None:
        self.log, self.replay = log, replay
        self.epoch: int | None = None
        self.machine: Machine = replay.machine(log)
        self._changing = False
        self._process = os.getpid()

    def run(
        self,
        operations: Sequence[Operation],
        *,
        durable: bool,
        timeout: float | None = None,
        attempt: Attempt | None = None,
    ) -> list[Any]:
        """Run operations in one turn; return what each returned, or the error that it refused by.

        An error of ours, raised before the operation emitted anything, is that operation's alone.
        Any other takes the whole turn back, and `FailedError` says whose it is.
        """
        if self._process != os.getpid():  # a fork: asks of its own need an epoch of its own
            self._process, self.epoch = os.getpid(), None
        attempt = attempt or Attempt()
        try:
            try:
                return self._turn(operations, durable, timeout, attempt)
            except EventsLostError:  # nothing was done; asks of ours may be lost, not their ids
                self._changing, self.epoch = True, None
                return self._turn(operations, durable, timeout, attempt)
        except BaseException:
            self.log.free()  # an interrupt may have come between the turn and its end
            raise

    def _turn(
        self,
        operations: Sequence[Operation],
        durable: bool,
        timeout: float | None,
        attempt: Attempt,
    ) -> list[Any]:
        found, written = attempt.found, list[Event]()
        with self.log.turn(durable=durable or self.epoch is None, timeout=timeout) as turn:
            machine = self._caught_up(turn)
            self._changing = True
            writer, attempt.after = Writer(machine, turn, self.epoch), machine.n
            for place, operation in enumerate(operations):
                if writer.corrects:  # what comes behind a correction is decided by what is right
                    turn.append(writer.events)
                    written += writer.events
                    machine = self.machine = self.replay.from_events(turn.news(0))
                    writer = Writer(machine, turn, writer.epoch)
                emitted = len(writer.events)
                try:
                    found.append(operation(writer))
                except UpperhandError as error:
                    if len(writer.events) > emitted:
                        raise FailedError(place) from error
                    found.append(error)
                except Exception as error:
                    raise FailedError(place) from error
            attempt.events = [*written, *writer.events]
            if writer.events:
                turn.append(writer.events)
        self.epoch = writer.epoch
        self._changing = writer.corrects  # a correction changes the past: all is made anew
        return found

    def happened(self, attempt: Attempt) -> bool:
        """Find out from the log whether a turn that was cut short was committed."""
        if attempt.events is None:
            return False
        stored, events = self.log.read(attempt.after), attempt.events
        if len(stored.n) < len(events):
            return False
        return all(stored.event(i)[:6] == event[:6] for i, event in enumerate(events))

    def caught_up(self) -> Machine:
        """Return the machine after all events there are, without a turn."""
        try:
            if self._changing:
                self._renew()
            return self._taken_in(self.log.read(self.machine.n))
        except BaseException:
            self.log.free()
            raise

    def _caught_up(self, turn: Turn) -> Machine:
        if self._changing:
            self._renew()
        return self._taken_in(turn.news(self.machine.n))

    def _renew(self) -> None:
        self.machine = self.replay.machine(self.log)
        self._changing = False

    def _taken_in(self, news: Any) -> Machine:
        """Let the machine take in news; a correction among them makes it anew."""
        if len(news.n):
            if (news.kind == Kind.CORRECTED).any():
                self._renew()
            else:
                self._changing = True
                self.replay.take_in(self.machine, news)
                self._changing = False
        return self.machine
