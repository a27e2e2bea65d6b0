"""Logs of experiments: append only, behind one protocol, in memory, SQLite or PostgreSQL."""

import os
from urllib.parse import urlsplit

from ...errors import MissingExtraError, ParameterError
from .event import OUTCOMES, Columns, Event, Kind
from .memory import MemoryLog, MemoryStorage
from .protocol import Log, Storage, Turn

__all__ = [
    "OUTCOMES",
    "Columns",
    "Event",
    "Kind",
    "Log",
    "MemoryLog",
    "MemoryStorage",
    "Storage",
    "Turn",
    "open_storage",
]

ENDINGS = (".db", ".sqlite")


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
