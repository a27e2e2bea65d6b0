"""``upperhand simulate``: policies on your own arms."""

import json
from pathlib import Path
from typing import Literal

import click
from click.core import ParameterSource

from .arms import (
    PATH,
    ArmsCommand,
    arm_option,
    best_of_option,
    best_of_value,
    completes,
    minimize_option,
    policy_words,
    size_options,
)


@click.command(cls=ArmsCommand)
@arm_option
@click.option("--policy", "policies", multiple=True, default=("acp-ucb1", "ucb1"),
              show_default=True, metavar="NAME[:SETTING=VALUE,…]",
              shell_complete=completes(policy_words),
              help="A policy, such as acp-ucb1:b=0.5; see below. Repeat for several.")  # fmt: skip
@click.option("--alpha", default=0.1, show_default=True, help="Miscoverage of the interval.")
@click.option("--tail", type=click.Choice(["upper", "lower"]), default="upper", show_default=True,
              help="Which end of the interval an arm is valued by.")  # fmt: skip
@best_of_option
@minimize_option
@size_options
@click.option("--plot", type=PATH, help="Draw the regret: .png, .pdf, .svg.")
@click.option("--save", type=PATH, help="Save the runs, to load in Python.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def simulate(
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    alpha: float,
    tail: Literal["upper", "lower"],
    best_of: int | None,
    minimize: bool,
    horizon: int,
    replications: int,
    seed: int,
    workers: int | None,
    plot: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """Play policies on your own arms: who is best under which objective, and at what regret."""
    from ..distributions.registry import parse_arm
    from ..errors import ParameterError
    from ..figures.figure import check_suffix, save_single
    from ..figures.style import load_matplotlib
    from ..files import check_writable
    from ..pages.simulation_page import simulation_page
    from ..pages.terminal import to_text
    from ..policies.spec import parse_policies, settings_for
    from ..simulation.replications import simulate as run
    from ..simulation.summary import summarise, tail_objective

    laws = [parse_arm(text) for text in arms]
    value = best_of_value(best_of, minimize, ["alpha", "tail"]) or tail_objective(alpha, tail)
    told = settings_for(value, alpha, horizon)
    named = parse_policies(policies, told, _typed(alpha, tail, best_of))
    for path in filter(None, (plot, save)):
        check_writable(path)
    if plot:
        check_suffix(plot)
        load_matplotlib()
    if plot and plot == save:
        raise ParameterError(
            f"--plot and --save must be different files; got {str(plot)!r} for both."
        )
    runs = run(laws, named, horizon, replications, seed, minimize=minimize, workers=workers)
    if save:
        runs.save(save)
    if plot:
        from ..figures.instance import instance_figure

        save_single(instance_figure(runs, value), plot)
    summary = summarise(runs, value)
    shown = json.dumps(summary, indent=2) if as_json else to_text(simulation_page(summary))
    click.echo(shown)


def _typed(alpha: float, tail: str, best_of: int | None) -> dict[str, str]:
    """Return the settings of policies that --alpha, --tail or --best-of fix, if it was typed."""
    typed: dict[str, str] = {}
    if best_of is not None:
        typed = dict.fromkeys(("alpha", "tail", "score", "tau"), f"--best-of {best_of}")
    context = click.get_current_context()
    if context.get_parameter_source("alpha") is ParameterSource.COMMANDLINE:
        typed |= dict.fromkeys(("alpha", "tau"), f"--alpha {alpha:g}")
    if context.get_parameter_source("tail") is ParameterSource.COMMANDLINE:
        typed |= dict.fromkeys(("tail", "score", "tau"), f"--tail {tail}")
    return typed
