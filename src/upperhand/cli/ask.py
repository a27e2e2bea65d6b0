"""``upperhand ask``: which arm to use now."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from .. import checks
from ..errors import ParameterError, StoreBusyError, StoreError, UnknownNameError
from .arms import WHOLE
from .stores import as_json as to_json
from .stores import by_option, experiment, json_option, name_argument, storage_option

if TYPE_CHECKING:
    from ..live import Trial


@click.command()
@name_argument
@click.option("--among", multiple=True, metavar="ARM",
              help="The arms that can be used this time, such as the healthy ones. Repeat for "
              "each; by default all.")  # fmt: skip
@by_option
@click.option("--key", help="Whoever has a trial under way under the same key gets the same arm.")
@click.option("-n", "count", type=WHOLE, help="So many trials, in one commit.")
@click.option("--default", metavar="ARM",
              help="The arm to answer if the store is away or does not answer in time. Such an ask "
              "is not logged; its TRIAL is arm=ARM, which tell takes.")  # fmt: skip
@click.option("--timeout", type=float,
              help="Seconds to wait for the store, from when the program is loaded.")  # fmt: skip
@storage_option
@json_option
def ask(
    name: str,
    among: tuple[str, ...],
    by: str | None,
    key: str | None,
    count: int | None,
    default: str | None,
    timeout: float | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Print the trial and the arm to use, as TRIAL, a tab, ARM.

    \b
    read -r trial arm < <(upperhand ask model)
    … use "$arm" …
    upperhand tell model "$trial" "$milliseconds"

    \b
    Exit codes: 0 answered; 2 wrong use; 3 the store is away or busy, and there is no --default.
    """  # noqa: D301
    import upperhand.live  # noqa: F401 -- loaded before the time runs

    if count is not None and (key is not None or default is not None):
        raise ParameterError("-n takes neither --key nor --default: ask one by one for these.")
    if timeout is not None:
        checks.real("timeout", timeout, least=0)

    def asked() -> "list[Trial]":
        with experiment(storage, name) as exp:
            if default is not None and default not in exp.arms:  # said before the day it is needed
                raise UnknownNameError.among("arm", default, exp.arms)
            if count is not None:
                return exp.ask_many(count, among=among or None, by=by)
            return [exp.ask(among=among or None, by=by, key=key)]

    try:
        found = [_told(trial) for trial in (asked() if timeout is None else _timed(asked, timeout))]
    except StoreError as error:
        if default is None:
            raise
        click.echo(f"Warning: answered the default, as the store did not: {error}", err=True)
        found = [_stand_in(default, by)]
    if as_json:
        click.echo(to_json(found if count is not None else found[0]))
    else:
        click.echo("\n".join(f"{each['trial']}\t{each['arm']}" for each in found))


def _told(trial: "Trial") -> dict[str, Any]:
    return {
        "trial": trial.id, "arm": trial.arm, "probability": trial.propensity, "how": trial.how,
        "at": trial.at, "deadline": trial.deadline, "segment": trial.by or None,
    }  # fmt: skip


def _stand_in(arm: str, by: str | None) -> dict[str, Any]:
    """Return an answer without the store; by its id it can be told as what the arm did."""
    return {"trial": f"arm={arm}", "arm": arm, "probability": 1.0, "how": "default",
            "at": None, "deadline": None, "segment": by}  # fmt: skip


def _timed(work: Callable[[], Any], seconds: float) -> Any:
    """Return what `work` returns if it is done in time; opening a store may wait for ever."""
    answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:  # raised again where it is waited for
            answers.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        found, error = answers.get(timeout=seconds)
    except Empty:
        raise StoreBusyError(
            f"The store did not answer within {seconds:g} seconds. Try again, or give a --default."
        ) from None
    if error is not None:
        raise error
    return found
