"""``python -m upperhand`` is the command ``upperhand``."""

from .cli import main

main()
