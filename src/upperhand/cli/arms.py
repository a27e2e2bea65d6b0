"""What commands on your own arms share: the option ``--arm``, and the list of laws in the help."""

import click


class ArmsCommand(click.Command):
    """A command whose help ends with the laws of arms, loaded for the help only."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the laws."""
        from ..distributions.registry import arm_forms

        with formatter.section("Laws"):
            formatter.write_dl(list(arm_forms().items()))
        super().format_epilog(ctx, formatter)


arm_option = click.option(
    "--arm",
    "arms",
    multiple=True,
    required=True,
    metavar="LAW",
    help="An arm, such as normal:0.10,0.05 or t:0,0.16,3; see below. Repeat for each arm.",
)
