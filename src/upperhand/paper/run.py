"""The paper by one call: simulate, draw, judge, write."""

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checks
from ..files import writable_folder, write_text
from ..report.figure import save_figure
from ..report.markdown import to_markdown
from ..report.tables import write_csv
from ..report.web_page import to_html
from ..seeds import settled
from .conditions import Conditions
from .experiment import Experiment, Size
from .registry import chosen
from .settings import HORIZON
from .write_up import Part, write_up


@dataclass(frozen=True)
class PaperRun:
    """What was written, and what came out."""

    figures: tuple[Path, ...]  # the PNG files; PDF and CSV are next to them
    report: Path  # the HTML file; the Markdown is next to it
    parts: tuple[Part, ...]
    conditions: Conditions


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
        The folder, made if need be; checked before anything is simulated.
    only
        Names of experiments; all of them by default.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0.
    workers, progress
        As in `simulate`; the workers change how long it takes, and nothing else.
    """
    experiments = chosen(only)
    if replications is not None:
        replications = checks.integer("replications", replications, least=1)
    sizes = {e.name: replications or e.replications for e in experiments}
    seed, folder, start = settled(seed), writable_folder(out), time.perf_counter()
    parts = []
    for experiment in experiments:
        size = Size(sizes[experiment.name], horizon, seed, workers, progress)
        parts.append(_write_part(experiment, experiment.run(size), size.replications, folder))
    seconds = time.perf_counter() - start
    cores = min(workers or sys.maxsize, os.cpu_count() or 1)
    conditions = Conditions(sizes, horizon, seed, cores, seconds)
    return _write_report(parts, conditions, folder)


def _write_part(experiment: Experiment[Any], result: Any, replications: int, folder: Path) -> Part:
    """Write an experiment's figure and table; return what the report says about it."""
    stem = folder / experiment.stem
    png, _ = save_figure(experiment.draw(result), stem)
    write_csv(stem.with_suffix(".csv"), experiment.table(result))
    return Part(
        experiment=experiment,
        replications=replications,
        png=png.read_bytes(),
        finals=tuple(experiment.finals(result)),
        claims=tuple(experiment.claims(result)),
    )


def _write_report(parts: list[Part], conditions: Conditions, folder: Path) -> PaperRun:
    document = write_up(parts, conditions)
    write_text(folder / "report.md", to_markdown(document))
    write_text(folder / "report.html", to_html(document))
    return PaperRun(
        figures=tuple(folder / f"{part.experiment.stem}.png" for part in parts),
        report=folder / "report.html",
        parts=tuple(parts),
        conditions=conditions,
    )
