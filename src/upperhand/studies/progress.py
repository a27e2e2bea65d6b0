"""How far a study is: a bar on a terminal, lines elsewhere, and its folder for other shells."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text import counted, spoken_time
from .folder import Folder
from .plan import Cell, Plan

if TYPE_CHECKING:
    from .run import Task


EVERY = 2.0  # seconds between two notes for other shells
LINES = 30.0  # seconds between two lines where there is no terminal
STALE = 60.0  # seconds after which a note says nothing of now
NOTE = "progress.json"


class Pace(NamedTuple):
    """How far a run is, and how fast."""

    done: int  # blocks of this run
    blocks: int  # that it has to play
    steps: int  # rounds played
    all_steps: int
    seconds: float

    @property
    def speed(self) -> float:
        """Rounds a second."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float:
        """Seconds to go, if it goes on so; infinite if nobody knows."""
        return (self.all_steps - self.steps) / self.speed if self.speed > 0 else float("inf")

    def __str__(self) -> str:
        share = 100 * self.steps / self.all_steps if self.all_steps else 100.0
        left = f", {spoken_time(self.left)} left" if self.left < float("inf") else ""
        speed = f"{self.speed / 1e6:.3g} million steps a second"
        return f"{self.done} of {counted(self.blocks, 'block')}, {share:.0f} %, {speed}{left}"


@contextmanager
def watched(
    folder: Folder, plan: Plan, there: int, tasks: list["Task"], show: bool | None
) -> Iterator[Callable[["Task"], None]]:
    """Show how a run goes, and give what is called after each block."""
    begun, all_steps = time.monotonic(), sum(task.steps for task in tasks)
    blocks = sum(len(task.series) for task in tasks)  # files, as a task may be split
    state = {"done": 0, "steps": 0, "noted": 0.0}

    def pace() -> Pace:
        done, steps = int(state["done"]), int(state["steps"])
        return Pace(done, blocks, steps, all_steps, time.monotonic() - begun)

    with _shown(plan.title, all_steps, show) as tell:

        def advance(task: "Task") -> None:
            state["done"] += len(task.series)
            state["steps"] += task.steps
            now = time.monotonic() - begun
            if now - state["noted"] >= EVERY or state["done"] == blocks:
                state["noted"] = now
                _note(folder, there, pace())
            tell(task.steps, pace())

        yield advance


def _note(folder: Folder, there: int, pace: Pace) -> None:
    """Write the pace down for other shells; nothing depends on it, so it need not last."""
    text = json.dumps({"there": there, "at": time.time(), **pace._asdict()})
    with suppress(OSError):
        temporary = folder.path / f".{NOTE}.part"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(folder.path / NOTE)


def noted(folder: Folder) -> dict[str, Any] | None:
    """Return the last note of a run; None if there is none that can be read."""
    try:
        found = json.loads((folder.path / NOTE).read_text(encoding="utf-8"))
        Pace(*(found[name] for name in Pace._fields))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return dict(found)


@contextmanager
def _shown(title: str, steps: int, show: bool | None) -> Iterator[Callable[[int, Pace], None]]:
    """Give what tells people: a bar on a terminal, a line now and then elsewhere, or nothing."""
    if show is False or steps == 0:
        yield lambda _steps, _pace: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        name = TextColumn("{task.description}", markup=False)  # a title may have braces
        columns = (name, BarColumn(), TextColumn("{task.fields[pace]}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(title, total=steps, pace="")
            yield lambda more, pace: bar.update(task, advance=more, pace=str(pace))
    else:
        said = [0.0]

        def line(_steps: int, pace: Pace) -> None:
            if pace.seconds - said[0] >= LINES:
                said[0] = pace.seconds
                print(f"{title}: {pace}", file=sys.stderr, flush=True)

        yield line


class CellStatus(NamedTuple):
    """How many replications of a cell's policies are there."""

    cell: Cell
    done: int  # replications of all its policies together
    wanted: int


class Status(NamedTuple):
    """How far a study is."""

    cells: list[CellStatus]
    running: bool
    pace: Pace | None  # of the run that is under way, if it wrote a note

    @property
    def done(self) -> int:
        """Rounds played; of searches, at most."""
        return sum(each.done * each.cell.horizon for each in self.cells)

    @property
    def wanted(self) -> int:
        """Rounds in all."""
        return sum(each.wanted * each.cell.horizon for each in self.cells)


def status_of(plan: Plan, folder: Folder) -> Status:
    """Return how far a study is; it may be running."""
    folder.read_settings()  # refuses what is no study
    cells = []
    for cell in plan.cells:
        done = 0
        for series in cell.series:
            for block in folder.blocks(series):
                there = block.replications
                done += max(0, min(there.stop, plan.replications) - there.start)
        cells.append(CellStatus(cell, done, plan.replications * len(cell.policies)))
    running, note = folder.is_running(), noted(folder)
    fresh = running and note is not None and time.time() - note["at"] < STALE
    pace = Pace(*(note[name] for name in Pace._fields)) if note is not None and fresh else None
    return Status(cells, running, pace)
