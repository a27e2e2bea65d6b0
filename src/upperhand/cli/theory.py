"""``upperhand theory`` (the paper's theory on your own arms) and ``upperhand policies``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ..errors import ParameterError
from . import options
from .options import POLICY, WHOLE, Lists, ListsCommand, check_files, is_typed, print_result

if TYPE_CHECKING:
    from ..policies import ACPUCB1, Policy


def _lists() -> Lists:
    from ..policies import ACPUCB1

    return options.policies_and_arms(policies=[ACPUCB1])


@click.command(cls=ListsCommand, lists=_lists)
@options.arms(required=True)
@click.option("--alpha", default=0.1, help="Miscoverage of the interval.")
@click.option("--policy", default="acp-ucb1", metavar=POLICY,
              help="The settings compared with Theorem 1; its levels are the window of "
              "Assumption 1.")  # fmt: skip
@options.minimize
@click.option("--horizon", type=WHOLE, default=10_000, help="The n of the bounds.")
@click.option("--r-y", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--r-s", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@options.plot("the utility path of Gaussian arms")
@options.as_json
def theory(
    arms: tuple[str, ...],
    alpha: float,
    policy: str,
    minimize: bool,
    horizon: int,
    plot: Path | None,
    as_json: bool,
    **radii: float | None,
) -> None:
    """Show the theory on your own arms: gaps, the path from mean to tail, Theorem 1 and bounds."""
    from ..distributions.registry import parse_arm
    from ..objectives import UpperTail
    from ..policies.parsing import parse_policies, settings_for
    from ..reports.theory import theory_report
    from ..theory.card import theory_card

    if plot and minimize:
        raise ParameterError(
            "--plot draws the utility path, which is about rewards; leave it out with --minimize."
        )
    check_files({"--plot": plot})
    given = [parse_arm(text) for text in arms]
    defaults = settings_for(UpperTail(alpha), alpha, horizon)
    options = {"alpha": f"--alpha {alpha:g}"} if is_typed("alpha") else {}
    (settings,) = parse_policies([policy], defaults, options).values()
    card = theory_card(given, cast("ACPUCB1", settings), horizon, minimize=minimize, **radii)
    if plot:
        from ..figures.style import save_single
        from ..figures.theory import path_figure
        from ..theory.card import moments

        labels = [f"arm {j}" for j in range(len(given))]
        save_single(path_figure(*moments(given), card["alpha"], labels), plot)
    print_result(as_json, card, lambda: theory_report(card))


@click.command()
@click.argument("name", required=False)
@options.as_json
@click.pass_context
def policies(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """List the policies, or show the settings of one of them."""
    from ..parsing import class_named, summary
    from ..policies import BEST_ARM_POLICIES, POLICIES, typed_name

    classes = [*POLICIES.values(), *BEST_ARM_POLICIES.values()]
    chosen = [class_named("policy", name, classes)] if name else classes
    if as_json:
        click.echo(json.dumps([described(cls) for cls in chosen], indent=2))
        return
    formatter = ctx.make_formatter()
    if name:
        _write_one(formatter, described(chosen[0]))
    else:
        searching = "Policies that look for the best arm (identify)"
        for head, listed in {"Policies": POLICIES, searching: BEST_ARM_POLICIES}.items():
            with formatter.section(head):
                formatter.write_dl([(typed_name(cls), summary(cls)) for cls in listed.values()])
        formatter.write("\nThe settings of one: upperhand policies NAME\n")
    click.echo(formatter.getvalue(), nl=False)


def described(cls: "type[Policy]") -> dict[str, Any]:
    """Return a policy's names, summary and settings, as JSON-able values."""
    from ..parsing import summary
    from ..policies import typed_name

    needed = cls.required_names()
    settings = [
        {
            "name": name,
            "needed": name in needed,
            "default": getattr(cls, name, None),
            "allowed": stated.described(kind),
            "about": stated.about,
        }
        for name, (kind, stated) in cls.declared().items()
    ]
    about = {"name": cls.name, "typed": typed_name(cls), "about": summary(cls)}
    return {**about, "settings": settings}


def _write_one(formatter: click.HelpFormatter, policy: dict[str, Any]) -> None:
    """Write what a policy does, its settings, and an example."""
    formatter.write_text(f"{policy['name']}: {policy['about']}")
    with formatter.section("Settings"):
        formatter.write_dl([(each["name"], _sentence(each)) for each in policy["settings"]])
    others = [each for each in policy["settings"] if each["name"] != "horizon"]  # it has an option
    shown = [each for each in others if each["needed"]] or others[:1]
    example = ",".join(f"{each['name']}={_typed(each['default'], '…')}" for each in shown)
    formatter.write(f"\nOn the command line: --policy {policy['typed']}:{example}\n")


def _sentence(setting: dict[str, Any]) -> str:
    needed = "needed" + (", on the command line --horizon" if setting["name"] == "horizon" else "")
    default = needed if setting["needed"] else f"default {_typed(setting['default'], 'none')}"
    return f"{setting['about']} [{default}; {setting['allowed']}]"


def _typed(value: Any, missing: str) -> str:
    if value is None:
        return missing
    return str(value).lower() if isinstance(value, bool) else str(value)
