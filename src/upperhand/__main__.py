"""The command ``upperhand``, also as ``python -m upperhand``: Ctrl-C from the first import on."""

import signal
import sys
from types import FrameType

INTERRUPTED = 130  # exit code: 128 + SIGINT, as a shell has it


class Interrupted(SystemExit):
    """Ctrl-C; unlike `KeyboardInterrupt` nobody on the way answers it with words of their own."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and exit code 130."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # not where a shell has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from .cli import main as run

        run()
    except Interrupted:
        print("Interrupted.", file=sys.stderr)
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends the process at once
    raise Interrupted(INTERRUPTED)


if __name__ == "__main__":
    main()
