"""What the state machine asks of a log, whichever store keeps it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from .event import Columns, Event


class Turn(Protocol):
    """While it lasts, nobody else appends to this experiment."""

    def news(self, after: int) -> Columns:
        """Return all events with n > after, in order, also those appended in this turn."""

    def append(self, events: Sequence[Event]) -> None:
        """Give the events the next numbers; others see them once the turn has ended well."""

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with, also if that was appended in this turn."""


class Log(Protocol):
    """The events of one experiment, numbered 1, 2, …; none is ever changed or removed."""

    name: str

    def turn(self, *, durable: bool, timeout: float | None = None) -> AbstractContextManager[Turn]:
        """Wait for the turn, `timeout` seconds at most (else `StoreBusyError`).

        If the block ends well, what it appended is committed. With `durable` it survives a power
        cut; without, a crash of this process, and it is on the disk at latest with the next
        durable turn. If the block raises, nothing was appended. If the commit itself raises
        `StoreAwayError` or an interrupt, read the log to see what became of it.
        """

    def free(self) -> None:
        """End the turn that an interrupt may have left to this thread, between `with` and block."""

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones; no turn: nobody waits for it."""

    def last(self) -> int:
        """Return the number of the last event, 0 if there is none."""

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data`, made from the first n events, unless there is a newer one."""

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, or None if there is none, or none that is whole."""

    def close(self) -> None:
        """Give back what this log alone holds; its storage stays open."""


class Storage(Protocol):
    """Where the logs of experiments are kept."""

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""

    def log(self, name: str) -> Log:
        """Return the log of that name; a new one is kept from its first append on."""

    def close(self) -> None:
        """Give back connections; any later use of it or its logs is refused."""
