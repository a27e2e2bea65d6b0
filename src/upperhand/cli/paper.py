"""``upperhand paper``: the paper's figures, and its claims put to the test."""

from pathlib import Path

import click

from ..errors import ParameterError
from .arms import PATH, WHOLE


@click.command()
@click.option("--out", type=PATH, default=Path("paper-out"),
              show_default=True, help="The folder for what is written.")  # fmt: skip
@click.option("--claims", is_flag=True, help="Draw nothing; judge every claim of the paper, its "
              "theory included, and write a numbered ledger.")  # fmt: skip
@click.option("--only", multiple=True, metavar="NAME", help="metrics, levels or families. Repeat "
              "for several. Not with --claims.")  # fmt: skip
@click.option("--replications", type=WHOLE,
              help="The number of replications; by default the paper's 60, 30 and 30.")  # fmt: skip
@click.option("--horizon", type=WHOLE, default=10_000, show_default=True,
              help="Rounds of a replication.")  # fmt: skip
@click.option("--seed", type=WHOLE, default=0, show_default=True,
              help="The seed of all random numbers.")  # fmt: skip
@click.option("--trials", type=WHOLE, help="Draws of a Monte-Carlo check, by default 2000. Only "
              "with --claims.")  # fmt: skip
@click.option("--workers", type=WHOLE, help="Threads; by default one for each core.")
def paper(
    out: Path,
    claims: bool,
    only: tuple[str, ...],
    replications: int | None,
    horizon: int,
    seed: int,
    trials: int | None,
    workers: int | None,
) -> None:
    """Run the paper's experiments again, draw its figures and judge what it says of them.

    With --claims, judge everything that the paper says and that can be checked.
    """
    if claims:
        if only:
            raise ParameterError(
                f"--claims judges the whole paper; got --only {' --only '.join(only)} as well. "
                "Leave one of the two out."
            )
        _judge(out, replications, horizon, seed, trials, workers)
        return
    if trials is not None:
        raise ParameterError(f"--trials {trials} is for --claims. Add --claims, or leave it out.")
    _draw(out, only, replications, horizon, seed, workers)


def _draw(
    out: Path,
    only: tuple[str, ...],
    replications: int | None,
    horizon: int,
    seed: int,
    workers: int | None,
) -> None:
    """Draw the figures; print where they are, the final regrets and how the claims fared."""
    from ..pages.terminal import block_text
    from ..paper.claim import count_verdicts
    from ..paper.run import run_paper
    from ..paper.write_up import all_claims, regret_table, regret_words

    run = run_paper(
        out, only, replications=replications, horizon=horizon, seed=seed, workers=workers
    )
    for part, path in zip(run.parts, run.figures, strict=True):
        click.echo(f"Figure {part.experiment.number}, {part.experiment.title}: {path}")
    click.echo()
    click.echo(block_text(regret_table(run.parts)))
    click.echo(f"\n{regret_words(run.parts)}")
    if run.conditions.notice:
        click.echo(run.conditions.notice)
    click.echo(count_verdicts(all_claims(run.parts)))
    click.echo(f"Report: {run.report}")


def _judge(
    out: Path,
    replications: int | None,
    horizon: int,
    seed: int,
    trials: int | None,
    workers: int | None,
) -> None:
    """Judge the claims; print them all, how they fared, and where the ledger is."""
    from ..pages.terminal import block_text
    from ..paper.claim import TRIALS, count_verdicts
    from ..paper.judge import judge_paper
    from ..paper.ledger import claims_table

    judged = judge_paper(
        out,
        replications=replications,
        horizon=horizon,
        seed=seed,
        trials=TRIALS if trials is None else trials,
        workers=workers,
    )
    click.echo(block_text(claims_table(judged.claims)))
    click.echo()
    if judged.conditions.notice:
        click.echo(judged.conditions.notice)
    click.echo(count_verdicts([numbered.claim for numbered in judged.claims]))
    click.echo(f"Ledger: {judged.page}")
