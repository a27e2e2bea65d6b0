"""The command line: each command a few lines, parse, call, print."""

import os
import re
import sys
from contextlib import suppress
from io import StringIO, TextIOWrapper
from typing import NoReturn

import click

from .. import __version__, errors
from .calibrate import calibrate
from .compare import compare
from .experiment import ask, new, steer, tell
from .inspect import check, clock, copy, export, import_, log, show, watch
from .listing import list_, policies
from .simulate import identify, simulate, warm
from .study import study
from .theory import paper, theory

# Exit codes. That a store is away or busy passes: the same command can be tried again later.
FAILURE, USAGE, AWAY, CONFLICT = 1, 2, 3, 4
LIVE = (new, ask, tell, show, watch, log, steer, export, import_, check, copy, clock)
LABORATORY = (
    simulate, compare, identify, calibrate, study, list_, policies, theory, paper, warm
)  # fmt: skip


# Options for several values; a comma separates two unless a setting such as eta=0 follows it.
PLURALS = {"--arms": "--arm", "--policies": "--policy", "--methods": "--method",
           "--objectives": "--objective"}  # fmt: skip
COMMA = re.compile(r",\s*(?=[^\W\d])(?![^,:(=]*=[^,:(]*(?:,|$))")


class Sections(click.Group):
    """A group whose help lists its commands in sections, in the order of use."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words that were typed, with several values of one option as in `repeated`."""
        return super().parse_args(ctx, repeated(args))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or suggest others, which older versions of click do not."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing and not cmd_name.startswith("-"):
            raise errors.UnknownNameError.among("command", cmd_name, self.commands)
        return found

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [str(command.name) for command in (*LIVE, *LABORATORY)]

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {"Live experiments, by ask and tell": LIVE, "Simulations": LABORATORY}
        for head, commands in sections.items():
            with formatter.section(head):
                formatter.write_dl([(str(c.name), c.get_short_help_str(1000)) for c in commands])


def repeated(words: list[str]) -> list[str]:
    """Return the words with the option repeated for each of several values.

    >>> repeated(["--policies", "ucb1,acp-ucb1:b=1,eta=0", "--seed", "3"])
    ['--policy', 'ucb1', '--policy', 'acp-ucb1:b=1,eta=0', '--seed', '3']
    """
    found, option = list[str](), None
    for word in words:
        head, _, value = word.partition("=")
        if word.startswith("-"):
            option = PLURALS.get(head)
        values = [] if option is None else COMMA.split(value if word.startswith("-") else word)
        found += [word] if option is None else []
        for each in filter(None, values):
            found += [str(option), each]
    return found


HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=Sections, context_settings=HELP)
@click.version_option(__version__, prog_name="upperhand")
def commands() -> None:
    """Find the option with the best quantile: live, in simulations, or on your data."""


for _command in (*LIVE, *LABORATORY):
    commands.add_command(_command)


def main() -> None:
    """Run the command line; a user's mistake gets a sentence and an exit code, not a traceback."""
    if getattr(sys.stderr, "closed", sys.stderr is None):
        sys.stderr = StringIO()  # what is said there is for nobody
    if getattr(sys.stdout, "closed", sys.stdout is None):  # before a file gets its number
        _end("cannot write the output: standard output is closed. Send it elsewhere.", FAILURE)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # α and ± must not fail where a pipe is not UTF-8
            stream.reconfigure(errors="replace")
    try:
        commands(prog_name="upperhand")
    except MemoryError as error:
        what = f" ({error})" if str(error) else ""
        advice = " ".join(getattr(error, "__notes__", ["Use fewer replications or less data."]))
        _end(f"not enough memory{what}. {advice}", FAILURE)
    except errors.UpperhandError as error:
        _end(str(error), _code(error))
    except OSError as error:  # files raise a FileError, so this is the output
        with suppress(AttributeError, OSError):  # flushing the buffer would fail once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _end(f"cannot write the output: {error.strerror or error}. Send it elsewhere.", FAILURE)


def _code(error: errors.UpperhandError) -> int:
    if isinstance(error, errors.StoreAwayError | errors.StoreBusyError | errors.ClusterError):
        return AWAY
    if isinstance(error, errors.ConflictError):
        return CONFLICT
    return FAILURE if isinstance(error, OSError | ImportError) else USAGE


def _end(message: str, code: int) -> NoReturn:
    with suppress(OSError):  # standard error may be full too
        click.echo(f"Error: {message}", err=True)
    sys.exit(code)
