"""``upperhand tell``: what came of a trial."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..errors import ConflictError, ParameterError, UnknownNameError
from .stores import as_json as to_json
from .stores import by_option, experiment, json_option, name_argument, spoken, storage_option

if TYPE_CHECKING:
    from ..live.outcomes import Outcome

UNASKED = "arm="  # begins what `ask` prints for a default that the log does not know
HOW = "Write: upperhand tell NAME TRIAL VALUE, or --failed, or --at-least X instead of VALUE."


class UnknownTrialError(click.ClickException):
    """The log does not know this trial."""

    exit_code = 4


@contextmanager
def in_shell_words(name: str, trial: str | None) -> Iterator[None]:
    """Add to what is refused of a trial what to type; a trial that is not known has its code."""
    try:
        yield
    except ConflictError as error:
        typed = f"upperhand steer {name} --correct {trial} VALUE"
        raise ConflictError(f"{error} In the shell: {typed}.") from error
    except UnknownNameError as error:
        if trial is None:
            raise
        typed = f"upperhand tell {name} --arm ARM VALUE"
        raise UnknownTrialError(f"{error} In the shell: {typed}.") from error


@click.command(context_settings={"ignore_unknown_options": True})  # −5 is a value, not an option
@name_argument
@click.argument("words", nargs=-1, metavar="TRIAL [VALUE] | -")
@click.option("--failed", is_flag=True, help="It failed: the worst outcome there is.")
@click.option("--at-least", type=float, metavar="X",
              help="It is at least X, and no more is known, as of a time-out.")  # fmt: skip
@click.option("--arm", help="Tell what an arm did without an ask, instead of TRIAL.")
@by_option
@storage_option
@json_option
def tell(
    name: str,
    words: tuple[str, ...],
    failed: bool,
    at_least: float | None,
    arm: str | None,
    by: str | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Tell what came of a trial; prints told, again, late or lost: all of these count.

    A dash instead of TRIAL reads lines TRIAL VALUE from standard input and tells all of them in one
    commit, or none. VALUE can also be the word failed, or '>=30' for at least 30.

    \b
    upperhand tell model 3.1.0 120.5
    upperhand tell model 3.1.0 --at-least 30000
    upperhand tell model --arm small 118

    \b
    Exit codes: 0 it counts, or was told before just so; 2 wrong use; 3 the store is away or busy:
    tell it again later; 4 something else was told before, or there is no such trial.
    """  # noqa: D301
    _refuse_options(words)
    if words == ("-",):
        if failed or at_least is not None or arm is not None or by is not None:
            raise ParameterError("Standard input takes no other options: write TRIAL failed, …")
        answers = _tell_lines(storage, name)
        told = ", ".join(f"{count} {answer}" for answer, count in Counter(answers).items())
        click.echo(to_json(answers) if as_json else told or "nothing to tell")
        return
    trial, arm, given = _parsed(words, arm)
    outcome: dict[str, Any] = {"failed": failed, "at_least": at_least}
    if given is not None:
        if failed or at_least is not None:
            raise ParameterError(f"Tell one thing: a value, --failed or --at-least. {HOW}")
        outcome = spoken(given)
    elif not failed and at_least is None:
        raise ParameterError(f"Nothing is told. {HOW}")
    if by is not None and arm is None:
        raise ParameterError("--by goes with --arm; the id of a trial says its segment.")
    with experiment(storage, name) as exp, in_shell_words(name, trial):
        answer = exp.tell(trial, arm=arm, by=by, **outcome)
    said = {"trial": trial, "arm": arm, "answer": answer}
    click.echo(to_json(said) if as_json else answer)


def _refuse_options(words: tuple[str, ...]) -> None:
    """Refuse what looks like an option: numbers below zero are the reason to look here."""
    for word in words:
        if word.startswith("--") or (word.startswith("-") and word[1:2].isalpha()):
            raise ParameterError(f"There is no option {word}. See upperhand tell --help.")


def _parsed(words: tuple[str, ...], arm: str | None) -> tuple[str | None, str | None, str | None]:
    """Return trial, arm and outcome of the words; one of the first two is None."""
    first, rest = (None, words) if arm is not None else (words[0] if words else "", words[1:])
    if first == "" or len(rest) > 1:
        raise ParameterError(f"Give a trial and what came of it. {HOW}")
    outcome = rest[0] if rest else None
    if first is not None and first.startswith(UNASKED):
        return None, first.removeprefix(UNASKED), outcome
    return first, arm, outcome


def _tell_lines(storage: str | None, name: str) -> list[str]:
    """Tell all lines of standard input in one commit."""
    told = [_line(n, text) for n, text in enumerate(sys.stdin, start=1) if text.strip()]
    with experiment(storage, name) as exp, in_shell_words(name, "TRIAL"):
        return exp.tell_many(told)


def _line(number: int, text: str) -> "tuple[str, Outcome]":
    from ..live.telling import outcome_of

    parts = text.split()
    if len(parts) != 2 or parts[0].startswith(UNASKED):
        raise ParameterError(
            f"Line {number} must be TRIAL VALUE, such as 3.1.0 120.5; got {text.strip()!r:.80}. "
            "Nothing was told."
        )
    try:
        outcome = {"value": None, "failed": False, "at_least": None, **spoken(parts[1])}
        return parts[0], outcome_of(parts[0], outcome.pop("value"), **outcome)
    except ValueError as error:
        raise ParameterError(f"Line {number}: {error} Nothing was told.") from error
