"""The report of a study from a file: a table and a figure for each cell; and how far it is."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..comparison.result import Row
from ..figures.layout import panel_figure
from ..figures.regret import curve_panel, emphasised
from ..figures.style import render
from ..files import write_all
from ..results import Summary
from ..studies.folder import Folder
from ..studies.plan import PLAY, SEARCH, Plan
from ..studies.results import HEADS, CellResult, Status, Study, results, setting_names, table_rows
from ..text import counted, csv_lines, three_digits, with_error
from .markdown import Block, Figure, Heading, Note, Paragraph, Report, Table, to_html, to_markdown

SHOWN = 40  # policies of a table; all are in the CSV file
PANELS = 2  # objectives of a figure
REPORT = "report.html"
FIGURE = re.compile(r"figure-\d+(-\d+)?\.png")


def write_report(folder: Folder) -> list[str]:
    """Write what the study has found so far into its folder; return the names of the files.

    Cells are read one after the other, and of each only what is written is kept in memory.
    """
    plan = folder.read_plan()
    reference = plan.reference or "the first policy"
    size = f"{counted(len(plan.cells), 'cell')}, {counted(plan.replications, 'replication')} each"
    blocks: list[Block] = [
        Paragraph(f"{size}, seed {plan.seed}; regret ± one standard error, the lowest first."),
        Paragraph(f"Ratios are to {reference}, in the same replications, with 95 % intervals."),
        Paragraph("All numbers are in results.csv, those of searches in searches.csv."),
    ]
    files: dict[str, bytes] = {}
    settings = {kind: setting_names(plan, kind) for kind in HEADS}
    tables = {k: [(*HEADS[k], *(f"setting_{name}" for name in settings[k]))] for k in HEADS}
    for number, (name, each) in enumerate(zip(_names(plan), results(plan, folder), strict=True), 1):
        figures = list(_figures(each, name, number))
        files |= {figure.name: figure.png for figure in figures}
        blocks += _cell(plan, each, name, figures)
        tables[each.cell.kind] += table_rows(each, settings[each.cell.kind])
    report = Report(plan.title, tuple(blocks))
    files["results.csv"] = "".join(csv_lines(tables[PLAY])).encode()
    files["searches.csv"] = "".join(csv_lines(tables[SEARCH])).encode()
    files["report.md"] = to_markdown(report).encode()
    files[REPORT] = to_html(report).encode()
    write_all(folder.path, files)
    for old in folder.path.glob("figure-*.png"):
        if old.name not in files and FIGURE.fullmatch(old.name):
            with suppress(OSError):
                old.unlink()
    return list(files)


def study_summary(study: Study) -> Summary:
    """Return the regret of each policy on each instance, under what the cell is about."""
    rows, records, notes = [], [], []
    for name, each in zip(_names(study.plan), study.cells, strict=True):
        label = each.cell.objectives[0].label
        for row in (row for row in each.rows if row.objective == label):
            rows.append((name, f"{each.cell.horizon:,}", *_cells(row)))
            records.append({**row._asdict(), "horizon": each.cell.horizon})
        if each.answers:
            notes.append(f"{name}: searches are in to_frame(searches=True).")
    heads = ("instance", "rounds", "policy", "regret", "worst run", "ratio", "best arm")
    size = f"{counted(study.plan.replications, 'replication')}, seed {study.plan.seed}"
    title = f"{study.plan.title}: {size}"
    return Summary(title, heads, tuple(rows), tuple(notes), tuple(records))


def _names(plan: Plan) -> list[str]:
    """Return a name for each cell: its instance's, and its quantile's if that is what differs."""
    alike = Counter((cell.kind, cell.instance, cell.horizon) for cell in plan.cells)
    names = []
    for cell in plan.cells:
        several = alike[cell.kind, cell.instance, cell.horizon] > 1
        names.append(cell.instance + f", {cell.objectives[0].label}" * several)
    return names


def _figures(each: CellResult, name: str, number: int) -> Iterator[Figure]:
    named = list(each.curves.items())
    styles = emphasised(named[0][1], each.reference) if named else {}
    for place in range(0, len(named), PANELS):
        panels = [
            curve_panel(f"Cumulative regret, {label}", curves, styles=styles)
            for label, curves in named[place : place + PANELS]
        ]
        what = f"{name}, {each.cell.horizon:,} rounds"
        png = render(panel_figure(panels, "Regret (reward units)", lettered=True), ".png")
        file = f"figure-{number}" + (f"-{place // PANELS + 1}" if len(named) > PANELS else "")
        yield Figure(f"{file}.png", png, f"Regret curves: {what}", f"Regret on {what}.")


def _cell(plan: Plan, each: CellResult, name: str, figures: Sequence[Figure]) -> list[Block]:
    cell, search = each.cell, each.cell.kind == SEARCH
    length = counted(cell.horizon, "pull" if search else "round")
    blocks: list[Block] = [Heading(f"{name}, {'at most ' * search}{length}")]
    wanted = counted(plan.replications, "replication")
    for count in sorted(set(each.replications.values()) - {plan.replications}):
        who = ", ".join(label for label, found in each.replications.items() if found == count)
        blocks.append(Note(f"{who}: {count:,} of {wanted}. Run the study again to go on."))
    if each.damaged:
        blocks.append(Note(_damaged(each.damaged)))
    for found in each.answers:
        heads, rows = found.table()
        blocks += [Table(heads, tuple(rows)), *map(Note, found.notes)]
    return [*blocks, *_tables(each), *figures]


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


def status_report(plan: Plan, status: Status) -> Report:
    rows = []
    for name, cell, done in zip(_names(plan), plan.cells, status.replications, strict=True):
        wanted = plan.replications * len(cell.policies)
        share = f"{100 * done // wanted} %"
        size = (f"{cell.horizon:,}", str(len(cell.policies)), f"{done:,} of {wanted:,}", share)
        rows.append((name, cell.kind, *size))
    heads = ("instance", "kind", "rounds", "policies", "replications", "done")
    share = f"{100 * status.done // plan.steps} % of {plan.steps:,} rounds are played"
    now = f"running: {status.pace}" if status.pace else "not " * (not status.running) + "running"
    blocks: list[Block] = [Table(heads, tuple(rows), left=2), Paragraph(f"{share}; {now}.")]
    if status.damaged:
        blocks.append(Note(_damaged(status.damaged)))
    return Report(plan.title, (*blocks, *map(Note, status.failures)))


def _damaged(paths: Sequence[Path]) -> str:
    damaged = counted(len(paths), "damaged block")
    return f"Without {damaged}. Run the study again to replace what is damaged."
