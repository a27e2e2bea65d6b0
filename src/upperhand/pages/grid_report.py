"""The report of a study from a file: pages, figures and tables, in the study's folder.

Cells are read one after the other, and of each only what is written of it is kept.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..figures.layout import panel_figure
from ..figures.regret import curve_panel
from ..figures.style import render
from ..files import replacing
from ..studies.folder import Folder, read_written
from ..studies.results import PLAYED, SEARCHED, CellResult, played_rows, results, searched_rows
from ..text import csv_lines
from .document import Image
from .grid_page import cell_blocks, grid_page
from .html import to_html
from .markdown import to_markdown

SHOWN = 10  # policies of a figure: with more it is not drawn
PANELS = 2  # objectives of a figure
REPORT = "report.html"


def write_report(folder: Folder) -> list[str]:
    """Write what the study says so far; return the names of the files."""
    plan = read_written(folder)
    cells, files = [], dict[str, bytes]()
    played: list[tuple[Any, ...]] = [PLAYED]
    searched: list[tuple[Any, ...]] = [SEARCHED]
    for place, each in enumerate(results(plan, folder)):
        images = list(_images(each, place + 1))
        files |= {image.name: image.png for image in images}
        cells.append(cell_blocks(plan, each, images))
        played += played_rows(each)
        searched += searched_rows(each)
    page = grid_page(plan, cells)
    files["results.csv"] = "".join(csv_lines(played)).encode()
    files["searches.csv"] = "".join(csv_lines(searched)).encode()
    files["report.md"] = to_markdown(page).encode()
    files[REPORT] = to_html(page).encode()
    for name, content in files.items():
        with replacing(folder.path / name) as temporary:
            temporary.write_bytes(content)
    for old in folder.path.glob("figure-*.png"):
        if old.name not in files:
            with suppress(OSError):
                old.unlink()
    return list(files)


def _images(each: CellResult, number: int) -> Iterator[Image]:
    """Draw the curves of a cell, two objectives to a figure."""
    if not each.curves or len(each.cell.policies) > SHOWN:
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
        yield Image(f"{name}.png", png, f"Regret curves: {what}", f"Regret on {what}.")
