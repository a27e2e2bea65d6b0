"""``upperhand theory``: what the paper's theory says of your own arms.

``upperhand policies``: who there is, and what each can be told.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from ..errors import ParameterError
from .options import PATH, WHOLE, ArmsCommand, arm_option, minimize_option

if TYPE_CHECKING:
    from ..distributions import Distribution
    from ..policies import ACPUCB1, Policy


@click.command(cls=ArmsCommand)
@arm_option
@click.option("--alpha", default=0.1, show_default=True, help="Miscoverage of the interval.")
@click.option("--policy", default="acp-ucb1", show_default=True, metavar="NAME[:SETTING=VALUE,…]",
              help="The settings compared with Theorem 1, such as acp-ucb1:b=0.5,level_max=0.2; "
              "the levels are the window of Assumption 1.")  # fmt: skip
@minimize_option
@click.option(
    "--horizon", type=WHOLE, default=10_000, show_default=True, help="The n of the bounds."
)
@click.option("--r-y", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--r-s", type=float, help="A radius of Assumption 1; by default max Δ_j / 4.")
@click.option("--plot", type=PATH,
              help="Draw the utility path of Gaussian arms: .png, .pdf, .svg.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def theory(
    arms: tuple[str, ...],
    alpha: float,
    policy: str,
    minimize: bool,
    horizon: int,
    r_y: float | None,
    r_s: float | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Show the theory on your own arms: gaps, the path from mean to tail, Theorem 1 and bounds."""
    from ..distributions.registry import parse_arm
    from ..objectives import UpperTail
    from ..policies.parsing import parse_policies, settings_for
    from ..reports.markdown import to_text
    from ..reports.theory import theory_report
    from ..theory.card import theory_card

    if plot and minimize:
        raise ParameterError(
            "--plot draws the utility path, which is about rewards; leave it out with --minimize."
        )
    laws = [parse_arm(text) for text in arms]
    told = settings_for(UpperTail(alpha), alpha, horizon)
    typed = click.get_current_context().get_parameter_source("alpha")
    options = {"alpha": f"--alpha {alpha:g}"} if typed is ParameterSource.COMMANDLINE else {}
    (settings,) = parse_policies([policy], told, options).values()
    card = theory_card(
        laws, cast("ACPUCB1", settings), horizon, minimize=minimize, r_y=r_y, r_s=r_s
    )
    if plot:
        _draw(laws, card["alpha"], plot)
    shown = json.dumps(card, indent=2, allow_nan=False) if as_json else to_text(theory_report(card))
    click.echo(shown)


def _draw(laws: "list[Distribution]", alpha: float, path: Path) -> None:
    """Draw the utility path of Gaussian arms."""
    from ..figures.style import check_suffix, save_single
    from ..figures.theory import path_figure
    from ..theory.card import moments

    check_suffix(path)
    labels = [f"arm {j + 1}" for j in range(len(laws))]
    save_single(path_figure(*moments(laws), alpha, labels), path)


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def policies(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """List the policies, or show the settings of one of them."""
    from ..parsing import class_named, summary
    from ..policies import BEST_ARM_POLICIES, POLICIES, typed_name

    searching = "Policies that look for the best arm (identify)"
    groups: dict[str, list[type[Policy]]] = {
        "Policies": list(POLICIES.values()),
        searching: list(BEST_ARM_POLICIES.values()),
    }
    everyone = [cls for group in groups.values() for cls in group]
    chosen = [class_named("policy", name, everyone)] if name else everyone
    if as_json:
        click.echo(json.dumps([described(cls) for cls in chosen], indent=2))
        return
    formatter = ctx.make_formatter()
    if name:
        _write_one(formatter, chosen[0])
    else:
        for head, listed in groups.items():
            with formatter.section(head):
                formatter.write_dl([(typed_name(cls), summary(cls)) for cls in listed])
        formatter.write("\nThe settings of one: upperhand policies NAME\n")
    click.echo(formatter.getvalue(), nl=False)


def _write_one(formatter: click.HelpFormatter, cls: "type[Policy]") -> None:
    """Write what a policy does, its settings, and an example."""
    from ..policies import typed_name

    about, settings = described(cls)["about"], described(cls)["settings"]
    formatter.write_text(f"{cls.name}: {about}")
    with formatter.section("Settings"):
        formatter.write_dl([(each["name"], _sentence(each)) for each in settings])
    others = [each for each in settings if each["name"] != "horizon"]  # --horizon tells that
    told = [each for each in others if each["needed"]] or others[:1]
    example = ",".join(f"{each['name']}={_plain(each['default'])}" for each in told)
    formatter.write(f"\nOn the command line: --policy {typed_name(cls)}:{example}\n")


def _sentence(setting: dict[str, Any]) -> str:
    needed = "needed" + (", on the command line --horizon" if setting["name"] == "horizon" else "")
    value = "none" if setting["default"] is None else _plain(setting["default"])
    default = needed if setting["needed"] else f"default {value}"
    return f"{setting['about']} [{default}; {setting['allowed']}]"


def described(cls: "type[Policy]") -> dict[str, Any]:
    """Return what a policy is called, does and can be told, as JSON-able values."""
    from ..parsing import summary
    from ..policies import typed_name

    needed = cls.required_names()
    return {
        "name": cls.name,
        "typed": typed_name(cls),
        "about": summary(cls),
        "settings": [
            {
                "name": name,
                "needed": name in needed,
                "default": getattr(cls, name, None),
                "allowed": stated.described(kind),
                "about": stated.about,
            }
            for name, (kind, stated) in cls.declared().items()
        ],
    }


def _plain(value: Any) -> str:
    if value is None:
        return "…"
    return str(value).lower() if isinstance(value, bool) else str(value)
