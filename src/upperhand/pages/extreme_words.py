"""What the study of extremes says, in sentences: every number comes from its rows."""

import math
from collections.abc import Sequence

from ..objectives import BestOf
from ..studies.extreme_study import (
    DRAWS,
    FAR_DRAWS,
    FEW,
    IN_TURN,
    Found,
    LargestFound,
)
from ..studies.instances import Instance
from ..studies.line_up import EXTREMES
from ..text import counted, short
from ..theory.lower_bounds import quantile_pulls

OURS = f"{FEW[0]} {DRAWS[0]}"  # the policy for a quantile that sentences are about
ENOUGH = 0.9  # of what the best arm alone finds
COSTS = tuple(f"at N = {n}" for n in DRAWS)  # the heads of `pulls_at`
PUBLISHED = (
    "The article has 10,000 replications and horizons from 1,000 to 50,000; the authors' program "
    "holds no results."
)


def entry(n: int, rounds: int) -> float:
    """Return ln(rounds) / ln(1/τ) at τ = 2^(−1/n): the least rewards to rule out an arm."""
    return n * math.log2(rounds)


def others_pulls(instance: Instance, n: int, rounds: int) -> float:
    """Return Σ ln(rounds) / kl(F_j(u*), τ) at τ = 2^(−1/n): pulls of all arms but the best (Q4)."""
    return math.log(rounds) * float(quantile_pulls(instance.arms, BestOf(n).tau).sum())


def pulls_at(found: LargestFound, instance: Instance, draws: Sequence[int]) -> list[str]:
    """Return the pulls of the others at each N, or a dash where another arm is best."""
    best = found.best[instance.name]
    named = {n: BestOf(n).best(instance.arms) == best for n in draws}
    costs = {n: others_pulls(instance, n, found.horizon) for n in draws if named[n]}
    return [_rounded(costs[n]) if named[n] else "—" for n in draws]


def _rounded(pulls: float) -> str:
    return f"{pulls:,.0f}" if pulls < 1e6 else short(pulls)


def size(found: LargestFound) -> str:
    """Say how much was played."""
    runs = found.runs[found.instances[0].name]
    played = counted(runs.replications, "replication")
    where = " on each instance" if len(found.instances) > 1 else f" on {found.instances[0].name}"
    return f"{played} of {counted(runs.horizon, 'round')}{where}, seed {runs.seed}"


def agreement(found: LargestFound) -> str:
    """Say on how many instances the smaller N is enough, and where it is not."""
    near, far = split(found, DRAWS[0])
    said = f"N = {DRAWS[0]} is enough on {len(near)} of {len(found.instances)}."
    crossings = [f"{name}, where tails cross at N = {found.draws[name]}" for name in far]
    return f"{said} It is not on {' and '.join(crossings)}." if far else said


def split(found: LargestFound, n: int) -> tuple[list[str], list[str]]:
    """Return the instances where the best of n names the right arm, and the others."""
    names = [each.name for each in found.instances]
    return [x for x in names if found.draws[x] <= n], [x for x in names if found.draws[x] > n]


def overall(found: LargestFound, policy: str, names: Sequence[str]) -> float:
    """Return the geometric mean of a policy's ratios over instances; NaN if one is missing."""
    rows = [row for name, row in found.by_instance(policy).items() if name in names]
    if not rows or None in rows:
        return math.nan
    return math.exp(sum(math.log(row.ratio) for row in rows if row) / len(rows))


def least(found: LargestFound, policy: str, names: Sequence[str]) -> Found:
    """Return the row of a policy with the smallest ratio on these instances."""
    rows = found.by_instance(policy)
    return min((row for name in names if (row := rows[name])), key=lambda row: row.ratio)


def advice(found: LargestFound, crossing: LargestFound | None) -> tuple[tuple[str, str], ...]:
    """Return which policy to take when, with the numbers that say so."""
    near, far = split(found, DRAWS[0])
    items = [
        (
            "N draws each time:",
            "value arms by BestOf(N) and take a policy for quantiles. The policies for extremes "
            "look for another arm, unless the two agree.",
        ),
        (
            "The largest of all draws, and the best arm shows early:",
            f"a quantile {_suffices(found, near)}. On the {len(near)} instances where "
            f"N = {DRAWS[0]} names the right arm, {_standing(found, OURS, near)}. "
            f"{_rivals(found, near)}",
        ),
        (
            "N no larger than it must be:",
            f"each arm costs N log₂ n pulls at least. {_larger(found, near)}",
        ),
    ]
    if far:
        said = " ".join(_far(each, far) for each in (found, crossing) if each)
        items.append(("Tails that cross far out:", f"{_cost(found, far)} {said}"))
    items.append(("Nothing known of the tails:", _unknown(found)))
    return tuple(items)


def _suffices(found: LargestFound, names: Sequence[str]) -> str:
    """Say that a quantile is enough only if that is what was found on each instance."""
    return "is enough" if least(found, OURS, names).ratio >= ENOUGH else "names it"


def _standing(found: LargestFound, policy: str, names: Sequence[str]) -> str:
    worst = least(found, policy, names)
    mean = overall(found, policy, names)
    return (
        f"{policy} finds {100 * mean:.0f} % of what the best arm alone does, and at least "
        f"{math.floor(100 * worst.ratio)} % ({worst.instance})"
    )


def _rivals(found: LargestFound, names: Sequence[str]) -> str:
    """Hold each rival against ours, instance by instance, in the same replications."""
    said = []
    for rival in (r for r in EXTREMES if r in found.policies):
        played = [name for name in names if rival in found.largest[name]]
        against = [found.against(name, rival, OURS) for name in played]
        less = sum(each.high < 1 for each in against)
        more = sum(each.low > 1 for each in against)
        where = "" if len(played) == len(names) else f" on the {len(played)} that it can play"
        mean = f"{100 * overall(found, rival, played):.0f} %{where}"
        said.append(f"{rival} {mean}, surely less than {OURS} on {less} and more on {more}")
    return f"The others: {'; '.join(said)}." if said else ""


def _larger(found: LargestFound, names: Sequence[str]) -> str:
    said = []
    for n in DRAWS:
        policy = f"{FEW[0]} {n}"
        held = [row.share for name in names if (row := found.by_instance(policy)[name])]
        finds, share = overall(found, policy, names), sum(held) / len(held)
        pulls = f"makes {100 * share:.0f} % of its pulls on the best arm"
        said.append(f"{policy} finds {100 * finds:.0f} % and {pulls}")
    return f"On these instances {'; '.join(said)}."


def _cost(found: LargestFound, names: Sequence[str]) -> str:
    """Say what an N that names the right arm costs."""
    said = []
    for each in (each for each in found.instances if each.name in names):
        first = found.draws[each.name]
        draws = (first, FAR_DRAWS) if first < FAR_DRAWS else (first,)
        costs = {n: _rounded(others_pulls(each, n, found.horizon)) for n in draws}
        at = [f"{pulls} pulls at N = {n}" for n, pulls in costs.items()]
        said.append(
            f"on {each.name} N must be {first} or more, and to rule out the others takes about "
            f"{' and '.join(at)}; there are {found.horizon:,} rounds"
        )
    return f"a small N names the wrong arm, and a large one is dear: {'; '.join(said)}."


def _far(found: LargestFound, names: Sequence[str]) -> str:
    """Say who found most where a small N names the wrong arm."""
    said = []
    for name in names:
        rows = [row for row in found.rows if row.instance == name]
        first, *others = sorted(rows, key=lambda row: -row.ratio)
        less = [found.against(name, row.policy, first.policy).high < 1 for row in others]
        close = [row.policy for row, apart in zip(others, less, strict=True) if not apart]
        apart = f", not surely apart from {', '.join(close)}" if close else ""
        at = f"On {name} with {found.horizon:,} rounds {first.policy} finds most"
        said.append(f"{at}, {100 * first.ratio:.0f} %{apart}.")
    return " ".join(said)


def _unknown(found: LargestFound) -> str:
    """Compare, over all instances, those that are told N with those that need none."""
    names = [each.name for each in found.instances]
    means = {policy: overall(found, policy, names) for policy in found.policies}
    ours = [f"{FEW[0]} {n}" for n in DRAWS]
    rivals = sorted((r for r in EXTREMES if means.get(r, 0) > 0), key=lambda r: -means[r])
    said = [f"{policy} {100 * means[policy]:.0f} %" for policy in (*rivals[:1], *ours)]
    return (
        "N must be chosen before anything is seen; the policies for extremes need none. Over all "
        f"{len(names)} instances: {', '.join(said)}, and arms in turn {100 * means[IN_TURN]:.0f} %."
    )


def told(found: LargestFound, n: int = FAR_DRAWS) -> str:
    """Say what the longer runs are for."""
    pulls = max(others_pulls(each, n, found.horizon) for each in found.instances)
    return (
        f"Here the policies for a quantile are told N = {n}, too, which names the right arm. To "
        f"rule out the others would take about {_rounded(pulls)} pulls of them (Theorem Q4); there "
        f"are {found.horizon:,} rounds."
    )
