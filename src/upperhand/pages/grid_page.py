"""What a study from a file says: a table and a figure for each cell."""

from collections.abc import Sequence

from ..comparison.result import Row
from ..studies.plan import SEARCH, Plan
from ..studies.progress import Status
from ..studies.results import CellResult
from ..text import counted, spoken_time, three_digits, with_error
from .document import Block, Document, Heading, Image, Notice, Paragraph, Table

SHOWN = 40  # policies of a table; all are in the CSV file


def grid_page(plan: Plan, cells: Sequence[Sequence[Block]]) -> Document:
    """Return the report, from what `cell_blocks` says of each cell."""
    head = Paragraph(
        f"{counted(len(plan.cells), 'cell')}, {counted(plan.replications, 'replication')} each, "
        f"seed {plan.seed}. Regret ± one standard error, the lowest first; ratios are to "
        f"{plan.reference or 'the first policy of the file'}, in the same replications, with 95 % "
        "intervals. All numbers are in results.csv, those of searches in searches.csv."
    )
    return Document(plan.title, (head, *(block for blocks in cells for block in blocks)))


def cell_blocks(plan: Plan, each: CellResult, images: Sequence[Image]) -> list[Block]:
    """Return what is said of one cell."""
    cell = each.cell
    search = cell.kind == SEARCH
    length = (
        f"at most {counted(cell.horizon, 'pull')}" if search else counted(cell.horizon, "round")
    )
    blocks: list[Block] = [Heading(f"{cell.instance}, {length}")]
    if each.replications < plan.replications:
        blocks.append(
            Notice(
                f"{each.replications:,} of {counted(plan.replications, 'replication')} are there. "
                "Run the study again to complete it."
            )
        )
    if each.answers is not None:
        heads, rows = each.answers.table()
        blocks += [Table(heads, tuple(rows)), *map(Notice, each.answers.notes)]
    elif each.rows:
        blocks += [*_tables(each), *images]
    return blocks


def _tables(each: CellResult) -> list[Block]:
    """Return a table for each objective, the lowest regret first."""
    blocks: list[Block] = []
    for objective in each.cell.objectives:
        rows = [row for row in each.rows if row.objective == objective.label]
        if not rows:
            continue
        ordered = sorted(rows, key=lambda row: row.regret)[:SHOWN]
        heads = ("policy", "regret", "worst run", "ratio", "best arm")
        blocks.append(Heading(f"Arms are worth: {objective.label}", level=3))
        blocks.append(Table(heads, tuple(map(_cells, ordered))))
        if len(rows) > SHOWN:
            blocks.append(Paragraph(f"The best {SHOWN} of {len(rows):,} policies."))
    return blocks


def _cells(row: Row) -> tuple[str, ...]:
    known = row.ratio_low < row.ratio_high
    ratio = f"{row.ratio:.2f}" if row.ratio == row.ratio else "—"
    return (
        row.policy,
        with_error(row.regret, row.regret_se),
        three_digits(row.worst),
        ratio + (f" ({row.ratio_low:.2f}–{row.ratio_high:.2f})" if known else ""),
        f"{100 * row.best_share:.1f} %",
    )


def status_page(plan: Plan, status: Status) -> Document:
    """Return how far a study is."""
    rows = [
        (
            each.cell.instance,
            each.cell.kind,
            f"{each.cell.horizon:,}",
            str(len(each.cell.policies)),
            f"{each.done:,} of {each.wanted:,}",
            f"{100 * each.done // max(each.wanted, 1)} %",
        )
        for each in status.cells
    ]
    heads = ("instance", "kind", "rounds", "policies", "replications", "done")
    share = f"{100 * status.done // max(status.wanted, 1)} % of {status.wanted:,} rounds are played"
    now = "running" if status.running else "not running"
    if status.pace is not None:
        left = spoken_time(status.pace.left) if status.pace.speed > 0 else "unknown"
        now = f"running, {status.pace.speed / 1e6:.3g} million steps a second, {left} left"
    return Document(plan.title, (Table(heads, tuple(rows), left=2), Paragraph(f"{share}; {now}.")))
