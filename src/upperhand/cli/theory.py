"""``upperhand theory``: what the paper's theory says of your own arms."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from click.core import ParameterSource

from ..errors import ParameterError
from .arms import PATH, WHOLE, ArmsCommand, arm_option, minimize_option

if TYPE_CHECKING:
    from ..distributions import Distribution
    from ..policies import ACPUCB1


@click.command(cls=ArmsCommand)
@arm_option
@click.option("--alpha", default=0.1, show_default=True, help="Miscoverage of the interval.")
@click.option("--policy", default="acp-ucb1", show_default=True, metavar="NAME[:SETTING=VALUE,…]",
              help="The settings compared with Theorem 1, such as acp-ucb1:b=0.5,level_max=0.2; "
              "the levels are the window of Assumption 1.")  # fmt: skip
@minimize_option
@click.option(
    "--horizon", type=WHOLE, default=10_000, show_default=True, help="The n of the bounds."
)
@click.option("--r-y", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--r-s", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--plot", type=PATH,
              help="Draw the utility path of Gaussian arms: .png, .pdf, .svg.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def theory(
    arms: tuple[str, ...],
    alpha: float,
    policy: str,
    minimize: bool,
    horizon: int,
    r_y: float | None,
    r_s: float | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Show the theory on your own arms: gaps, the path from mean to tail, Theorem 1 and bounds."""
    from ..distributions.registry import parse_arm
    from ..objectives import UpperTail
    from ..pages.card_page import card_page
    from ..pages.terminal import to_text
    from ..policies.spec import parse_policies, settings_for
    from ..theory.card.instance import theory_card

    if plot and minimize:
        raise ParameterError(
            "--plot draws the utility path, which is about rewards; leave it out with --minimize."
        )
    laws = [parse_arm(text) for text in arms]
    told = settings_for(UpperTail(alpha), alpha, horizon)
    typed = click.get_current_context().get_parameter_source("alpha")
    options = {"alpha": f"--alpha {alpha:g}"} if typed is ParameterSource.COMMANDLINE else {}
    (settings,) = parse_policies([policy], told, options).values()
    card = theory_card(
        laws, cast("ACPUCB1", settings), horizon, minimize=minimize, r_y=r_y, r_s=r_s
    )
    if plot:
        _draw(laws, card["alpha"], plot)
    click.echo(json.dumps(card, indent=2, allow_nan=False) if as_json else to_text(card_page(card)))


def _draw(laws: "list[Distribution]", alpha: float, path: Path) -> None:
    """Draw the utility path of Gaussian arms."""
    from ..figures.figure import check_suffix, save_single
    from ..figures.utility_path import path_figure
    from ..theory.card.gaussian import moments

    check_suffix(path)
    labels = [f"arm {j + 1}" for j in range(len(laws))]
    save_single(path_figure(*moments(laws), alpha, labels), path)
