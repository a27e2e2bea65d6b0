"""What a study of calibrators says: one row a method, and how to read it."""

from ..studies.calibration_result import HEADS, CalibrationStudy
from ..text import counted
from .document import Document, Paragraph, Table


def calibration_page(study: CalibrationStudy) -> Document:
    """Return the table of a study, with what its columns mean."""
    table = Table(HEADS, tuple(study.rows()))
    return Document(study.title, (table, Paragraph(_reading(study))))


def _reading(study: CalibrationStudy) -> str:
    level = study.alpha / 2
    return (
        "Coverage with its 95 % interval, as if misses came independently; in windows: the lowest "
        f"and the highest over {counted(study.window, 'value')} in a row. Width: mean of the "
        "finite intervals. Loss: mean pinball loss of the finite intervals' lower end at "
        f"{level:.4g} and of their upper end at {1 - level:.4g}. Infinite and empty intervals are "
        "counted apart."
    )
