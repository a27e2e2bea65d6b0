"""``upperhand compare``: all policies on the paper's arms or yours, under several objectives."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ParameterError
from . import options
from .options import PATH, Lists, ListsCommand, check_files, completes, print_result

if TYPE_CHECKING:
    from ..comparison.instances import Given


def _lists() -> Lists:
    from ..comparison.instances import INSTANCES
    from ..objectives import objective_forms

    instances = {name: each.note for name, each in INSTANCES.items()}
    return {"Instances": instances, "Objectives": objective_forms(), **options.policies_and_arms()}


@click.command(cls=ListsCommand, lists=_lists)
@click.option("--instance", "instances", multiple=True, metavar="NAME",
              shell_complete=completes("instance"),
              help="headline, paper, hard, all, or another of those below; extreme, or one of "
              "extreme-1 to extreme-8, which are valued by the p95 too unless --best-of or "
              "--objective says otherwise, and without the policies for one large reward unless "
              "--policy names them. Repeat for several. By default headline.")  # fmt: skip
@options.arms(required=False)
@options.policies(
    "policy",
    help="A policy, such as kl-qucb or acp-ucb1:b=0.5. Repeat for several. By default all, set to "
    "play for the first objective.",
)
@click.option("--objective", "objectives", multiple=True, metavar="NAME[:NUMBER]",
              shell_complete=completes("objective"),
              help="An objective, such as cvar:0.1; see below. Repeat for several; the first "
              "one is the main one.")  # fmt: skip
@click.option("--alpha", type=float, help="Value the arms by F⁻¹(1−α/2) at this α; by default an "
              "instance's own, or that of the first objective.")  # fmt: skip
@options.best_of
@options.minimize
@options.horizon
@options.repeats
@click.option("--reference", metavar="POLICY", help="The policy that the others are compared "
              "with; by default ACP-UCB1, or the first policy.")  # fmt: skip
@options.plot("it")
@click.option("--csv", type=PATH, help="Write every number as CSV.")
@click.option("--markdown", type=PATH, help="Write the tables as Markdown.")
@options.as_json
@click.option("--no-timing", is_flag=True, expose_value=False, hidden=True)  # of before 0.2
def compare(
    instances: tuple[str, ...],
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    objectives: tuple[str, ...],
    alpha: float | None,
    best_of: int | None,
    minimize: bool,
    horizon: int,
    plot: Path | None,
    csv: Path | None,
    markdown: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare policies on instances under objectives: regrets, shares and slopes."""
    from ..comparison.compare import compare as run
    from ..objectives import DIRECTIONS, UpperTail, parse_objective
    from ..policies.parsing import parse_policies, settings_for
    from ..reports.comparison import comparison_report, comparison_summary

    check_files({"--plot": plot, "--csv": csv, "--markdown": markdown})
    value = options.best_of_value(best_of, minimize, ["alpha"])
    evaluated_by = [parse_objective(text) for text in objectives]
    evaluated_by = [each.for_costs() if minimize else each for each in evaluated_by]
    if alpha is not None and objectives:
        raise ParameterError(
            f"--alpha {alpha:g} and --objective {objectives[0]} both say what arms are worth. "
            "Leave one of the two out."
        )
    evaluated_by = [value, *evaluated_by] if value else evaluated_by
    level = None if alpha is None else UpperTail(alpha)
    if policies and (aim := value or level):
        defaults = settings_for(aim, alpha or 0.1, horizon)
        fixed_by = f"--best-of {best_of}" if value else f"--alpha {alpha:g}"
        parse_policies(policies, defaults, dict.fromkeys(("alpha", "tau"), fixed_by))
    comparison = run(
        _instances(instances, arms),
        policies or None,
        evaluated_by or None,
        quantile=level.tau if level else None,
        direction=DIRECTIONS[minimize],
        horizon=horizon,
        **settings,
    )
    if csv:
        comparison.to_csv(csv)
    if plot:
        from ..figures.comparison import comparison_figure
        from ..figures.style import save_single

        save_single(comparison_figure(comparison), plot)
    if markdown:
        from ..files import write_all
        from ..reports.markdown import to_markdown

        shown = plot is not None and plot.suffix.lower() == ".png"
        figure = os.path.relpath(plot, markdown.parent) if plot and shown else None
        typed = shlex.join(["upperhand", *sys.argv[1:]])
        text = to_markdown(comparison_report(comparison, typed, figure))
        write_all(markdown.parent, {markdown.name: text.encode()})
    print_result(as_json, comparison.as_dict(), lambda: comparison_summary(comparison))


def _instances(names: tuple[str, ...], arms: tuple[str, ...]) -> "Given":
    """Return the names, the headline if there are none, or one's own arms."""
    from ..distributions.registry import parse_arm

    if names and arms:
        raise ParameterError(
            f"Name instances or give arms of your own, not both; got --instance {names[0]} and "
            f"--arm {arms[0]}."
        )
    return [parse_arm(text) for text in arms] or names or "headline"
