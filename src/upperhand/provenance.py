"""What a result was made with."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from ._version import __version__


def versions() -> dict[str, str]:
    """Return the versions of everything that the numbers depend on."""
    found = {"upperhand": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return {**found, "platform": f"{sys.platform} {platform.machine()}"}
