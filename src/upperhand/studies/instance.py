"""An instance: arms to play on, and the level that they are valued by."""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import checks
from ..distributions import Distribution
from ..distributions.registry import as_laws
from ..errors import ParameterError

ALPHA = 0.1  # unless otherwise stated


@dataclass(frozen=True)
class Instance:
    """Arms to play on, the α that they are valued by, and what is special about them.

    >>> from upperhand.distributions import Normal
    >>> Instance("mine", [Normal(0, 1), Normal(0.5, 0.5)], alpha=0.2).alpha
    0.2
    """

    name: str
    arms: Sequence[Distribution]  # kept as a tuple; frozen laws of scipy.stats will do too
    alpha: float = ALPHA
    note: str = ""  # a sentence for tables and pages

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(f"An instance has a name of its own; got {self.name!r}.")
        object.__setattr__(self, "arms", as_laws(self.arms))
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, above=0, below=1))
