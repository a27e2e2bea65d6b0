"""Install the libraries that are measured next to ours, each by itself.

    python benchmarks/install_peers.py            the group `peers` of pyproject.toml
    python benchmarks/install_peers.py optuna     of these only

One that cannot be installed is named with the reason, and stops nobody: its rows are skipped.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
NUMPY = "numpy>=2"  # asked for as well, so that no peer brings an older one


def peers(only=()):
    """Return the requirements of the group by name."""
    group = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["dependency-groups"]["peers"]
    named = {re.split(r"[<>=~! \[;]", each, maxsplit=1)[0]: each for each in group}
    unknown = set(only) - set(named)
    if unknown:
        raise SystemExit(f"No peer is called {', '.join(sorted(unknown))}: {', '.join(named)} are.")
    return {name: named[name] for name in only or named}


def install(requirement):
    """Install one; return why it failed, empty if it did not."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", NUMPY, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "" if done.returncode == 0 else (errors or ["pip failed"])[-1]


def main():
    """Install what is asked for; the exit code is 0 whatever became of it."""
    for name, requirement in peers(sys.argv[1:]).items():
        reason = install(requirement)
        if reason:
            print(f"{name} is not installed, and skipped: {reason}", flush=True)


if __name__ == "__main__":
    main()
