"""``upperhand new``, ``ask``, ``tell`` and ``steer``: an experiment from the shell."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from .. import checks
from ..errors import ConflictError, ParameterError, StoreBusyError, StoreError, UnknownNameError
from . import options
from .options import WHOLE, experiment, parse_outcome, required_storage, to_json

if TYPE_CHECKING:
    from ..live import Trial
    from ..live.outcomes import Outcome


UNASKED = "arm="  # begins the TRIAL of a default, which the log does not know


@click.command()
@options.name
@click.option("--arm", "arms", multiple=True, required=True, metavar="NAME",
              help="What to choose between. Several: repeat it, or --arms A B.")  # fmt: skip
@click.option("--quantile", type=float, metavar="LEVEL",
              help="The quantile that an arm is worth: 0.95 for a p95.")  # fmt: skip
@options.best_of
@click.option("--direction", type=click.Choice(["maximize", "minimize"]), metavar="WAY",
              help="maximize, as scores, or minimize, as latencies.")  # fmt: skip
@options.minimize
@click.option("--maximize", "direction", flag_value="maximize", help="--direction maximize.")
@click.option("--policy", metavar="POLICY",
              help="How to choose, of upperhand policies; by default frugal KL-QUCB+.")  # fmt: skip
@click.option("--lease", type=float, help="Seconds until a trial without a result is released; "
              "600 by default. A later result counts.")  # fmt: skip
@click.option("--duration", type=click.Choice(["s", "ms", "us"]),
              help="Outcomes are times of trials, in this unit; ages of open trials count too."
              )  # fmt: skip
@click.option("--window", metavar="LENGTH",
              help="Use the last 500 outcomes of each arm, '2000 rounds' of all arms, or 10m."
              )  # fmt: skip
@click.option("--half-life", metavar="LENGTH",
              help="Halve weights every 500 outcomes of an arm, '2000 rounds' of all, or 24h."
              )  # fmt: skip
@click.option("--rounds", type=WHOLE, help="The expected number of trials, in each segment.")
@click.option("--seed", type=WHOLE, help="For policies and shares that draw random numbers.")
@options.storage
@options.as_json
def new(name: str, storage: str | None, as_json: bool, **settings: Any) -> None:
    """Make the experiment NAME, and its store if that is not there.

    Made again with the same settings it stays as it is, so that a script may begin with this
    command; other settings are refused, with exit code 4.

    \b
    upperhand new model --arm small --arm large --quantile 0.95 --minimize --storage bandits.db
    """  # noqa: D301
    from ..live import Experiment
    from ..live.log import open_storage

    if settings["direction"] is None:
        raise ParameterError(
            "Say what is good: --minimize, as of latencies, or --maximize, as of scores."
        )
    if settings["quantile"] is None and settings["best_of"] is None:
        raise ParameterError("Say what an arm is worth: --quantile 0.95 for a p95, or --best-of 8.")
    for length in ("window", "half_life"):  # a number of outcomes, or a time as it was typed
        number = checks.number_in(settings[length] or "")
        settings[length] = settings[length] if number is None else number
    with Experiment(name, **settings):  # in memory: what is wrong is refused before a file is made
        pass
    with closing(open_storage(required_storage(storage))) as store:
        known = name in store.names()
        with Experiment(name, **settings, storage=store) as made:
            stored = made.settings.to_json()
    if as_json:
        click.echo(to_json({"experiment": name, "made": not known, "settings": stored}))
    else:
        done = "is there already, with these settings" if known else "is made"
        click.echo(f"Experiment {name!r} {done}. Next: upperhand ask {name}")


@click.command()
@options.name
@click.option("--among", multiple=True, metavar="ARM",
              help="An arm that can be used this time. Repeat for each; by default all."
              )  # fmt: skip
@options.by
@click.option("--key", help="While a trial with the same key is under way, answer its arm.")
@click.option("-n", "count", type=WHOLE, help="So many trials, in one commit.")
@click.option("--default", metavar="ARM",
              help="The arm to answer if the store is away or does not answer in time. Such an ask "
              "is not logged; its TRIAL is arm=ARM, which tell takes.")  # fmt: skip
@click.option("--timeout", type=float,
              help="Seconds to wait for the store, once the program is loaded.")  # fmt: skip
@options.storage
@options.as_json
def ask(
    name: str,
    among: tuple[str, ...],
    by: str | None,
    key: str | None,
    count: int | None,
    default: str | None,
    timeout: float | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Print the trial and the arm to use, as TRIAL, a tab, ARM.

    \b
    read -r trial arm < <(upperhand ask model)
    … use "$arm" …
    upperhand tell model "$trial" "$milliseconds"

    \b
    Exit codes: 0 answered; 2 wrong use; 3 the store is away or busy, and there is no --default.
    """  # noqa: D301
    import upperhand.live  # noqa: F401 -- loaded before the time runs

    if count is not None and (key is not None or default is not None):
        raise ParameterError("-n takes neither --key nor --default: ask one by one for these.")
    if timeout is not None:
        checks.real("timeout", timeout, least=0)

    def asked() -> "list[Trial]":
        with experiment(storage, name) as exp:
            if default not in (None, *map(str, exp.arms)):  # refused before it is needed
                raise UnknownNameError.among("arm", default, exp.arms)
            if count is not None:
                return exp.ask_many(count, among=among or None, by=by)
            return [exp.ask(among=among or None, by=by, key=key)]

    try:
        found = [_answer(each) for each in (asked() if timeout is None else _timed(asked, timeout))]
    except StoreError as error:
        if default is None:
            raise
        click.echo(f"Warning: answered the default, as the store did not: {error}", err=True)
        found = [{"trial": f"{UNASKED}{default}", "arm": default, "probability": 1.0,
                  "how": "default", "at": None, "deadline": None, "segment": by}]  # fmt: skip
    if as_json:
        click.echo(to_json(found if count is not None else found[0]))
    else:
        click.echo("\n".join(f"{each['trial']}\t{each['arm']}" for each in found))


def _answer(trial: "Trial") -> dict[str, Any]:
    return {
        "trial": trial.id, "arm": trial.arm, "probability": trial.propensity, "how": trial.how,
        "at": trial.at, "deadline": trial.deadline, "segment": trial.by or None,
    }  # fmt: skip


def _timed(work: Callable[[], Any], seconds: float) -> Any:
    """Return the result of `work` if it is done in time; opening a store may take for ever."""
    from concurrent.futures import Future, wait

    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # raised again where it is waited for
            found.set_exception(error)

    Thread(target=run, daemon=True).start()
    if not wait([found], seconds).done:
        raise StoreBusyError(
            f"The store did not answer within {seconds:g} seconds. Try again, or give a --default."
        )
    return found.result()


HOW = "Write: upperhand tell NAME TRIAL VALUE, or --failed, or --at-least X instead of VALUE."


class UnknownTrialError(click.ClickException):
    exit_code = 4


@contextmanager
def shell_hints(name: str, trial: str | None) -> Iterator[None]:
    """Add what to type to errors about a trial; an unknown trial has an exit code of its own."""
    try:
        yield
    except ConflictError as error:
        typed = f"upperhand steer {name} --correct {trial} VALUE"
        raise ConflictError(f"{error} In the shell: {typed}.") from error
    except UnknownNameError as error:
        if trial is None:
            raise
        typed = f"upperhand tell {name} --arm ARM VALUE"
        raise UnknownTrialError(f"{error} In the shell: {typed}.") from error


@click.command(context_settings={"ignore_unknown_options": True})  # −5 is a value, not an option
@options.name
@click.argument("words", nargs=-1, metavar="TRIAL [VALUE] | -")
@click.option("--failed", is_flag=True, help="It failed: the worst outcome there is.")
@click.option("--at-least", type=float, metavar="X",
              help="It is at least X, and no more is known, as of a time-out.")  # fmt: skip
@click.option("--arm", help="Report a result of this arm without an ask, instead of TRIAL.")
@options.by
@options.storage
@options.as_json
def tell(
    name: str,
    words: tuple[str, ...],
    failed: bool,
    at_least: float | None,
    arm: str | None,
    by: str | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Report the result of a trial.

    It prints told, again, late or lost: all of these count.

    A dash instead of TRIAL reads lines TRIAL VALUE from standard input and records all of them in
    one commit, or none. VALUE can also be the word failed, or '>=30' for at least 30.

    \b
    upperhand tell model 3.1.0 120.5
    upperhand tell model 3.1.0 --at-least 30000
    upperhand tell model --arm small 118

    \b
    Exit codes: 0 it counts, or the same result is there already; 2 wrong use; 3 the store is away
    or busy, try again later; 4 another result is there already, or there is no such trial.
    """  # noqa: D301
    for word in words:  # numbers below zero are the reason that options come here
        if word.startswith("--") or (word.startswith("-") and word[1:2].isalpha()):
            raise ParameterError(f"There is no option {word}. See upperhand tell --help.")
    if words == ("-",):
        if failed or at_least is not None or arm is not None or by is not None:
            raise ParameterError("Standard input takes no other options: write TRIAL failed, …")
        outcomes = [_line(n, text) for n, text in enumerate(sys.stdin, start=1) if text.strip()]
        with experiment(storage, name) as exp, shell_hints(name, "TRIAL"):
            answers = exp.tell_many(outcomes)
        counts = ", ".join(f"{count} {answer}" for answer, count in Counter(answers).items())
        click.echo(to_json(answers) if as_json else counts or "nothing to record")
        return
    trial, arm, given = _parsed(words, arm)
    outcome: dict[str, Any] = {"failed": failed, "at_least": at_least}
    if given is not None:
        if failed or at_least is not None:
            raise ParameterError(f"Tell one thing: a value, --failed or --at-least. {HOW}")
        outcome = parse_outcome(given)
    elif not failed and at_least is None:
        raise ParameterError(f"There is no outcome. {HOW}")
    if by is not None and arm is None:
        raise ParameterError("--by goes with --arm; the id of a trial says its segment.")
    with experiment(storage, name) as exp, shell_hints(name, trial):
        answer = exp.tell(trial=trial, arm=arm, by=by, **outcome)
    click.echo(to_json({"trial": trial, "arm": arm, "answer": answer}) if as_json else answer)


def _parsed(words: tuple[str, ...], arm: str | None) -> tuple[str | None, str | None, str | None]:
    """Return trial, arm and outcome of the words; one of the first two is None."""
    first, rest = (None, words) if arm is not None else (words[0] if words else "", words[1:])
    if first == "" or len(rest) > 1:
        raise ParameterError(f"Give a trial and what came of it. {HOW}")
    outcome = rest[0] if rest else None
    if first is not None and first.startswith(UNASKED):
        return None, first.removeprefix(UNASKED), outcome
    return first, arm, outcome


def _line(number: int, text: str) -> "tuple[str, Outcome]":
    from ..live.outcomes import outcome_of

    parts = text.split()
    if len(parts) != 2 or parts[0].startswith(UNASKED):
        raise ParameterError(
            f"Line {number} must be TRIAL VALUE, such as 3.1.0 120.5; got {text.strip()!r:.80}. "
            "Nothing was recorded."
        )
    try:
        outcome = {"value": None, "failed": False, "at_least": None, **parse_outcome(parts[1])}
        return parts[0], outcome_of(parts[0], outcome.pop("value"), **outcome)
    except ValueError as error:
        raise ParameterError(f"Line {number}: {error} Nothing was recorded.") from error


ACTIONS = ("pin", "unpin", "add", "retire", "share", "no_shares", "note", "correct")  # of `steer`


@click.command()
@options.name
@click.option("--pin", metavar="ARM", help="Give every ask this arm, if it is a candidate.")
@click.option("--unpin", is_flag=True, help="Choose again.")
@click.option("--add", metavar="ARM", help="Add an arm, or take one back that is retired.")
@click.option("--retire", metavar="ARM", help="Ask for an arm no more; nothing is forgotten.")
@click.option("--share", multiple=True, metavar="ARM=NUMBER",
              help="Give an arm this share of the asks at random, such as small=0.1. Repeat for "
              "several; they replace the earlier ones.")  # fmt: skip
@click.option("--no-shares", is_flag=True, help="End all shares.")
@click.option("--note", metavar="TEXT", help="Write a note into the log.")
@click.option("--correct", nargs=2, metavar="TRIAL VALUE",
              help="Correct the result of a trial: a number, failed, or '>=30'.")  # fmt: skip
@click.option("--least", type=float, help="Give each other arm at least this share.")
@options.storage
def steer(name: str, least: float | None, storage: str | None, **actions: Any) -> None:
    """Steer a running experiment: one thing at a time, each an event."""
    shares = _shares(actions["share"])
    actions["share"] = True if shares or least is not None else None
    given = [action for action in ACTIONS if actions[action] not in (None, False)]
    if len(given) != 1:
        known, typed = (["--" + each.replace("_", "-") for each in of] for of in (ACTIONS, given))
        raise ParameterError(
            f"Give one thing to do, of {', '.join(known)}; got {' and '.join(typed) or 'none'}."
        )
    value = actions[given[0]]
    outcome = parse_outcome(value[1]) if given == ["correct"] else {}
    with experiment(storage, name) as exp:
        match given[0]:
            case "pin":
                exp.pin(value)
            case "unpin":
                exp.pin(None)
            case "add":
                exp.add_arm(value)
            case "retire":
                exp.retire(value)
            case "note":
                exp.note(value)
            case "correct":
                with shell_hints(name, value[0]):
                    exp.correct(value[0], **outcome)
            case _:
                exp.shares(shares, least=least or 0.0)
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
