"""A small comparison that several tests look at."""

import upperhand as uh
from upperhand.comparison.instances import Instance

SMALL = {"horizon": 300, "replications": 4, "seed": 3, "progress": False}
POLICIES = {"ACP-UCB1": uh.ACPUCB1(), "UCB1": uh.UCB1(), "KL-QUCB": uh.KLQUCB()}
TIED = Instance("tied", [uh.Normal(1, 1), uh.Normal(0, 0.5), uh.Normal(1, 1)], note="two best arms")


def small(instances=("headline",), policies=POLICIES, **settings):
    """Return a comparison that takes a moment."""
    return uh.compare(instances, policies, **SMALL | settings)
