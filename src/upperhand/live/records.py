"""The log for people and for analyses: each event as a record that stands on its own.

A log keeps numbers, few bytes an event. A record says in words all that belongs to it: of an ask
the candidates, the arm, its probability and how that is known, the policy, the version that chose
and the key of the random numbers, which is what an off-policy analysis needs. Records are a pure
function of settings and events: whoever has the log has them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from .log.event import OUTCOMES, Columns, Event, Kind
from .settings import Settings, written
from .trial import ASKS, TrialId, number_parts

Record = dict[str, Any]
Corrections = Mapping[int, tuple[int, float]]  # by trial: kind and value that it really had

STRETCH = 10_000  # events that are taken out of arrays at once: fast, and few in memory
LAST = 253_402_300_799.0  # the end of the year 9999, beyond which there are no dates
COLUMNS = ("trial", "segment", "arm", "outcome", "value", "asked", "told", "probability", "how")
_ARRAYS = Columns._fields[:-1]

EVENTS = {
    Kind.CREATED: "created", Kind.OPENED: "opened", Kind.ASKED: "asked", Kind.TOLD: "told",
    Kind.FAILED: "failed", Kind.AT_LEAST: "at least", Kind.ADDED: "added",
    Kind.RETIRED: "retired", Kind.PINNED: "pinned", Kind.SHARES: "shares",
    Kind.CORRECTED: "corrected", Kind.NOTE: "note", Kind.LEADER: "leader",
    Kind.DEFAULTED: "defaulted", Kind.RELEASED: "given back", Kind.SEGMENT: "segment",
    Kind.CLOCK: "clock", Kind.COPIED: "copied",
}  # fmt: skip


def records(
    settings: Settings,
    chunks: Iterable[Columns],
    corrections: Corrections | None = None,
    *,
    since: int = 0,
) -> Iterator[Record]:
    """Yield the record of each event with n > since; the chunks begin with the first event.

    With `corrections`, as `replay.corrections` finds them, the record of an outcome also says what
    it was corrected to later.
    """
    reader = Reader(settings, corrections or {})
    for chunk in chunks:
        for begin in range(0, len(chunk.n), STRETCH):
            columns = (getattr(chunk, name)[begin : begin + STRETCH] for name in _ARRAYS)
            for n, *fields in zip(*(column.tolist() for column in columns), strict=True):
                event = Event._make((*fields, chunk.extra.get(n)))
                if n > since:
                    yield reader.record(n, event)
                reader.follow(event)


class Reader:
    """What must be known of the events before one to say it in words."""

    def __init__(self, settings: Settings, corrections: Corrections) -> None:
        self.settings, self.corrections = settings, corrections
        self.policy, self.seed = written(settings.policy), str(settings.seed)
        self.arms, self.labels = list(settings.arms), [""]
        self.retired: set[int] = set()
        self.versions: dict[int, str | None] = {}  # of the program, by opening
        self.asked: dict[int, float] = {}  # when each trial was asked that nobody told of yet
        self.asks = 0
        self.given_back: set[int] = set()
        self._all: list[str] = list(settings.arms)  # active arms; shared by records, never changed

    def record(self, n: int, event: Event) -> Record:
        """Return the record of the next event."""
        at = min(event.at, LAST)
        when = datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")
        made: Record = {"n": n, "time": when, "seconds": event.at, "event": self._name(event)}
        if event.trial > 0:
            identity = TrialId(*number_parts(event.trial), max(event.arm, 0), event.segment)
            made["trial"] = str(identity)
        if event.segment and event.kind != Kind.SEGMENT:
            made["segment"] = self.labels[event.segment]
        if 0 <= event.arm < len(self.arms):
            made["arm"] = self.arms[event.arm]
        return made | _SAID[event.kind](self, event, event.extra or {})

    def follow(self, event: Event) -> None:
        """Note what later records need of this event."""
        kind, extra = event.kind, event.extra or {}
        if kind == Kind.ASKED:
            self.asked[event.trial] = event.at
            self.asks += 1
        elif kind in OUTCOMES:
            self.asked.pop(event.trial, None)
            self.given_back.discard(event.trial)
        elif kind == Kind.RELEASED:
            self.given_back.add(event.trial)
        elif kind == Kind.OPENED:
            self.versions[int(event.value)] = extra.get("upperhand")
        elif kind == Kind.SEGMENT:
            self.labels.append(extra["label"])
        elif kind == Kind.ADDED:
            self.arms.append(extra["name"])
        elif kind == Kind.RETIRED:
            (self.retired.add if event.value else self.retired.discard)(event.arm)
        if kind in (Kind.ADDED, Kind.RETIRED):
            self._all = [arm for i, arm in enumerate(self.arms) if i not in self.retired]

    # What each kind of event says, besides its trial, segment and arm

    def _name(self, event: Event) -> str:
        if event.kind == Kind.RETIRED and not event.value:
            return "taken back"
        if event.kind == Kind.PINNED and event.arm < 0:
            return "unpinned"
        return EVENTS[Kind(event.kind)]

    def _created(self, _event: Event, _extra: Record) -> Record:
        return {"settings": self.settings.to_json()}

    def _opened(self, event: Event, extra: Record) -> Record:
        return {"opening": int(event.value), "version": extra.get("upperhand"), "program": extra}

    def _asked(self, event: Event, extra: Record) -> Record:
        among, how = extra.get("among"), extra.get("how", "deterministic")
        said: Record = {
            "candidates": self._all if among is None else [self.arms[arm] for arm in among],
            "probability": None if how == "not computed" else event.value,
            "how": how,
        }
        if "hits" in extra:
            said |= {"hits": extra["hits"], "draws": extra["draws"]}
        if "key" in extra:
            said["key"] = extra["key"]
        opening, _ = number_parts(event.trial)
        return said | {
            "policy": self.policy,
            "version": self.versions.get(opening),
            "stream": {"seed": self.seed, "trial": self._key(event.trial)},
        }

    def _key(self, trial: int) -> int:
        """Return by what the random numbers of an ask are keyed: the trial of a single opening."""
        return ASKS + self.asks + 1 if self.settings.by_count else trial

    def _outcome(self, event: Event, _extra: Record) -> Record:
        said = _outcome(event.kind, event.value) | {"status": self._status(event)}
        if event.trial in self.corrections:
            said["corrected"] = _outcome(*self.corrections[event.trial])
        return said

    def _status(self, event: Event) -> str:
        """Return whether an outcome came in time, late, of an ask that was lost, or of none."""
        if event.trial <= 0:
            return "no ask"
        asked, lease = self.asked.get(event.trial), self.settings.lease
        if asked is None:
            return "lost"
        expired = lease is not None and asked + lease < event.at
        return "late" if expired or event.trial in self.given_back else "in time"

    def _corrected(self, event: Event, extra: Record) -> Record:
        now = _outcome(int(extra["kind"]), event.value)
        return now | {"was": _outcome(*extra["was"])}

    def _shares(self, event: Event, extra: Record) -> Record:
        named = {self.arms[int(arm)]: share for arm, share in extra["shares"].items()}
        return {"shares": named, "least": event.value}

    def _added(self, _event: Event, extra: Record) -> Record:
        return {"arm": extra["name"]}

    def _defaulted(self, event: Event, extra: Record) -> Record:
        return {"asks": int(event.value), **extra}

    def _clock(self, event: Event, _extra: Record) -> Record:
        return {"ahead": event.value}

    def _copied(self, event: Event, _extra: Record) -> Record:
        return {"events": int(event.value)}

    def _plain(self, _event: Event, extra: Record) -> Record:
        return extra


def _outcome(kind: int, value: float) -> Record:
    """Return an outcome: its kind, and the value or bound if it has one."""
    said: Record = {"outcome": EVENTS[Kind(kind)]}
    return said if kind == Kind.FAILED else said | {"value": value}


_SAID: dict[int, Callable[[Reader, Event, Record], Record]] = {
    **dict.fromkeys(Kind, Reader._plain),
    **dict.fromkeys(OUTCOMES, Reader._outcome),
    Kind.CREATED: Reader._created,
    Kind.OPENED: Reader._opened,
    Kind.ASKED: Reader._asked,
    Kind.ADDED: Reader._added,
    Kind.SHARES: Reader._shares,
    Kind.CORRECTED: Reader._corrected,
    Kind.DEFAULTED: Reader._defaulted,
    Kind.CLOCK: Reader._clock,
    Kind.COPIED: Reader._copied,
}


def trials(found: Iterable[Record]) -> dict[str, Any]:
    """Return a row for each trial, and for each outcome without an ask, as columns."""
    rows: dict[Any, Record] = {}
    for record in found:
        if record["event"] != "asked" and "status" not in record:
            continue
        row = rows.setdefault(record.get("trial", -record["n"]), dict.fromkeys(COLUMNS))
        row |= {name: record[name] for name in ("trial", "segment", "arm") if name in record}
        if record["event"] == "asked":
            row |= {"asked": record["seconds"]} | {n: record[n] for n in ("probability", "how")}
        else:
            last = record.get("corrected", record)
            row |= {"told": record["seconds"], "outcome": last["outcome"]}
            row |= {"value": last.get("value")}
    columns = {name: [row[name] for row in rows.values()] for name in COLUMNS}
    times = {
        name: (np.array(columns[name], float) * 1e6).astype("datetime64[us]")
        for name in ("asked", "told")
    }
    numbers = {name: np.array(columns[name], float) for name in ("value", "probability")}
    return columns | times | numbers
