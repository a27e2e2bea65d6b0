"""The command line: each command a few lines, parse, call, print."""

import os
import sys
from contextlib import suppress
from io import StringIO, TextIOWrapper
from typing import NoReturn

import click

from .. import __version__
from ..errors import ClusterError, ConflictError, StoreAwayError, StoreBusyError, UpperhandError
from .calibrate import calibrate
from .compare import compare
from .experiment import ask, new, steer, tell
from .inspect import export, import_, log, replay, show, watch
from .paper import paper
from .simulate import identify, simulate, warm
from .study import study
from .theory import policies, theory

# Exit codes. That a store is away or busy passes: the same command can be tried again later.
FAILURE, USAGE, AWAY, CONFLICT = 1, 2, 3, 4
LIVE = (new, ask, tell, show, watch, log, steer, export, import_, replay)
LABORATORY = (calibrate, compare, identify, paper, policies, simulate, study, theory, warm)


class Sections(click.Group):
    """A group whose help lists its commands in sections, in the order of use."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order of the sections."""
        return [str(command.name) for command in (*LIVE, *LABORATORY)]

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        sections = {"Live experiments, by ask and tell": LIVE, "Laboratory": LABORATORY}
        for head, commands in sections.items():
            with formatter.section(head):
                limit = formatter.width - 6 - max(len(str(c.name)) for c in commands)
                formatter.write_dl([(str(c.name), c.get_short_help_str(limit)) for c in commands])


HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=Sections, context_settings=HELP)
@click.version_option(__version__, prog_name="upperhand")
def commands() -> None:
    """Bandits for the tail: ACP-UCB1 and its rivals."""


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
    except UpperhandError as error:
        _end(str(error), _code(error))
    except OSError as error:  # files raise a FileError, so this is the output
        with suppress(AttributeError, OSError):  # flushing the buffer would fail once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _end(f"cannot write the output: {error.strerror or error}. Send it elsewhere.", FAILURE)


def _code(error: UpperhandError) -> int:
    if isinstance(error, StoreAwayError | StoreBusyError | ClusterError):
        return AWAY
    if isinstance(error, ConflictError):
        return CONFLICT
    return FAILURE if isinstance(error, OSError | ImportError) else USAGE


def _end(message: str, code: int) -> NoReturn:
    with suppress(OSError):  # standard error may be full too
        click.echo(f"Error: {message}", err=True)
    sys.exit(code)
