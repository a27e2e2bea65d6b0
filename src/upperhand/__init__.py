"""Bandits for the tail: ACP-UCB1, its rivals and its theory, for research and live use.

The public names stand in ``__init__.pyi`` and are loaded when first used, so that
``import upperhand`` and live use stay light: neither loads Numba, SciPy or Matplotlib.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]


def __dir__() -> list[str]:
    return sorted(__all__)
