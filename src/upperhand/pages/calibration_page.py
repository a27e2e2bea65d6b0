"""What a study of calibrators says: one row a method, and how to read it."""

from ..comparison.calibrate import HEADS, CalibrationStudy
from ..text import counted
from .document import Document, Notice, Paragraph, Table


def calibration_page(study: CalibrationStudy) -> Document:
    """Return the table of a study, with what its columns mean, and the notes."""
    table = Table(HEADS, tuple(study.rows()))
    notes = map(Notice, study.notes)
    return Document(study.title, (table, Paragraph(_reading(study)), *notes))


def _reading(study: CalibrationStudy) -> str:
    level = study.alpha / 2
    return (
        "Coverage with its 95 % interval, as if misses came independently; in windows: the lowest "
        f"and the highest over {counted(study.window, 'value')} in a row. Width: mean of the "
        "finite intervals, an empty one counting as 0. Loss: mean pinball loss of the finite "
        f"intervals' lower end at {level:.4g} and of their upper end at {1 - level:.4g}, without "
        "the empty ones. Infinite and empty intervals are also counted apart."
    )
