"""The paper put to the test by one call: every claim judged, nothing drawn."""

import os
from dataclasses import dataclass
from pathlib import Path

from upperhand import checks
from upperhand.errors import MissingExtraError
from upperhand.files import writable_folder
from upperhand.paper.pages import pages, write_all
from upperhand.paper.registry import sized
from upperhand.paper.settings import HORIZON

from .conditions import Judged
from .evidence import TRIALS, Effort
from .ledger import (
    Numbered,
    experiment_chapter,
    ledger_document,
    numbered,
    theory_chapters,
)


@dataclass(frozen=True)
class JudgedPaper:
    """Where the ledger was written, and what it says."""

    page: Path  # the HTML file; the Markdown is next to it
    claims: tuple[Numbered, ...]
    conditions: Judged


def judge_paper(
    out: str | os.PathLike[str] = "paper-out",
    *,
    replications: int | None = None,
    horizon: int = HORIZON,
    seed: int = 0,
    trials: int = TRIALS,
    workers: int | None = None,
    progress: bool | None = None,
) -> JudgedPaper:
    """Judge every claim of the paper and write the ledger into a folder.

    The same seed and sizes give the same files, byte by byte. No time, version or platform is in
    them, and no number has digits that are rounding, which differ between machines.

    Parameters
    ----------
    out, workers, progress
        As in `run_paper`.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0. The seed is for the theory too.
    trials
        How often a Monte-Carlo check of the theory draws.
    """
    sizes = sized(
        replications=replications, horizon=horizon, seed=seed, workers=workers, progress=progress
    )
    effort = Effort(sizes[0][1].seed, checks.integer("trials", trials, least=1))
    _check_lab()
    folder = writable_folder(out)
    figures = (experiment_chapter(e, e.judge(e.run(size), size)) for e, size in sizes)
    claims = numbered([*theory_chapters(effort), *figures])
    counts = {experiment.name: size.replications for experiment, size in sizes}
    conditions = Judged(counts, sizes[0][1].horizon, effort.seed, effort.trials)
    write_all(folder, pages("claims", ledger_document(claims, conditions)))
    return JudgedPaper(folder / "claims.html", tuple(claims), conditions)


def _check_lab() -> None:
    """Refuse to start without the laboratory, before a folder is made for nothing."""
    try:
        import scipy  # noqa: F401
    except ImportError as error:
        raise MissingExtraError.needed("Judging the paper", "lab") from error
