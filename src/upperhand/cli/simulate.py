"""``upperhand simulate``, ``identify`` and ``warm``: policies on your own arms."""

from pathlib import Path
from typing import Any

import click

from ..results import finite
from . import options
from .options import PATH, WHOLE, check_files, print_result


@click.command()
@options.arms(required=True)
@options.policies(
    default=("acp-ucb1", "ucb1"),
    help="A policy, such as acp-ucb1:b=0.5. Several: repeat it, or --policies A B.",
)  # fmt: skip
@options.worth
@click.option("--objective", metavar="NAME", help="Or another objective, such as mean or cvar:0.1.")
@options.horizon
@options.repeats
@options.plot("the regret")
@click.option("--save", type=PATH, help="Save the runs, to load in Python.")
@options.as_json
def simulate(
    arms: tuple[str, ...],
    quantile: float | None,
    plot: Path | None,
    save: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Play policies on your own arms, and print their regret.

    \b
    upperhand simulate --arms 'normal(0,1)' 'normal(0.5,1)' --policies kl-qucb ucb1
    upperhand list distributions    # arms that can be written, and in Python any other
    upperhand policies              # all policies; with a NAME, its settings
    """  # noqa: D301
    from ..simulation.simulate import simulate as run

    if quantile is settings["best_of"] is settings["objective"] is None:
        quantile = 0.95
    distributions = options.named_arms(arms)
    check_files({"--plot": plot, "--save": save})
    runs = run(distributions, quantile=quantile, **settings)
    if save:
        runs.save(save)
    if plot:
        options.draw(plot, "regret:instance_figure", runs, runs.default_objective)
    print_result(as_json, runs.to_dict, runs.summary)


@click.command()
@click.argument("policies", nargs=-1, metavar="[POLICY]...")
def warm(policies: tuple[str, ...]) -> None:
    """Compile policies ahead: those named, or all that need no setting."""
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


@click.command()
@options.arms(required=True)
@options.policies(
    required=True, help="A policy, such as qlucb. Several: repeat it, or --policies A B.",
)  # fmt: skip
@options.worth
@click.option("--delta", type=float,
              help="The chance of a wrong answer that is allowed, by default 0.05.")  # fmt: skip
@click.option("--epsilon", type=float,
              help="Tolerance, by default 0: an arm is good enough if its (τ+ε)-quantile is at "
              "least the best τ-quantile; of costs, if its (τ−ε)-quantile is at most the lowest."
              )  # fmt: skip
@click.option("--cap", type=WHOLE, default=1_000_000,
              help="The most pulls of a run; one that gets there is undecided.")  # fmt: skip
@options.repeats
@options.plot("the samples")
@options.as_json
def identify(arms: tuple[str, ...], plot: Path | None, as_json: bool, **settings: Any) -> None:
    """Find the arm with the best quantile: samples and wrong answers.

    \b
    upperhand identify --arms 'normal(0,1)' 'normal(1,1)' --policies qlucb
    upperhand policies              # those that look for the best arm are listed last
    """  # noqa: D301
    from ..comparison.result import samples_bound
    from ..simulation.identify import identify as run

    distributions = options.named_arms(arms)
    check_files({"--plot": plot})
    found = run(distributions, **settings)
    needed = found.policies if plot or as_json else ()
    bounds = {name: samples_bound(found, name) for name in needed}
    options.draw(plot, "identification:identification_figure", found, bounds)

    def data() -> dict[str, Any]:
        summary = found.to_dict()
        for policy in summary["policies"]:
            policy["lower_bound"] = finite(bounds[policy["name"]])
        return summary

    print_result(as_json, data, found.summary)
