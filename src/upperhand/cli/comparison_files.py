"""What ``upperhand compare`` writes: a figure, CSV and Markdown."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ParameterError

if TYPE_CHECKING:
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
