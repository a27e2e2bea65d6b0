"""The library's logger, which writes to standard error or into a notebook.

`logging.getLogger("upperhand").setLevel(logging.WARNING)` silences it.
"""

import logging
import sys
from functools import cache
from typing import Any


class _StandardError(logging.StreamHandler[Any]):
    """Writes to what standard error is at that time, and nothing if it is closed or missing."""

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, _stream: Any) -> None:
        """Ignore what the base class looked up when it was made."""

    def handleError(self, _record: logging.LogRecord) -> None:  # noqa: N802
        """Do nothing: a message that cannot be shown must not stop a run."""


@cache
def logger() -> logging.Logger:
    """Return the logger, with its handler; a level that the user has set stays."""
    found = logging.getLogger("upperhand")
    found.addHandler(_StandardError())
    found.propagate = False
    if found.level == logging.NOTSET:
        found.setLevel(logging.INFO)
    return found
