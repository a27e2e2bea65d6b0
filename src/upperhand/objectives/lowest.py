"""Any objective of arms that pay costs: the arm that costs least is best."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import checks
from .base import Objective

if TYPE_CHECKING:
    from ..distributions import Distribution


@dataclass(frozen=True)
class Lowest(Objective):
    """The negative of what an arm costs under an objective, so that the lowest cost is best.

    >>> import upperhand as uh
    >>> arms = [uh.Uniform(0, 30), uh.Uniform(10, 20)]
    >>> Lowest(uh.UpperTail(0.1)).best(arms), Lowest(uh.UpperTail(0.1)).value(arms[1])
    (1, -19.5)
    """

    objective: Objective

    @property
    def label(self) -> str:
        """A few words for tables and figures: those of the objective, as costs keep their sign."""
        return self.objective.label

    def value(self, arm: "Distribution") -> float:
        """Return minus the cost."""
        return -self.objective.cost(arm)


def judged(objective: Objective, minimize: bool) -> Objective:
    """Return by what arms are judged: the objective, or for costs the lowest."""
    told = as_paid(objective, minimize)
    return Lowest(told) if minimize else told


def as_paid(objective: Objective, minimize: bool) -> Objective:
    """Return the objective as it is of what the arms pay, rewards or costs."""
    return objective.of_costs() if checks.flag("minimize", minimize) else objective
