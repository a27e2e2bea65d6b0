"""The command ``upperhand``, also as ``python -m upperhand``: Ctrl-C from the first import on."""

import signal
import sys
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130  # exit code: 128 + SIGINT, as a shell has it


class Interrupted(SystemExit):
    """Ctrl-C; unlike `KeyboardInterrupt`, no library catches it to print its own message."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and exit code 130."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:  # not where a shell has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from .cli import main as run

        run()
    except Interrupted:
        with suppress(AttributeError, OSError, ValueError):  # standard error may be closed
            sys.stderr.write("Interrupted.\n")
        ours = False  # a second one during the shutdown ends the process at once
        raise
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends the process at once
    raise Interrupted(INTERRUPTED)


if __name__ == "__main__":
    main()
