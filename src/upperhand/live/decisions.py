"""What to answer, and which events to append.

A choice is made in this order: the arm that is pinned; the arm that the same key has under way; a
share, by lot; else the policy. The probability that is logged is that of the arm under the mixture
of shares and policy.
"""

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import ParameterError, UnknownNameError
from .choosing import pick, prepare
from .log.event import Event, Kind
from .machine import Machine
from .settings import LONGEST_NAME
from .streams import CHANCES, CHOICE, SHARES
from .trial import Trial, TrialId
from .writer import Writer


class Choice(NamedTuple):
    """An arm, the probability that it had, and how that is known."""

    arm: int
    chance: float
    how: str
    resting: bool = False  # no candidate's quantile is known: the choice rests on who fails least
    hits: int | None = None  # of so many repeated draws, those that gave this arm


def among(machine: Machine, names: Iterable[Any] | None) -> list[int] | None:
    """Return the candidates in the order of the arms; None: every arm there is."""
    if names is None:
        active = machine.active
        if active is not None and not active:
            raise ParameterError("Every arm is retired. Add one by add_arm, or take one back.")
        return active
    wanted = list(names)
    arms = sorted({arm_number(machine, name) for name in wanted} - machine.retired)
    if not arms:
        raise ParameterError(
            f"among must name at least one arm that is not retired; got {wanted!r}. "
            f"There are: {', '.join(map(str, machine.names())) or 'none'}."
        )
    return arms


def arm_number(machine: Machine, name: Any) -> int:
    """Return the number of an arm."""
    found = machine.place(name)
    if found is None:
        raise UnknownNameError.among("arm", name, machine.names())
    return found


def choose(
    machine: Machine, segment: int, candidates: list[int] | None, trial: int, now: float
) -> Choice:
    """Return the arm for a trial, pins and keys apart."""
    player, streams = machine.players[segment], machine.streams
    draws = machine.settings.policy.draws
    ages = machine.ages(segment, now)
    prepared = prepare(player, candidates, ages)
    resting = prepared.least is not None
    arm = pick(player, prepared, streams.at(trial, CHOICE) if draws else None)
    shares = _shares(machine, candidates)
    own = 1.0 - sum(shares.values())  # what is left to the policy
    played = arm
    if shares:
        point = float(streams.at(trial, SHARES).random())
        for other, share in shares.items():
            point -= share
            if point < 0.0:
                arm = other
                break
    repeats = machine.settings.draws
    if draws and not resting and repeats:
        hits = sum(
            pick(player, prepared, streams.at(trial, CHANCES + i)) == arm for i in range(repeats)
        )
        counted = hits + (arm == played)  # the choice itself is one draw of the policy's
        chance = shares.get(arm, 0.0) + own * counted / (repeats + 1)
        return Choice(arm, chance, "monte-carlo", resting, hits)
    if draws and not resting:
        return Choice(arm, 0.0, "not computed", resting)
    chance = shares.get(arm, 0.0) + own * (arm == played)
    return Choice(arm, chance, "exact" if shares else "deterministic", resting)


def _shares(machine: Machine, candidates: list[int] | None) -> dict[int, float]:
    """Return the share that each candidate gets by lot, whatever the policy says."""
    if not machine.shares and not machine.least:
        return {}
    arms = range(len(machine.arms)) if candidates is None else candidates
    return {arm: machine.shares.get(arm, machine.least) for arm in arms}


class Ask(NamedTuple):
    """What `ask` was called with."""

    among: tuple[Any, ...] | None = None
    by: str | None = None
    key: str | None = None


def decide_ask(writer: Writer, ask: Ask) -> Trial:
    """Answer an ask."""
    machine, now = writer.machine, writer.now
    candidates = among(machine, ask.among)
    segment = segment_number(writer, ask.by)
    key = None if ask.key is None else _hashed(ask.key)
    trial = writer.next_trial()
    number = TrialId(*trial, 0).number
    choice = choice_of(machine, segment, candidates, key, number, now)
    identity = TrialId(*trial, choice.arm, segment)
    extra: dict[str, Any] = {}
    if choice.how != "deterministic":
        extra["how"] = choice.how
    if choice.resting:
        extra["how"] = "failures"
    if choice.hits is not None:
        extra["hits"], extra["draws"] = choice.hits, machine.settings.draws
    if ask.among is not None:
        extra["among"] = candidates
    if key is not None:
        extra["key"] = key
    chance = choice.chance
    writer.emit(Event(Kind.ASKED, number, segment, choice.arm, chance, now, extra or None))
    return Trial(
        str(identity), machine.arms[choice.arm], machine.deadline(now), chance,
        extra.get("how", "deterministic"), now, machine.labels[segment],
    )  # fmt: skip


def segment_number(writer: Writer, by: str | None) -> int:
    """Return the segment of that label; a new one is told by an event."""
    if by is None:
        return 0
    if not isinstance(by, str) or not by.isprintable() or not 0 < len(by) <= LONGEST_NAME:
        raise ParameterError(
            f"by must be a short text, such as 'region=eu', of at most {LONGEST_NAME} printable "
            f"characters; got {by!r:.80}."
        )
    labels = writer.machine.labels
    if by not in labels:
        writer.emit(Event(Kind.SEGMENT, 0, len(labels), -1, 0.0, writer.now, {"label": by}))
    return labels.index(by)


def choice_of(
    machine: Machine,
    segment: int,
    candidates: list[int] | None,
    key: str | None,
    number: int,
    now: float,
) -> Choice:
    """Return what a trial is answered with, at its time."""
    machine.tick(now)  # the ask's own event will do it again
    settled = _settled(machine, segment, candidates, key)
    return settled or choose(machine, segment, candidates, number, now)


def _settled(
    machine: Machine, segment: int, candidates: list[int] | None, key: str | None
) -> Choice | None:
    """Return the choice that is made already: an arm that is pinned, or that the key has."""
    allowed = range(len(machine.arms)) if candidates is None else candidates
    if machine.pinned is not None and machine.pinned in allowed:
        return Choice(machine.pinned, 1.0, "pinned")
    held = machine.sticky.get((segment, key)) if key is not None else None
    if held:
        arm = machine.pending[held[-1]].arm
        if arm in allowed:
            return Choice(arm, 1.0, "sticky")
    return None


def _hashed(key: str) -> str:
    """Return a key as it is logged: what users are called stays out of the log."""
    return hashlib.blake2b(str(key).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
