"""``upperhand simulate``, ``identify`` and ``warm``: policies on your own arms."""

from pathlib import Path
from typing import Any, Literal

import click

from . import options
from .options import PATH, POLICY, WHOLE, Lists, ListsCommand, check_files, is_typed, print_result


@click.command(cls=ListsCommand, lists=options.policies_and_arms)
@options.arms(required=True)
@options.policies(
    "policy", default=("acp-ucb1", "ucb1"),
    help="A policy, such as acp-ucb1:b=0.5; see below. Repeat for several.",
)  # fmt: skip
@click.option("--alpha", default=0.1, help="Miscoverage of the interval.")
@click.option("--tail", type=click.Choice(["upper", "lower"]), default="upper",
              help="Which end of the interval an arm is valued by.")  # fmt: skip
@options.best_of
@options.minimize
@options.horizon
@options.repeats
@options.plot("the regret")
@click.option("--save", type=PATH, help="Save the runs, to load in Python.")
@options.as_json
def simulate(
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    alpha: float,
    tail: Literal["upper", "lower"],
    best_of: int | None,
    minimize: bool,
    horizon: int,
    plot: Path | None,
    save: Path | None,
    as_json: bool,
    **repeats: Any,
) -> None:
    """Play policies on your own arms: who is best under which objective, and at what regret."""
    from ..distributions.registry import parse_arm
    from ..objectives import DIRECTIONS
    from ..policies.parsing import parse_policies, settings_for
    from ..reports.runs import simulation_report
    from ..simulation.runs import summarise, tail_objective
    from ..simulation.simulate import simulate as run

    distributions = [parse_arm(text) for text in arms]
    given = options.best_of_value(best_of, minimize, ["alpha", "tail"])
    value = given or tail_objective(alpha, tail)
    fixed: dict[str, str] = {}  # the settings of policies that an option fixes, if it was typed
    if best_of is not None:
        fixed = dict.fromkeys(("alpha", "tail", "score", "tau"), f"--best-of {best_of}")
    if is_typed("alpha"):
        fixed |= dict.fromkeys(("alpha", "tau"), f"--alpha {alpha:g}")
    if is_typed("tail"):
        fixed |= dict.fromkeys(("tail", "score", "tau"), f"--tail {tail}")
    named = parse_policies(policies, settings_for(value, alpha, horizon), fixed)
    check_files({"--plot": plot, "--save": save})
    runs = run(distributions, named, horizon, direction=DIRECTIONS[minimize], **repeats)
    if save:
        runs.save(save)
    if plot:
        from ..figures.regret import instance_figure
        from ..figures.style import save_single

        save_single(instance_figure(runs, value), plot)
    summary = summarise(runs, value)
    print_result(as_json, summary, lambda: simulation_report(summary))


@click.command()
@click.argument("policies", nargs=-1, metavar=f"[{POLICY}]...")
def warm(policies: tuple[str, ...]) -> None:
    """Compile policies ahead, by default all that need no setting, so that no later run waits."""
    from ..parsing import class_named
    from ..policies import BEST_ARM_POLICIES, POLICIES
    from ..policies.parsing import as_policies
    from ..simulation.player import compile_ahead
    from ..simulation.simulate import defaults
    from ..simulation.workers import progress_bar

    known, every = defaults(None, minimize=False, horizon=10_000), POLICIES | BEST_ARM_POLICIES
    usual = [name for name, cls in POLICIES.items() if known.keys() >= set(cls.required_names())]
    find = lambda name: class_named("policy", name, every.values())  # noqa: E731
    found = as_policies(policies or usual, known, find)
    with progress_bar("Compiling", len(found)) as advance:
        for policy in found.values():
            compile_ahead(policy)
            advance(1)
    click.echo(f"Compiled: {', '.join(found)}.")


def _best_arm_lists() -> Lists:
    from ..policies import BEST_ARM_POLICIES

    return options.policies_and_arms("τ, δ and ε", BEST_ARM_POLICIES.values())


@click.command(cls=ListsCommand, lists=_best_arm_lists)
@options.arms(required=True)
@options.policies(
    "best-arm policy", required=True,
    help="A policy, such as uniform-sampling:budget=1000; see below. Repeat for several.",
)  # fmt: skip
@click.option("--tau", default=0.95, help="Level of the quantile that an arm is worth.")
@options.best_of
@click.option("--delta", default=0.05, help="The chance of a wrong answer that is allowed.")
@click.option("--epsilon", default=0.0,
              help="Tolerance: an arm is good enough if its (τ+ε)-quantile is at least the best "
              "τ-quantile; of costs, if its (τ−ε)-quantile is at most the lowest.")  # fmt: skip
@click.option("--cap", type=WHOLE, default=1_000_000,
              help="The most pulls of a run; one that gets there is undecided.")  # fmt: skip
@options.minimize
@options.repeats
@options.plot("the samples")
@options.as_json
def identify(
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    tau: float,
    best_of: int | None,
    delta: float,
    epsilon: float,
    minimize: bool,
    plot: Path | None,
    as_json: bool,
    **size: Any,
) -> None:
    """Find the arm with the best quantile: how many samples it takes, and how often it is wrong."""
    from ..comparison.result import samples_bound
    from ..distributions.registry import parse_arm
    from ..objectives import DIRECTIONS
    from ..policies import best_arm_class
    from ..policies.parsing import parse_policies
    from ..reports.runs import identification_report
    from ..simulation.identify import identify as run

    distributions = [parse_arm(text) for text in arms]
    value = options.best_of_value(best_of, minimize, ["tau"])
    settings = {"tau": getattr(value, "tau", tau), "delta": delta, "epsilon": epsilon}
    fixed = {name: f"--{name} {number:g}" for name, number in settings.items() if is_typed(name)}
    if value:
        fixed["tau"] = f"--best-of {best_of}"
    named = parse_policies(policies, settings, fixed, best_arm_class)
    check_files({"--plot": plot})
    found = run(distributions, named, direction=DIRECTIONS[minimize], **size)
    bounds = {name: samples_bound(found, name) for name in found.policies}
    if plot:
        from ..figures.identification import identification_figure
        from ..figures.style import save_single

        save_single(identification_figure(found, bounds), plot)
    summary = found.to_dict()
    for policy in summary["policies"]:
        bound = bounds[policy["name"]]
        policy["lower_bound"] = bound if 0 <= bound < float("inf") else None
    print_result(as_json, summary, lambda: identification_report(found, bounds))
