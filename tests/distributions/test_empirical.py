"""Order statistics with exact ranks, and values read from files."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.distributions import Empirical
from upperhand.errors import FileError, ParameterError


@given(m=st.integers(1, 3000), permille=st.integers(1, 1000))
def test_ranks_are_exact(m, permille):
    law = Empirical(np.arange(1, m + 1))
    exact = math.ceil(Fraction(permille, 1000) * m)
    assert law.quantile(permille / 1000) == exact


def test_a_level_that_no_double_can_hold():
    assert 0.07 * 100 > 7  # the trap
    assert Empirical(range(1, 101)).quantile(0.07) == 7


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 1))
def test_nothing_is_interpolated(data, p):
    assert Empirical(data).quantile(p) in data


def test_moments_and_cdf():
    law = Empirical([4, 1, 2, 2])
    assert (law.mean, law.sd) == (2.25, pytest.approx(math.sqrt(19 / 16)))
    assert law.cdf([0.5, 1, 2, 3.9, 4]).tolist() == [0, 0.25, 0.75, 0.75, 1]


def test_the_values_are_copied_and_kept_in_order():
    values = np.array([3.0, 1.0, 2.0])
    law = Empirical(values)
    values[:] = 0
    assert law.spec() == {"family": "empirical", "data": [1.0, 2.0, 3.0]}
    assert law.data == (1.0, 2.0, 3.0)


def test_few_values_are_written_out_and_many_summed_up():
    assert repr(Empirical([2, 1, 3, 4, 5, 6])) == "Empirical(data=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))"
    assert repr(Empirical([1110, *range(1, 2999), 0.37])) == (
        "Empirical(3000 values from 0.37 to 2998)"
    )


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (math.nan, r"got nan as data\[1234\]\.$"),
        (-math.inf, r"got -inf as data\[1234\]\.$"),
        ("x", r"got \[0, 1, 2, 3, 4, 5, \.\.\.\]\.$"),
    ],
)
def test_one_bad_value_among_many_is_named_and_the_others_are_not(bad, message):
    data = [*range(1234), bad, *range(2000)]
    with pytest.raises(ParameterError, match=message) as refusal:
        Empirical(data)
    assert len(str(refusal.value)) < 150


def test_values_whose_sum_overflows_warn_of_nothing():
    assert not math.isfinite(Empirical([1.7e308] * 3).mean)
    assert not math.isfinite(Empirical([-1.7e308, 1.7e308]).sd)
    assert not math.isfinite(Empirical([-1.7e308] * 99 + [1.7e308] * 99).sd)


@pytest.mark.parametrize(
    "data", [[], [1, math.inf], [[1, 2]], 5], ids=["empty", "infinite", "two-dimensional", "one"]
)
def test_bad_data_are_refused(data):
    with pytest.raises(ParameterError, match="data must be a non-empty, one-dimensional sequence"):
        Empirical(data)


@pytest.mark.parametrize("data", [[1, math.nan], ["1"], None, [[1], [1, 2]]])
def test_data_that_are_no_numbers_are_refused(data):
    with pytest.raises(ParameterError, match="data must be a number or an array of numbers; got"):
        Empirical(data)


@pytest.mark.parametrize(
    "text",
    [
        "3\n1\n2\n",
        "3\n1\n\n2",
        "reward\n3\n1\n2\n",
        "reward,day\n3,mon\n1,tue\n2,wed\n",
        '"the reward, in euros",day\r\n3.0,1\r\n1e0,2\r\n 2 ,3\r\n',
        "\ufeff3\n1\n2\n",
    ],
)
def test_files(tmp_path, text):
    file = tmp_path / "rewards.csv"
    file.write_bytes(text.encode())
    assert Empirical.from_file(file) == Empirical([1, 2, 3])
    assert Empirical.from_file(str(file)) == Empirical([1, 2, 3])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\nx\n2\n", "rewards.csv', row 2: 'x' is not a finite number"),
        (b"a\nb\n2\n", "rewards.csv', row 2: 'b' is not a finite number"),
        (b"1\nnan\n", "row 2: 'nan' is not a finite number"),
        (b"reward\n", "rewards.csv' holds no values; write one number per line"),
        (b"", "rewards.csv' holds no values; write one number per line"),
        (b"\xff\xfe\x00", "Cannot read values from .*rewards.csv'"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, message):
    file = tmp_path / "rewards.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=message):
        Empirical.from_file(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match=r"Cannot read values from .*none\.csv.*No such file"):
        Empirical.from_file(tmp_path / "none.csv")
