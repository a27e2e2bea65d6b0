"""The paper by one call: simulate, draw, judge, write."""

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..figures.style import load_matplotlib, render
from ..files import writable_folder
from ..simulation.workers import cores
from ..text import to_csv
from .conditions import Timed
from .experiment import Experiment, Size
from .pages import pages, write_all
from .registry import sized
from .settings import HORIZON
from .write_up import Part, write_up


@dataclass(frozen=True)
class PaperRun:
    """What was written, and what came out."""

    figures: tuple[Path, ...]  # the PNG files; PDF and CSV are next to them
    report: Path  # the HTML file; the Markdown is next to it
    parts: tuple[Part, ...]
    conditions: Timed


def run_paper(
    out: str | os.PathLike[str] = "paper-out",
    only: Iterable[str] = (),
    *,
    replications: int | None = None,
    horizon: int = HORIZON,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> PaperRun:
    """Run the paper's experiments and write figures, tables and a report into a folder.

    Parameters
    ----------
    out
        The folder, made if need be; checked before anything is simulated, and written to when all
        is done.
    only
        Names of experiments; all of them by default.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0.
    workers, progress
        As in `simulate`; the workers change how long it takes, and nothing else.
    """
    sizes = sized(
        only,
        replications=replications,
        horizon=horizon,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    load_matplotlib()
    folder, start = writable_folder(out), time.perf_counter()
    parts = [_part(experiment, size) for experiment, size in sizes]
    seconds = time.perf_counter() - start
    counts = {experiment.name: size.replications for experiment, size in sizes}
    _, size = sizes[0]
    used = min(size.workers or sys.maxsize, cores())
    conditions = Timed(counts, size.horizon, size.seed, used, seconds)
    write_all(folder, _files(parts, conditions))
    return PaperRun(
        figures=tuple(folder / f"{part.experiment.stem}.png" for part in parts),
        report=folder / "report.html",
        parts=tuple(parts),
        conditions=conditions,
    )


def _part(experiment: Experiment[Any], size: Size) -> Part:
    """Simulate, draw and judge one experiment; nothing is written yet."""
    result = experiment.run(size)
    figure = experiment.draw(result)
    return Part(
        experiment=experiment,
        replications=size.replications,
        files={
            ".png": render(figure, ".png"),
            ".pdf": render(figure, ".pdf"),
            ".csv": to_csv(experiment.table(result)).encode(),
        },
        finals=tuple(experiment.finals(result)),
        claims=tuple(experiment.judge(result, size)),
    )


def _files(parts: list[Part], conditions: Timed) -> dict[str, bytes]:
    """Return the content of every file by its name, the report last."""
    figures = {
        f"{part.experiment.stem}{suffix}": content
        for part in parts
        for suffix, content in part.files.items()
    }
    return figures | pages("report", write_up(parts, conditions))
