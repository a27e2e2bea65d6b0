"""The table of each result: what `print`, notebooks and commands show."""

from typing import Any

from ..comparison.result import Comparison
from ..errors import ParameterError
from ..objectives import Objective, oriented
from ..results import Summary
from ..simulation.identify import Identification
from ..simulation.runs import Runs
from ..text import counted, with_error
from .comparison import ratio_table, standing_table

MANY_ARMS = 8  # with more, the table has no column for each


def runs_summary(runs: Runs) -> Summary:
    """Return regret and pulls of each policy; without one objective, the pulls alone."""
    size = f"{counted(runs.replications, 'replication')} of {counted(runs.horizon, 'round')}"
    title = f"{counted(len(runs.arms), 'arm')}, {size}, seed {runs.seed}"
    notes, objective = list[str](), None
    try:
        objective = runs.default_objective
        curves = runs.regret(objective)
    except ParameterError as error:
        notes.append(str(error))
        curves = {}
    records = []
    for name, pulls in runs.pulls.items():
        record: dict[str, Any] = {"policy": name}
        if name in curves:
            record |= {"regret": float(curves[name].final.mean()), "se": curves[name].se}
        shares = zip(runs.arm_names, pulls[:, -1].mean(axis=0).tolist(), strict=True)
        records.append(record | {f"pulls of {arm}": count for arm, count in shares})
    shown = [f"pulls of {arm}" for arm in runs.arm_names] if len(runs.arms) <= MANY_ARMS else []
    rows = [
        (
            record["policy"],
            *([with_error(record["regret"], record["se"])] if curves else []),
            *(f"{record[head]:.0f}" for head in shown),
        )
        for record in records
    ]
    regret = [f"regret, {objective.label}"] if objective and curves else []
    if objective and curves:
        notes.append(_best(runs, objective))
        notes.append("Regret ± one standard error; pulls on average.")
    return Summary(title, ("policy", *regret, *shown), tuple(rows), tuple(notes), tuple(records))


def _best(runs: Runs, objective: Objective) -> str:
    """Say which arm is best."""
    best = oriented(objective, runs.minimize).best(runs.arms)
    way = "lowest" if runs.minimize else "highest"
    value = objective.cost(runs.arms[best]) if runs.minimize else objective.value(runs.arms[best])
    return f"The {way} {objective.label} is that of arm {runs.arm_names[best]}: {value:.5g}."


def identification_summary(found: Identification) -> Summary:
    """Return how many samples each policy took, and how often it was wrong."""
    size = f"{counted(found.replications, 'replication')} of at most {counted(found.cap, 'pull')}"
    title = f"{counted(len(found.arms), 'arm')}, {size}, seed {found.seed}"
    header, rows = found.table()
    records = tuple({"policy": name, **found[name]._asdict()} for name in found.policies)
    return Summary(title, header, tuple(rows), tuple(found.notes), records)


def comparison_summary(found: Comparison) -> Summary:
    """Return one instance in full, or several by their ratios to the reference."""
    names = [instance.name for instance in found.instances]
    size = f"{counted(found.replications, 'replication')} of {counted(found.horizon, 'round')}"
    against = f"Difference and ratio are against {found.reference}, in the same replications."
    if len(names) == 1:
        label = found.objectives[names[0]][0].label
        title = f"{names[0]}, regret under the {label}: {size}, seed {found.seed}"
        table = standing_table(found, names[0])
    else:
        title = f"Regret in units of {found.reference}'s: {size}, seed {found.seed}"
        table, against = ratio_table(found, found.policies, names), ""
    records = tuple(row._asdict() for name in names for row in found.main(name).values())
    return Summary(title, table.header, table.rows, (against,) if against else (), records)
