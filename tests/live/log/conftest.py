"""Three stores, and one PostgreSQL server for each process that runs tests."""

import psycopg
import pytest

from tests.live.log.cluster import Cluster
from upperhand.live.log import open_storage


class Place:
    """Where logs are kept, and how often one likes to open it."""

    def __init__(self, kind, url):
        self.kind, self.url = kind, url
        self._opened = []
        self._memory = open_storage(None) if kind == "memory" else None

    def open(self):
        storage = self._memory or open_storage(self.url)
        self._opened.append(storage)
        return storage

    def close(self):
        for storage in self._opened:
            storage.close()


@pytest.fixture(scope="session")
def cluster():
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def postgres(cluster):
    """Return the address of a database without tables."""
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute("drop schema if exists upperhand cascade")
    return cluster.url


def _place(request, tmp_path):
    url = tmp_path / "log.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres")
    place = Place(request.param, url)
    yield place
    place.close()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def place(request, tmp_path):
    yield from _place(request, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request, tmp_path):
    """Return a place that several processes can open."""
    yield from _place(request, tmp_path)


@pytest.fixture
def log(place):
    return place.open().log("checkout")
