"""What an experiment may be called, and what marks a whole snapshot."""

import hashlib

from ...errors import ParameterError

LONGEST_NAME = 200


def checked_name(name: object) -> str:
    """Return the name of an experiment; refuse what not every store could keep."""
    if isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable():
        return name
    raise ParameterError(
        f"The name of an experiment must be 1 to {LONGEST_NAME} printable characters; got {name!r}."
    )


def digest(n: int, data: bytes) -> bytes:
    """Return what tells a whole snapshot from a damaged one."""
    return hashlib.sha256(n.to_bytes(8, "big") + data).digest()
