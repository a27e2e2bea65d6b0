"""The command line: each command a few lines, parse, call, print."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

import click

from .. import __version__
from ..errors import UpperhandError
from .calibrate import calibrate
from .compare import compare
from .identify import identify
from .paper import paper
from .policies import policies
from .simulate import simulate
from .theory import theory

USAGE, FAILURE = 2, 1  # exit codes


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="upperhand")
def commands() -> None:
    """Bandits for the tail: ACP-UCB1 and its rivals."""


commands.add_command(calibrate)
commands.add_command(compare)
commands.add_command(identify)
commands.add_command(paper)
commands.add_command(policies)
commands.add_command(simulate)
commands.add_command(theory)


def main() -> None:
    """Run the command line; a user's mistake gets a sentence and an exit code, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # α and ± must not fail where a pipe is not UTF-8
            stream.reconfigure(errors="replace")
    try:
        commands(prog_name="upperhand")
    except MemoryError as error:
        advice = "Use a smaller horizon or fewer replications."
        _end(f"not enough memory ({error}). {advice}", FAILURE)
    except UpperhandError as error:
        _end(str(error), FAILURE if isinstance(error, OSError | ImportError) else USAGE)
    except OSError as error:  # files raise a FileError, so this is the output
        with suppress(AttributeError, OSError):  # what is still in the buffer would fail once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _end(f"cannot write the output: {error.strerror or error}. Send it elsewhere.", FAILURE)


def _end(message: str, code: int) -> NoReturn:
    with suppress(OSError):  # standard error may be full or closed too
        click.echo(f"Error: {message}", err=True)
    sys.exit(code)
