"""Play what a study's folder lacks, and show how far it is; resume at any time.

Workers play blocks and send them back (`cluster.py`). This process alone writes them, each as soon
as it is there. So a crash loses the blocks under way, a cluster needs no common disk, and the files
are the same for any workers and in any order.
"""

import os
import sys
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from .. import checks
from ..errors import ParameterError
from ..simulation.workers import completed, cores
from ..text import counted, is_terminal, printable, spoken_time
from .cluster import LOCAL, ExecutorTeam, team
from .config import read_plan
from .folder import Folder
from .plan import TOGETHER, Plan, Series, Task
from .results import Study

TRIES = 3  # times that a block may fail for a reason that may pass
PATIENCE = 10  # tenths of a second in which another process may be looking at the lock
NOTES = 2.0  # seconds between two notes for other shells
LINES = 30.0  # seconds between two lines where there is no terminal


class Failure(NamedTuple):
    task: Task
    error: Exception

    def __str__(self) -> str:
        said = f": {self.error}" if str(self.error) else ""
        return printable(f"Given up: {self.task}: {type(self.error).__name__}{said}")


class Ran(NamedTuple):
    played: int  # blocks, one for each policy
    there: int  # blocks that were there already
    failures: list[Failure]


def run_plan(
    plan: Plan,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> Ran:
    """Play all blocks that the folder lacks, and write them there.

    Parameters
    ----------
    plan, out
        The study, and its folder, which is made if need be.
    workers
        Threads; by default one for each core.
    executor
        Any ``concurrent.futures.Executor`` to use instead; `workers` then says how many it has.
    scheduler
        The address of a Dask scheduler, ``tcp://…``, or "local" for a cluster on this machine.
    progress
        Whether to show progress: by default a bar on a terminal, and lines elsewhere.
        Damaged blocks and failures are always reported on standard error.
    """
    if scheduler and scheduler != LOCAL and workers is not None:
        raise ParameterError(
            f"A scheduler has its own workers; got workers = {workers}. Leave that out."
        )
    folder = Folder(out)
    folder.make()
    count = cores() if workers is None else checks.integer("workers", workers, least=1)
    with folder.locked(PATIENCE) as note:
        if wrong := folder.open_for(plan):
            _say(f"study.json in {str(folder.path)!r} {wrong}, and is written again.")
        there, tasks = missing(plan, folder, _put_aside)
        if not tasks:
            return Ran(0, there, [])
        if otherwise := folder.made_otherwise(tasks):
            _say(otherwise)
        with (
            watched(plan.title, tasks, progress, note) as tell,
            team(executor, scheduler, count) as players,
        ):
            played, failures = _play(tasks, players, folder, tell)
    return Ran(played, there, failures)


def _say(text: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # it may be closed
            print(text, file=sys.stderr, flush=True)


def _put_aside(path: Path) -> None:
    """Rename a damaged block, so that it is played again."""
    with suppress(OSError):
        path.replace(path.with_suffix(".damaged"))
    _say(f"The block {str(path)!r} is damaged: it is kept as .damaged, and played again.")


def run_study(
    file: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    large: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Play what the folder of a study in a TOML file lacks, and return what it has found.

    A grid of more than 10,000 cells must be allowed by `large`. See `run_plan` for the others.
    """
    run_plan(
        read_plan(file, large=large), out,
        workers=workers, executor=executor, scheduler=scheduler, progress=progress,
    )  # fmt: skip
    return Study(out)


def _play(
    tasks: list[Task], players: ExecutorTeam, folder: Folder, tell: Callable[..., None]
) -> tuple[int, list[Failure]]:
    """Play the tasks and write their blocks; return how many, and what was given up."""
    waiting, played, failures = deque(tasks), 0, list[Failure]()
    for task, future in completed(waiting, players.submit, players.most, players.look):
        error = future.exception()
        if error is None:
            for series in task.series:
                folder.write(series, task.block, future.result()[series.label])
                played += 1
            tell(task, None)
            continue
        if not isinstance(error, Exception) or isinstance(error, CancelledError):
            raise error  # Ctrl-C, or the executor is going away
        if players.may_pass(error) and task.tries + 1 < TRIES:
            waiting.appendleft(task._replace(tries=task.tries + 1))
        elif len(task.series) > 1:  # one of them may be at fault: each by itself
            alone = [task._replace(series=(each,), tries=0) for each in task.series]
            waiting.extendleft(alone)
        else:
            failures.append(Failure(task, error))
            tell(task, failures[-1])
    return played, failures


def missing(
    plan: Plan, folder: Folder, damaged: Callable[[Path], object] = lambda _: None
) -> tuple[int, list[Task]]:
    """Return how many blocks are there, whole, and what is to be played."""
    there, tasks, seen = 0, [], set[str]()
    for cell in plan.cells:
        lacking: dict[tuple[int, int], list[Series]] = {}
        for series in cell.series:
            if series.key in seen:  # a cell may differ from another in what it is evaluated by
                continue
            seen.add(series.key)
            known = [block for block, _ in folder.blocks(series, damaged)]
            there += len(known)
            for block in cell.blocks(plan.replications):
                for gap in gaps(block, known):
                    lacking.setdefault((gap.start, gap.stop), []).append(series)
        for (start, stop), all_series in sorted(lacking.items()):
            for first in range(0, len(all_series), TOGETHER):
                some = tuple(all_series[first : first + TOGETHER])
                tasks.append(Task(cell, some, range(start, stop)))
    return there, tasks


def gaps(block: range, known: list[range]) -> Iterator[range]:
    """Yield what none of the known ranges, which rise and do not overlap, has of a block."""
    start = block.start
    for place in range(bisect_right(known, start, key=lambda each: each.stop), len(known)):
        each = known[place]
        if each.start >= block.stop:
            break
        if each.start > start:
            yield range(start, each.start)
        start = each.stop
    if start < block.stop:
        yield range(start, block.stop)


@contextmanager
def watched(
    title: str, tasks: list[Task], show: bool | None, note: Callable[[Mapping[str, Any]], None]
) -> Iterator[Callable[[Task, Failure | None], None]]:
    """Give what tells people and other shells how a run goes."""
    blocks = sum(len(task.series) for task in tasks)  # files, as a task may be split
    all_steps, failures = sum(task.steps for task in tasks), list[str]()
    begun, noted, drawn, done, steps = time.monotonic(), 0.0, 0.0, 0, 0

    def tell(task: Task, failure: Failure | None) -> None:
        nonlocal noted, drawn, done, steps
        if failure is not None:
            failures.append(str(failure))
            _say(failures[-1])
        else:
            done, steps = done + len(task.series), steps + task.steps
        seconds = time.monotonic() - begun
        speed = f"{steps / max(seconds, 1e-9) / 1e6:.3g} million steps a second"
        left = spoken_time((all_steps - steps) * seconds / max(steps, 1))
        share = f"{done} of {counted(blocks, 'block')}, {100 * steps / all_steps:.0f} %"
        pace = f"{share}, {speed}" + (f", {left} left" if steps else "")
        if failure or done == blocks or seconds - noted >= NOTES:
            noted = seconds
            note({"process": os.getpid(), "pace": pace, "failures": failures})
        if seconds - drawn >= every:
            drawn = seconds
            draw(steps, speed, pace)

    with _display(title, all_steps, show) as (draw, every):
        yield tell


@contextmanager
def _display(
    title: str, steps: int, show: bool | None
) -> Iterator[tuple[Callable[[int, str, str], object], float]]:
    """Give what shows steps, speed and pace, by a bar or by lines, and how often to."""
    if show is False:
        yield lambda *_: None, 0.0
    elif is_terminal(sys.stderr):
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress, TextColumn

        columns = (*Progress.get_default_columns(), TextColumn("{task.fields[speed]}"))
        options: Any = {"transient": True, "speed_estimate_period": 600.0}
        with Progress(*columns, console=Console(stderr=True), **options) as bar:
            row = bar.add_task(escape(title), total=steps, speed="")
            yield lambda done, speed, _: bar.update(row, completed=done, speed=speed), 0.0
    else:
        yield lambda _done, _speed, pace: _say(f"{title}: {pace}"), LINES
