"""Messages go to standard error; a level silences them, and no stream is needed."""

import io
import logging
import sys

import pytest

from upperhand.logs import logger


@pytest.fixture
def fresh(monkeypatch):
    """Return the logger as it is before its first use."""
    found = logging.getLogger("upperhand")
    monkeypatch.setattr(found, "handlers", [])
    logger.cache_clear()
    found.setLevel(logging.NOTSET)
    yield found
    logger.cache_clear()
    found.setLevel(logging.NOTSET)


def test_a_message_is_a_line_of_standard_error(fresh, capsys):
    for _ in range(2):
        logger().info("Compiling %s …", "UCB1")
    assert capsys.readouterr() == ("", 2 * "Compiling UCB1 …\n")
    assert (len(fresh.handlers), fresh.propagate) == (1, False)


def test_its_level_silences_it_before_and_after_its_first_use(fresh, capsys):
    for level, said in ((logging.WARNING, ""), (logging.INFO, "yes\n"), (logging.ERROR, "")):
        fresh.setLevel(level)
        logger().info("yes")
        assert capsys.readouterr().err == said


@pytest.mark.parametrize("stream", [None, io.StringIO()], ids=["missing", "closed"])
def test_without_standard_error(fresh, monkeypatch, stream):
    if stream:
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    logger().warning("lost")
    assert fresh.handlers
