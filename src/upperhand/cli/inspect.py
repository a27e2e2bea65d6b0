"""``upperhand show``, ``log``, ``export``, ``import``, ``replay`` and ``watch``."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .. import checks
from ..errors import FileError, ParameterError, UnknownNameError
from ..text import counted, is_terminal, printable, unguarded
from . import options
from .options import PATH, WHOLE, check_files, experiment, log_of, opened_store, to_json

if TYPE_CHECKING:
    from ..live.log import Columns, Log
    from ..live.outcomes import Outcome
    from ..live.records import Record


@click.command()
@options.name
@options.by
@options.confidence
@options.plot("shares and quantiles over time")
@options.storage
@options.as_json
def show(
    name: str,
    by: str | None,
    confidence: float,
    plot: Path | None,
    storage: str | None,
    as_json: bool,
) -> None:
    """Show what is known of each arm and which one leads."""
    check_files({"--plot": plot})
    with experiment(storage, name) as exp:
        if as_json:
            known = {
                "experiment": exp.name, "segment": by, "confidence": confidence,
                "settings": exp.settings.to_json(), "counts": exp.counts(),
                "segments": exp.segments, "leader": exp.leader(confidence, by=by),
                "arms": exp.report(confidence, by=by),
            }  # fmt: skip
        shown = to_json(known) if as_json else exp.summary(confidence, by=by)
        if plot:
            history = exp.history(confidence, by=by)
            options.draw(plot, "experiment:experiment_figure", history, confidence)
    click.echo(shown)


EVERY = 0.5  # seconds between looks for news
SHOWN = ("n", "time", "event")  # first, in columns
LONG = ("seconds", "policy", "version", "stream", "settings", "program", "key")  # only in JSON


@click.command()
@options.name
@click.option("--since", type=WHOLE, default=0, help="Only events after this number.")
@click.option("--follow", is_flag=True, help="Go on with what happens, until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as one line of JSON.")
@options.storage
def log(name: str, since: int, follow: bool, as_json: bool, storage: str | None) -> None:
    """Print what happened, one line an event.

    In JSON, an ask has its candidates, the arm, its probability and how that is known, the policy,
    the version that chose, and the key of its random numbers.
    """
    checks.integer("since", since, least=0)
    for record in _recorded(storage, name, since=since, follow=follow):
        written = json.dumps(record, allow_nan=False) if as_json else line(record)
        sys.stdout.write(f"{written}\n")
        if follow:
            sys.stdout.flush()
    sys.stdout.flush()


def _recorded(
    storage: str | None, name: str, *, since: int = 0, follow: bool = False
) -> "Iterator[Record]":
    """Yield events as records: those that are there, and with `follow` those that come."""
    from ..live.opening import stored
    from ..live.records import records
    from ..live.replay import corrections

    with opened_store(storage) as store:
        log = log_of(store, name)
        settings = stored(log)
        if settings is not None:
            first = log.read()
            chunks = _chunks(log, first) if follow else [first]
            yield from records(settings, chunks, corrections(first), since=since)


def _chunks(log: "Log", news: "Columns") -> "Iterator[Columns]":
    """Yield the events there are, and then those that come."""
    after = 0
    while True:
        if len(news.n):
            after = int(news.n[-1])
            yield news
        else:
            time.sleep(EVERY)
        news = log.read(after)


def line(record: "Record") -> str:
    """Return a record as one line for people: time, event, and its other fields."""
    rest = {key: value for key, value in record.items() if key not in (*SHOWN, *LONG)}
    said = "  ".join(f"{key}={_word(value)}" for key, value in rest.items())
    when = f"{record['time'][:23].replace('T', ' ')}Z"
    return printable(f"{record['n']:>6}  {when}  {record['event']:10}  {said}").rstrip()


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_word(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return ",".join(map(_word, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


COLUMNS = (
    "n", "time", "seconds", "event", "trial", "arm", "segment", "outcome", "value", "status",
    "corrected_outcome", "corrected_value", "probability", "how", "hits", "draws", "candidates",
    "policy", "version", "seed", "stream", "more",
)  # fmt: skip
LINES = (".jsonl", ".ndjson")


@click.command()
@options.name
@click.option("--out", type=PATH, help="A .csv or .jsonl file; by default CSV is printed.")
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON instead of CSV.")
@options.storage
def export(name: str, out: Path | None, as_json: bool, storage: str | None) -> None:
    """Write every event with all that belongs to it, as CSV or JSON.

    upperhand import reads either back: its outcomes, into an experiment of any name.
    """
    from ..files import check_writable, replacing

    if out is None:
        sys.stdout.writelines(_texts(storage, name, lines=as_json))
        sys.stdout.flush()
        return
    suffix = out.suffix.lower()
    if suffix not in (".csv", *LINES):
        raise ParameterError(f"The file's name must end in .csv or .jsonl; got {str(out)!r}.")
    if as_json and suffix == ".csv":
        raise ParameterError("--json writes lines of JSON: give a file that ends in .jsonl.")
    check_writable(out)
    texts = _texts(storage, name, lines=suffix in LINES)
    first = next(texts)  # an experiment that is not there is refused before a file is made
    with replacing(out) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(first)
        file.writelines(texts)


def _texts(storage: str | None, name: str, *, lines: bool) -> Iterator[str]:
    """Yield the file line by line: a log of a million events does not fit a screen or a list."""
    from ..text import csv_lines

    found = _recorded(storage, name)
    if lines:
        yield from (json.dumps(record, allow_nan=False) + "\n" for record in found)
    else:
        first = list(islice(found, 1))  # or an error, before anything is printed
        yield from csv_lines(chain([COLUMNS], map(row, chain(first, found))))


def row(record: "Record") -> list[Any]:
    """Return a record as a row; what has no column of its own is JSON in the last one."""
    rest = dict(record)
    corrected = rest.pop("corrected", {})
    stream = rest.pop("stream", {})
    flat = {
        **{key: rest.pop(key) for key in COLUMNS if key in rest},
        "corrected_outcome": corrected.get("outcome"),
        "corrected_value": corrected.get("value"),
        "seed": stream.get("seed"),
        "stream": stream.get("trial"),
        "more": rest or None,
    }
    return [_cell(flat.get(column)) for column in COLUMNS]


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    return "" if value is None else value


EXPORTED = (  # our columns: with all of them, a file is one that export wrote
    "arm", "outcome", "value", "corrected_outcome", "corrected_value", "segment", "status",
)  # fmt: skip


class Row(NamedTuple):
    number: int
    arm: str
    kind: str  # told, failed, at least
    value: float = 0.0
    segment: str | None = None


@click.command("import")
@options.name
@click.argument("file", type=PATH)
@click.option("--arm-column", default="arm", metavar="NAME",
              help="The column of the arms, by its name or its number from 1.")  # fmt: skip
@click.option("--value-column", default="value", metavar="NAME",
              help="The column of the values, likewise.")  # fmt: skip
@options.by
@options.storage
def import_(
    name: str, file: Path, arm_column: str, value_column: str, by: str | None, storage: str | None
) -> None:
    """Record the outcomes in FILE, without asks: all of them, or none.

    FILE is CSV with a column of arms and one of values, or what upperhand export wrote: then its
    outcomes are read, failed ones and corrections included, each in its segment. Their time is that
    of the import. Importing a file twice counts it twice.
    """
    path, lines = str(file), file.suffix.lower() in LINES
    rows = _from_lines(path) if lines else _from_table(path, arm_column, value_column)
    if not rows:
        raise FileError(f"{path!r} holds no outcomes, so nothing was recorded.")
    with experiment(storage, name) as exp:
        known = dict.fromkeys(str(report.arm) for report in exp.report())
        outcomes = [_outcome(path, row, known) for row in rows]
        segments = [by or row.segment for row in rows]
        done = exp.record([row.arm for row in rows], outcomes, by=segments)
    click.echo(f"{counted(done, 'outcome')} recorded for {name!r}.")


def _from_table(path: str, arm_column: str, value_column: str) -> list[Row]:
    from ..distributions.empirical import read_table

    table = read_table(path)
    if not set(table.names) >= set(EXPORTED):
        arms, values = table.cells(arm_column), table.numbers(table.cells(value_column))
        return [Row(n, arm, "told", x) for (n, arm), x in zip(arms, values, strict=True)]
    rows = []
    for own in zip(*map(table.cells, EXPORTED), strict=True):
        number, _ = own[0]
        arm, outcome, value, corrected, other, segment, status = (text for _, text in own)
        if status:  # an outcome; corrections themselves have none
            kind, cell = (corrected, other) if corrected else (outcome, value)
            known = 0.0 if kind == "failed" else table.numbers([(number, cell)])[0]
            rows.append(Row(number, unguarded(arm), kind, known, unguarded(segment) or None))
    return rows


def _from_lines(path: str) -> list[Row]:
    """Return the outcomes in lines of JSON that `export` wrote."""
    number, rows = 0, []
    try:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                record = json.loads(text)
                if record.get("status") is not None:  # an outcome
                    final = record.get("corrected", record)
                    value = checks.as_float(final.get("value", 0.0))
                    own = str(record["arm"]), final["outcome"], value, record.get("segment")
                    rows.append(Row(number, *own))
    except OSError as error:
        raise FileError(f"Cannot read {path!r}: {error.strerror}. Check the path.") from error
    except (ValueError, KeyError, AttributeError) as error:
        raise FileError(
            f"{path!r}, row {number}: not a line that upperhand export wrote. Give its file as it "
            "was written, or CSV. Nothing was recorded."
        ) from error
    return rows


def _outcome(path: str, row: Row, arms: Iterable[str]) -> "Outcome":
    """Return the outcome of a row; refuse an arm that the experiment does not have."""
    from ..live.log import Kind
    from ..live.outcomes import Outcome

    if row.arm not in arms:
        error = UnknownNameError.among("arm", row.arm, arms)
        raise FileError(
            f"{path!r}, row {row.number}: {error} Nothing was recorded. To add an arm: "
            "upperhand steer NAME --add ARM."
        )
    kinds: dict[str, Any] = {"told": Kind.TOLD, "failed": Kind.FAILED, "at least": Kind.AT_LEAST}
    if row.kind not in kinds or not checks.is_reward(row.value):
        raise FileError(
            f"{path!r}, row {row.number}: a value must be {checks.A_REWARD}; got {row.kind} "
            f"{row.value!r}. Nothing was recorded."
        )
    return Outcome(kinds[row.kind], row.value)


@click.command()
@options.name
@options.storage
@options.as_json
def check(name: str, storage: str | None, as_json: bool) -> None:
    """Check that the log is as it was written, and that replaying it gives the same choices.

    \b
    Exit codes: 0 all is well; 1 the log is damaged, or something differs, which is shown.
    """  # noqa: D301
    from ..live.opening import stored
    from ..live.replay import Replay
    from ..live.verify import verify

    with opened_store(storage) as store:
        log = log_of(store, name)
        log.check()
        settings = stored(log)
        if settings is None:
            raise ParameterError(f"The log of {name!r} is empty. Make it again: upperhand new.")
        found, snapshot = verify(log, settings, Replay(settings).state(log)), log.snapshot()
    same = found.choices_equal and found.state_equal
    said = {True: "the same", False: "DIFFERENT"}
    if as_json:
        of = None if snapshot is None else snapshot[0]
        click.echo(to_json({"same": same, "snapshot": of, **found._asdict()}))
    else:
        click.echo(
            f"{counted(found.events, 'event')} as written, replayed in {found.seconds:.2f} s: "
            f"{counted(found.asks, 'choice')} {said[found.choices_equal]}, the state after "
            f"{counted(found.outcomes, 'outcome')} {said[found.state_equal]}."
        )
        if found.first_difference is not None:
            click.echo(f"The first difference: {found.first_difference}")
    sys.exit(0 if same else 1)


@click.command()
@options.name
@click.option("--from", "source", envvar=options.VARIABLE, show_envvar=True, metavar="URL",
              help="Where the experiment is.")  # fmt: skip
@click.option("--to", "target", required=True, metavar="URL", help="Where its copy goes.")
@click.option("--until", type=WHOLE, help="Copy only so many events.")
def copy(name: str, source: str | None, target: str, until: int | None) -> None:
    """Copy an experiment to another file or server, while it runs, and check the copy.

    With --until, what is whole of a damaged log can be kept. The original is not changed.
    """
    from ..live.copying import copy_log
    from ..live.log import open_storage

    with opened_store(source) as store:
        log = log_of(store, name)
        with closing(open_storage(options.required_storage(target))) as other:
            count = copy_log(log, other, until)
    click.echo(f"{counted(count, 'event')} copied and checked.")


@click.command()
@options.name
@options.storage
def clock(name: str, storage: str | None) -> None:
    """Go on by this machine's clock, if the log was written by one that was ahead."""
    with experiment(storage, name) as exp:
        ahead = exp.reset_clock()
    click.echo(f"The log was {ahead:,.1f} s ahead." if ahead else "The log was not ahead.")


@click.command()
@options.name
@options.by
@options.confidence
@click.option("--every", default=2.0, help="Seconds between tables.")
@click.option("--times", type=WHOLE, help="The number of tables; by default until Ctrl-C.")
@options.storage
def watch(
    name: str,
    by: str | None,
    confidence: float,
    every: float,
    times: int | None,
    storage: str | None,
) -> None:
    """Show what is known of each arm as it changes, until Ctrl-C.

    On a terminal each table replaces the last one; elsewhere it follows it.
    """
    checks.real("every", every, least=0.05)
    if times is not None:
        checks.integer("times", times, least=1)
    with experiment(storage, name) as exp:
        tables = _tables(lambda: str(exp.summary(confidence, by=by)), every, times)
        if not is_terminal(sys.stdout):
            for table in tables:
                click.echo(f"{table}\n")
            return
        from rich.live import Live
        from rich.text import Text

        with Live(auto_refresh=False) as screen:
            for table in tables:
                screen.update(Text(table, no_wrap=True, overflow="ellipsis"), refresh=True)


def _tables(table: Callable[[], str], every: float, times: int | None) -> Iterator[str]:
    for number in count(1):
        yield f"{table()}\n{time.strftime('%H:%M:%S')}"
        if number == times:
            return
        time.sleep(every)
