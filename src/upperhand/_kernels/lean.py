"""A state as interpreted kernels read it fastest.

An element of a NumPy array comes as one of NumPy's own scalars, which costs 60 to 100 ns to get and
to turn into a plain number. A memory view of the same array gives a plain one in half of that. So
interpreted kernels work on a state whose arrays are such views: the memory is the same. Kernels use
elements and nothing else, so they do not see the difference. Of arrays with rows, which a view
cannot give, only the cursors of sorted samples are views: they are read by element.
"""

from typing import Any

from .sorted_samples import SortedSamples


def lean(state: Any) -> Any:
    """Return the same state, its arrays as memory views where kernels read them by elements."""
    if isinstance(state, SortedSamples):
        cursors = {name: getattr(state, name).data for name in ("place", "held", "before")}
        return SortedSamples(*map(lean, state))._replace(**cursors)
    if isinstance(state, tuple):
        return state._make(map(lean, state)) if hasattr(state, "_make") else tuple(map(lean, state))
    return state.data if state.ndim == 1 else state


def reads_elements(*things: Any) -> bool:
    """Tell whether all functions and classes among these are the package's: they keep to elements.

    What users write may call methods of arrays when it is interpreted, whatever the contract says.
    """
    package = __name__.partition(".")[0] + "."
    return all(each.__module__.startswith(package) for each in things if callable(each))
