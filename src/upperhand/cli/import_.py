"""``upperhand import``: outcomes from a file into an experiment."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .. import checks
from ..errors import FileError, UnknownNameError
from ..text import counted, unguarded
from .arms import PATH
from .export import LINES
from .stores import by_option, experiment, name_argument, storage_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..live.outcomes import Outcome

EXPORTED = {"event", "outcome", "corrected_outcome", "corrected_value", "segment"}  # our columns


class Row(NamedTuple):
    """An outcome in a file."""

    number: int
    arm: str
    kind: str  # told, failed, at least
    value: float = 0.0
    segment: str | None = None


@click.command("import")
@name_argument
@click.argument("file", type=PATH)
@click.option("--arm-column", default="arm", show_default=True, metavar="NAME",
              help="The column of the arms, by its name or its number from 1.")  # fmt: skip
@click.option("--value-column", default="value", show_default=True, metavar="NAME",
              help="The column of the values, likewise.")  # fmt: skip
@by_option
@storage_option
def import_(
    name: str,
    file: Path,
    arm_column: str,
    value_column: str,
    by: str | None,
    storage: str | None,
) -> None:
    """Tell the outcomes in FILE to the experiment NAME, without asks: all of them, or none.

    FILE is CSV with a column of arms and one of values, or what upperhand export wrote: then its
    outcomes are read, failed ones and corrections included, each in its segment. They count as told
    now. Importing a file twice counts it twice.
    """
    path = str(file)
    if file.suffix.lower() in LINES:
        rows = _from_lines(path)
    else:
        rows = _from_table(path, arm_column, value_column)
    with experiment(storage, name) as exp:
        arms = _named(path, rows, [report.arm for report in exp.report()])
        segments = [by or row.segment for row in rows]
        done = exp.record(arms, [_outcome(path, row) for row in rows], by=segments)
    click.echo(f"{counted(done, 'outcome')} told to {name!r}.")


def _from_table(path: str, arm_column: str, value_column: str) -> list[Row]:
    """Return the outcomes of a CSV file."""
    from ..distributions.columns import read_table

    table = read_table(path)
    if not set(table.names) >= EXPORTED:
        arms, values = table.cells(arm_column), table.numbers(table.cells(value_column))
        return [Row(n, arm, "told", x) for (n, arm), x in zip(arms, values, strict=True)]
    columns = ("arm", "outcome", "value", "corrected_outcome", "corrected_value", "segment",
               "status")  # fmt: skip
    cells = zip(*(table.cells(column) for column in columns), strict=True)
    rows = []
    for own in cells:
        number, _ = own[0]
        arm, outcome, value, corrected, other, segment, status = (text for _, text in own)
        if status:  # an outcome; corrections themselves have none
            kind, cell = (corrected, other) if corrected else (outcome, value)
            known = 0.0 if kind == "failed" else table.numbers([(number, cell)])[0]
            rows.append(Row(number, unguarded(arm), kind, known, unguarded(segment) or None))
    return _some(path, rows)


def _from_lines(path: str) -> list[Row]:
    """Return the outcomes in lines of JSON that `export` wrote."""
    number, rows = 0, []
    try:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                rows += _from_record(number, json.loads(text))
    except OSError as error:
        raise FileError(f"Cannot read {path!r}: {error.strerror}. Check the path.") from error
    except (ValueError, KeyError, AttributeError) as error:
        raise FileError(
            f"{path!r}, row {number}: not a line that upperhand export wrote. Give its file as it "
            "was written, or CSV. Nothing was told."
        ) from error
    return _some(path, rows)


def _from_record(number: int, record: Any) -> list[Row]:
    """Return the outcome that a record is, if it is one."""
    if record.get("status") is None:
        return []
    told = record.get("corrected", record)
    value = checks.as_float(told.get("value", 0.0))
    return [Row(number, record["arm"], told["outcome"], value, record.get("segment"))]


def _some(path: str, rows: list[Row]) -> list[Row]:
    if not rows:
        raise FileError(f"{path!r} holds no outcomes, so nothing was told.")
    return rows


def _named(path: str, rows: "Sequence[Row]", known: list[str]) -> list[str]:
    """Return the arms of the rows, if there are all of them."""
    names = set(known)
    for row in rows:
        if row.arm not in names:
            told = UnknownNameError.among("arm", row.arm, known)
            raise FileError(
                f"{path!r}, row {row.number}: {told} Nothing was told. To add an arm: upperhand "
                "steer NAME --add ARM."
            )
    return [row.arm for row in rows]


def _outcome(path: str, row: Row) -> "Outcome":
    from ..live.log import Kind
    from ..live.outcomes import Outcome

    kinds: dict[str, Any] = {"told": Kind.TOLD, "failed": Kind.FAILED, "at least": Kind.AT_LEAST}
    if row.kind not in kinds or not checks.is_reward(row.value):
        raise FileError(
            f"{path!r}, row {row.number}: a value must be {checks.A_REWARD}; got {row.kind} "
            f"{row.value!r}. Nothing was told."
        )
    return Outcome(kinds[row.kind], row.value)
