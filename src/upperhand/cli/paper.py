"""``upperhand paper``: the paper's figures, and its claims put to the test."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..report.document import Table


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("paper-out"),
              show_default=True, help="The folder for figures, tables and report.")  # fmt: skip
@click.option("--only", multiple=True, metavar="NAME",
              help="metrics, levels or families. Repeat for several.")  # fmt: skip
@click.option("--replications", type=int, help="How many; by default the paper's 60, 30 and 30.")
@click.option("--horizon", default=10_000, show_default=True, help="Rounds of a replication.")
@click.option("--seed", default=0, show_default=True, help="Where the luck comes from.")
@click.option("--workers", type=int, help="Threads; by default one for each core.")
def paper(
    out: Path,
    only: tuple[str, ...],
    replications: int | None,
    horizon: int,
    seed: int,
    workers: int | None,
) -> None:
    """Run the paper's experiments again, draw its figures and judge what it says of them."""
    from ..paper.run import run_paper
    from ..paper.write_up import all_claims, count_verdicts, regret_table

    run = run_paper(
        out, only, replications=replications, horizon=horizon, seed=seed, workers=workers
    )
    for part, path in zip(run.parts, run.figures, strict=True):
        click.echo(f"Figure {part.experiment.number}, {part.experiment.title}: {path}")
    click.echo()
    _print_table(regret_table(run.parts))
    click.echo("\nFinal regret ± standard error.")
    if run.conditions.departures:
        click.echo(f"Not the paper's size: {'; '.join(run.conditions.departures)}.")
    click.echo(count_verdicts(all_claims(run.parts)))
    click.echo(f"Report: {run.report}")


def _print_table(table: "Table") -> None:
    """Print with rules and colours on a terminal, in plain columns anywhere else."""
    from ..text_table import text_table

    if not sys.stdout.isatty():
        click.echo(text_table(table.header, table.rows, left=table.left))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    shown = RichTable(box=box.SIMPLE_HEAD)
    for column, head in enumerate(table.header):
        shown.add_column(head, justify="left" if column < table.left else "right")
    for row in table.rows:
        shown.add_row(*row)
    Console().print(shown)
