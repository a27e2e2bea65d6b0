"""What a fork must not copy: locks that a thread holds, connections, and files.

Objects register here once, so that no call has to ask which process it runs in.
"""

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """What is notified of forks."""

    def before_fork(self) -> None:
        """Come to rest."""

    def after_fork(self, *, child: bool) -> None:
        """Go on; in the child with new locks and connections."""


_watched: WeakSet[Forked] = WeakSet()


def watch(thing: Forked) -> None:
    """Notify an object of forks as long as it exists."""
    _watched.add(thing)


def _before() -> None:
    for thing in list(_watched):
        thing.before_fork()


def _after(child: bool) -> None:
    for thing in list(_watched):
        thing.after_fork(child=child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(child=False),
        after_in_child=lambda: _after(child=True),
    )
