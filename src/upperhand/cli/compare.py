"""``upperhand compare``: everyone, on the paper's arms or yours, under everyone's objective.

What ``upperhand compare`` writes: a figure, CSV and Markdown.
"""

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..errors import ParameterError
from .options import (
    PATH,
    ArmsCommand,
    best_of_option,
    best_of_value,
    completes,
    law_words,
    minimize_option,
    policy_words,
    size_options,
)

if TYPE_CHECKING:
    from ..comparison.instances import Given
    from ..comparison.result import Comparison
    from ..objectives import Objective


def check_files(paths: dict[str, Path | None]) -> None:
    """Refuse files that could not be written, before the work that they are for."""
    from ..figures.style import check_suffix, load_matplotlib
    from ..files import check_writable

    given = {option: path for option, path in paths.items() if path}
    for path in given.values():
        check_writable(path)
    if len(set(given.values())) < len(given):
        raise ParameterError(
            f"{' and '.join(given)} must be different files; got the same path twice."
        )
    if "--plot" in given:
        check_suffix(given["--plot"])
        load_matplotlib()


def write_files(
    comparison: "Comparison",
    plot: Path | None,
    csv: Path | None,
    markdown: Path | None,
    command: str,
) -> None:
    """Write the files that were asked for; the Markdown shows the figure if that is a PNG."""
    from ..figures.comparison import comparison_figure
    from ..figures.style import save_single
    from ..files import replacing
    from ..reports.comparison import comparison_report
    from ..reports.markdown import to_markdown

    if csv:
        comparison.to_csv(csv)
    if plot:
        save_single(comparison_figure(comparison), plot)
    if markdown:
        shown = plot and plot.suffix.lower() == ".png"
        path = os.path.relpath(plot, markdown.parent) if plot and shown else None
        with replacing(markdown) as temporary:
            text = to_markdown(comparison_report(comparison, command, path))
            temporary.write_text(text, encoding="utf-8")


class CompareCommand(ArmsCommand):
    """A command whose help ends with instances, objectives and laws, loaded for the help only."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from ..comparison.instances import INSTANCES
        from ..objectives import objective_forms

        with formatter.section("Instances"):
            formatter.write_dl([(name, each.note) for name, each in INSTANCES.items()])
        with formatter.section("Objectives"):
            formatter.write_dl(list(objective_forms().items()))
        super().format_epilog(ctx, formatter)


@click.command(cls=CompareCommand)
@click.option("--instance", "instances", multiple=True, metavar="NAME",
              shell_complete=completes(lambda: _instance_words()),
              help="headline, paper, hard, all, or another of those below; extreme, or one of "
              "extreme-1 to extreme-8, which are judged by the p95 too unless --best-of or "
              "--objective says otherwise, and without the policies for one large reward unless "
              "--policy names them. Repeat for several. By default the headline.")  # fmt: skip
@click.option("--arm", "arms", multiple=True, metavar="LAW", shell_complete=completes(law_words),
              help="Your own arms instead, such as normal:0.10,0.05; see below. Repeat for each "
              "arm.")  # fmt: skip
@click.option("--policy", "policies", multiple=True, metavar="NAME[:SETTING=VALUE,…]",
              shell_complete=completes(policy_words),
              help="A policy, such as kl-qucb or acp-ucb1:b=0.5. Repeat for several. By default "
              "all, set to play for the first objective.")  # fmt: skip
@click.option("--objective", "objectives", multiple=True, metavar="NAME[:NUMBER]",
              shell_complete=completes(lambda: _objective_words()),
              help="An objective, such as cvar:0.1; see below. Repeat for several; the first is "
              "what the comparison is about.")  # fmt: skip
@click.option("--alpha", type=float, help="Value the arms by F⁻¹(1−α/2) at this α; by default an "
              "instance's own, or that of the first objective.")  # fmt: skip
@best_of_option
@minimize_option
@size_options
@click.option("--reference", metavar="POLICY", help="The policy that the others are compared "
              "with; by default ACP-UCB1, or the first policy.")  # fmt: skip
@click.option("--plot", type=PATH, help="Draw it: .png, .pdf, .svg.")
@click.option("--csv", type=PATH, help="Write every number as CSV.")
@click.option("--markdown", type=PATH, help="Write the tables as Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--no-timing", is_flag=True, expose_value=False, hidden=True)  # of before 0.2
@click.pass_context
def compare(
    ctx: click.Context,
    instances: tuple[str, ...],
    arms: tuple[str, ...],
    policies: tuple[str, ...],
    objectives: tuple[str, ...],
    alpha: float | None,
    best_of: int | None,
    minimize: bool,
    horizon: int,
    replications: int,
    seed: int,
    reference: str | None,
    workers: int | None,
    plot: Path | None,
    csv: Path | None,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Compare policies on instances under objectives: regrets, shares and slopes."""
    from ..comparison.compare import compare as run
    from ..objectives import as_paid, parse_objective

    check_files({"--plot": plot, "--csv": csv, "--markdown": markdown})
    value = best_of_value(best_of, minimize, ["alpha"])
    judges = [as_paid(parse_objective(text), minimize) for text in objectives]
    judges = [value, *judges] if value else judges
    fixed_by = f"--best-of {best_of}" if value else None if alpha is None else f"--alpha {alpha:g}"
    if policies and fixed_by:
        _refuse_other_levels(policies, judges, alpha, horizon, fixed_by)
    comparison = run(
        _instances(instances, arms),
        policies or None,
        judges or None,
        alpha=alpha,
        minimize=minimize,
        horizon=horizon,
        replications=replications,
        seed=seed,
        reference=reference,
        workers=workers,
    )
    write_files(comparison, plot, csv, markdown, _typed(ctx))
    if as_json:
        click.echo(json.dumps(comparison.as_dict(), indent=2, allow_nan=False))
    else:
        from ..reports.comparison import comparison_summary
        from ..reports.markdown import to_text

        click.echo(to_text(comparison_summary(comparison)))


def _instance_words() -> list[str]:
    from ..comparison.instances import NAMES

    return list(NAMES)


def _objective_words() -> list[str]:
    from ..objectives import objective_forms

    return [form.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for form in objective_forms()]


def _instances(names: tuple[str, ...], arms: tuple[str, ...]) -> "Given":
    """Return the names, the headline if there are none, or the laws of one's own arms."""
    from ..distributions.registry import parse_arm

    if names and arms:
        raise ParameterError(
            f"Name instances or give arms of your own, not both; got --instance {names[0]} and "
            f"--arm {arms[0]}."
        )
    return [parse_arm(text) for text in arms] or names or "headline"


def _refuse_other_levels(
    texts: tuple[str, ...],
    objectives: "list[Objective]",
    alpha: float | None,
    horizon: int,
    fixed_by: str,
) -> None:
    """Refuse policies that set another level than an option, which is given as it was typed."""
    from ..objectives import UpperTail
    from ..policies.parsing import parse_policies, settings_for

    level = 0.1 if alpha is None else alpha  # then the first objective says it
    first = objectives[0] if objectives else UpperTail(level)
    options = dict.fromkeys(("alpha", "tau"), fixed_by)
    parse_policies(texts, settings_for(first, level, horizon), options)


def _typed(ctx: click.Context) -> str:
    """Return the command as it was typed, for reports that say how they were made."""
    words = ["upperhand", str(ctx.info_name)]
    for option in ctx.command.params:
        name = str(option.name)
        typed = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name in ctx.params:
            value = ctx.params[name]
            given = value if isinstance(value, tuple) else (value,)
            flag = isinstance(value, bool)
            words += [w for each in given for w in option.opts[:1] + ([] if flag else [str(each)])]
    return shlex.join(words)
