"""``upperhand list`` and ``upperhand policies``: what there is, and what can be typed."""

import json
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import click

from . import options
from .options import opened_store, to_json

if TYPE_CHECKING:
    from ..policies import Policy

KINDS = ("experiments", "instances", "policies", "distributions", "objectives", "methods")


@click.command("list")
@click.argument("kind", required=False, type=click.Choice(KINDS))
@options.storage
@options.as_json
def list_(kind: str | None, storage: str | None, as_json: bool) -> None:
    """List experiments, or what simulations can be made of.

    With a store (--storage, or its variable) these are its experiments. Without one, they are the
    names of instances, policies, distributions, objectives and methods of calibrate. With a KIND,
    each name has its meaning.
    """
    if kind == "experiments" or (kind is None and storage):
        _experiments(storage, as_json)
        return
    known = {head: words for head, words in _words().items() if kind in (None, head)}
    if as_json:
        click.echo(to_json(known if kind is None else known[kind]))
        return
    if kind is None:
        for head, words in known.items():
            listed = fill(", ".join(words), 78, break_on_hyphens=False)
            click.echo(f"{head.capitalize()}:\n{indent(listed, '  ')}\n")
        click.echo("Their meanings: upperhand list KIND. Settings: upperhand policies NAME")
        return
    formatter = click.get_current_context().make_formatter()
    formatter.write_dl(list(known[kind].items()))
    click.echo(formatter.getvalue(), nl=False)


def _experiments(storage: str | None, as_json: bool) -> None:
    from ..text import text_table

    with opened_store(storage) as store:
        found = [{"experiment": name, "events": store.log(name).last()} for name in store.names()]
    if as_json:
        click.echo(to_json(found))
    elif found:
        rows = [[str(each["experiment"]), f"{each['events']:,}"] for each in found]
        click.echo(text_table(["experiment", "events"], rows))
    else:
        click.echo("No experiments yet. Make one: upperhand new NAME --help")


def _words() -> dict[str, dict[str, str]]:
    """Return what can be typed with its meaning, by its kind."""
    from ..calibrators import calibrator_forms
    from ..comparison.instances import GROUPS, INSTANCES, extreme_instances
    from ..distributions.registry import arm_forms
    from ..objectives import objective_forms
    from ..parsing import summary
    from ..policies import BEST_ARM_POLICIES, POLICIES, typed_name
    from ..text import counted

    groups = {
        name: f"{counted(len(several), 'instance')}, {several[0].name} to {several[-1].name}"
        for name, several in {**GROUPS, "extreme": extreme_instances()}.items()
    }
    instances = {each.name: each.note for each in (*INSTANCES.values(), *extreme_instances())}
    classes = (*POLICIES.values(), *BEST_ARM_POLICIES.values())
    return {
        "instances": instances | groups,
        "policies": {typed_name(cls): summary(cls) for cls in classes},
        "distributions": arm_forms(),
        "objectives": objective_forms(),
        "methods": calibrator_forms(),
    }


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
