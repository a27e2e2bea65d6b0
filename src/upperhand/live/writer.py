"""One turn at an experiment: what the operations of a turn see and may do."""

import time

import numpy as np

from .. import __version__
from ..errors import ParameterError
from .log.event import OUTCOMES, Event, Kind
from .log.protocol import Turn
from .machine import Machine
from .trial import EPOCHS


class Writer:
    """The machine, caught up with the log, and the events that a turn adds to both."""

    def __init__(self, machine: Machine, turn: Turn, epoch: int | None) -> None:
        self.machine, self.turn, self.epoch = machine, turn, epoch
        self.events: list[Event] = []
        self.now = max(time.time(), machine.at)  # times in a log never go back
        self.corrects = False
        self._outcomes: dict[int, Event] = {}

    def emit(self, event: Event) -> None:
        """Apply an event, and keep it for the log."""
        self.machine.apply(event)
        self.events.append(event)
        if event.kind in OUTCOMES and event.trial:
            self._outcomes[event.trial] = event
        elif event.kind == Kind.CORRECTED:
            self.corrects = True

    def outcome(self, trial: int) -> Event | None:
        """Return what was told of a trial, in this turn or before."""
        return self._outcomes.get(trial) or self.turn.outcome(trial)

    def open(self) -> int:
        """Return the epoch of this opening; the first time, take one."""
        if self.epoch is None:
            epoch = max(self.machine.epochs, default=0) + 1
            if epoch >= EPOCHS:
                raise ParameterError(
                    f"This experiment was opened {epoch - 1:,} times, and there are no more ids. "
                    "Begin another, and carry the data over: upperhand export, upperhand import."
                )
            self.epoch = epoch
            self.emit(Event(Kind.OPENED, 0, 0, -1, float(self.epoch), self.now, _program()))
        return self.epoch

    def next_trial(self) -> tuple[int, int]:
        """Return epoch and number of the next ask."""
        epoch = self.open()
        return epoch, self.machine.epochs[epoch] + 1


def _program() -> dict[str, str]:
    """Return which program chooses: choices are replayed by the same one."""
    return {"upperhand": __version__, "numpy": np.__version__}
