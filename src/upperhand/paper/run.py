"""The paper by one call: simulate, draw, judge, write."""

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checks
from ..files import check_writable, replacing, writable_folder
from ..report.figure import render
from ..report.markdown import to_markdown
from ..report.style import load_matplotlib
from ..report.tables import to_csv
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
        The folder, made if need be; checked before anything is simulated, and written to when all
        is done.
    only
        Names of experiments; all of them by default.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0.
    workers, progress
        As in `simulate`; the workers change how long it takes, and nothing else.
    """
    experiments = chosen(only)
    horizon = checks.integer("horizon", horizon, least=1)
    for experiment in experiments:
        experiment.check_horizon(horizon)
    if replications is not None:
        replications = checks.integer("replications", replications, least=1)
    if workers is not None:
        workers = checks.integer("workers", workers, least=1)
    seed = settled(seed)
    load_matplotlib()
    folder, start = writable_folder(out), time.perf_counter()
    counts = {e.name: replications or e.replications for e in experiments}
    parts = [
        _part(experiment, Size(counts[experiment.name], horizon, seed, workers, progress))
        for experiment in experiments
    ]
    seconds = time.perf_counter() - start
    cores = min(workers or sys.maxsize, os.cpu_count() or 1)
    conditions = Conditions(counts, horizon, seed, cores, seconds)
    return _write(parts, conditions, folder)


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
        claims=tuple(experiment.claims(result)),
    )


def _write(parts: list[Part], conditions: Conditions, folder: Path) -> PaperRun:
    """Write everything, the report last, or, if one file could not be written, nothing."""
    files = _files(parts, conditions)
    for name in files:
        check_writable(folder / name)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return PaperRun(
        figures=tuple(folder / f"{part.experiment.stem}.png" for part in parts),
        report=folder / "report.html",
        parts=tuple(parts),
        conditions=conditions,
    )


def _files(parts: list[Part], conditions: Conditions) -> dict[str, bytes]:
    """Return the content of every file by its name."""
    document = write_up(parts, conditions)
    figures = {
        f"{part.experiment.stem}{suffix}": content
        for part in parts
        for suffix, content in part.files.items()
    }
    report = {"report.md": to_markdown(document), "report.html": to_html(document)}
    return figures | {name: text.encode() for name, text in report.items()}
