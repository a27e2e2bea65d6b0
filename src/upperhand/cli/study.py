"""``upperhand study``: grids from a file, in blocks that outlive a crash."""

import sys
from pathlib import Path
from shlex import quote

import click

from .options import PATH, WHOLE


@click.group()
def study() -> None:
    """Run, watch and report a grid of simulations from a TOML file."""


@study.command()
@click.argument("file", type=PATH)
@click.option("--out", type=PATH, required=True, help="The study's folder; made if need be.")
@click.option("--workers", type=WHOLE, help="Threads; by default one for each core.")
@click.option("--scheduler", metavar="ADDRESS",
              help="A Dask scheduler to play on, such as tcp://10.0.0.1:8786.")  # fmt: skip
@click.option("--executor", type=click.Choice(["threads", "dask"]), default="threads",
              show_default=True, help="dask: a local cluster of processes.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Run it, however many cells the grid has.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
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
    from ..studies import read_plan, run_plan
    from ..text import counted

    plan = read_plan(file, large=yes)
    where = "local" if scheduler is None and executor == "dask" else scheduler
    progress = False if quiet else None
    try:
        ran = run_plan(plan, out, workers=workers, scheduler=where, progress=progress)
    except (KeyboardInterrupt, SystemExit):  # the script turns the one into the other
        again = f"upperhand study run {quote(str(file))} --out {quote(str(out))}"
        click.echo(f"Interrupted; run it again to go on: {again}", err=True)
        raise
    said = f"{counted(ran.played, 'block')} played, {ran.there:,} were there."
    click.echo(f"{said} Next: upperhand study report {quote(str(out))}")
    if ran.failures:
        sys.exit(1)


@study.command()
@click.argument("folder", type=PATH)
def status(folder: Path) -> None:
    """Show how far the study in a folder is, also while it runs."""
    from ..reports.markdown import to_text
    from ..reports.study import status_report
    from ..studies import Folder
    from ..studies.results import status_of

    plan = Folder(folder).read_plan()
    click.echo(to_text(status_report(plan, status_of(plan, Folder(folder)))))


@study.command()
@click.argument("folder", type=PATH)
def report(folder: Path) -> None:
    """Write report.html, report.md, results.csv and the figures into the study's folder."""
    from ..figures.style import load_matplotlib
    from ..reports.study import REPORT, write_report
    from ..studies import Folder

    load_matplotlib()
    names = write_report(Folder(folder))
    rest = [name for name in names if name != REPORT]
    click.echo(f"Wrote {folder / REPORT}; next to it: {', '.join(rest)}.")
