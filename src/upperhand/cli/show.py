"""``upperhand show``: what is known of the arms."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ParameterError
from ..text import text_table
from .arms import PATH
from .comparison_files import check_files
from .stores import as_json as to_json
from .stores import (
    by_option,
    confidence_option,
    experiment,
    json_option,
    opened_store,
    storage_option,
)

if TYPE_CHECKING:
    from ..live import Experiment


@click.command()
@click.argument("name", required=False)
@by_option
@confidence_option
@click.option("--plot", type=PATH,
              help="Draw shares and quantiles over time: .png, .pdf, .svg.")  # fmt: skip
@storage_option
@json_option
def show(
    name: str | None,
    by: str | None,
    confidence: float,
    plot: Path | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Show what is known of each arm and who leads; without NAME, which experiments there are."""
    if name is None:
        if plot or by is not None:
            raise ParameterError("Name the experiment to show: upperhand show NAME.")
        _list(storage, as_json)
        return
    if plot:
        check_files({"--plot": plot})
    with experiment(storage, name) as exp:
        shown = to_json(_known(exp, confidence, by)) if as_json else exp.table(confidence, by=by)
        if plot:
            _draw(exp, confidence, by, plot)
    click.echo(shown)


def _list(storage: str | None, as_json: bool) -> None:
    with opened_store(storage) as store:
        found = [{"experiment": name, "events": store.log(name).last()} for name in store.names()]
    if as_json:
        click.echo(to_json(found))
    elif found:
        rows = [[str(each["experiment"]), f"{each['events']:,}"] for each in found]
        click.echo(text_table(["experiment", "events"], rows))
    else:
        click.echo("No experiments yet. Make one: upperhand new NAME --help")


def _known(exp: "Experiment", confidence: float, by: str | None) -> dict[str, Any]:
    return {
        "experiment": exp.name,
        "segment": by,
        "confidence": confidence,
        "settings": exp.settings.to_json(),
        "counts": exp.counts(),
        "segments": exp.segments,
        "leader": exp.leader(confidence, by=by),
        "arms": exp.report(confidence, by=by),
    }


def _draw(exp: "Experiment", confidence: float, by: str | None, plot: Path) -> None:
    """Draw how the experiment went."""
    from ..figures.experiment import experiment_figure
    from ..figures.figure import save_single
    from ..live.history import history

    segment = 0 if by is None else 1 + exp.segments.index(by)
    events = exp.storage.log(exp.name).read()
    found = history(exp.settings, events, segment=segment, confidence=confidence)
    if not len(found.told):
        raise ParameterError(
            "Nothing was told yet, so there is nothing to draw. Leave --plot out for now."
        )
    save_single(experiment_figure(found, confidence), plot)
