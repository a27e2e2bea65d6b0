"""The report of a study from a file: pages, figures and a table, in the study's folder."""

from ..figures.curves import curve_panel
from ..figures.figure import render
from ..figures.panels import panel_figure
from ..files import replacing
from ..simulation.regret import Curve
from ..studies.grids.folder import Folder
from ..studies.grids.plan import Cell
from ..studies.grids.results import results, table_columns
from ..studies.grids.written import read_written
from ..text import to_csv
from .document import Image
from .grid_page import grid_page
from .html import to_html
from .markdown import to_markdown

SHOWN = 10  # policies of a figure: with more it is not drawn
REPORT = "report.html"


def write_report(folder: Folder) -> list[str]:
    """Write what the study says so far; return the names of the files."""
    plan = read_written(folder)
    found = list(results(plan, folder))
    images = {
        place: _image(each.cell, each.curves, place)
        for place, each in enumerate(found)
        if each.curves and len(each.cell.policies) <= SHOWN
    }
    page = grid_page(plan, found, images)
    files = {
        **{image.name: image.png for image in images.values()},
        "results.csv": to_csv(table_columns(found)).encode(),
        "report.md": to_markdown(page).encode(),
        REPORT: to_html(page).encode(),
    }
    for name, content in files.items():
        with replacing(folder.path / name) as temporary:
            temporary.write_bytes(content)
    return list(files)


def _image(cell: Cell, curves: dict[str, dict[str, Curve]], place: int) -> Image:
    """Draw a panel for each objective."""
    letters = [f"({letter}) " for letter in "abcdefgh"] if len(curves) > 1 else [""]
    panels = [
        curve_panel(f"{letter}Cumulative regret, {label}", named)
        for letter, (label, named) in zip(letters, curves.items(), strict=False)
    ]
    what = f"{cell.instance}, {cell.horizon:,} rounds"
    png = render(panel_figure(panels, "Regret (reward units)"), ".png")
    return Image(f"figure-{place + 1}.png", png, f"Regret curves: {what}", f"Regret on {what}.")
