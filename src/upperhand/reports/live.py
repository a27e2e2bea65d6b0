"""The table of a bandit or an experiment: what is known of each arm, and which one leads."""

import math
import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from ..calibrators import Interval
from ..calibrators.quantile_sequence import central_ranks
from ..live.best import CONFIDENCE
from ..live.report import ArmReport, leader_of, report_of
from ..live.settings import described
from ..live.state import ExperimentState
from ..live.views import DAILY, Views, segment_of
from ..objectives import level_name
from ..results import Summary
from ..text import counted

SHOWN = 50  # arms in a table
MOST_NEEDED = 10**7  # outcomes that a bound may need
AHEAD = 5.0  # seconds by which clocks of several machines may differ
LONGEST = 60  # characters of an arm in a table


def live_summary(found: Views, confidence: float = DAILY, by: str | None = None) -> Summary:
    """Return what is known of each arm of a segment, with what else a reader should know."""
    with found._look() as state:
        segment = segment_of(state, by)
        reports = report_of(state, segment, confidence)
        columns = columns_of(reports[:SHOWN], _level(state))
        more = len(reports) - SHOWN
        notes = [f"… and {more} more arms"] if more > 0 else []
        notes += remarks(state, segment, confidence)
        title = f"{found._title}: {_headline(state)}"
    rows, records = zip(*columns.values(), strict=True), map(_record, reports)
    return Summary(title, tuple(columns), tuple(rows), tuple(notes), tuple(records))


def _headline(state: ExperimentState) -> str:
    """Return what is played for, and how often it was so far."""
    level, policy, counts = _level(state), described(state.settings.policy), state.counts
    way = "lowest" if state.settings.minimize else "highest"
    aim = f"the {way} {level} of " if level else ""
    so_far = f"{counted(counts['asked'], 'ask')}, {counted(counts['outcomes'], 'outcome')}"
    arms = counted(len(state.names()), "arm")
    return f"{aim}{arms} by {policy}, {so_far}, {len(state.pending):,} pending"


def _record(report: ArmReport) -> dict[str, Any]:
    """Return a row of the frame: each interval as two numbers."""
    row = report._asdict()
    for name in ("confidence", "prediction"):
        interval = row.pop(name) or Interval(math.nan, math.nan)
        row |= {f"{name}_lower": interval.lower, f"{name}_upper": interval.upper}
    return row


def columns_of(reports: Sequence[ArmReport], quantile: str | None) -> dict[str, list[str]]:
    """Return columns by their heads; those that would be empty for every arm are left out."""
    columns = {
        "arm": [f"{_name(each.arm)}{' (retired)' * each.retired}" for each in reports],
        "pulls": [f"{each.pulls:,}" for each in reports],
        "pending": [f"{each.pending:,}" if each.pending else "" for each in reports],
        "share": [f"{each.share:.1%}" if each.pulls else "" for each in reports],
        "failed": [f"{each.failed:,}" if each.failed else "" for each in reports],
        "at least": [f"{each.at_least:,}" if each.at_least else "" for each in reports],
    }
    known = [each if each.pulls else None for each in reports]
    if quantile is not None:
        columns[quantile] = ["" if e.quantile is None else number(e.quantile) for e in reports]
        columns["its confidence interval"] = [between(e and e.confidence) for e in known]
    columns["next one within"] = [between(e and e.prediction) for e in known]
    shares = [each.coverage for each in reports]
    columns["covered"] = ["" if share is None else f"{share:.0%}" for share in shares]
    return {name: cells for name, cells in columns.items() if any(cells)}


def _name(arm: Any) -> str:
    """Return an arm in few characters, on one line."""
    text = " ".join(str(arm).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def number(value: float) -> str:
    """Write a number; the worst there is as an infinity."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.6g}".replace("-", "−")


def between(interval: Interval | None) -> str:
    """Write an interval; one that says nothing is left out."""
    if interval in (None, Interval(-math.inf, math.inf)):
        return ""
    return f"{number(interval.lower)} … {number(interval.upper)}"


def remarks(state: ExperimentState, segment: int, confidence: float) -> list[str]:
    """Return what a reader should know besides the numbers of the arms."""
    counts, said = state.counts, []
    if state.settings.quantile is not None:
        said += _leader(state, segment, confidence)
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
            f"{_level(state)} was known, as too many of its trials failed or were cut off."
        )
    if counts["defaulted"]:
        said.append(
            f"{counted(counts['defaulted'], 'ask')} got the default, as the store was away."
        )
    if (ahead := state.at - time.time()) > AHEAD:
        said.append(
            f"The log is {ahead:,.0f} s ahead of this machine's clock. If the clock is right: "
            "upperhand clock NAME."
        )
    if state.settings.forgetting is not None:
        said.append(
            f"Outcomes are remembered {state.settings.forgetting}. Confidence is of what is "
            "remembered, as if it did not change; it does not hold for all times at once."
        )
    return said


def _leader(state: ExperimentState, segment: int, confidence: float) -> list[str]:
    leader = leader_of(state, segment, confidence)
    if leader.arm is None and not state.learners[segment].outcomes:
        return ["No outcomes yet."]
    if leader.arm is None:
        bound = f"a {100 * CONFIDENCE:g} % confidence bound on its {_level(state)}"
        return [f"No arm leads yet: {bound} needs {_needed(state):,} outcomes or more."]
    if leader.rival is None:
        return []
    once = "" if leader.anytime_valid else ", if one looks once"
    sure = f"confidence {leader.confidence:.3f}{once}"
    leads, rival = f"{_name(leader.arm)} leads", _name(leader.rival)
    if leader.conclusive:
        return [f"{leads} conclusively ({sure}; asked for {confidence:g})."]
    return [f"{leads}, but not conclusively yet ({sure}; hardest to rule out: {rival})."]


def _level(state: ExperimentState) -> str | None:
    quantile, minimize = state.settings.quantile, state.settings.minimize
    return None if quantile is None else level_name(quantile, minimize=minimize)


def _needed(state: ExperimentState) -> int:
    """Return how many outcomes an arm needs for that end, if none failed."""
    tau, minimize = state.settings.quantile or 0.5, state.settings.minimize

    def is_enough(size: int) -> bool:
        lower, upper = central_ranks(tau, 1.0 - CONFIDENCE, size)
        return upper <= size if minimize else lower > 0

    return 1 + bisect_left(range(1, MOST_NEEDED), True, key=is_enough)
