"""``upperhand watch``: the table of an experiment, again and again."""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

import click

from .. import checks
from .arms import WHOLE
from .stores import by_option, confidence_option, experiment, name_argument, storage_option


@click.command()
@name_argument
@by_option
@confidence_option
@click.option("--every", default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--times", type=WHOLE, help="Looks; by default until Ctrl-C.")
@storage_option
def watch(
    name: str,
    by: str | None,
    confidence: float,
    every: float,
    times: int | None,
    storage: str | None,
) -> None:
    """Show what is known of each arm as it changes, until Ctrl-C.

    On a terminal the table is drawn over; elsewhere each look follows the last one.
    """
    checks.real("every", every, least=0.05)
    if times is not None:
        checks.integer("times", times, least=1)
    with experiment(storage, name) as exp:
        looks = _looks(lambda: exp.table(confidence, by=by), every, times)
        if sys.stdout.isatty():
            _redraw(looks)
        else:
            for look in looks:
                click.echo(f"{look}\n")


def _looks(table: Callable[[], str], every: float, times: int | None) -> Iterator[str]:
    for look in count(1):
        yield f"{table()}\n{time.strftime('%H:%M:%S')}"
        if look == times:
            return
        time.sleep(every)


def _redraw(looks: Iterator[str]) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False) as live:
        for look in looks:
            live.update(Text(look, no_wrap=True, overflow="ellipsis"), refresh=True)
