"""Options that several commands share, arms as they are typed, and how results are printed."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .. import checks
from ..errors import ParameterError, UnknownNameError
from ..results import imported

if TYPE_CHECKING:
    from ..distributions import Distribution
    from ..live import Experiment
    from ..live.log import Log, Storage


Command = TypeVar("Command", bound=Callable[..., Any])


class WholeNumber(click.ParamType):  # type: ignore[type-arg]
    """A whole number, also as 1e4."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = checks.number_in(value) if isinstance(value, str) else value
        if isinstance(number, float) and checks.EXACT < abs(number) < math.inf:
            exact = Decimal(value)  # the command says what its largest number is
            number = int(exact) if exact == exact.to_integral_value() else number
        if not isinstance(number, int):
            self.fail(f"{value!r} is not a whole number such as 10000 or 1e4.", param, ctx)
        return number


class NamedPath(click.Path):
    """A path that is not empty: an empty one would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip():
            self.fail("The path is empty. Write the name of a file or folder.", param, ctx)
        return super().convert(value, param, ctx)


WHOLE = WholeNumber()
PATH = NamedPath(path_type=Path)
direction = click.option(
    "--direction", type=click.Choice(["maximize", "minimize"]), default="maximize", metavar="WAY",
    help="maximize, or minimize if the arms pay costs, such as latencies.",
)  # fmt: skip
minimize = click.option(
    "--minimize", "direction", flag_value="minimize", help="--direction minimize."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")


def arms(*, required: bool) -> Callable[[Command], Command]:
    return click.option(
        "--arm", "arms", multiple=True, metavar="ARM", required=required,
        help="An arm, such as 'normal(0.1,0.05)', "
        "eu=normal:0.1,0.05 or empirical:eu.csv. Several: repeat it, or --arms A B.",
    )  # fmt: skip


def policies(**settings: Any) -> Callable[[Command], Command]:
    return click.option("--policy", "policies", multiple=True, metavar="POLICY", **settings)


def plot(what: str) -> Callable[[Command], Command]:
    """Return the option of a figure, checked by `check_files` before the work to be drawn."""
    return click.option("--plot", type=PATH, help=f"Draw {what}: .png, .pdf, .svg.")


def refused(option: str, line: Callable[[Any], str], **kind: Any) -> Callable[[Command], Command]:
    """Return an option of version 0.1 that is refused with the line to write instead."""

    def refuse(_ctx: click.Context, _param: click.Parameter, value: Any) -> None:
        if value is not None:
            raise ParameterError(f"{option} {value}: write {line(value)}.")

    return click.option(
        option, callback=refuse, hidden=True, expose_value=False, default=None, **kind
    )


quantile = click.option(
    "--quantile", type=float, metavar="LEVEL",
    help="What an arm is worth: its quantile at this level. By default 0.95, or an instance's.",
)  # fmt: skip
best_of = click.option(
    "--best-of", type=WHOLE, metavar="N",
    help="Or the median of the best of N draws: the level 2^(−1/N), or 1 − 2^(−1/N) of costs.",
)  # fmt: skip


def worth(command: Command) -> Command:
    """Add what an arm is worth, and the options of version 0.1 for it."""
    for option in (
        minimize, direction, best_of, quantile,
        refused("--tau", lambda tau: f"--quantile {tau:g}", type=float),
        refused("--alpha", lambda alpha: f"--quantile {1 - alpha / 2:g}, or --quantile "
                f"{alpha / 2:g} for the lower end", type=float),
        refused("--tail", lambda tail: f"--quantile {0.05 if tail == 'lower' else 0.95}"),
    ):  # fmt: skip
        command = option(command)
    return command


def named_arms(texts: Iterable[str]) -> "dict[str, Distribution]":
    """Return arms by their names: those given, of data the column's or the file's, or indices."""
    from ..distributions import Empirical
    from ..distributions.registry import parse_arm

    named, arms, guessed = dict[int, str](), list["Distribution"](), list[str]()
    for j, text in enumerate(texts):
        name, equals, form = text.partition("=")
        if equals and not set(name) & set(":("):  # no part of a path
            named[j] = name.strip()
        arm = parse_arm(form if j in named else text)
        arms.append(arm)
        file, _, column = (arm.name if isinstance(arm, Empirical) else "").partition(":")
        of_data = column if column and text.endswith(f":{column}") else Path(file).stem
        guessed.append(named.get(j) or of_data or str(j))
    names = [named.get(j, str(j)) for j in range(len(arms))]
    names = guessed if len(set(guessed)) == len(arms) else names
    if len(set(names)) < len(arms):
        raise ParameterError(f"Each arm needs its own name; got {', '.join(names)}.")
    return dict(zip(names, arms, strict=True))


horizon = click.option("--horizon", type=WHOLE, default=10_000, help="Rounds of a replication.")
seed = click.option("--seed", type=WHOLE, default=0, help="The seed of all random numbers.")
workers = click.option("--workers", type=WHOLE, help="Threads; by default one for each core.")


def repeats(command: Command) -> Command:
    """Add how often something is played, from which seed, and by how many threads."""
    about = "The number of replications."
    replications = click.option("--replications", type=WHOLE, default=60, help=about)
    return replications(seed(workers(command)))


def check_files(paths: dict[str, Path | None]) -> None:
    """Refuse files that could not be written, before the work that they are for."""
    from ..files import check_writable

    given = {option: path for option, path in paths.items() if path}
    for path in given.values():
        check_writable(path)
    if len(set(given.values())) < len(given):
        raise ParameterError(
            f"{' and '.join(given)} must be different files; got the same path twice."
        )
    if "--plot" in given:
        from ..figures.style import check_suffix, load_matplotlib

        check_suffix(given["--plot"])
        load_matplotlib()


def draw(path: Path | None, figure: str, *about: Any) -> None:
    """Write the figure that MODULE:NAME of `figures` draws, if there is a path for it."""
    if path:
        imported("figures.style:save_single")(imported(f"figures.{figure}")(*about), path)


def print_result(as_json: bool, data: Callable[[], Any], shown: Callable[[], Any]) -> None:
    """Print data as JSON, or else a result, which shows its table."""
    click.echo(to_json(data()) if as_json else shown())


VARIABLE = "UPPERHAND_STORAGE"

name = click.argument("name")
storage = click.option(
    "--storage", metavar="URL", envvar=VARIABLE, show_envvar=True,
    help="Where experiments are kept: a file such as bandits.db, or postgresql://….",
)  # fmt: skip
by = click.option("--by", metavar="SEGMENT", help="A segment, such as region=eu.")
confidence = click.option(
    "--confidence", default=0.95, help="Of the intervals, and to call a leader."
)


def required_storage(url: str | None) -> str:
    """Return where experiments are kept; refuse to guess."""
    if not url:
        raise ParameterError(
            "Say where experiments are kept: --storage bandits.db, or once for all commands "
            f"export {VARIABLE}=bandits.db. A server is postgresql://user@host/database."
        )
    if url == "memory://":
        raise ParameterError(
            "memory:// ends with the command. Give a file, such as bandits.db, or postgresql://…."
        )
    return url


def opened_store(url: str | None) -> "closing[Storage]":
    """Open a store that is there until the block ends: a mistyped path makes no new file."""
    from ..live.log import open_storage

    return closing(open_storage(required_storage(url), create=False))


def log_of(store: "Storage", name: str) -> "Log":
    """Return the log of an experiment that is there."""
    names = store.names()
    if name not in names:
        store.log(name).read(most=1)  # a name that was changed is damage
        if not names:
            raise UnknownNameError(
                f"There is no experiment {name!r}: this store is empty. Make it: upperhand new "
                f"{name} --arm … --arm … --quantile 0.95 --minimize."
            )
        raise UnknownNameError.among("experiment", name, names)
    return store.log(name)


@contextmanager
def experiment(url: str | None, name: str) -> Iterator["Experiment"]:
    """Open an experiment that is there."""
    from ..live import Experiment

    with opened_store(url) as store:
        log_of(store, name)
        with Experiment(name, storage=store) as found:
            yield found


def parse_outcome(word: str) -> dict[str, Any]:
    """Return an outcome as arguments of `tell` from text: 120.5, failed, or >=30.

    >>> parse_outcome("120.5"), parse_outcome("failed"), parse_outcome(">=30")
    ({'value': 120.5}, {'failed': True}, {'at_least': 30})
    """
    if word == "failed":
        return {"failed": True}
    bound = word.removeprefix(">=").removeprefix("≥")
    number = checks.number_in(bound)
    if number is None:
        raise ParameterError(
            f"An outcome must be a number such as 120.5, the word failed, or a bound such as "
            f"'>=30'; got {word!r:.80}."
        )
    return {"value" if bound == word else "at_least": number}


def to_json(value: Any) -> str:
    """Return JSON; infinities as "inf" and "-inf", as JSON has none, and NaN as null."""
    return json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False, default=repr)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; a named tuple becomes an object, and data a digest.

    >>> plain({"ends": (float("inf"), 1.0)})
    {'ends': ['inf', 1.0]}
    """
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict) and value.get("family") == "empirical":
        file, _, column = value.get("name", "").partition(":")
        digest = sha256(json.dumps(value["data"]).encode()).hexdigest()
        about = {"family": "empirical", "file": file, "column": column or None}
        return {**about, "count": len(value["data"]), "digest": f"sha256:{digest}"}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
