"""``upperhand compare``: all policies on the paper's arms or yours, under several objectives."""

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ..errors import ParameterError
from . import options
from .options import PATH, check_files, print_result


@click.command()
@click.argument("instances", nargs=-1, metavar="[INSTANCE]...")
@options.arms(required=False)
@options.policies(
    help="A policy, such as kl-qucb or acp-ucb1:b=0.5. Several: repeat it, or --policies A B. By "
    "default all, set to play for the first objective.",
)
@click.option("--objective", "objectives", multiple=True, metavar="NAME",
              help="An objective, such as mean or cvar:0.1. Several: repeat it, or --objectives "
              "A B; the first one, or the quantile, is the main one.")  # fmt: skip
@options.worth
@options.refused("--instance", lambda name: f"upperhand compare {name}")
@options.horizon
@options.repeats
@click.option("--reference", metavar="POLICY", help="The policy that the others are compared "
              "with; by default ACP-UCB1, or the first policy.")  # fmt: skip
@options.plot("it")
@click.option("--csv", type=PATH, help="Write every number as CSV.")
@click.option("--markdown", type=PATH, help="Write all tables as Markdown.")
@options.as_json
def compare(
    instances: tuple[str, ...],
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    objectives: tuple[str, ...],
    quantile: float | None,
    best_of: int | None,
    plot: Path | None,
    csv: Path | None,
    markdown: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare policies on named instances, or on your own arms.

    By default the instance is headline, the arms of the paper's Figure 1. Groups are paper, hard,
    all and extreme. An arm is worth the quantile of its instance unless you say otherwise.

    \b
    upperhand compare headline --policies kl-qucb ucb1
    upperhand list instances        # and: distributions, policies, objectives
    """  # noqa: D301
    from ..comparison.compare import compare as run
    from ..objectives import wanted
    from ..reports.comparison import comparison_report

    if instances and arms:
        raise ParameterError(
            f"Name instances or give arms of your own, not both; got {instances[0]} and --arm "
            f"{arms[0]}."
        )
    check_files({"--plot": plot, "--csv": csv, "--markdown": markdown})
    value = wanted(quantile, best_of)
    settings |= {} if objectives else {"quantile": quantile, "best_of": best_of}
    comparison = run(
        options.named_arms(arms) or instances or "headline",
        policies or None,
        [value, *objectives] if value and objectives else objectives or None,
        **settings,
    )
    if csv:
        comparison.to_csv(csv)
    options.draw(plot, "comparison:comparison_figure", comparison)
    if markdown:
        from ..files import write_all
        from ..reports.markdown import to_markdown

        shown = plot is not None and plot.suffix.lower() == ".png"
        figure = os.path.relpath(plot, markdown.parent) if plot and shown else None
        typed = shlex.join(["upperhand", *sys.argv[1:]])
        text = to_markdown(comparison_report(comparison, typed, figure))
        write_all(markdown.parent, {markdown.name: text.encode()})
    print_result(as_json, comparison.to_dict, comparison.summary)
