"""Numbers, tables and CSV as text."""

import csv
import io
import math

import numpy as np
import pytest

from upperhand.text import (
    csv_lines,
    fixed,
    plus_minus,
    short,
    significant,
    text_table,
)


def to_csv(rows):
    return "".join(csv_lines(rows))


def test_numbers_come_back_exactly():
    values = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    text = to_csv([("round", "mean"), *zip(np.arange(50), values, strict=True)])

    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [int(row["round"]) for row in rows] == list(range(50))
    assert [float(row["mean"]) for row in rows] == values.tolist()


def test_text_is_quoted_and_unknown_numbers_are_empty():
    text = to_csv([("a", "b", "c"), ('x, "y"', math.nan, np.nan)])

    assert text == 'a,b,c\n"x, ""y""",,\n'


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@SUM(A1)", "\t=1", "\r=1", "-inf", "=nan"])
def test_a_spreadsheet_runs_no_cell(text):
    written = to_csv([[text], [text]])

    guarded = [f"'{text}".replace("\r", "\n")]
    assert list(csv.reader(io.StringIO(written, newline=""))) == [guarded, guarded]


def test_numbers_are_not_guarded():
    values = [-1, -0.5, "-0.5", "+1e-3", np.float64(-2), "KL-QUCB+", "a=b"]
    assert to_csv([["x"], *([value] for value in values)]).split() == ["x", *map(str, values)]


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


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "—"),
        (float("inf"), "∞"),
        (-0.0, "0"),
        (0, "0"),
        (2, "2"),
        (999.94, "999.9"),
        (1000.4, "1,000"),
        (9_999_999, "9,999,999"),
        (1e7, "1.000e7"),
        (0.00011, "0.00011"),
        (0.0000987654, "9.877e-5"),
        (-0.25, "-0.25"),
    ],
)
def test_short_numbers(value, written):
    assert short(value) == written


def test_significant_digits():
    written = [significant(x) for x in (2.156e5, 1.0, -0.25, 3e-12)]
    assert written == ["2.16e5", "1", "−0.25", "3e−12"]


def test_tables_have_names_to_the_left_and_numbers_to_the_right():
    shown = text_table(["arm", "pulls"], [["a", "7"], ["longer", "1234"]])
    assert shown.splitlines() == ["arm     pulls", "a           7", "longer   1234"]
    assert text_table(["arm", "pulls"], []) == "arm  pulls"
    ruled = text_table(["臂", "n"], [["a", "7"]], left=2, ruled=True)  # a character two wide
    assert ruled.splitlines() == ["臂  n", "──  ─", "a   7"]
