"""Few cases instead of all combinations: every two values of different factors meet."""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any


def pairwise(factors: Mapping[str, Sequence[Any]], seed: int = 0) -> list[dict[str, Any]]:
    """Return cases in which every two values of different factors meet at least once."""
    rng = random.Random(seed)

    def pairs(case: dict[str, Any]) -> set:
        return set(combinations(case.items(), 2))

    wanted = {
        ((f, x), (g, y))
        for f, g in combinations(factors, 2)
        for x in factors[f]
        for y in factors[g]
    }
    cases = []
    while wanted:
        (f, x), (g, y) = min(wanted, key=repr)
        candidates = [
            {name: rng.choice(values) for name, values in factors.items()} | {f: x, g: y}
            for _ in range(30)
        ]
        cases.append(max(candidates, key=lambda case: len(pairs(case) & wanted)))
        wanted -= pairs(cases[-1])
    return cases
