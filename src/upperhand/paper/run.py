"""The paper by one call: simulate, draw, check the claims, and write figures and a report."""

import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from .. import checks
from ..errors import UnknownNameError
from ..figures.style import load_matplotlib, render
from ..files import versions, writable_folder, write_all
from ..policies.base import check_horizon
from ..reports import markdown
from ..simulation.workers import cores
from ..text import counted, csv_lines, plus_minus
from .claims import Claim, Verdict, claims_of, count_verdicts
from .experiments import EXPERIMENTS, HORIZON, METRICS, Experiment, Final, Size

TITLE = "Conformal-Style Quantile Analyses for Stochastic Bandits: the experiments, run again"
SOURCE = (
    "The experiments of C. Du, M. Xu, arXiv:2605.07115, simulated with the settings that the paper "
    "gives. docs/reading-the-paper.md lists what was chosen where the paper leaves a choice."
)


@dataclass(frozen=True)
class Part:
    experiment: Experiment
    size: Size
    files: dict[str, bytes]  # the figure and its table, by suffix: .png, .pdf, .csv
    finals: list[Final]
    claims: list[Claim]


@dataclass(frozen=True)
class PaperRun:
    figures: tuple[Path, ...]  # the PNG files; PDF and CSV are next to them
    report: Path  # the HTML file; the Markdown is next to it
    parts: tuple[Part, ...]


def run_paper(
    out: str | os.PathLike[str] = "paper-out",
    only: Iterable[str] = (),
    *,
    replications: int | None = None,
    horizon: int = HORIZON,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> PaperRun:
    """Run the paper's experiments and write figures, tables and a report into a folder.

    Parameters
    ----------
    out
        The folder, made if need be; checked before anything is simulated, and written to when all
        is done.
    only
        Names of experiments; all of them by default.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0.
    workers, progress
        As in `simulate`; the workers change how long it takes, and nothing else.
    """
    experiments = chosen(only)
    horizon = checks.integer("horizon", horizon, least=1)
    for experiment in experiments:
        for arms in experiment.arms.values():
            for policy in experiment.policies.values():
                check_horizon(policy, len(arms), horizon)
    if replications is not None:
        replications = checks.integer("replications", replications, least=1)
    if workers is not None:
        workers = checks.integer("workers", workers, least=1)
    rest = horizon, checks.seed(seed), workers, progress
    load_matplotlib()
    folder, start = writable_folder(out, make=False), time.perf_counter()
    parts = tuple(_part(e, Size(replications or e.replications, *rest)) for e in experiments)
    document = _report(parts, time.perf_counter() - start)
    files = {
        f"{part.experiment.stem}{suffix}": content
        for part in parts
        for suffix, content in part.files.items()
    }
    files["report.md"] = markdown.to_markdown(document).encode()
    files["report.html"] = markdown.to_html(document).encode()
    write_all(writable_folder(out), files)
    figures = tuple(folder / f"{part.experiment.stem}.png" for part in parts)
    return PaperRun(figures, folder / "report.html", parts)


def chosen(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments of those names in the paper's order; all of them if none is named."""
    wanted = set(names)
    for name in sorted(wanted - EXPERIMENTS.keys()):
        raise UnknownNameError.among("experiment", name, EXPERIMENTS)
    return [e for name, e in EXPERIMENTS.items() if not wanted or name in wanted]


def _part(experiment: Experiment, size: Size) -> Part:
    """Simulate and draw one experiment, and check its claims; nothing is written yet."""
    played = experiment.run(size)
    figure = experiment.draw(played)
    files = {suffix: render(figure, suffix) for suffix in (".png", ".pdf")}
    table = "".join(csv_lines(experiment.table(played))).encode()
    claims = claims_of(experiment, played, size)
    return Part(experiment, size, files | {".csv": table}, experiment.finals(played), claims)


def claims_line(parts: Iterable[Part]) -> str:
    claims = [claim for part in parts for claim in part.claims]
    return f"{len(claims)} claims of the paper: {count_verdicts(claims)}."


def notice(sizes: Iterable[tuple[Experiment, Size]]) -> str:
    """Return in what the sizes differ from the paper's; nothing if they do not."""
    sizes = list(sizes)
    horizon = sizes[0][1].horizon
    departures = [f"{counted(horizon, 'round')} instead of {HORIZON:,}"] * (horizon != HORIZON)
    departures += [
        f"{counted(size.replications, 'replication')} instead of {e.replications} ({e.name})"
        for e, size in sizes
        if size.replications != e.replications
    ]
    if not departures:
        return ""
    said = f"Not the paper's size: {'; '.join(departures)}. What follows is about this run only."
    if not any(experiment.is_below(size) for experiment, size in sizes):
        return said
    return f"{said} It is smaller than the paper's: what fails in it is “{Verdict.UNDECIDED}”."


def regret_caption(parts: Iterable[Part]) -> str:
    several = any(part.size.replications > 1 for part in parts)
    return f"Final regret {'± one standard error' if several else 'of one replication'}."


def regret_table(parts: Iterable[Part]) -> markdown.Table:
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for part in parts:
        for final in part.finals:
            row = rows.setdefault((str(part.experiment.number), final.setting, final.metric), {})
            row[final.policy] = plus_minus(float(final.curve.final.mean()), final.curve.se)
    policies = list(dict.fromkeys(policy for row in rows.values() for policy in row))
    return markdown.Table(
        ("figure", "arms and level", "regret", *policies),
        tuple((*key, *(row.get(policy, "") for policy in policies)) for key, row in rows.items()),
        left=3,
    )


def _report(parts: Sequence[Part], seconds: float) -> markdown.Report:
    """Return figures, claims with their numbers, final regrets, and how they were made."""
    warning = notice((part.experiment, part.size) for part in parts)
    return markdown.Report(
        TITLE,
        (
            markdown.Paragraph(SOURCE),
            *([markdown.Note(warning)] if warning else []),
            markdown.Paragraph(claims_line(parts)),
            *(block for part in parts for block in _figure(part)),
            markdown.Heading("Final regrets"),
            markdown.Paragraph(regret_caption(parts)),
            regret_table(parts),
            markdown.Heading("How it was made"),
            markdown.Code(_command(parts)),
            markdown.Table(("what", "value"), tuple(_settings(parts, seconds).items()), left=2),
        ),
    )


def _figure(part: Part) -> list[markdown.Block]:
    experiment, size = part.experiment, part.size
    title = f"Figure {experiment.number}. {experiment.title}"
    rows = [
        (c.where, c.statement, c.verdict, "; ".join(map(": ".join, c.numbers.items())), c.check)
        for c in part.claims
    ]
    return [
        markdown.Heading(title),
        markdown.Figure(
            f"{experiment.stem}.png", part.files[".png"], title, caption(experiment, size)
        ),
        markdown.Table(("where", "claim", "verdict", "numbers", "check"), tuple(rows), left=5),
    ]


def caption(experiment: Experiment, size: Size) -> str:
    """Return the caption of a figure; a single replication has no intervals."""
    replications = counted(size.replications, "replication")
    intervals = f" {experiment.spread} are 95 % intervals of the mean." * (size.replications > 1)
    return f"{experiment.drawn}.{intervals} {replications} of {counted(size.horizon, 'round')}."


def _command(parts: Sequence[Part]) -> str:
    """Return the command that gives the same figures and numbers again."""
    size, words = parts[0].size, ["upperhand paper"]
    if len(parts) < len(EXPERIMENTS):
        words += [f"--only {part.experiment.name}" for part in parts]
    if any(part.size.replications != part.experiment.replications for part in parts):
        words.append(f"--replications {size.replications}")
    if size.horizon != HORIZON:
        words.append(f"--horizon {size.horizon}")
    return " ".join([*words, f"--seed {size.seed}"])


def _settings(parts: Sequence[Part], seconds: float) -> dict[str, str]:
    """Return everything that figures and numbers depend on, and how long they took."""
    all_arms = {
        f"figure {part.experiment.number}, {label} arms": ", ".join(map(repr, arms))
        for part in parts
        for label, arms in part.experiment.arms.items()
    }
    size = parts[0].size
    used = min(size.workers or sys.maxsize, cores())
    return {
        **all_arms,
        **{policy.name: repr(policy) for policy in METRICS.policies.values()},
        "seed": str(size.seed),
        "horizon": f"{size.horizon:,}",
        "replications": ", ".join(f"{p.experiment.name} {p.size.replications}" for p in parts),
        **versions(),
        "matplotlib": version("matplotlib"),
        "wall time": f"{seconds:.1f} s on {used} cores, without starting Python",
    }
