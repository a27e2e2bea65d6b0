"""The page docs/performance.md: every row of the run, the curves, and how they were measured."""

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
from upperhand.reports.markdown import (
    Bullets,
    Code,
    Figure,
    Heading,
    Paragraph,
    Report,
    Table,
    to_markdown,
)

COMMAND = "python benchmarks/run.py --page docs/performance.md"
HEADER = ("figure", "measured", "goal")
IMAGE = "images/performance.png"  # next to the page
CURVES, MADE, MISSED = "Against rounds and arms", "How it was measured", "Goals that are missed"


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
    missed = sum(is_missed(result) for result in goals)
    unknown = sum(result.measured is None for result in goals)
    met = len(goals) - missed - unknown
    return f"{len(goals)} goals: met {met}, missed {missed}, not measured {unknown}."


def is_missed(result):
    """Tell whether a row was measured and misses its goal."""
    return result.measured is not None and ", missed" in result.shown


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


def document(by_section, png):
    """Return the page of these results, each section with what became of its rows."""
    results = [result for _, found in by_section for result in found]
    missed = [result for result in results if is_missed(result)]
    blocks = [
        Paragraph(
            "What the library costs in time and memory, next to others in the same run, and how "
            "far it is from what the machine allows. Everything on this page comes from one run of "
            "one command, on a shared machine whose speed changes while it runs: ratios are worth "
            "more than times."
        ),
        Paragraph(counted(results)),
    ]
    if missed:
        blocks += [Heading(MISSED), Bullets(tuple(
            (f"{r.row.name}:", f"{r.shown.split(';')[0]}; the goal is {r.goal}") for r in missed
        ))]  # fmt: skip
    for section, found in by_section:
        blocks += [Heading(section.title), Paragraph(section.words), table(found)]
    blocks += [
        Heading(CURVES),
        Figure(IMAGE, png, "Nanoseconds a step against rounds and arms, a line for each policy",
              "Left: the mean step of the first n rounds on the headline's three arms. Right: a "
              "step after each of K equal arms has had its first pulls. Compiled, CPU time; both "
              "axes are logarithmic."),
        curve_table("rounds n", against_rounds()),
        curve_table("arms K", against_arms()),
        Heading(MADE),
        Code(COMMAND),
        Paragraph(
            f"{machine()}; {versions()}. Sides of a ratio are measured by turns in one process, "
            "five turns or more; shown are the median of the ratios turn by turn and, in brackets, "
            "the least and the largest. Times are CPU time unless a row says wall time, and those "
            "of a compiled policy are without compilation, which happens once a machine. Peers are "
            "run as their documentation has it, and without any of their wrappers around a policy."
        ),
    ]  # fmt: skip
    return Report("Performance", tuple(blocks))


def write_page(path, by_section):
    """Write the page and its figure, each whole or not at all."""
    png = render(curves_figure(against_rounds(), against_arms()), ".png")
    with replacing(path.parent / IMAGE) as temporary:
        temporary.write_bytes(png)
    with replacing(path) as temporary:
        temporary.write_text(to_markdown(document(by_section, png)), encoding="utf-8")
