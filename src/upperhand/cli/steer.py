"""``upperhand steer``: what people do to an experiment while it runs."""

import click

from .. import checks
from ..errors import ParameterError
from .stores import experiment, name_argument, spoken, storage_option
from .tell import in_shell_words


@click.command()
@name_argument
@click.option("--pin", metavar="ARM", help="Give every ask this arm, if it is a candidate.")
@click.option("--unpin", is_flag=True, help="Choose again.")
@click.option("--add", metavar="ARM", help="Add an arm, or take one back that is retired.")
@click.option("--retire", metavar="ARM", help="Ask for an arm no more; nothing is forgotten.")
@click.option("--share", "shares", multiple=True, metavar="ARM=NUMBER",
              help="Give an arm this share of the asks by lot, such as small=0.1. Repeat for "
              "several; they replace those set before.")  # fmt: skip
@click.option("--least", type=float, help="Give each other arm at least this share.")
@click.option("--no-shares", is_flag=True, help="End all shares.")
@click.option("--note", metavar="TEXT", help="Write a note into the log.")
@click.option("--correct", nargs=2, metavar="TRIAL VALUE",
              help="Correct what was told of a trial: a number, failed, or '>=30'.")  # fmt: skip
@storage_option
def steer(
    name: str,
    pin: str | None,
    unpin: bool,
    add: str | None,
    retire: str | None,
    shares: tuple[str, ...],
    least: float | None,
    no_shares: bool,
    note: str | None,
    correct: tuple[str, str] | None,
    storage: str | None,
) -> None:
    """Steer an experiment that runs: one thing at a time, each an event in its log."""
    wanted = {
        "--pin": pin is not None, "--unpin": unpin, "--add": add is not None,
        "--retire": retire is not None, "--share": bool(shares) or least is not None,
        "--no-shares": no_shares, "--note": note is not None, "--correct": correct is not None,
    }  # fmt: skip
    given = [option for option, there in wanted.items() if there]
    if len(given) != 1:
        raise ParameterError(
            f"Give one thing to do, of {', '.join(wanted)}; got {' and '.join(given) or 'none'}."
        )
    parts = _shares(shares)
    outcome = spoken(correct[1]) if correct else {}
    with experiment(storage, name) as exp:
        if pin is not None or unpin:
            exp.pin(pin)
        elif add is not None:
            exp.add_arm(add)
        elif retire is not None:
            exp.retire(retire)
        elif note is not None:
            exp.note(note)
        elif correct is not None:
            with in_shell_words(name, correct[0]):
                exp.correct(correct[0], **outcome)
        else:
            exp.shares(parts, least=least or 0.0)
    click.echo("done")


def _shares(texts: tuple[str, ...]) -> dict[str, float]:
    """Return shares by arm; the name may have equal signs itself."""
    shares: dict[str, float] = {}
    for text in texts:
        arm, _, share = text.rpartition("=")
        number = checks.number_in(share)
        if not arm or number is None or arm in shares:
            raise ParameterError(
                f"A share must be ARM=NUMBER, such as small=0.1, once for each arm; got {text!r}."
            )
        shares[arm] = number
    return shares
