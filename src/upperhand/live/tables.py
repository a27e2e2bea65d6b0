"""What is known of the arms as a table: text for a terminal, HTML for a notebook."""

import html
import math
from collections.abc import Sequence

from ..calibrators import Interval
from ..objectives import level_name
from ..text import counted, text_table
from .machine import Machine
from .report import ArmReport, leader_of, report_of

SHOWN = 50  # arms in a table


def rows_of(
    reports: Sequence[ArmReport], quantile: str | None
) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows; columns that would be empty for every arm are left out."""
    columns = {
        "arm": [f"{each.arm} (retired)" if each.retired else each.arm for each in reports],
        "pulls": [f"{each.pulls:,}" for each in reports],
        "pending": [f"{each.pending:,}" if each.pending else "" for each in reports],
        "share": [f"{each.share:.1%}" if each.pulls else "" for each in reports],
        "failed": [f"{each.failed:,}" if each.failed else "" for each in reports],
        "at least": [f"{each.at_least:,}" if each.at_least else "" for each in reports],
    }
    if quantile is not None:
        columns[quantile] = [
            "" if each.quantile is None else number(each.quantile) for each in reports
        ]
        columns["its confidence interval"] = [
            between(each.confidence) if each.pulls else "" for each in reports
        ]
    columns["next one within"] = [
        between(each.prediction) if each.prediction and each.pulls else "" for each in reports
    ]
    columns["held"] = ["" if each.coverage is None else f"{each.coverage:.0%}" for each in reports]
    kept = {
        head: cells for head, cells in columns.items() if head in ("arm", "pulls") or any(cells)
    }
    return list(kept), [list(row) for row in zip(*kept.values(), strict=True)]


def number(value: float) -> str:
    """Write a number; the worst there is as an infinity."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.6g}".replace("-", "−")


def between(interval: Interval) -> str:
    """Write an interval; one that says nothing is left out."""
    if (
        math.isinf(interval.lower)
        and math.isinf(interval.upper)
        and interval.lower < interval.upper
    ):
        return ""
    return f"{number(interval.lower)} … {number(interval.upper)}"


def as_text(head: str, machine: Machine, segment: int, confidence: float) -> str:
    """Return head, table and what there is to say, as text."""
    heads, rows = rows_of(report_of(machine, segment, confidence, SHOWN), _level(machine))
    lines = [head, text_table(heads, rows), *_more(machine), *remarks(machine, segment, confidence)]
    return "\n".join(lines)


def as_html(head: str, machine: Machine, segment: int, confidence: float) -> str:
    """Return the same as HTML, for a notebook."""
    heads, rows = rows_of(report_of(machine, segment, confidence, SHOWN), _level(machine))
    cell = '<td style="text-align:{}">{}</td>'
    body = "".join(
        "<tr>"
        + "".join(
            cell.format("right" if place else "left", html.escape(text))
            for place, text in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    said = [*_more(machine), *remarks(machine, segment, confidence)]
    below = "".join(f"<p>{html.escape(line)}</p>" for line in said)
    return f"<p>{html.escape(head)}</p><table><tr>{top}</tr>{body}</table>{below}"


def remarks(machine: Machine, segment: int, confidence: float) -> list[str]:
    """Return what a reader should know besides the numbers of the arms."""
    counts, said = machine.counts, []
    if machine.settings.quantile is not None:
        said += _leader(machine, segment, confidence)
    if counts["expired"]:
        said.append(
            f"{counted(counts['expired'], 'ask')} expired without an outcome, "
            f"{counts['late']:,} of them told late. If slow trials are the ones that are dropped, "
            "quantiles look better than they are."
        )
    if counts["lost"]:
        said.append(f"{counted(counts['lost'], 'outcome')} came of asks that a power cut had lost.")
    if counts["resting"]:
        said.append(
            f"{counted(counts['resting'], 'choice')} rested on who fails least: no candidate's "
            f"{_level(machine)} was known, as too many of its trials failed or were cut off."
        )
    if counts["defaulted"]:
        said.append(
            f"{counted(counts['defaulted'], 'ask')} got the default, as the store was away."
        )
    if machine.settings.forgetting is not None:
        said.append(
            f"Outcomes are remembered {machine.settings.forgetting}. Confidence is of what is "
            "remembered, as if it did not change; it does not hold for all times at once."
        )
    return said


def _leader(machine: Machine, segment: int, confidence: float) -> list[str]:
    leader = leader_of(machine, segment, confidence)
    if leader.arm is None:
        return ["Nothing was told yet."]
    if leader.rival is None:
        return []
    sure = f"confidence {leader.confidence:.3f}"
    if leader.conclusive:
        return [f"{leader.arm} leads, conclusively ({sure}; asked for {confidence:g})."]
    return [
        f"{leader.arm} leads, not yet conclusively ({sure}; hardest to rule out: {leader.rival})."
    ]


def _level(machine: Machine) -> str | None:
    quantile, minimize = machine.settings.quantile, machine.settings.minimize
    return None if quantile is None else level_name(quantile, minimize=minimize)


def _more(machine: Machine) -> list[str]:
    more = len(machine.arms) - SHOWN
    return [f"… and {more} more arms"] if more > 0 else []
