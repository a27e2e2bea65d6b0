"""CSV and numbers as text."""

import csv
import math

import numpy as np
import pytest

from upperhand.errors import FileError
from upperhand.report.tables import columns, fixed, plus_minus, write_csv


def test_numbers_come_back_exactly(tmp_path):
    values = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    write_csv(tmp_path / "t.csv", {"round": np.arange(50), "mean": values})

    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["round"]) for row in rows] == list(range(50))
    assert [float(row["mean"]) for row in rows] == values.tolist()


def test_text_is_quoted_and_unknown_numbers_are_empty(tmp_path):
    write_csv(tmp_path / "t.csv", {"a": ['x, "y"'], "b": [math.nan], "c": [np.nan]})

    assert (tmp_path / "t.csv").read_text() == 'a,b,c\n"x, ""y""",,\n'


def test_columns_of_unequal_length_leave_no_file(tmp_path):
    with pytest.raises(ValueError, match="zip"):
        write_csv(tmp_path / "t.csv", {"a": [1, 2], "b": [1]})
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError):
        write_csv(tmp_path / "nowhere" / "t.csv", {"a": [1]})


@pytest.mark.parametrize(
    ("value", "error", "digits", "text"),
    [
        (165.68, 4.02, 1, "165.7 ± 4.0"),
        (1608.58, 5.2, 1, "1,608.6 ± 5.2"),
        (-3.25, 0.5, 2, "−3.25 ± 0.50"),
        (-0.01, 0.0, 1, "0.0 ± 0.0"),
        (7.0, math.nan, 1, "7.0"),
    ],
)
def test_plus_minus(value, error, digits, text):
    assert plus_minus(value, error, digits) == text


def test_fixed_unknown():
    assert fixed(math.nan) == "nan"


def test_columns():
    assert columns(("a", "b"), [(1, 2), (3, 4)]) == {"a": [1, 3], "b": [2, 4]}
