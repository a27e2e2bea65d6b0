"""The tables, as numbered steps: the same ones for SQLite and PostgreSQL.

A step that was released is never edited; a change is a new step at the end. Each runs in one
transaction together with the number that says that it ran. After step 3 the store fills in marks
and ends of the logs that are there.
"""

from .event import OUTCOMES

_OUTCOMES = ", ".join(str(int(kind)) for kind in OUTCOMES)

STEPS = (
    # 1: events
    """
    create table {at}experiments (
      id {identity}, name text not null unique
    ){strict};
    create table {at}events (
      experiment {int64} not null, n {int64} not null, kind {int16} not null,
      trial {int64} not null, segment {int32} not null, arm {int32} not null,
      value {real} not null, at {real} not null, extra text,
      primary key (experiment, n)
    ){clustered};
    create unique index one_outcome on {at}events (experiment, trial)
      where trial <> 0 and kind in ("""
    + _OUTCOMES
    + """);
    """,
    # 2: snapshots
    """
    create table {at}snapshots (
      experiment {int64} not null primary key, n {int64} not null, data {bytes} not null,
      sha256 {bytes} not null
    ){strict};
    """,
    # 3: marks, and beside the events the number and mark of the last one
    """
    alter table {at}events add column mark {int64} not null default 0;
    create table {at}ends (
      experiment {int64} not null primary key, n {int64} not null, mark {int64} not null
    ){strict};
    """,
)
MARKS = 3  # the step from which on there are marks

SQLITE = {
    "at": "",
    "identity": "integer primary key",
    "int64": "integer",
    "int32": "integer",
    "int16": "integer",
    "real": "real",
    "bytes": "blob",
    "strict": " strict",
    "clustered": " strict, without rowid",
}
POSTGRES = {
    "at": "upperhand.",
    "identity": "bigint generated always as identity primary key",
    "int64": "bigint",
    "int32": "integer",
    "int16": "smallint",
    "real": "double precision",
    "bytes": "bytea",
    "strict": "",
    "clustered": "",
}

IS_OUTCOME = f"kind in ({_OUTCOMES}) and trial <> 0"  # as in the index, or it is not used


def newer(place: str, found: int) -> str:
    """Say that a store was made by a later version of upperhand."""
    return (
        f"{place} has schema {found}, and this version of upperhand knows {len(STEPS)}. "
        "Upgrade upperhand; nothing was changed."
    )
