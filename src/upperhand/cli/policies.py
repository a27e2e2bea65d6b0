"""``upperhand policies``: who there is, and what each can be told."""

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..policies import Policy


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def policies(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """List the policies, or show the settings of one of them."""
    from ..parameters.text import class_named, summary
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
    from ..parameters.text import summary
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
