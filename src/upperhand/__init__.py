"""Bandits for the tail: ACP-UCB1, its rivals and its theory, for research and live use.

The public names stand in ``__init__.pyi`` and are loaded when first used, so that
``import upperhand`` and live use stay light: neither loads Numba, SciPy or Matplotlib.
"""

import lazy_loader

__version__ = "0.2.0"

_load, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except AttributeError as error:
        from difflib import get_close_matches

        ours = {each.lower(): each for each in __all__}
        near = [ours[each] for each in get_close_matches(name.lower(), ours)]
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"upperhand has no {name!r}.{hint}", name=name) from error


def __dir__() -> list[str]:
    return sorted(__all__)
