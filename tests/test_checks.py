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
        "bad",
        [
            *(math.nan, math.inf, -math.inf, "1", b"1", True, None, [1], 1j, 10**400, ...),
            *(np.complex128(1), np.complex64(1), np.array(1j), np.bool_(1), np.array("1")),
        ],
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


class TestReals:
    @pytest.mark.parametrize(
        "values",
        [1, 1.0, [1, 2.5], (1, 2), [[1], [2]], [], np.float32(1), np.array([1, 2], np.uint8)],
        ids=repr,
    )
    def test_any_numbers_become_an_array_of_doubles(self, values):
        for check in (checks.reals, checks.numbers):
            found = check("x", values)
            assert found.dtype == np.float64
            assert found.tolist() == np.asarray(values, dtype=float).tolist()

    def test_what_is_given_is_not_touched(self):
        given = np.array([1.0, 2.0])
        checks.numbers("x", given)[0] = 9
        assert given.tolist() == [1.0, 2.0]

    @pytest.mark.parametrize("one", [Decimal(1), Fraction(1), 10**30], ids=repr)
    def test_what_real_takes_reals_takes(self, one):
        assert checks.reals("x", one).tolist() == checks.real("x", one)
        assert checks.reals("x", [one, 2]).tolist() == [checks.real("x", one), 2]

    @pytest.mark.parametrize(
        "bad",
        [
            *("1", b"1", ["1"], True, [True, False], None, [1, None], 1j, [1, [2, 3]], ..., {1: 2}),
            *(np.complex128(1), [np.complex64(1)], np.array([np.complex64(1), Fraction(1)], "O")),
        ],
        ids=repr,
    )
    @pytest.mark.parametrize("check", [checks.reals, checks.numbers])
    def test_what_is_no_number(self, check, bad):
        with pytest.raises(ParameterError, match="x must be a number or an array of numbers; got"):
            check("x", bad)

    def test_nan_is_no_number_and_its_place_is_said(self):
        for check in (checks.reals, checks.numbers):
            with pytest.raises(ParameterError, match=r"numbers; got nan as x\[1, 0\]\.$"):
                check("x", [[1.0, 2.0], [math.nan, math.nan]])
            with pytest.raises(ParameterError, match=r"numbers; got nan\.$"):
                check("x", math.nan)

    def test_infinity_is_a_number_but_not_finite(self):
        assert checks.numbers("x", [math.inf, -math.inf]).tolist() == [math.inf, -math.inf]
        with pytest.raises(ParameterError) as caught:
            checks.reals("x", [1.0, -math.inf])
        assert str(caught.value) == "x must be finite numbers; got -inf as x[1]."

    @pytest.mark.parametrize(
        ("bounds", "bad", "said"),
        [
            ({"above": 0}, [1, 0], "finite numbers > 0; got 0 as x[1]."),
            ({"least": 0}, -1.5, "a finite number ≥ 0; got -1.5."),
            ({"below": 1}, [1.0, 0.5], "finite numbers < 1; got 1.0 as x[0]."),
            ({"most": 2.5}, [[3, 1]], "finite numbers ≤ 2.5; got 3.0 as x[0, 0]."),
            ({"above": 0, "below": 1}, 2.0, "a finite number > 0 and < 1; got 2.0."),
        ],
    )
    def test_bounds_are_said(self, bounds, bad, said):
        with pytest.raises(ParameterError) as caught:
            checks.reals("x", bad, **bounds)
        assert str(caught.value).replace("got 0.0", "got 0") == f"x must be {said}"

    def test_closed_bounds_are_inside_and_open_ones_are_not(self):
        assert checks.reals("x", [0, 1], least=0, most=1).tolist() == [0, 1]
        assert checks.reals("x", [], above=0).shape == (0,)
        for bounds in ({"above": 0}, {"below": 1}):
            with pytest.raises(ParameterError):
                checks.reals("x", [0, 1], **bounds)


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
        for bad in ("Upper", "", None, 1, ("upper",), ["upper"]):
            with pytest.raises(ParameterError, match="tail must be one of 'upper', 'lower'; got"):
                checks.choice("tail", bad, ("upper", "lower"))

    def test_a_flag(self):
        assert checks.flag("on", True) is True
        assert checks.flag("on", False) is False
        for bad in (0, 1, "True", None, np.bool_(True), []):
            with pytest.raises(ParameterError, match="on must be True or False; got"):
                checks.flag("on", bad)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("-3", -3),
        ("3.0", 3.0),
        ("1e3", 1000),
        ("-1.5E3", -1500),
        ("1e-3", 0.001),
        ("1e300", 1e300),
        ("inf", math.inf),
        ("three", None),
    ],
)
def test_the_number_in_a_text(text, number):
    found = checks.number_in(text)
    assert (found, type(found)) == (number, type(number))
