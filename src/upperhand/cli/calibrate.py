"""``upperhand calibrate``: calibrators on your own series."""

from pathlib import Path
from typing import Any

import click

from .options import (
    PATH,
    WHOLE,
    check_files,
    completes,
    json_option,
    plot_option,
    print_result,
)


class MethodsCommand(click.Command):
    """A command whose help ends with the calibrators, loaded for the help only."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from ..calibrators import calibrator_forms

        with formatter.section("Methods (unspecified settings default to the command's --alpha)"):
            formatter.write_dl(list(calibrator_forms().items()))
        super().format_epilog(ctx, formatter)


def method_words() -> list[str]:
    """Return what can be typed: methods, alone and with each setting, such as aci:gamma=."""
    from ..calibrators import CALIBRATORS
    from ..parsing import typed_words

    return typed_words(CALIBRATORS.values())


@click.command(cls=MethodsCommand)
@click.argument("file", type=PATH)
@click.option("--column", required=True, metavar="NAME",
              help="The column of the values, by its name or its number from 1.")  # fmt: skip
@click.option("--forecast", metavar="NAME", help="The column of point forecasts of them.")
@click.option("--lower", metavar="NAME", help="The column of the lower ends of interval forecasts.")
@click.option("--upper", metavar="NAME", help="The column of their upper ends.")
@click.option("--method", "methods", multiple=True, metavar="NAME[:SETTING=VALUE,…]",
              shell_complete=completes(method_words),
              help="A method, such as aci:gamma=0.01; see below. Repeat for several. By default, "
              "all that fit.")  # fmt: skip
@click.option("--alpha", default=0.1, show_default=True,
              help="The share of values that intervals may miss.")  # fmt: skip
@click.option("--window", type=WHOLE,
              help="Values in a row over which coverage is also counted; 100 by default, or all of "
              "fewer.")  # fmt: skip
@plot_option("coverage over windows, and width")
@json_option
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
    print_result(as_json, study.to_dict(), lambda: calibration_report(study))
