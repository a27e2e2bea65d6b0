"""``upperhand replay``: whether the log gives the same choices and the same state again."""

import sys

import click

from ..errors import ParameterError
from ..text import counted
from .stores import as_json as to_json
from .stores import json_option, log_of, name_argument, opened_store, storage_option


@click.command()
@name_argument
@storage_option
@json_option
def replay(name: str, storage: str | None, as_json: bool) -> None:
    """Play the log again, event by event, and check that it gives the same choices and state.

    \b
    Exit codes: 0 all is the same; 1 something differs, and the first difference is shown.
    """  # noqa: D301
    from ..live.opening import stored
    from ..live.replay import Replay
    from ..live.verify import verify

    with opened_store(storage) as store:
        log = log_of(store, name)
        settings = stored(log)
        if settings is None:
            raise ParameterError(f"The log of {name!r} is empty. Make it anew: upperhand new.")
        found = verify(log, settings, Replay(settings).machine(log))
    same = found.choices_equal and found.state_equal
    if as_json:
        click.echo(to_json({
            "same": same, "events": found.events, "asks": found.asks, "outcomes": found.outcomes,
            "choices_equal": found.choices_equal, "state_equal": found.state_equal,
            "first_difference": found.first_difference, "seconds": found.seconds,
        }))  # fmt: skip
    else:
        click.echo(
            f"{counted(found.events, 'event')} replayed in {found.seconds:.2f} s: "
            f"{counted(found.asks, 'choice')} {_same(found.choices_equal)}, the state after "
            f"{counted(found.outcomes, 'outcome')} {_same(found.state_equal)}."
        )
        if found.first_difference is not None:
            click.echo(f"The first difference: {found.first_difference}")
    sys.exit(0 if same else 1)


def _same(equal: bool) -> str:
    return "the same" if equal else "DIFFERENT"
