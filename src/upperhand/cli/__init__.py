"""The command line: each command a few lines, parse, call, print."""

import sys
from io import TextIOWrapper

import click

from .. import __version__
from ..errors import UpperhandError
from .compare import compare
from .paper import paper
from .policies import policies
from .simulate import simulate
from .theory import theory

USAGE, FAILURE = 2, 1  # exit codes


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="upperhand")
def commands() -> None:
    """Bandits for the tail: ACP-UCB1 and its rivals."""


commands.add_command(compare)
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
        click.echo(
            f"Error: not enough memory ({error}). Use a smaller horizon or fewer replications.",
            err=True,
        )
        sys.exit(FAILURE)
    except UpperhandError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(FAILURE if isinstance(error, OSError | ImportError) else USAGE)
