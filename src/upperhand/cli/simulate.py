"""``upperhand simulate``: policies on your own arms.

``upperhand identify``: find the arm with the best quantile among your own arms.
"""

import json
from pathlib import Path
from typing import Literal

import click
from click.core import ParameterSource

from .options import (
    PATH,
    WHOLE,
    ArmsCommand,
    arm_option,
    best_of_option,
    best_of_value,
    completes,
    minimize_option,
    policy_words,
    repeat_options,
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
    from ..figures.style import check_suffix, load_matplotlib, save_single
    from ..files import check_writable
    from ..policies.parsing import parse_policies, settings_for
    from ..reports.markdown import to_text
    from ..reports.runs import simulation_report
    from ..simulation.runs import summarise, tail_objective
    from ..simulation.simulate import simulate as run

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
        from ..figures.regret import instance_figure

        save_single(instance_figure(runs, value), plot)
    summary = summarise(runs, value)
    shown = json.dumps(summary, indent=2) if as_json else to_text(simulation_report(summary))
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


class IdentifyCommand(ArmsCommand):
    """A command whose help ends with the policies that look for the best arm."""

    taken = "τ, δ and ε"

    def policy_forms(self) -> dict[str, str]:
        """Return them."""
        from ..policies import BEST_ARM_POLICIES
        from ..policies.parsing import policy_forms

        return policy_forms(BEST_ARM_POLICIES.values())


def _words() -> list[str]:
    from ..parsing import typed_words
    from ..policies import BEST_ARM_POLICIES

    return typed_words(BEST_ARM_POLICIES.values())


@click.command(cls=IdentifyCommand)
@arm_option
@click.option("--policy", "policies", multiple=True, required=True,
              metavar="NAME[:SETTING=VALUE,…]", shell_complete=completes(_words),
              help="A policy, such as uniform-sampling:budget=1000; see below. Repeat for several."
              )  # fmt: skip
@click.option("--tau", default=0.95, show_default=True,
              help="Level of the quantile that an arm is worth.")  # fmt: skip
@best_of_option
@click.option("--delta", default=0.05, show_default=True,
              help="The chance of a wrong answer that is allowed.")  # fmt: skip
@click.option("--epsilon", default=0.0, show_default=True,
              help="Tolerance in level: an arm is good enough if its (τ+ε)-quantile is at least "
              "the best τ-quantile; of costs, if its (τ−ε)-quantile is at most the lowest."
              )  # fmt: skip
@click.option("--cap", type=WHOLE, default=1_000_000, show_default=True,
              help="The most pulls of a run; one that gets there is undecided.")  # fmt: skip
@click.option("--minimize", is_flag=True,
              help="The arms pay costs, such as latencies: the lowest τ-quantile is best."
              )  # fmt: skip
@repeat_options
@click.option("--plot", type=PATH, help="Draw the samples: .png, .pdf, .svg.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def identify(
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    tau: float,
    best_of: int | None,
    delta: float,
    epsilon: float,
    cap: int,
    minimize: bool,
    replications: int,
    seed: int,
    workers: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Find the arm with the best quantile: how many samples it takes, and how often it is wrong."""
    from ..comparison.result import samples_bound
    from ..distributions.registry import parse_arm
    from ..figures.style import check_suffix, load_matplotlib, save_single
    from ..files import check_writable
    from ..policies import best_arm_class
    from ..policies.parsing import parse_policies
    from ..reports.markdown import to_text
    from ..reports.runs import identification_report
    from ..simulation.identify import identify as run

    laws = [parse_arm(text) for text in arms]
    value = best_of_value(best_of, minimize, ["tau"])
    told = {"tau": getattr(value, "tau", tau), "delta": delta, "epsilon": epsilon}
    options = _typed_identify(told) | ({"tau": f"--best-of {best_of}"} if value else {})
    named = parse_policies(policies, told, options, best_arm_class)
    if plot:
        check_writable(plot)
        check_suffix(plot)
        load_matplotlib()
    found = run(
        laws, named, cap=cap, replications=replications, seed=seed, minimize=minimize,
        workers=workers,
    )  # fmt: skip
    bounds = {name: samples_bound(found, name) for name in found.policies}
    if plot:
        from ..figures.identification import identification_figure

        save_single(identification_figure(found, bounds), plot)
    if as_json:
        summary = found.to_dict()
        for policy in summary["policies"]:
            bound = bounds[policy["name"]]
            policy["lower_bound"] = bound if 0 <= bound < float("inf") else None
        click.echo(json.dumps(summary, indent=2, allow_nan=False))
    else:
        click.echo(to_text(identification_report(found, bounds)))


def _typed_identify(told: dict[str, float]) -> dict[str, str]:
    """Return the settings of policies that options fix, if they were typed."""
    context = click.get_current_context()
    return {
        name: f"--{name} {value:g}"
        for name, value in told.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
