"""``upperhand identify``: find the arm with the best quantile among your own arms."""

import json
from pathlib import Path

import click
from click.core import ParameterSource

from .arms import (
    PATH,
    WHOLE,
    ArmsCommand,
    arm_option,
    best_of_option,
    best_of_value,
    completes,
    repeat_options,
)


class IdentifyCommand(ArmsCommand):
    """A command whose help ends with the policies that look for the best arm."""

    taken = "τ, δ and ε"

    def policy_forms(self) -> dict[str, str]:
        """Return them."""
        from ..policies import BEST_ARM_POLICIES
        from ..policies.spec import policy_forms

        return policy_forms(BEST_ARM_POLICIES.values())


def _words() -> list[str]:
    from ..parameters.text import typed_words
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
    from ..distributions.registry import parse_arm
    from ..figures.figure import check_suffix, save_single
    from ..figures.style import load_matplotlib
    from ..files import check_writable
    from ..pages.identification_page import identification_page
    from ..pages.terminal import to_text
    from ..policies import best_arm_class
    from ..policies.spec import parse_policies
    from ..simulation.identify import identify as run
    from ..studies.bounds import samples_bound

    laws = [parse_arm(text) for text in arms]
    value = best_of_value(best_of, minimize, ["tau"])
    told = {"tau": getattr(value, "tau", tau), "delta": delta, "epsilon": epsilon}
    options = _typed(told) | ({"tau": f"--best-of {best_of}"} if value else {})
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
        click.echo(to_text(identification_page(found, bounds)))


def _typed(told: dict[str, float]) -> dict[str, str]:
    """Return the settings of policies that options fix, if they were typed."""
    context = click.get_current_context()
    return {
        name: f"--{name} {value:g}"
        for name, value in told.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
