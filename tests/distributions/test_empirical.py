"""Order statistics with exact ranks, and values read from files."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from upperhand.distributions import Empirical, from_spec
from upperhand.distributions.empirical import read_columns
from upperhand.distributions.registry import parse_arm
from upperhand.errors import FileError, ParameterError


@given(m=st.integers(1, 3000), permille=st.integers(1, 1000))
def test_ranks_are_exact(m, permille):
    arm = Empirical(np.arange(1, m + 1))
    exact = math.ceil(Fraction(permille, 1000) * m)
    assert arm.quantile(permille / 1000) == exact


def test_a_level_that_no_double_can_hold():
    assert 0.07 * 100 > 7  # the trap
    assert Empirical(range(1, 101)).quantile(0.07) == 7


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 1))
def test_nothing_is_interpolated(data, p):
    assert Empirical(data).quantile(p) in data


def test_moments_and_cdf():
    arm = Empirical([4, 1, 2, 2])
    assert (arm.mean, arm.sd) == (2.25, pytest.approx(math.sqrt(19 / 16)))
    assert arm.cdf([0.5, 1, 2, 3.9, 4]).tolist() == [0, 0.25, 0.75, 0.75, 1]


def test_the_values_are_copied_and_kept_in_order():
    values = np.array([3.0, 1.0, 2.0])
    arm = Empirical(values)
    values[:] = 0
    assert arm.spec() == {"family": "empirical", "data": [1.0, 2.0, 3.0]}
    assert arm.data == (1.0, 2.0, 3.0)


def test_few_values_are_written_out_and_many_summed_up():
    assert repr(Empirical([2, 1, 3, 4, 5, 6])) == "Empirical(data=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))"
    assert repr(Empirical([1110, *range(1, 2999), 0.37])) == (
        "Empirical(3,000 values from 0.37 to 2998)"
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
    ("text", "column", "name"),
    [
        ("3\n1\n2\n", None, ""),
        ("3\n1\n\n2", None, ""),
        ("reward\n3\n1\n2\n", None, ":reward"),
        ("reward\n3\n1\n2\n", "reward", ":reward"),
        ("reward,day\n3,mon\n1,tue\n2,wed\n", None, ":reward"),
        ("day,reward\nmon,3\ntue,1\nwed,2\n", None, ":reward"),
        ("mon,3\ntue,1\nwed,2\n", None, ":2"),
        ("2026-01-01T00:00;3\n2026-01-02T00:00;1\n2026-01-03T00:00;2\n", None, ":2"),
        ('"the reward, in euros",n\r\n3.0,7\r\n1e0,8\r\n 2 ,9\r\n', 1, ":the reward, in euros"),
        (",reward\n0,3\n1,1\n2,2\n", "reward", ":reward"),  # as pandas writes a row index
        (",reward\n0,3\n1,1\n2,2\n", "2", ":reward"),
        ("reward;note\n3;1,5\n1;2,5\n2;\n", 1, ":reward"),
        ("a\treward\n7\t3\n8\t1\n9\t2\n", "reward", ":reward"),
        ("\ufeff3\n1\n2\n", None, ""),
    ],
)
def test_files(tmp_path, text, column, name):
    file = tmp_path / "rewards.csv"
    file.write_bytes(text.encode())
    arm = Empirical.from_file(file, column)
    assert arm == Empirical.from_file(str(file), column) == Empirical([1, 2, 3])
    assert arm.name == f"rewards.csv{name}"


def test_the_name_of_a_file_is_shown_and_kept():
    arm = Empirical([2, 1], "eu.csv:latency")
    assert repr(arm) == "Empirical(eu.csv:latency: 2 values from 1 to 2)"
    assert arm == Empirical([1, 2])
    assert from_spec(arm.spec()).name == "eu.csv:latency"
    with pytest.raises(ParameterError, match="name must be a string; got 3"):
        Empirical([1], 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\nx\n2\n", "rewards.csv', row 2: 'x' is not a finite number"),
        (b"a\nb\n2\n", "rewards.csv', row 2: 'b' is not a finite number"),
        (b"1\n1_000\n", "row 2: '1_000' is not a finite number"),
        (b"1\ninf\n", "row 2: 'inf' is not a finite number"),
        (b"inf\n1\n", "row 1: 'inf' is not a finite number"),
        (b"1e999\n1\n", "row 1: '1e999' is not a finite number"),
        (b"1\nnan\n", "1 of 2 values missing, in row 2. Remove such rows, or fill them in"),
        (
            b'1\n""\n2\nNA\n',
            "2 of 4 values missing, in row 2, 4. Remove such rows, or fill them in",
        ),
        (b"nan\n1\n", "1 of 2 values missing, in row 1"),
        (b"x\n" + 7 * b"N/A\n" + b"1", "7 of 8 values missing, in row 2, 3, 4, 5, 6, …"),
        (b"12ms\n3\n", "row 1: '12ms' is neither a number nor clearly the name of a column"),
        (b"1.2.3\n3\n", "row 1: '1.2.3' is neither a number nor"),
        (b",reward\n0,3\n1,1\n", r"has 2 columns of numbers: 1 \(no name\), 2 \(reward\)"),
        (b",reward\n0,3\n1,1\n", "Say which one: /.*/rewards.csv:reward"),
        (b"b,b\n0,3\n1,1\n", r"Say which one: /.*/rewards.csv:2\. "),
        (b"1,5\n2,5\n", "If numbers have commas, write 1.5 for 1,5 and 1234 for 1,234"),
        (b"1,5\n2\n", "row 1 has 2 cells and row 2 has 1.*numbers have commas"),
        (b"reward\n1,5\n", "row 1 has 1 cell and row 2 has 2.*numbers have commas"),
        (b'reward\n"1,5"\n', "row 2: '1,5' has a comma; write 1.5 for 1,5"),
        (b'ms\n"1,234"\n', "row 2: '1,234' has a comma; write 1.5 for 1,5 and 1234"),
        (b'"-1,234"\n2\n', "'-1,234' has a comma; write"),
        (b'ms\n"1,234.5"\n', "'1,234.5' has a comma; write"),
        (b'ms\n"1,234,567"\n', "'1,234,567' has a comma; write"),
        (b"ms;day\n1.234,5;mon\n", "'1.234,5' has a comma; write"),
        (b"ms;day\n0,123;mon\n", "'0,123' has a comma; write"),
        (b"reward;day\n1,5;mon\n", "row 2: '1,5' has a comma; write 1.5 for 1,5"),
        (b"a,b\x1b]0;x\x07\n1,2\n", r"1 \(a\), 2 \(b\\x1b\]0;x\\x07\)\. Say which one: .*:2\."),
        (b"a,b\nx,y\n", r"has no column of numbers among 1 \(a\), 2 \(b\)"),
        (b"reward\n", "rewards.csv' holds no values; write one number per line"),
        (b"", "rewards.csv' holds no values; write one number per line"),
        (b"\n\n", "rewards.csv' holds no values; write one number per line"),
        (b"\xff\xfe\x00", "rewards.csv': it is not UTF-8 text. Save it as CSV UTF-8"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, message):
    file = tmp_path / "rewards.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=message):
        Empirical.from_file(file)


@pytest.mark.parametrize("column", ["c", "0", 3, -1, "", "b"])
def test_a_column_that_is_not_there_or_there_twice(tmp_path, column):
    file = tmp_path / "rewards.csv"
    file.write_text("b,b\n1,2\n")
    fault = "several columns 'b'" if column == "b" else "no column"
    columns = r"Its columns: 1 \(b\), 2 \(b\)\."
    with pytest.raises(FileError, match=f"has {fault}.* {columns} Give .* or a number from 1 to 2"):
        Empirical.from_file(file, column)


@pytest.mark.parametrize(
    ("text", "column", "shown"),
    [
        ("ms\n1\n\n2\n", None, "a.csv:ms: 2 values from 1 to 2; 1 empty line skipped"),
        ("1\n\n\n2", None, "a.csv: 2 values from 1 to 2; 2 empty lines skipped"),
        ("2019,2020\n1,2\n", 1, "a.csv:1: 2 values from 1 to 2019; no header"),
        ("timeout\n7\n", None, "a.csv:timeout: 1 value from 7 to 7"),
    ],
)
def test_what_is_no_value_is_said(tmp_path, text, column, shown):
    (tmp_path / "a.csv").write_text(text)
    arm = Empirical.from_file(tmp_path / "a.csv", column)
    assert repr(arm) == repr(from_spec(arm.spec())) == f"Empirical({shown})"


def test_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    assert Empirical.from_file("~/a.csv", "y") == parse_arm("empirical:~/a.csv:y") == Empirical([2])
    with pytest.raises(FileError, match=r"Say which one: ~/a\.csv:y\."):
        parse_arm("empirical:~/a.csv")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=r"^'\./a\.csv' has 2 columns .*: \./a\.csv:y\."):
        parse_arm("empirical:./a.csv")


def test_a_control_character_in_a_name_stays_on_the_line(tmp_path):
    (tmp_path / "a\n\x1b[2Jb.csv").write_text("1\n")
    arm = Empirical.from_file(tmp_path / "a\n\x1b[2Jb.csv")
    assert repr(arm) == r"Empirical(a\n\x1b[2Jb.csv: 1 value from 1 to 1)"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match=r"Cannot read values from .*none\.csv.*No such file"):
        Empirical.from_file(tmp_path / "none.csv")


def test_masked_values_are_not_used():
    masked = np.ma.masked_invalid([1.0, np.nan, 3.0])
    with pytest.raises(ParameterError, match=r"got 1 masked values\. Leave them out: data\.compr"):
        Empirical(masked)
    assert Empirical(masked.compressed()) == Empirical(np.ma.array([1, 3])) == Empirical([1, 3])


def test_columns_are_read_in_little_memory(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1.25,-3\n" * 5_000)
    tracemalloc.start()
    columns = read_columns(str(tmp_path / "a.csv"), ["x", "2"])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(columns, [[1.25] * 5_000, [-3.0] * 5_000])
    assert most < 500_000  # all cells at once take 2,000,000
