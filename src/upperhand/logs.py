"""The library's logger, which writes to standard error or into a notebook.

`logging.getLogger("upperhand").setLevel(logging.WARNING)` silences it.
"""

import logging
import sys
from contextlib import suppress
from functools import cache


class _StandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write to what standard error is now; it may be closed or missing, which stops no run."""
        with suppress(Exception):
            sys.stderr.write(f"{self.format(record)}\n")


@cache
def logger() -> logging.Logger:
    """Return the logger, with its handler; a level that the user has set stays."""
    found = logging.getLogger("upperhand")
    found.addHandler(_StandardError())
    found.propagate = False
    found.setLevel(found.level or logging.INFO)
    return found
