"""``upperhand calibrate``: calibrators on your own series."""

from pathlib import Path
from typing import Any

import click

from . import options
from .options import PATH, WHOLE, check_files, print_result


@click.command()
@click.argument("file", type=PATH)
@options.refused("--column", lambda name: f"--y {name}")
@click.option("--y", required=True, metavar="NAME",
              help="The column of the values, by its name or its number from 1.")  # fmt: skip
@click.option("--forecast", metavar="NAME", help="The column of point forecasts of them.")
@click.option("--lower", metavar="NAME", help="The column of the lower ends of interval forecasts.")
@click.option("--upper", metavar="NAME", help="The column of their upper ends.")
@click.option("--method", "methods", multiple=True, metavar="METHOD",
              help="A method, such as aci:gamma=0.01. Several: repeat it, or --methods A B. By "
              "default all that fit.")  # fmt: skip
@click.option("--alpha", default=0.1, help="The share of values that intervals may miss.")
@click.option("--window", type=WHOLE,
              help="Values in a row over which coverage is counted too; by default 100, or all."
              )  # fmt: skip
@click.option("--out", type=PATH, help="Write the intervals as CSV: row, y, method, lower, upper.")
@options.plot("coverage over windows, and width")
@options.as_json
def calibrate(
    file: Path,
    y: str,
    forecast: str | None,
    lower: str | None,
    upper: str | None,
    methods: tuple[str, ...],
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare prediction intervals for a series: coverage and width.

    FILE is a CSV file with the values and their forecasts. Without forecasts, the intervals start
    from the quantiles of the values before. Values missing at the end are to come: see --out.

    \b
    upperhand calibrate series.csv --y y --forecast yhat
    upperhand list methods          # all of them, with their settings
    """  # noqa: D301
    from ..comparison.calibrate import calibrate as run
    from ..distributions.empirical import read_columns

    check_files({"--plot": plot, "--out": out})
    named = {"y": y, "forecast": forecast, "lower": lower, "upper": upper}
    given = {key: name for key, name in named.items() if name is not None}
    read = read_columns(str(file), list(given.values()), to_come=y)
    settings |= dict(zip(given, read, strict=True))
    study = run(methods=methods or None, **settings)
    if out:
        study.to_csv(out)
    options.draw(plot, "calibration:calibration_figure", study)
    print_result(as_json, study.to_dict, study.summary)
