"""``upperhand simulate``: policies on your own arms."""

import json
import math
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from ..text import text_table, with_error
from .arms import ArmsCommand, arm_option

MANY_ARMS = 8  # with more, only the best arms' pulls are shown


@click.command(cls=ArmsCommand)
@arm_option
@click.option("--policy", "policies", multiple=True, default=("acp-ucb1", "ucb1"),
              show_default=True, metavar="NAME[:SETTING=VALUE,…]",
              help="A policy, such as acp-ucb1:b=0.5. Repeat for several.")  # fmt: skip
@click.option("--alpha", default=0.1, show_default=True, help="Miscoverage of the interval.")
@click.option("--tail", type=click.Choice(["upper", "lower"]), default="upper", show_default=True,
              help="Which end of the interval an arm is valued by.")  # fmt: skip
@click.option("--horizon", default=10_000, show_default=True, help="Rounds of a replication.")
@click.option("--replications", default=60, show_default=True, help="How many of them.")
@click.option("--seed", default=0, show_default=True, help="Where the luck comes from.")
@click.option("--workers", type=int, help="Threads; by default one for each core.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the regret: .png, .pdf, .svg.")
@click.option("--save", type=click.Path(path_type=Path), help="Save the runs, to load in Python.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def simulate(
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    alpha: float,
    tail: Literal["upper", "lower"],
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
    from ..policies.spec import parse_policies, settings_for
    from ..simulation.replications import simulate as run
    from ..simulation.summary import summarise, tail_objective

    laws = [parse_arm(text) for text in arms]
    told = settings_for(tail_objective(alpha, tail), alpha, horizon)
    named = parse_policies(policies, told, _typed(alpha, tail))
    for path in filter(None, (plot, save)):
        check_writable(path)
    if plot:
        check_suffix(plot)
        load_matplotlib()
    if plot and plot == save:
        raise ParameterError(f"--plot and --save are two files; got {str(plot)!r} for both.")
    runs = run(laws, named, horizon, replications, seed, workers=workers)
    if save:
        runs.save(save)
    if plot:
        from ..figures.instance import instance_figure

        save_single(instance_figure(runs, alpha, tail), plot)
    summary = summarise(runs, alpha, tail)
    click.echo(json.dumps(summary, indent=2) if as_json else _text(summary))


def _typed(alpha: float, tail: str) -> dict[str, str]:
    """Return the settings of policies that --alpha and --tail fix, if they were typed."""
    typed: dict[str, str] = {}
    context = click.get_current_context()
    if context.get_parameter_source("alpha") is ParameterSource.COMMANDLINE:
        typed |= dict.fromkeys(("alpha", "tau"), f"--alpha {alpha:g}")
    if context.get_parameter_source("tail") is ParameterSource.COMMANDLINE:
        typed |= dict.fromkeys(("tail", "score", "tau"), f"--tail {tail}")
    return typed


def _text(summary: dict[str, Any]) -> str:
    """Return the summary for people: the arms, who is best, the policies."""
    scale = f"{summary['replications']} replications of {summary['horizon']} rounds"
    note = f"{scale}, seed {summary['seed']}; regret ± standard error, pulls on average"
    return "\n".join(["", _arms(summary), "", _policies(summary), "", note])


def _arms(summary: dict[str, Any]) -> str:
    labels, best = summary["objectives"], summary["best"]
    rows = [
        [str(j + 1), arm["law"], *(_value(arm[key], best.get(key) == j) for key in labels)]
        for j, arm in enumerate(summary["arms"])
    ]
    return text_table(["arm", "law", *labels.values()], rows, left=2)


def _policies(summary: dict[str, Any]) -> str:
    keys = [key for key in summary["objectives"] if key in summary["best"]]
    heads = [f"regret, {summary['objectives'][key]}" for key in keys]
    shown = _shown_arms(summary)
    rows = [
        [
            policy["name"],
            *(_with_error(policy["regret"][key]) for key in keys),
            *(f"{policy['pulls'][j]:.0f}" for j in shown),
        ]
        for policy in summary["policies"]
    ]
    return text_table(["policy", *heads, *(f"pulls of {j + 1}" for j in shown)], rows)


def _shown_arms(summary: dict[str, Any]) -> list[int]:
    """Return the arms whose pulls are shown: all of a few, of many the best of each objective."""
    count = len(summary["arms"])
    return list(range(count)) if count <= MANY_ARMS else sorted(set(summary["best"].values()))


def _value(value: float | None, is_best: bool) -> str:
    """Write an arm's value, the best one marked; an arm without one gets a dash."""
    shown = "—" if value is None else f"{value:.5g}"
    return f"{shown} *best*" if is_best else f"{shown}       "


def _with_error(regret: dict[str, Any]) -> str:
    return with_error(regret["mean"], math.nan if regret["se"] is None else regret["se"])
