"""One database of logs."""

import psycopg

from ....errors import StoreError
from ..names import checked_name
from ..schema import POSTGRES, STEPS, newer
from .log import PostgresLog, _Reading
from .pool import Connection, Pool
from .words import told

_MIGRATING = 0x5570487200000000  # the advisory lock while tables are made


class PostgresStorage:
    """Logs in the schema `upperhand` of one database; connections are shared by all threads."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._pool = Pool(url)
        connection = self._pool.take(None)
        try:
            migrate(connection, self._pool.place, create=create)
        except psycopg.Error as error:
            raise told(self._pool.place, error) from error
        finally:
            self._pool.give(connection)

    def names(self) -> list[str]:
        """Return the experiments, in order of creation."""
        with _Reading(self._pool) as connection:
            found = connection.execute("select name from upperhand.experiments order by id")
            return [str(name) for (name,) in found.fetchall()]

    def log(self, name: str) -> PostgresLog:
        """Return the log of that name."""
        return PostgresLog(checked_name(name), self._pool)

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


def migrate(
    connection: Connection, place: str, *, create: bool, steps: tuple[str, ...] = STEPS
) -> None:
    """Run the steps that a database has not seen, each whole or not at all, by one client."""
    while (found := version(connection)) < len(steps):
        if found == 0 and not create:
            raise StoreError(f"{place} has no tables of upperhand. Check it, or let them be made.")
        with connection.transaction():
            connection.execute(f"select pg_advisory_xact_lock({_MIGRATING})")
            if version(connection) != found:
                continue  # another client was faster
            connection.execute("create schema if not exists upperhand")
            connection.execute("create table if not exists upperhand.version (version integer)")
            connection.execute(steps[found].format(**POSTGRES))
            connection.execute("delete from upperhand.version")
            connection.execute("insert into upperhand.version values (%s)", (found + 1,))
    if found > len(STEPS):
        raise StoreError(newer(place, found))


def version(connection: Connection) -> int:
    """Return how many steps a database has seen."""
    row = connection.execute("select to_regclass('upperhand.version') is not null").fetchone()
    if row is None or not row[0]:
        return 0
    found = connection.execute("select version from upperhand.version").fetchone()
    return int(found[0]) if found else 0
