"""The report of a study from a file: a table and a figure for each cell; and how far it is."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from ..comparison.result import Row
from ..figures.layout import panel_figure
from ..figures.regret import curve_panel
from ..figures.style import render
from ..files import replacing
from ..studies.folder import Folder, read_written
from ..studies.plan import SEARCH, Plan
from ..studies.progress import Status
from ..studies.results import PLAYED, SEARCHED, CellResult, played_rows, results, searched_rows
from ..text import counted, csv_lines, spoken_time, three_digits, with_error
from .markdown import Block, Figure, Heading, Note, Paragraph, Report, Table, to_html, to_markdown

SHOWN = 40  # policies of a table; all are in the CSV file
DRAWN = 10  # policies of a figure: with more it is not drawn
PANELS = 2  # objectives of a figure
REPORT = "report.html"


def write_report(folder: Folder) -> list[str]:
    """Write what the study has found so far into its folder; return the names of the files.

    Cells are read one after the other, and of each only what is written is kept in memory.
    """
    plan = read_written(folder)
    reference = plan.reference or "the first policy"
    size = f"{counted(len(plan.cells), 'cell')}, {counted(plan.replications, 'replication')} each"
    blocks: list[Block] = [
        Paragraph(f"{size}, seed {plan.seed}; regret ± one standard error, the lowest first."),
        Paragraph(f"Ratios are to {reference}, in the same replications, with 95 % intervals."),
        Paragraph("All numbers are in results.csv, those of searches in searches.csv."),
    ]
    files: dict[str, bytes] = {}
    played: list[tuple[Any, ...]] = [PLAYED]
    searched: list[tuple[Any, ...]] = [SEARCHED]
    for number, each in enumerate(results(plan, folder), start=1):
        figures = list(_figures(each, number))
        files |= {figure.name: figure.png for figure in figures}
        blocks += _cell(plan, each, figures)
        played += played_rows(each)
        searched += searched_rows(each)
    report = Report(plan.title, tuple(blocks))
    files["results.csv"] = "".join(csv_lines(played)).encode()
    files["searches.csv"] = "".join(csv_lines(searched)).encode()
    files["report.md"] = to_markdown(report).encode()
    files[REPORT] = to_html(report).encode()
    for name, content in files.items():
        with replacing(folder.path / name) as temporary:
            temporary.write_bytes(content)
    for old in folder.path.glob("figure-*.png"):
        if old.name not in files:
            with suppress(OSError):
                old.unlink()
    return list(files)


def _figures(each: CellResult, number: int) -> Iterator[Figure]:
    """Draw the curves of a cell, two objectives to a figure."""
    if not each.curves or len(each.cell.policies) > DRAWN:
        return
    named = list(each.curves.items())
    for first in range(0, len(named), PANELS):
        some = named[first : first + PANELS]
        letters = ("(a) ", "(b) ") if len(some) > 1 else ("",)
        panels = [
            curve_panel(f"{letter}Cumulative regret, {label}", curves)
            for letter, (label, curves) in zip(letters, some, strict=True)
        ]
        what = f"{each.cell.instance}, {each.cell.horizon:,} rounds"
        png = render(panel_figure(panels, "Regret (reward units)"), ".png")
        name = f"figure-{number}" + (f"-{first // PANELS + 1}" if len(named) > PANELS else "")
        yield Figure(f"{name}.png", png, f"Regret curves: {what}", f"Regret on {what}.")


def _cell(plan: Plan, each: CellResult, figures: Sequence[Figure]) -> list[Block]:
    """Return the tables and figures of one cell."""
    cell, search = each.cell, each.cell.kind == SEARCH
    length = counted(cell.horizon, "pull" if search else "round")
    blocks: list[Block] = [Heading(f"{cell.instance}, {'at most ' * search}{length}")]
    if each.replications < plan.replications:
        wanted = counted(plan.replications, "replication")
        blocks.append(Note(f"{each.replications:,} of {wanted}. Run the study again to go on."))
    if each.answers is not None:
        heads, rows = each.answers.table()
        blocks += [Table(heads, tuple(rows)), *map(Note, each.answers.notes)]
    elif each.rows:
        blocks += [*_tables(each), *figures]
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


def status_report(plan: Plan, status: Status) -> Report:
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
    return Report(plan.title, (Table(heads, tuple(rows), left=2), Paragraph(f"{share}; {now}.")))
