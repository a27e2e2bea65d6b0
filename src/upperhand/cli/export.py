"""``upperhand export``: the log of an experiment as CSV or lines of JSON."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ParameterError
from .arms import PATH
from .stores import log_of, name_argument, opened_store, storage_option

if TYPE_CHECKING:
    from ..live.records import Record

COLUMNS = (
    "n", "time", "seconds", "event", "trial", "arm", "segment", "outcome", "value", "status",
    "corrected_outcome", "corrected_value", "probability", "how", "hits", "draws", "candidates",
    "policy", "version", "seed", "stream", "more",
)  # fmt: skip
LINES = (".jsonl", ".ndjson")


@click.command()
@name_argument
@click.option("--out", type=PATH, help="A file that ends in .csv or .jsonl; by default CSV is "
              "printed.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON instead of CSV.")
@storage_option
def export(name: str, out: Path | None, as_json: bool, storage: str | None) -> None:
    """Write every event with all that belongs to it, as CSV or as lines of JSON.

    upperhand import reads either back: its outcomes, into an experiment of any name.
    """
    from ..files import check_writable, replacing

    if out is None:
        screen = sys.stdout
        for text in _texts(storage, name, lines=as_json):
            screen.write(text)
        screen.flush()
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
    from ..live.opening import stored
    from ..live.records import records
    from ..live.replay import corrections
    from ..text import csv_lines

    with opened_store(storage) as store:
        log = log_of(store, name)
        settings, events = stored(log), log.read()
        found = records(settings, [events], corrections(events)) if settings else iter(())
        if lines:
            yield from (json.dumps(record, allow_nan=False) + "\n" for record in found)
        else:
            yield from csv_lines([COLUMNS])
            yield from csv_lines(map(row, found))


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
