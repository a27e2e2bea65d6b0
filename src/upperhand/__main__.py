"""The command ``upperhand``, also as ``python -m upperhand``: Ctrl-C from the first import on."""

import atexit
import gc
import signal
import sys
from types import FrameType

INTERRUPTED = 130  # exit code: 128 + SIGINT, as a shell has it

# When Python looks for garbage in cycles. A command makes many objects and few cycles: with
# Python's own thresholds, a tenth of `upperhand paper` goes into looking, and no less is held.
RARELY = 200_000, 20, 100


class Interrupted(SystemExit):
    """Ctrl-C; unlike `KeyboardInterrupt` nobody on the way answers it with words of their own."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and exit code 130."""
    often = gc.get_threshold()
    gc.set_threshold(*RARELY)
    atexit.register(gc.freeze)  # no last look: files and stores are closed by then, by their blocks
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:  # not where a shell has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from .cli import main as run

        run()
    except Interrupted:
        print("Interrupted.", file=sys.stderr)
        ours = False  # a second one during the shutdown ends the process at once
        raise
    finally:
        gc.set_threshold(*often)
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends the process at once
    raise Interrupted(INTERRUPTED)


if __name__ == "__main__":
    main()
