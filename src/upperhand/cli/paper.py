"""``upperhand paper``: the paper's figures, and what it says of them."""

from pathlib import Path
from typing import Any

import click

from . import options
from .options import PATH, WHOLE


@click.command()
@click.option("--out", type=PATH, default=Path("paper-out"), help="The folder for what is written.")
@click.option("--only", multiple=True, metavar="NAME",
              help="metrics, levels or families. Repeat for several.")  # fmt: skip
@click.option("--replications", type=WHOLE,
              help="The number of replications; by default the paper's 60, 30 and 30.")  # fmt: skip
@options.horizon
@options.seed
@options.workers
def paper(out: Path, only: tuple[str, ...], **size: Any) -> None:
    """Reproduce the paper's figures, and check what it says of them."""
    from ..paper.run import claims_line, notice, regret_caption, regret_table, run_paper
    from ..reports.markdown import block_text

    run = run_paper(out, only, **size)
    for part, path in zip(run.parts, run.figures, strict=True):
        click.echo(f"Figure {part.experiment.number}, {part.experiment.title}: {path}")
    click.echo(f"\n{block_text(regret_table(run.parts))}\n\n{regret_caption(run.parts)}")
    if warning := notice((part.experiment, part.size) for part in run.parts):
        click.echo(warning)
    click.echo(claims_line(run.parts))
    click.echo(f"Report: {run.report}")
