"""The paper put to the test by one call: every claim judged, nothing drawn."""

import os
from dataclasses import dataclass
from pathlib import Path

from .. import checks
from ..errors import MissingExtraError
from ..files import writable_folder
from .claim import TRIALS, Effort
from .conditions import Judged
from .ledger import (
    Chapter,
    Numbered,
    experiment_chapter,
    ledger_document,
    numbered,
    theory_chapters,
)
from .pages import pages, write_all
from .plan import Plan, planned
from .settings import HORIZON


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

    The same seed and sizes give the same files, byte by byte.

    Parameters
    ----------
    out, workers, progress
        As in `run_paper`.
    replications, horizon, seed
        The paper's own numbers by default, and seed 0. The seed is for the theory too.
    trials
        How often a Monte-Carlo check of the theory draws.
    """
    plan = planned(
        replications=replications, horizon=horizon, seed=seed, workers=workers, progress=progress
    )
    effort = Effort(plan.seed, checks.integer("trials", trials, least=1))
    _check_lab()
    folder = writable_folder(out)
    claims = numbered([*theory_chapters(effort), *_experiment_chapters(plan)])
    conditions = Judged(plan.replications, plan.horizon, plan.seed, effort.trials)
    write_all(folder, pages("claims", ledger_document(claims, conditions)))
    return JudgedPaper(folder / "claims.html", tuple(claims), conditions)


def _check_lab() -> None:
    """Refuse to start without the laboratory, before a folder is made for nothing."""
    try:
        import scipy  # noqa: F401
    except ImportError as error:
        raise MissingExtraError.needed("Judging the paper", "lab") from error


def _experiment_chapters(plan: Plan) -> list[Chapter]:
    """Simulate the experiments and judge what the paper says of them."""
    return [experiment_chapter(e, e.claims(e.run(size))) for e, size in plan.sizes()]
