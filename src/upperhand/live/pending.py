"""An ask that nobody told of yet."""

from typing import NamedTuple


class Pending(NamedTuple):
    """What is known of an ask that is under way."""

    segment: int
    arm: int
    at: float
    key: str | None = None  # a hash of what the user keeps the same arm for


def pending(segment: int, arm: int, at: float, key: str | None) -> Pending:
    """Return the same as the class does, in half the time."""
    return tuple.__new__(Pending, (segment, arm, at, key))
