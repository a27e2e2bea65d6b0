"""`upperhand calibrate`, end to end."""

import json

import numpy as np
import pytest

import upperhand as uh


@pytest.fixture
def run(call, tmp_path):
    """Return the command on a file of 120 values with forecasts."""
    rng = np.random.default_rng(0)
    forecast = rng.normal(size=120).cumsum()
    table = np.column_stack([forecast + rng.normal(size=120), forecast, forecast - 1, forecast + 1])
    lines = [",".join(map(repr, row)) for row in table.tolist()]
    (tmp_path / "a.csv").write_text("\n".join(["y,yhat,lo,hi", *lines]))
    return lambda *words: call("calibrate", "a.csv", *words)


FEW = ["--method", "aci", "--method", "dtaci:memory=20"]


def test_prints_a_row_for_each_method_and_how_to_read_it(run):
    code, out, err = run("--y", "y", "--forecast", "yhat")

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "7 methods on 120 values, 90 % wanted, forecast: a point"
    assert lines[2].split()[:2] == ["method", "coverage"]
    assert [line.split("  ")[0] for line in lines[3:6]] == ["Split conformal", "ACI", "AgACI"]
    assert "coverage of 100 values in a row" in out
    assert "Left out: CQR (here the same as split conformal)" in out
    assert max(map(len, lines)) <= 108


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["--forecast", "yhat"], ("forecast",)),
        (["--lower", "lo", "--upper", "4"], ("lower", "upper")),
        ([], ()),
    ],
    ids=["point", "ends", "none"],
)
def test_json_holds_what_python_gives(run, tmp_path, words, keys):
    code, out, _ = run("--y", "y", *words, *FEW, "--alpha", "0.2", "--window", "30", "--json")
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1).T
    columns = {"forecast": table[1], "lower": table[2], "upper": table[3]}
    study = uh.calibrate(
        table[0],
        **{key: columns[key] for key in keys},
        methods=["aci", "dtaci:memory=20"],
        alpha=0.2,
        window=30,
    )

    assert code == 0
    assert json.loads(out) == study.to_dict()


def test_plot(run, tmp_path):
    code, _, _ = run("--y", "y", "--forecast", "yhat", *FEW, "--plot", "cover.png")

    assert code == 0
    assert (tmp_path / "cover.png").read_bytes().startswith(b"\x89PNG")


def test_intervals_are_written_also_of_values_to_come(run, tmp_path):
    lines = (tmp_path / "a.csv").read_text().splitlines()
    lines += [",0.5,-0.5,1.5", "nan,1.5,0.5,2.5"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    code, out, _ = run("--y", "y", "--forecast", "yhat", *FEW, "--out", "intervals.csv")

    assert code == 0
    assert "2 values to come" in out
    y, forecast = np.genfromtxt(tmp_path / "a.csv", delimiter=",", skip_header=1).T[:2]
    uh.calibrate(y, forecast, methods=["aci", "dtaci:memory=20"]).to_csv(tmp_path / "same.csv")
    assert (tmp_path / "intervals.csv").read_text() == (tmp_path / "same.csv").read_text()


def test_mistakes_get_a_sentence(run):
    for words, message in (
        (
            ["--y", "yat"],
            "'a.csv' has no column 'yat'. Did you mean 'yhat'? Its columns: 1 (y)",
        ),
        (["--y", "y", "--lower", "lo"], "Give one kind, or none"),
        (["--y", "y", "--upper", "hi", "--forecast", "yhat"], "Give one kind, or none"),
        (["--y", "y", "--lower", "hi", "--upper", "lo"], "lower must be at most upper"),
        (["--y", "y", "--method", "acy"], "Unknown calibrator 'acy'. Did you mean 'aci'"),
        (["--y", "y", "--method", "split"], "Did you mean 'split-conformal'?"),
        (["--y", "y", "--method", "aci:g=1"], "Unknown setting of aci 'g'"),
        (["--y", "y", "--alpha", "0.001"], "At least 1/alpha = 1000 values must be given"),
        (["--y", "y", "--window", "500"], "window must be a whole number, 1 or more, and at"),
        (["--y", "y", "--plot", "a.gif"], "must end in .png, .pdf, .svg; got 'a.gif'"),
        (["--forecast", "yhat"], "Missing option '--y'"),
    ):
        code, out, err = run(*words)
        assert code in (1, 2)
        assert out == ""
        assert message in err
        assert "Traceback" not in err


def test_cells_that_are_no_numbers(run, tmp_path):
    lines = (tmp_path / "a.csv").read_text().splitlines()
    for cell, message in {
        "": "1 of 120 values missing, in row 8. Remove such rows, or fill them in.",
        "nan": "1 of 120 values missing, in row 8.",
        "soon": "row 8: 'soon' is not a finite number.",
        "inf": "row 8: 'inf' is not a finite number.",
    }.items():
        for column in (0, 1):
            cells = lines[7].split(",")
            cells[column] = cell
            (tmp_path / "a.csv").write_text("\n".join([*lines[:7], ",".join(cells), *lines[8:]]))
            code, _, err = run("--y", "y", "--forecast", "yhat")
            assert code == 1
            assert message in err


def test_a_file_that_cannot_be_read(call):
    for file, reason in {"nothere.csv": "No such file or directory", ".": "Is a directory"}.items():
        code, out, err = call("calibrate", file, "--y", "y")
        assert (code, out) == (1, "")
        assert f"Cannot read values from {file!r}: {reason}. Give the path of a CSV file." in err


def test_settings_may_be_parted_by_commas(run):
    code, out, err = run("--y", "y", "--method", "rescored:eta=0.1,lam=1", "--json")

    assert (code, err) == (0, "")
    settings = json.loads(out)["methods"][0]["settings"]
    assert (settings["eta"], settings["lam"]) == (0.1, 1.0)
