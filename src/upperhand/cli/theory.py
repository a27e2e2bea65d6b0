"""``upperhand theory``: the paper's theory on your own arms."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ..errors import ParameterError
from . import options
from .options import WHOLE, check_files, print_result

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
