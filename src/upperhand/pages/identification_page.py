"""What a search for the best arm says: the arms, the samples and errors of each policy."""

import math
from collections.abc import Mapping

from ..objectives import Quantile, level_name
from ..policies.best_arm.base import FixedBudget, FixedConfidence
from ..simulation.identify import Identification, as_seen
from ..text import counted, short
from .document import Block, Document, Notice, Paragraph, Table

BEST = " *best*"


def identification_page(found: Identification, bounds: Mapping[str, float]) -> Document:
    """Return the tables of a search; bounds are the least mean samples of each policy, or NaN."""
    size = f"{counted(found.replications, 'replication')} of at most {counted(found.cap, 'pull')}"
    sure = {(p.delta, p.epsilon) for p in found.policies.values() if isinstance(p, FixedConfidence)}
    if len(sure) == 1:
        delta, epsilon = sure.pop()
        size += f", δ = {delta:g}, ε = {epsilon:g}"
    blocks: list[Block] = [_arms(found), _policies(found, bounds), Paragraph(_reading(found))]
    blocks += [Notice(note) for note in found.notes]
    return Document(f"{counted(len(found.arms), 'arm')}, {size}, seed {found.seed}", tuple(blocks))


def _arms(found: Identification) -> Table:
    """Return the arms with their quantiles at each level that some policy looks at."""
    levels = {policy.tau: policy for policy in found.policies.values()}
    columns = {tau: _values(found, levels[tau]) for tau in sorted(levels)}
    rows = [
        (str(arm + 1), repr(law), *(column[arm] for column in columns.values()))
        for arm, law in enumerate(found.arms)
    ]
    upper = ", upper" if found.minimize else ""
    heads = [f"{level_name(tau, minimize=found.minimize)}{upper}" for tau in columns]
    return Table(("arm", "law", *heads), tuple(rows), left=2)


def _values(found: Identification, policy: FixedConfidence | FixedBudget) -> list[str]:
    """Write each arm's quantile at the policy's level, the best marked."""
    laws, level = as_seen(found.arms, policy, found.minimize)
    gaps = Quantile(level).gaps(laws)
    sign = -1.0 if found.minimize else 1.0
    return [
        f"{sign * law.quantile(level) + 0.0:.5g}" + (BEST if gap == 0 else " " * len(BEST))
        for law, gap in zip(laws, gaps, strict=True)
    ]


def _policies(found: Identification, bounds: Mapping[str, float]) -> Table:
    heads, rows = found.table()
    known = ["—" if math.isnan(bounds[name]) else short(bounds[name]) for name in found.policies]
    both = [(row[0], bound, *row[1:]) for row, bound in zip(rows, known, strict=True)]
    return Table((heads[0], "lower bound", *heads[1:]), tuple(both))


def _reading(found: Identification) -> str:
    """Say what the numbers mean."""
    costs = " Arms pay costs: the lowest upper quantile is best." if found.minimize else ""
    budget = any(isinstance(policy, FixedBudget) for policy in found.policies.values())
    fixed = " A policy with a fixed budget has no lower bound." if budget else ""
    return (
        "Samples on average, with quantiles over replications. Error: the share of replications in "
        "which a policy stopped with a wrong answer. 95 % intervals in brackets. The lower bound: "
        "what every policy needs on average that is wrong with probability δ at most, whatever the "
        f"laws.{fixed}{costs}"
    )
