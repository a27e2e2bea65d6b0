"""``upperhand theory`` and ``paper``: the paper's theory on your arms, and its experiments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ..errors import ParameterError
from . import options
from .options import PATH, WHOLE, check_files, print_result

if TYPE_CHECKING:
    from ..policies import ACPUCB1


@click.command()
@options.arms(required=True)
@click.option("--alpha", type=float, help="Miscoverage of the interval, by default 0.1.")
@click.option("--policy", default="acp-ucb1", metavar="POLICY",
              help="The settings compared with Theorem 1; its levels are the window of "
              "Assumption 1.")  # fmt: skip
@options.direction
@options.minimize
@click.option("--horizon", type=WHOLE, default=10_000, help="The n of the bounds.")
@click.option("--r-y", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--r-s", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@options.plot("the utility path of Gaussian arms")
@options.as_json
def theory(
    arms: tuple[str, ...],
    alpha: float | None,
    policy: str,
    direction: str,
    horizon: int,
    plot: Path | None,
    as_json: bool,
    **radii: float | None,
) -> None:
    """Show the paper's theory on your own arms: Theorem 1 and bounds."""
    from ..objectives import UpperTail
    from ..policies.parsing import parse_policy, settings_for
    from ..theory.card import moments, theory_card

    minimize = direction == "minimize"
    if plot and minimize:
        raise ParameterError(
            "--plot draws the utility path, which is about rewards; leave it out with --minimize."
        )
    check_files({"--plot": plot})
    named = options.named_arms(arms)
    level = UpperTail(0.1 if alpha is None else alpha)
    _, settings = parse_policy(policy, **settings_for(level, level.alpha, horizon))
    if alpha is not None and settings.settings.get("alpha") not in (alpha, None):
        raise ParameterError(f"--alpha {alpha:g} and --policy {policy} both set alpha. Give one.")
    card = theory_card(named, cast("ACPUCB1", settings), horizon, minimize=minimize, **radii)
    if plot:
        labels = [f"arm {name}" for name in named]
        known = moments(list(named.values()))
        options.draw(plot, "theory:path_figure", *known, card["alpha"], labels)
    print_result(as_json, lambda: card, lambda: card)


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
