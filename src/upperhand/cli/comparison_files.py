"""What ``upperhand compare`` writes: figures, CSV, Markdown, and the page in docs/."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ParameterError

if TYPE_CHECKING:
    from ..pages.document import Document
    from ..studies.result import Comparison


def check_files(paths: dict[str, Path | None]) -> None:
    """Refuse files that could not be written, before the work that they are for."""
    from ..figures.figure import check_suffix
    from ..figures.style import load_matplotlib
    from ..files import check_writable

    given = {option: path for option, path in paths.items() if path}
    for path in given.values():
        check_writable(path)
    if len(set(given.values())) < len(given):
        raise ParameterError(
            f"{' and '.join(given)} must be different files; got the same path twice."
        )
    if "--plot" in given:
        check_suffix(given["--plot"])
        load_matplotlib()


def write_files(
    comparison: "Comparison",
    plot: Path | None,
    csv: Path | None,
    markdown: Path | None,
    command: str,
) -> None:
    """Write the files that were asked for; the Markdown shows the figure if that is a PNG."""
    from ..figures.comparison import comparison_figure
    from ..figures.figure import save_single
    from ..files import replacing
    from ..pages.comparison_page import comparison_page, linked
    from ..pages.markdown import to_markdown

    if csv:
        comparison.to_csv(csv)
    if plot:
        save_single(comparison_figure(comparison), plot)
    if markdown:
        image = None
        if plot and plot.suffix.lower() == ".png":
            image = linked(os.path.relpath(plot, markdown.parent), comparison)
        with replacing(markdown) as temporary:
            text = to_markdown(comparison_page(comparison, command, image))
            temporary.write_text(text, encoding="utf-8")


def write_study(
    page: Path, horizon: int, replications: int, seed: int, workers: int | None, command: str
) -> None:
    """Run the study of everyone and write its page."""
    from ..pages.study_page import FOLDER, study_page
    from ..studies.study import run_study

    _check_page(page, FOLDER)
    study = run_study(horizon=horizon, replications=replications, seed=seed, workers=workers)
    _write_page(page, FOLDER, study_page(study, command))


def write_extremes(
    page: Path, horizon: int, replications: int, seed: int, workers: int | None, command: str
) -> None:
    """Run the study of the largest rewards found and write its page."""
    from ..pages.extreme_page import FOLDER, extreme_page
    from ..studies.extreme_study import run_extremes

    _check_page(page, FOLDER)
    study = run_extremes(horizon=horizon, replications=replications, seed=seed, workers=workers)
    _write_page(page, FOLDER, extreme_page(study, command))


def _check_page(page: Path, folder: str) -> None:
    """Refuse a page that could not be written; its folder of figures is made with it, not now."""
    from ..figures.style import load_matplotlib
    from ..files import check_writable, writable_folder

    check_writable(page)
    if os.path.lexists(page.parent / folder):
        writable_folder(page.parent / folder)
    load_matplotlib()


def _write_page(page: Path, folder: str, document: "Document") -> None:
    """Write a page with its figures, all of them or none."""
    from ..files import writable_folder
    from ..pages.document import Image
    from ..pages.markdown import to_markdown
    from ..paper.pages import write_all

    figures = {block.name: block.png for block in document.blocks if isinstance(block, Image)}
    writable_folder(page.parent / folder)
    write_all(page.parent, figures | {page.name: to_markdown(document).encode()})
    click.echo("\n".join(f"Figure: {page.parent / name}" for name in figures))
    click.echo(f"Page: {page}")
