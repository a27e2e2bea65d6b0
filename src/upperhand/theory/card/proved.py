"""What is proved of our policies on the card: bounds on tail regret and on pulls at n rounds."""

from collections.abc import Sequence
from typing import Any

from ...distributions import Distribution
from ...objectives import UpperTail
from ...objectives.lowest import judged
from ..guarantees import covered, pulls, regret_of, theorem


def proved_part(
    arms: Sequence[Distribution], alpha: float, n: int, minimize: bool = False
) -> dict[str, Any]:
    """Return the bound of each policy that a theorem covers; a best arm's pulls have none.

    A bound of n · max Δ_j or more says nothing: it is empty.
    """
    tail = UpperTail(alpha)
    most = n * float(judged(tail, minimize).gaps(arms).max())
    found = []
    for name, policy in covered(tail.tau).items():
        bounds = pulls(policy, arms, n, minimize=minimize)
        total = regret_of(bounds, arms, tail.tau, minimize=minimize)
        found.append(
            {
                "policy": name,
                "theorem": theorem(policy),
                "regret": total,
                "empty": 0 < most <= total,
                "pulls": bounds.tolist(),
            }
        )
    return {"policies": found}
