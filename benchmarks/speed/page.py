"""The tables and the figure of docs/performance.md; its text is written by hand."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from speed.clock import duration
from speed.curves import against_arms, against_rounds
from speed.drawing import curves_figure
from speed.peers import versions
from upperhand.figures.style import render
from upperhand.files import replacing
from upperhand.reports.markdown import Table, with_tables

HEADER = ("figure", "measured", "goal")
IMAGE = "images/performance.png"  # next to the page


def machine():
    """Return what the figures were measured on, in words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("NumPy", "SciPy", "Numba"))
    return f"{cores} cores ({processor()}), Python {platform.python_version()}, {libraries}"


def processor():
    """Return the processor's name, or its kind where the system does not tell."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.is_file() else []
    names = [line.split(":", 1)[1] for line in lines if line.startswith("model name")]
    return " ".join(names[0].split()) if names else platform.machine()


def counted(results):
    """Say how many goals are met."""
    goals = [result for result in results if result.row.goal]
    missed = sum(", missed" in result.shown for result in goals if result.measured)
    unknown = sum(result.measured is None for result in goals)
    met = len(goals) - missed - unknown
    return f"{len(goals)} goals: met {met}, missed {missed}, not measured {unknown}"


def table(results):
    """Return rows as a table."""
    return Table(HEADER, tuple((r.row.name, r.shown, r.goal) for r in results), left=3)


def curve_table(head, found):
    """Return the numbers of a curve as a table."""
    names = tuple(next(iter(found.values())))
    rows = tuple(
        (f"{size:,}", *(duration(steps[name]) for name in names)) for size, steps in found.items()
    )
    return Table((head, *names), rows)


def tables(by_section):
    """Return the tables of the page by their names."""
    results = [result for _, found in by_section for result in found]
    facts = (("goals", counted(results)), ("machine", machine()), ("peers", versions()))
    found = {section.title: table(results) for section, results in by_section}
    return found | {
        "run": Table(("what", "value"), facts, left=2),
        "rounds": curve_table("rounds n", against_rounds()),
        "arms": curve_table("arms K", against_arms()),
    }


def write_page(path, by_section):
    """Write the figure, and the tables into the page, each file whole or not at all."""
    png = render(curves_figure(against_rounds(), against_arms()), ".png")
    with replacing(path.parent / IMAGE) as temporary:
        temporary.write_bytes(png)
    page = with_tables(path.read_text(encoding="utf-8"), tables(by_section))
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
