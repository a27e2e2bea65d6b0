"""SQLite by apsw: one file, WAL, one fsync a durable turn."""

from .storage import SqliteStorage

__all__ = ["SqliteStorage"]
