"""The paper's statements as functions: one statement, one function, its number in the docstring.

The functions are listed in ``__init__.pyi`` and loaded when first used.

>>> import upperhand as uh
>>> from upperhand import theory
>>> round(theory.u_star(uh.Normal(0.10, 0.05), alpha=0.1), 3)
0.182
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
