"""The page of a study of calibrators."""

import numpy as np

import upperhand as uh
from upperhand.pages.calibration_page import calibration_page
from upperhand.pages.document import Paragraph, Table
from upperhand.pages.terminal import to_text


def test_the_table_is_the_study_and_the_text_says_how_it_was_counted():
    study = uh.calibrate(np.arange(60.0) % 7, methods=["aci", "dtaci"], alpha=0.2, window=25)
    page = calibration_page(study)
    table, reading = page.blocks

    assert isinstance(table, Table)
    assert isinstance(reading, Paragraph)
    assert page.title == study.title
    assert list(table.rows) == study.rows()
    for words in ("25 values in a row", "lower end at 0.1 ", "upper end at 0.9.", "counted apart"):
        assert words in reading.text
    assert max(map(len, to_text(page, 60).splitlines())) <= 60
