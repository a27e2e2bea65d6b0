"""A reference for QLUCB: whole histories sorted again, bounds by SciPy and fractions."""

import math
from functools import cache

from .best_arm_policies import Search
from .quantile_bounds import mixture_rank, stitched, upper_rank
from .rounds import Table


@cache
def top_rank(radius: str, p: float, t: int, error: float, t_opt: int) -> int:
    """Return the rank of the upper bound of the p-quantile, of one arm, with that error."""
    if radius == "beta-binomial":
        return mixture_rank(p, t, error, t_opt)
    if radius == "dkw":
        return upper_rank(p, t, math.sqrt(math.log(math.pi**2 * t**2 / (3 * error)) / (2 * t)))
    v = p * (1 - p)
    return upper_rank(p, t, stitched(v * t, error, v * t_opt, (1 - 2 * p) / 3, 1.4, 2.04) / t)


def qlucb(
    table: Table,
    cap: int,
    *,
    tau: str,
    delta: float = 0.05,
    epsilon: str = "0",
    radius: str = "beta-binomial",
    t_opt: int = 1000,
) -> Search:
    """Return the arms pulled, whether it stopped by itself, and the answer."""
    arms, level, tolerance = len(table), float(tau), float(epsilon)
    seen: list[list[float]] = [[] for _ in table]
    error = delta / arms

    def lower(j: int) -> float:
        t = len(seen[j])
        rank = t + 1 - top_rank(radius, 1 - level - tolerance, t, error, t_opt) if t else 0
        return sorted(seen[j])[rank - 1] if rank > 0 else -math.inf

    def upper(j: int) -> float:
        t = len(seen[j])
        rank = top_rank(radius, level, t, error, t_opt) if t else 1
        return sorted(seen[j])[rank - 1] if rank <= t else math.inf

    def pull(j: int) -> None:
        seen[j].append(table[j][len(seen[j])])
        pulled.append(j)

    def first_best(values: dict[int, float]) -> int:
        return min(values, key=lambda j: (-values[j], j))

    pulled: list[int] = []
    for j in reversed(range(arms)):
        pull(j)
    while True:
        h = first_best({j: lower(j) for j in range(arms)})
        rest = {j: upper(j) for j in range(arms) if j != h}
        if lower(h) >= max(rest.values()):
            return Search(pulled, True, [h])
        if len(pulled) == cap:
            return Search(pulled, False, [h])
        pull(first_best(rest) if (len(pulled) - arms) % 2 == 0 else h)
