"""The page of a study of calibrators."""

import numpy as np

import upperhand as uh
from upperhand.pages.calibration_page import calibration_page
from upperhand.pages.document import Notice, Paragraph, Table
from upperhand.pages.terminal import to_text


def test_the_table_is_the_study_and_the_text_says_how_it_was_counted():
    study = uh.calibrate(np.arange(60.0) % 7, methods=["aci", "dtaci"], alpha=0.2, window=25)
    page = calibration_page(study)
    table, reading = page.blocks

    assert isinstance(table, Table)
    assert isinstance(reading, Paragraph)
    assert page.title == study.title
    assert list(table.rows) == study.rows()
    rows, empty = "25 values in a row", "finite intervals, an empty one counting as 0."
    for words in (rows, empty, "lower end at 0.1 ", "upper end at 0.9, ", "counted apart"):
        assert words in reading.text
    assert max(map(len, to_text(page, 60).splitlines())) <= 60


def test_notes_are_not_missed():
    study = uh.calibrate(100 * (np.arange(60.0) % 7), np.zeros(60), methods="decaying-steps")
    page = calibration_page(study)
    assert page.blocks[2:] == tuple(map(Notice, study.notes))
    assert "Set decaying-steps:eta=300." in to_text(page)
