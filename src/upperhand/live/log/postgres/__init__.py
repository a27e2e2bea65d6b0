"""PostgreSQL by psycopg: an advisory lock for each experiment, two round trips a turn."""

from .storage import PostgresStorage

__all__ = ["PostgresStorage"]
