"""Logs of experiments: append only, behind one protocol, in memory, SQLite or PostgreSQL."""

import os
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from ...errors import MissingExtraError, ParameterError
from .event import OUTCOMES, Columns, Event, Kind
from .memory import MemoryLog, MemoryStorage

__all__ = [
    "OUTCOMES",
    "Columns",
    "Event",
    "Kind",
    "Log",
    "MemoryLog",
    "MemoryStorage",
    "Storage",
    "Transaction",
    "open_storage",
]

ENDINGS = (".db", ".sqlite")
T = TypeVar("T")


class Transaction(Protocol):
    """While it lasts, nobody else appends to this experiment."""

    def news(self, after: int) -> Sequence[Event] | Columns:
        """Return all events behind number `after`, in order, also those appended here.

        If there are none, they are an empty tuple.
        """

    def append(self, events: Sequence[Event]) -> None:
        """Give events the next numbers; others see them once the transaction has ended well."""

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with, also if that was appended here."""


class Log(Protocol):
    """The events of one experiment, numbered 1, 2, …; none is ever changed or removed.

    What is read was checked against its marks; a `DamagedError` says what is wrong.
    """

    name: str
    flushes: bool  # a durable commit waits for the disk itself, while others wait for it

    @property
    def commits(self) -> int:
        """How many transactions of this process ended well, for `sync`."""

    def transact(self, work: Callable[[Transaction], T], *, durable: bool, wait: bool = True) -> T:
        """Run `work` while nobody else writes, and commit what it appended; return its answer.

        With `durable` it survives a power cut; without, a crash of this process, and it is on the
        disk with the next durable one at the latest. With wait=False, call `sync` afterwards. If
        `work` raises, nothing was appended. If the commit raises `StoreAwayError` or an interrupt,
        read the log to see what became of it.
        """

    def sync(self, commit: int) -> None:
        """Wait until the first so many commits are on the disk."""

    def read(self, after: int = 0, most: int | None = None) -> Columns:
        """Return events with n > after, all or the first ones; no transaction waits for it."""

    def last(self) -> int:
        """Return the number of the last event, 0 if there is none."""

    def check(self) -> int:
        """Check the store and all marks; return how many events there are."""

    def save_snapshot(self, n: int, data: bytes) -> None:
        """Keep `data`, made from the first n events, unless there is a newer one."""

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the newest snapshot, or None if there is none, or none that is whole."""


class Storage(Protocol):
    """Where the logs of experiments are kept."""

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""

    def log(self, name: str) -> Log:
        """Return the log of that name; a new one is kept from its first append on."""

    def close(self) -> None:
        """Give back connections; any later use of it or its logs is refused."""


def open_storage(url: str | os.PathLike[str] | Storage | None, *, create: bool = True) -> Storage:
    """Open where logs are kept.

    Parameters
    ----------
    url
        None or ``memory://``; ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or a path that
        ends in .db or .sqlite; ``postgresql://…``. A storage that is open is returned as it is.
    create
        Whether a file, or tables, that are not there yet may be made.

    """
    if url is not None and not isinstance(url, (str, os.PathLike)):
        return url
    text = "memory://" if url is None else os.fspath(url)
    scheme = urlsplit(text).scheme if "://" in text else ""
    if text == "memory://":
        return MemoryStorage()
    if scheme in ("postgresql", "postgres"):
        return _postgres(text, create)
    if scheme == "sqlite" and text.startswith("sqlite:///") and len(text) > len("sqlite:///"):
        return _sqlite(text.removeprefix("sqlite:///"), create)
    if not scheme and text.endswith(ENDINGS):
        return _sqlite(text, create)
    raise ParameterError(
        "A storage must be a path that ends in .db or .sqlite, sqlite:///relative.db, "
        f"sqlite:////absolute.db, postgresql://… or memory://; got {_without_password(text)!r}."
    )


def _sqlite(path: str, create: bool) -> Storage:
    try:
        from .sqlite import SqliteStorage
    except ModuleNotFoundError as error:
        raise MissingExtraError.needed("A log in a file", "live") from error
    return SqliteStorage(path, create=create)


def _postgres(url: str, create: bool) -> Storage:
    try:
        from .postgres import PostgresStorage
    except ModuleNotFoundError as error:
        raise MissingExtraError.needed("A log in PostgreSQL", "postgres") from error
    return PostgresStorage(url, create=create)


def _without_password(text: str) -> str:
    return text.split("@")[-1] if "@" in text else text
