"""What commands on arms share: options, whole numbers, lists in the help, words for the shell."""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from .. import checks
from ..errors import ParameterError

if TYPE_CHECKING:
    from ..objectives import Objective

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
    """A command whose help ends with policies and laws of arms, loaded for the help only."""

    taken = "α, τ, tail and horizon"  # what the command tells its policies

    def policy_forms(self) -> dict[str, str]:
        """Return the policies that the command takes."""
        from ..policies.spec import policy_forms

        takes_all = any(option.name == "policies" for option in self.params)
        forms = policy_forms()
        return forms if takes_all else {"acp-ucb1": forms["acp-ucb1"]}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from ..distributions.registry import arm_forms

        head = f"Policies (settings that you leave out take the command's {self.taken})"
        with formatter.section(head):
            formatter.write_dl(list(self.policy_forms().items()))
        with formatter.section("Laws"):
            formatter.write_dl(list(arm_forms().items()))
        super().format_epilog(ctx, formatter)


def completes(
    words: Callable[[], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes an option's value in the shell from words that are loaded only then."""

    def found(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return found


def law_words() -> list[str]:
    """Return the beginnings of arms, such as normal:."""
    from ..distributions.registry import arm_forms

    return [form.partition(":")[0] + ":" for form in arm_forms()]


def policy_words() -> list[str]:
    """Return the policies, and each with each of its settings, such as acp-ucb1:b=."""
    from ..parameters.text import typed_words
    from ..policies import POLICIES

    return typed_words(POLICIES.values())


WHOLE = WholeNumber()
PATH = NamedPath(path_type=Path)
arm_option = click.option(
    "--arm",
    "arms",
    multiple=True,
    required=True,
    metavar="LAW",
    shell_complete=completes(law_words),
    help="An arm, such as normal:0.10,0.05, t:0,0.16,3 or empirical:eu.csv; see below. Repeat for "
    "each arm.",
)
minimize_option = click.option(
    "--minimize",
    is_flag=True,
    help="The arms pay costs, such as latencies: the lowest is best. At α = 0.1 that is the "
    "lowest p95.",
)


def _draws(_ctx: click.Context, _param: click.Parameter, n: int | None) -> int | None:
    """Return N, checked, by the name that it has here."""
    if n is None:
        return None
    from ..objectives.best_of import MOST_DRAWS

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
    from ..objectives.lowest import as_paid

    context = click.get_current_context()
    for name in levels:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ParameterError(
                f"--best-of {n} and --{name} both say which quantile an arm is worth. Leave one of "
                "the two out."
            )
    return as_paid(BestOf(n), minimize)


def size_options(command: Command) -> Command:
    """Add what every simulation is told: how long, how often, from which seed, by how many."""
    horizon = click.option("--horizon", type=WHOLE, default=10_000, show_default=True,
                           help="Rounds of a replication.")  # fmt: skip
    return horizon(repeat_options(command))


def repeat_options(command: Command) -> Command:
    """Add how often something is played, from which seed, and by how many."""
    options = (
        click.option("--replications", type=WHOLE, default=60, show_default=True,
                     help="The number of replications."),
        click.option("--seed", type=WHOLE, default=0, show_default=True,
                     help="The seed of all random numbers."),
        click.option("--workers", type=WHOLE, help="Threads; by default one for each core."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command
