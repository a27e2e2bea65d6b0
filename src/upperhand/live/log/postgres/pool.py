"""Connections to one server: made when needed, kept for the next turn.

No thread works in the background: a server that is away is noticed, and said, by who asks for it,
and the next one who asks connects again.
"""

import os
from contextlib import suppress
from time import monotonic, sleep
from typing import Any
from weakref import ref

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ....errors import ParameterError
from ..lease import busy, closed
from .words import told

MOST = 10  # connections of a process: servers allow about 100 by default
DEFAULTS = {
    "connect_timeout": 3,
    "application_name": "upperhand",
    "keepalives_idle": 30,
    "tcp_user_timeout": 10_000,  # milliseconds until a silent network counts as broken
}
Connection = psycopg.Connection[tuple[Any, ...]]
_inherited: list[object] = []  # of the parent process: never to be closed here


class Pool:
    """Connections of this process; a forked one begins with none."""

    def __init__(self, url: str) -> None:
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise ParameterError(
                f"Not an address of PostgreSQL: {' '.join(str(error).split())}. "
                "Write postgresql://user:password@host:port/database."
            ) from None
        self._how = {**DEFAULTS, **given}
        host, port = given.get("host", ""), given.get("port", "")
        end = f":{port}" if port else ""
        self.place = f"postgresql://{host}{end}/{given.get('dbname', '')}"  # without password
        self.made = 0  # how many connections were made: it grows after a loss
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._idle: list[Connection] = []
        self._all: list[ref[Connection]] = []  # weak: one lost by an interrupt is not counted

    def take(self, timeout: float | None) -> Connection:
        """Return a connection that nobody else uses."""
        deadline = None if timeout is None else monotonic() + timeout
        while True:
            if self._closed:
                raise closed(self.place)
            if self._pid != os.getpid():
                _inherited.append((self._idle, [each() for each in self._all]))
                self._begin()
            with suppress(IndexError):  # a list's pop and append need no lock
                while (connection := self._idle.pop()).closed:
                    pass
                return connection
            self._all = [each for each in self._all if not getattr(each(), "closed", True)]
            if len(self._all) < MOST:
                return self._connected()
            if deadline is not None and monotonic() >= deadline:
                raise busy(self.place, timeout)
            sleep(0.002)

    def give(self, connection: Connection) -> None:
        """Keep a connection for the next one, unless it is broken or in a transaction."""
        idle = psycopg.pq.TransactionStatus.IDLE
        if self._closed or connection.closed or connection.info.transaction_status != idle:
            connection.close()
            return
        self._idle.append(connection)

    def drop_idle(self) -> None:
        """Close what is not in use: after one was found broken, the others are too."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def close(self) -> None:
        """Refuse any later use; connections in use are closed when they come back."""
        self._closed = True
        if self._pid == os.getpid():
            self.drop_idle()

    def __del__(self) -> None:
        """Close what a storage that was never closed has left."""
        if getattr(self, "_pid", None) == os.getpid():
            for connection in self._idle:
                with suppress(Exception):
                    connection.close()

    def _connected(self) -> Connection:
        try:
            connection = psycopg.connect(**self._how, autocommit=True)  # type: ignore[arg-type]
        except psycopg.Error as error:
            raise told(self.place, error) from error
        self._all.append(ref(connection))
        self.made += 1
        return connection
