"""How river's UCB stands next to the library's policies, replication by replication."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .line_up import OURS
from .result import Comparison
from .river_rival import AS_DOCUMENTED, SETTINGS, RiverRuns, RiverSetting

Array = NDArray[np.float64]
BEST, WORST = (f"river UCB, {which} of {SETTINGS} in hindsight" for which in ("best", "worst"))


class RiverStanding(NamedTuple):
    """Regrets at the last round on one instance, all on the same rewards."""

    instance: str
    best: RiverSetting  # by its mean regret
    regrets: Mapping[str, Array]  # each (R,): river's, the reference's and ours


def river_standing(river: RiverRuns, comparison: Comparison, instance: str) -> RiverStanding:
    """Return it; the library's runs count as far as river's replications go."""
    runs, objective = comparison.runs[instance], comparison.objectives[instance][0]
    gaps = objective.gaps(runs.arms)
    played = {setting: pulls @ gaps for setting, pulls in river.pulls[instance].items()}
    ranked = sorted(played, key=lambda setting: float(played[setting].mean()))
    count = len(played[ranked[0]])
    others = [label for label in (comparison.reference, *OURS) if label in runs.pulls]
    return RiverStanding(
        instance,
        ranked[0],
        {label: played[setting] for label, setting in AS_DOCUMENTED.items()}
        | {BEST: played[ranked[0]], WORST: played[ranked[-1]]}
        | {label: runs.pulls[label][:count, -1] @ gaps for label in others},
    )
