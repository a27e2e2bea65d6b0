"""``upperhand study``: grids from a file, in blocks that outlive a crash."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .arms import PATH, WHOLE

if TYPE_CHECKING:
    from ..studies.grids.results import CellResult

SHOWN_CURVES = 10  # policies of a figure; with more it is not drawn
FAILED = 1


@click.group()
def study() -> None:
    """Run a grid of simulations from a TOML file: resume it, watch it, report it."""


@study.command()
@click.argument("file", type=PATH)
@click.option("--out", type=PATH, required=True, help="The study's folder; made if need be.")
@click.option("--workers", type=WHOLE, help="Threads; by default one for each core.")
@click.option("--scheduler", metavar="ADDRESS",
              help="A Dask scheduler to play on, such as tcp://10.0.0.1:8786.")  # fmt: skip
@click.option("--executor", type=click.Choice(["threads", "dask"]), default="threads",
              show_default=True, help="dask: a local cluster of processes.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Run it, however many cells the grid has.")
@click.option("--quiet", is_flag=True, help="Do not tell how far it is.")
def run(
    file: Path,
    out: Path,
    workers: int | None,
    scheduler: str | None,
    executor: str,
    yes: bool,
    quiet: bool,
) -> None:
    """Play what the folder lacks; what is there already is kept. Interrupt it at any time."""
    from ..studies.grids import read_plan, run_plan

    plan = read_plan(file, large=yes)
    where = scheduler or ("local" if executor == "dask" else None)
    try:
        ran = run_plan(
            plan, out, workers=workers, scheduler=where, progress=False if quiet else None
        )
    except KeyboardInterrupt:
        click.echo(f"Interrupted; run it again to go on: upperhand study run {file} --out {out}",
                   err=True)  # fmt: skip
        raise
    for failure in ran.failures:
        task = failure.task
        who = ", ".join(task.labels)
        first, last = task.block.start + 1, task.block.stop
        click.echo(
            f"Given up after three tries: {who} on {task.cell.instance}, replications "
            f"{first}–{last}: {type(failure.error).__name__}: {failure.error}",
            err=True,
        )
    click.echo(f"{ran.played:,} blocks played, {ran.there:,} were there. Next: upperhand study "
               f"report {out}")  # fmt: skip
    if ran.failures:
        sys.exit(FAILED)


@study.command()
@click.argument("folder", type=PATH)
def status(folder: Path) -> None:
    """Tell how far the study in a folder is, also while it runs."""
    from ..pages.grid_page import status_page
    from ..pages.terminal import to_text
    from ..studies.grids import Folder, read_written
    from ..studies.grids.status import status_of

    plan = read_written(Folder(folder))
    click.echo(to_text(status_page(plan, status_of(plan, Folder(folder)))))


@study.command()
@click.argument("folder", type=PATH)
def report(folder: Path) -> None:
    """Write report.html, report.md, results.csv and the figures into the study's folder."""
    from ..files import replacing
    from ..pages.grid_page import grid_page
    from ..pages.html import to_html
    from ..pages.markdown import to_markdown
    from ..studies.grids import Folder, read_written
    from ..studies.grids.results import results, table_columns
    from ..text import to_csv

    plan = read_written(Folder(folder))
    found = list(results(plan, Folder(folder)))
    images = {place: _image(each, place) for place, each in enumerate(found) if _drawn(each)}
    page = grid_page(plan, found, images)
    files = {
        **{image.name: image.png for image in images.values()},
        "results.csv": to_csv(table_columns(found)).encode(),
        "report.md": to_markdown(page).encode(),
        "report.html": to_html(page).encode(),
    }
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    click.echo(f"Wrote {folder / 'report.html'}, report.md, results.csv and {len(images)} figures.")


def _drawn(each: "CellResult") -> bool:
    return bool(each.curves) and len(each.cell.policies) <= SHOWN_CURVES


def _image(each: "CellResult", place: int):  # type: ignore[no-untyped-def]
    from ..figures.curves import curve_panel
    from ..figures.figure import render
    from ..figures.panels import panel_figure
    from ..pages.document import Image

    letters = [f"({letter}) " for letter in "abcdefgh"] if len(each.curves) > 1 else [""]
    panels = [
        curve_panel(f"{letter}Cumulative regret, {label}", curves)
        for letter, (label, curves) in zip(letters, each.curves.items(), strict=False)
    ]
    what = f"{each.cell.instance}, {each.cell.horizon:,} rounds"
    png = render(panel_figure(panels, "Regret (reward units)"), ".png")
    return Image(f"figure-{place + 1}.png", png, f"Regret curves: {what}", f"Regret on {what}.")
