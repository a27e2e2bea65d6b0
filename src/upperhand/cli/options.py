"""Options that several commands share, the lists in their help, and how results are printed."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from .. import checks
from ..errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from ..live import Experiment
    from ..live.log import Log, Storage
    from ..objectives import Objective
    from ..reports.markdown import Report


Command = TypeVar("Command", bound=Callable[..., Any])


class WholeNumber(click.ParamType):  # type: ignore[type-arg]
    """A whole number, also as 1e4."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number as an int."""
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
        """Return the path."""
        if not str(value).strip():
            self.fail("The path is empty. Write the name of a file or folder.", param, ctx)
        return super().convert(value, param, ctx)


class ArmsCommand(click.Command):
    """A command whose help ends with policies and distributions, loaded for the help only."""

    taken = "α, τ, tail and horizon"  # settings of policies that options of the command set

    def policy_forms(self) -> dict[str, str]:
        """Return the policies that the command takes."""
        from ..policies.parsing import policy_forms

        forms, takes_all = policy_forms(), any(each.name == "policies" for each in self.params)
        return forms if takes_all else {"acp-ucb1": forms["acp-ucb1"]}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from ..distributions.registry import arm_forms

        head = f"Policies (settings that you leave out take the command's {self.taken})"
        with formatter.section(head):
            formatter.write_dl(list(self.policy_forms().items()))
        with formatter.section("Distributions"):
            formatter.write_dl(list(arm_forms().items()))
        super().format_epilog(ctx, formatter)


def completes(
    words: Callable[[], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes an option's value in the shell; the words are loaded only then."""
    return lambda _ctx, _param, typed: [word for word in words() if word.startswith(typed)]


def arm_words() -> list[str]:
    """Return the beginnings of arms, such as normal:."""
    from ..distributions.registry import arm_forms

    return [form.partition(":")[0] + ":" for form in arm_forms()]


def policy_words() -> list[str]:
    """Return the policies, and each with each of its settings, such as acp-ucb1:b=."""
    from ..parsing import typed_words
    from ..policies import POLICIES

    return typed_words(POLICIES.values())


WHOLE = WholeNumber()
PATH = NamedPath(path_type=Path)
arm_option = click.option(
    "--arm", "arms", multiple=True, required=True, metavar="DISTRIBUTION",
    shell_complete=completes(arm_words),
    help="An arm, such as normal:0.10,0.05, t:0,0.16,3 or empirical:eu.csv; see below. Repeat for "
    "each arm.",
)  # fmt: skip
minimize_option = click.option(
    "--minimize", is_flag=True,
    help="The arms pay costs, such as latencies: the lowest is best. At α = 0.1 that is the "
    "lowest p95.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")


def policies_option(
    words: Callable[[], Iterable[str]], **settings: Any
) -> Callable[[Command], Command]:
    """Return the option of policies, which can be repeated."""
    return click.option(
        "--policy", "policies", multiple=True, metavar="NAME[:SETTING=VALUE,…]",
        shell_complete=completes(words), **settings,
    )  # fmt: skip


def plot_option(what: str) -> Callable[[Command], Command]:
    """Return the option of a figure, checked by `check_files` before the work to be drawn."""
    return click.option("--plot", type=PATH, help=f"Draw {what}: .png, .pdf, .svg.")


def _draws(_ctx: click.Context, _param: click.Parameter, n: int | None) -> int | None:
    """Return N, checked, by the name that it has here."""
    if n is None:
        return None
    from ..objectives import MOST_DRAWS

    return checks.integer("--best-of", n, least=1, most=MOST_DRAWS)


best_of_option = click.option(
    "--best-of",
    type=WHOLE,
    callback=_draws,
    metavar="N",
    help="An arm is worth the best of N draws, by its median: the highest, or with --minimize the "
    "lowest. It is the quantile at 2^(−1/N), or of costs at 1 − 2^(−1/N).",
)


def best_of_value(n: int | None, minimize: bool, levels: Iterable[str]) -> "Objective | None":
    """Return what --best-of N says of rewards or of costs; refuse it with an option for a level."""
    if n is None:
        return None
    from ..objectives import BestOf

    for name in levels:
        if is_typed(name):
            raise ParameterError(
                f"--best-of {n} and --{name} both say which quantile an arm is worth. Leave one of "
                "the two out."
            )
    return BestOf(n).for_costs() if minimize else BestOf(n)


def size_options(command: Command) -> Command:
    """Add the length of a simulation to the options of `repeat_options`."""
    horizon = click.option(
        "--horizon", type=WHOLE, default=10_000, show_default=True, help="Rounds of a replication."
    )
    return horizon(repeat_options(command))


def repeat_options(command: Command) -> Command:
    """Add how often something is played, from which seed, and by how many threads."""
    for option in (
        click.option("--workers", type=WHOLE, help="Threads; by default one for each core."),
        click.option("--seed", type=WHOLE, default=0, show_default=True,
                     help="The seed of all random numbers."),
        click.option("--replications", type=WHOLE, default=60, show_default=True,
                     help="The number of replications."),
    ):  # fmt: skip
        command = option(command)
    return command


def is_typed(name: str) -> bool:
    """Whether an option of the running command was typed, and is no default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


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


def print_result(as_json: bool, data: Any, report: "Callable[[], Report]") -> None:
    """Print data as JSON, or else a report as text."""
    from ..reports.markdown import to_text

    click.echo(json.dumps(data, indent=2) if as_json else to_text(report()))


VARIABLE = "UPPERHAND_STORAGE"

name_argument = click.argument("name")
storage_option = click.option(
    "--storage", metavar="URL", envvar=VARIABLE, show_envvar=True,
    help="Where experiments are kept: a file such as bandits.db, or postgresql://….",
)  # fmt: skip
by_option = click.option("--by", metavar="SEGMENT", help="A segment, such as region=eu.")
confidence_option = click.option(
    "--confidence", default=0.95, show_default=True, help="Of the intervals, and to call a leader."
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


@contextmanager
def opened_store(url: str | None) -> Iterator["Storage"]:
    """Open a store that is there: a mistyped path makes no new file."""
    from ..live.log import open_storage

    store = open_storage(required_storage(url), create=False)
    try:
        yield store
    finally:
        store.close()


def log_of(store: "Storage", name: str) -> "Log":
    """Return the log of an experiment that is there."""
    names = store.names()
    if name not in names:
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
    return json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; a named tuple becomes an object.

    >>> plain({"ends": (float("inf"), 1.0)})
    {'ends': ['inf', 1.0]}
    """
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
