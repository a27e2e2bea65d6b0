"""``upperhand calibrate``: calibrators on a series of your own."""

import json
from pathlib import Path

import click

from .options import PATH, WHOLE, completes


class MethodsCommand(click.Command):
    """A command whose help ends with the calibrators, loaded for the help only."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from ..calibrators import calibrator_forms

        with formatter.section("Methods (settings that you leave out take the command's α)"):
            formatter.write_dl(list(calibrator_forms().items()))
        super().format_epilog(ctx, formatter)


def method_words() -> list[str]:
    """Return the methods, and each with each of its settings, such as aci:gamma=."""
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
@click.option("--plot", type=PATH, help="Draw coverage over windows, and width: .png, .pdf, .svg.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def calibrate(
    file: Path,
    column: str,
    forecast: str | None,
    lower: str | None,
    upper: str | None,
    methods: tuple[str, ...],
    alpha: float,
    window: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare calibrators on the values in FILE: how often intervals cover, how wide they are.

    The forecasts of the values are in the same file. Without any, they are the quantiles of the
    values before.
    """
    from ..comparison.calibrate import calibrate as run
    from ..distributions.empirical import read_columns
    from ..errors import ParameterError
    from ..figures.style import check_suffix, load_matplotlib, save_single
    from ..files import check_writable
    from ..reports.markdown import to_text
    from ..reports.runs import calibration_report

    if (lower is None) != (upper is None) or (forecast is not None and lower is not None):
        raise ParameterError(
            "Forecasts are points, --forecast NAME, or intervals, --lower NAME --upper NAME. Give "
            "one kind, or none for the quantiles of the values before."
        )
    if plot:
        check_writable(plot)
        check_suffix(plot)
        load_matplotlib()
    named = {"y": column, "forecast": forecast, "lower": lower, "upper": upper}
    given = {key: name for key, name in named.items() if name is not None}
    read = read_columns(str(file), list(given.values()))
    series = dict(zip(given, read, strict=True))
    study = run(**series, methods=methods or None, alpha=alpha, window=window)
    if plot:
        from ..figures.calibration import calibration_figure

        save_single(calibration_figure(study), plot)
    shown = json.dumps(study.to_dict(), indent=2) if as_json else to_text(calibration_report(study))
    click.echo(shown)
