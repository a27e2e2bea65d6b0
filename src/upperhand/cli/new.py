"""``upperhand new``: an experiment is made."""

from typing import Any

import click

from .. import checks
from ..errors import ParameterError
from .arms import WHOLE, best_of_option, completes, policy_words
from .stores import as_json as to_json
from .stores import json_option, name_argument, storage_option, told_storage


@click.command()
@name_argument
@click.option("--arm", "arms", multiple=True, required=True, metavar="NAME",
              help="What to choose between. Repeat for each arm.")  # fmt: skip
@click.option("--quantile", type=float,
              help="Which quantile of what is told an arm is worth: 0.95 for a p95.")  # fmt: skip
@best_of_option
@click.option("--minimize/--maximize", default=None,
              help="Whether a small one is good, as of latencies, or a large one.")  # fmt: skip
@click.option("--policy", metavar="NAME[:SETTING=VALUE,…]", shell_complete=completes(policy_words),
              help="How to choose; see upperhand policies. By default KL-QUCB+.")  # fmt: skip
@click.option("--lease", type=float, help="Seconds until an ask that nobody told of is released; "
              "600 by default. What is told later counts.")  # fmt: skip
@click.option("--duration", type=click.Choice(["s", "ms", "us"]),
              help="What is told is the time that a trial takes, in this unit: then the ages of "
              "trials still running count in the choice.")  # fmt: skip
@click.option("--window", metavar="LENGTH",
              help="Remember the last 500 outcomes of each arm, the last '2000 rounds' of all arms "
              "together, or the last 10m.")  # fmt: skip
@click.option("--half-life", metavar="LENGTH",
              help="Forget by half every 500 outcomes of each arm, every '2000 rounds', or every "
              "24h.")  # fmt: skip
@click.option("--seed", type=WHOLE, help="For policies and shares that draw random numbers.")
@storage_option
@json_option
def new(
    name: str,
    arms: tuple[str, ...],
    quantile: float | None,
    best_of: int | None,
    minimize: bool | None,
    policy: str | None,
    lease: float | None,
    duration: Any,
    window: str | None,
    half_life: str | None,
    seed: int | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Make the experiment NAME, and its store if that is not there.

    Made again with the same settings it stays as it is, so that a script may begin with this
    command; other settings are refused, with exit code 4.

    \b
    upperhand new model --arm small --arm large --quantile 0.95 --minimize --storage bandits.db
    """  # noqa: D301
    from ..live import Experiment
    from ..live.log import open_storage

    if minimize is None:
        raise ParameterError(
            "Say what is good: --minimize, as of latencies, or --maximize, as of scores."
        )
    if quantile is None and best_of is None:
        raise ParameterError("Say what an arm is worth: --quantile 0.95 for a p95, or --best-of 8.")
    settings: dict[str, Any] = {
        "arms": arms, "quantile": quantile, "best_of": best_of,
        "direction": "minimize" if minimize else "maximize", "policy": policy, "lease": lease,
        "duration": duration, "window": _length(window), "half_life": _length(half_life),
        "seed": seed,
    }  # fmt: skip
    url = told_storage(storage)
    with Experiment(name, **settings):  # in memory: what is wrong is refused before a file is made
        pass
    store = open_storage(url)
    try:
        known = name in store.names()
        with Experiment(name, **settings, storage=store) as made:
            told = made.settings.to_json()
    finally:
        store.close()
    if as_json:
        click.echo(to_json({"experiment": name, "made": not known, "settings": told}))
    else:
        done = "is there already, with these settings" if known else "is made"
        click.echo(f"Experiment {name!r} {done}. Next: upperhand ask {name}")


def _length(given: str | None) -> int | float | str | None:
    """Return a number of outcomes, or a time as it was typed."""
    number = None if given is None else checks.number_in(given)
    return given if number is None else number
