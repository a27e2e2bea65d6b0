"""Who leads, noted in the log whenever that changes."""

from .log.event import Event, Kind
from .player import Player
from .report import estimate
from .writer import Writer


def note_leader(writer: Writer, segment: int) -> None:
    """Append an event if another arm than before has the best quantile."""
    machine = writer.machine
    if machine.settings.quantile is None:
        return
    leader = leading(machine.players[segment], machine.retired, minimize=machine.settings.minimize)
    if leader is not None and leader != machine.leaders.get(segment):
        writer.emit(Event(Kind.LEADER, 0, segment, leader, 0.0, writer.now))


def leading(player: Player, retired: set[int], *, minimize: bool) -> int | None:
    """Return the arm with the best estimate, the first of equal ones; None if nothing is known.

    An arm's estimate is kept until its sample changes, so that a tell looks at one arm anew.
    """
    best, worth = None, 0.0
    for arm, version in enumerate(player.versions):
        kept = player.estimates.get(arm)
        if kept is None or kept[0] != version:
            kept = player.estimates[arm] = (version, estimate(player, arm))
        value = kept[1]
        if value is None or arm in retired:
            continue
        if best is None or (value < worth if minimize else value > worth):
            best, worth = arm, value
    return best
