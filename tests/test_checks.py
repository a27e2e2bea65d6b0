"""One check for each kind of parameter, and one form of message."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from upperhand import checks
from upperhand.errors import ParameterError


class TestReal:
    @pytest.mark.parametrize(
        "value",
        [1, 1.0, np.float32(1), np.int8(1), Decimal(1), Fraction(1), np.array(1.0)],
        ids=repr,
    )
    def test_any_number_becomes_a_plain_float(self, value):
        assert checks.real("x", value) == 1.0
        assert type(checks.real("x", value)) is float

    @pytest.mark.parametrize(
        "bad", [math.nan, math.inf, -math.inf, "1", b"1", True, None, [1], 1j, 10**400, object()]
    )
    def test_what_is_no_finite_number(self, bad):
        with pytest.raises(ParameterError, match="x must be a finite number; got"):
            checks.real("x", bad)

    @pytest.mark.parametrize(
        ("bounds", "bad", "said"),
        [
            ({"above": 0}, 0, "number > 0; got 0."),
            ({"least": 0}, -1, "number ≥ 0; got -1."),
            ({"below": 1}, 1.0, "number < 1; got 1.0."),
            ({"most": 2.5}, 3, "number ≤ 2.5; got 3."),
            ({"above": 0, "below": 1}, 2, "number > 0 and < 1; got 2."),
            ({"above": 0, "most": 1}, 0, "number > 0 and ≤ 1; got 0."),
        ],
    )
    def test_bounds_are_said(self, bounds, bad, said):
        with pytest.raises(ParameterError) as caught:
            checks.real("x", bad, **bounds)
        assert str(caught.value) == f"x must be a finite {said}"

    def test_closed_bounds_are_inside_and_open_ones_are_not(self):
        assert checks.real("x", 0, least=0, most=0) == 0.0
        with pytest.raises(ParameterError):
            checks.real("x", 0, above=0)
        with pytest.raises(ParameterError):
            checks.real("x", 1, below=1)


class TestInteger:
    @pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)], ids=repr)
    def test_any_whole_number_becomes_a_plain_int(self, value):
        assert checks.integer("n", value, least=3) == 3
        assert type(checks.integer("n", value, least=3)) is int

    @pytest.mark.parametrize(
        "bad", [2, -1, 3.0, np.float64(3), "3", True, np.bool_(True), None, [3], math.nan]
    )
    def test_what_is_none(self, bad):
        with pytest.raises(ParameterError) as caught:
            checks.integer("n", bad, least=3)
        assert str(caught.value) == f"n must be a whole number, 3 or more; got {bad!r}."


class TestChoiceAndFlag:
    def test_a_choice(self):
        assert checks.choice("tail", "upper", ("upper", "lower")) == "upper"

    @pytest.mark.parametrize("bad", ["Upper", "", None, 1, ("upper",), ["upper"]])
    def test_no_choice(self, bad):
        with pytest.raises(ParameterError, match="tail must be one of 'upper', 'lower'; got"):
            checks.choice("tail", bad, ("upper", "lower"))

    @pytest.mark.parametrize("value", [True, False])
    def test_a_flag(self, value):
        assert checks.flag("on", value) is value

    @pytest.mark.parametrize("bad", [0, 1, "True", None, np.bool_(True), []])
    def test_no_flag(self, bad):
        with pytest.raises(ParameterError, match="on must be True or False; got"):
            checks.flag("on", bad)


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), ("-3", -3), ("3.0", 3.0), ("1e3", 1000.0), ("three", None)]
)
def test_the_number_in_a_text(text, number):
    found = checks.number_in(text)
    assert (found, type(found)) == (number, type(number))
