"""``upperhand calibrate``: calibrators on your own series."""

from pathlib import Path
from typing import Any

import click

from . import options
from .options import PATH, POLICY, WHOLE, Lists, ListsCommand, check_files, completes, print_result


def _lists() -> Lists:
    from ..calibrators import calibrator_forms

    return {"Methods (unspecified settings default to the command's --alpha)": calibrator_forms()}


@click.command(cls=ListsCommand, lists=_lists)
@click.argument("file", type=PATH)
@click.option("--column", required=True, metavar="NAME",
              help="The column of the values, by its name or its number from 1.")  # fmt: skip
@click.option("--forecast", metavar="NAME", help="The column of point forecasts of them.")
@click.option("--lower", metavar="NAME", help="The column of the lower ends of interval forecasts.")
@click.option("--upper", metavar="NAME", help="The column of their upper ends.")
@click.option("--method", "methods", multiple=True, metavar=POLICY,
              shell_complete=completes("method"),
              help="A method, such as aci:gamma=0.01. Repeat for several; by default all that fit."
              )  # fmt: skip
@click.option("--alpha", default=0.1, help="The share of values that intervals may miss.")
@click.option("--window", type=WHOLE,
              help="Values in a row over which coverage is counted too; by default 100, or all."
              )  # fmt: skip
@options.plot("coverage over windows, and width")
@options.as_json
def calibrate(
    file: Path,
    column: str,
    forecast: str | None,
    lower: str | None,
    upper: str | None,
    methods: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare calibrators on the values in FILE: how often intervals cover, how wide they are.

    The forecasts of the values are in the same file. Without any, they are the quantiles of the
    values before.
    """
    from ..comparison.calibrate import calibrate as run
    from ..distributions.empirical import read_columns
    from ..errors import ParameterError
    from ..reports.runs import calibration_report

    if (lower is None) != (upper is None) or (forecast is not None and lower is not None):
        raise ParameterError(
            "Forecasts are points, --forecast NAME, or intervals, --lower NAME --upper NAME. Give "
            "one kind, or none for the quantiles of the values before."
        )
    check_files({"--plot": plot})
    named = {"y": column, "forecast": forecast, "lower": lower, "upper": upper}
    given = {key: name for key, name in named.items() if name is not None}
    read = read_columns(str(file), list(given.values()))
    settings |= dict(zip(given, read, strict=True))
    study = run(methods=methods or None, **settings)
    if plot:
        from ..figures.calibration import calibration_figure
        from ..figures.style import save_single

        save_single(calibration_figure(study), plot)
    print_result(as_json, study.to_dict() if as_json else None, lambda: calibration_report(study))
