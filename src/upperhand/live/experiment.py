"""A live experiment whose every ask and tell is on the disk before it is answered."""

import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from typing import Any, Literal, Self

from .. import checks
from ..errors import ParameterError, StoreError
from ..objectives import Direction
from ..policies.parsing import PolicyLike
from ..results import frame
from .copying import copy_log
from .decide import (
    AddArm,
    Ask,
    Clock,
    Command,
    Correct,
    Note,
    Pin,
    Record,
    Release,
    Retire,
    Share,
    Tell,
    TellArm,
    TellNamed,
)
from .engine import Engine
from .fallback import Fallback, is_default
from .log import Storage, open_storage
from .log.event import Columns
from .measured import Measured
from .opening import opened
from .outcomes import Outcome, identity_of, outcome_of, seconds, valued
from .records import Record as LogRecord
from .records import records, trials
from .replay import Replay, corrections
from .settings import storable_arms
from .state import ExperimentState
from .trial import Trial
from .views import Views

Told = Trial | str
LONGEST_NOTE = 10_000
MOST_AT_ONCE = 100_000  # asks in one commit


class Experiment(Measured, Views):
    """Choose between arms by a quantile of what they do, for weeks, from many workers.

    Everything is an event in an append-only log. An answer is given when its event is on the disk
    (an ask: with the next outcome at the latest), and opening the experiment again continues it, by
    any number of threads, processes and, with PostgreSQL, machines. Threads can share one.

    Parameters
    ----------
    name
        The experiment's name in the store. One that is there is continued.
    arms
        Different names or numbers, or a dict of names and configurations. Can be left out when an
        experiment is continued. Names are stored, and ``trial.config`` is the configuration.
    quantile
        Which quantile of its outcomes an arm is worth: 0.95 for a p95.
    direction
        "minimize" if small outcomes are good, as latencies are, or "maximize". It does not depend
        on `quantile`: for rewards whose worst case is good, take 0.05 and "maximize".
    best_of
        Instead of `quantile`: an arm is worth the best of N trials, by its median. That is the
        quantile at 2^(−1/N), and at 1 − 2^(−1/N) to minimize.
    policy
        How to choose: a policy, or its class or name, such as "acp-ucb1:scale=auto", which get the
        quantile. By default frugal KL-QUCB+, which needs no scale.
    storage
        ``"bandits.db"``, ``"postgresql://…"``; by default in memory, for tries and tests.
    seed
        For policies and shares that draw random numbers.
    lease
        Seconds until a trial without an outcome is released; 600 by default. An outcome that comes
        later still counts.
    duration
        The unit, "s", "ms" or "us", if outcomes are the times that trials take. The ages of trials
        that still run then count in the choice, too.
    window, half_life
        Which outcomes count, for arms that change: 500 are the last 500 of each arm, "2000 rounds"
        the last 2,000 of all arms, "10m" those of the last ten minutes.
    rounds
        How many trials are expected to be asked for, in each segment, if that is known. The policy
        then explores less towards the end; what is beyond is chosen as without `rounds`.
    draws
        How often a choice of a policy that draws random numbers is repeated, to log its
        probability.

    Examples
    --------
    >>> import upperhand as uh
    >>> exp = uh.Experiment("model", ["small", "large"], quantile=0.95, direction="minimize")
    >>> for milliseconds in (120, 180, 130, 170):
    ...     answer = exp.ask().tell(milliseconds)
    >>> exp.ask().arm, exp.quantile("small")
    ('small', 170.0)
    """

    @checks.our_keywords
    def __init__(
        self,
        name: str,
        arms: Any = None,
        *,
        quantile: float | None = None,
        direction: Direction | None = None,
        best_of: int | None = None,
        policy: PolicyLike | None = None,
        storage: str | os.PathLike[str] | Storage | None = None,
        seed: int | None = None,
        lease: float | None = None,
        duration: Literal["s", "ms", "us"] | None = None,
        window: int | str | timedelta | None = None,
        half_life: int | str | timedelta | None = None,
        draws: int | None = None,
        rounds: int | None = None,
    ) -> None:
        given = {
            "arms": arms, "quantile": quantile, "direction": direction, "best_of": best_of,
            "policy": policy, "seed": seed, "lease": lease, "duration": duration,
            "window": window, "half_life": half_life, "draws": draws, "rounds": rounds,
        }  # fmt: skip
        self._configurations = dict(arms) if isinstance(arms, Mapping) else {}
        self.name, self.storage = name, open_storage(storage)
        self._title = f"Experiment {name!r}"
        self._lent = self.storage is storage  # whoever opened it closes it
        try:
            self._log = self.storage.log(name)
            self.settings = opened(self._log, given)
            self._replay = Replay(self.settings)
            self._engine = Engine(self._log, self._replay)
            self._save()
        except BaseException:
            self._leave()
            raise
        self._fallback = Fallback(self._engine)

    def ask(
        self,
        *,
        among: Iterable[Any] | None = None,
        by: str | None = None,
        key: str | None = None,
        default: Any = None,
        timeout: float | None = None,
    ) -> Trial:
        """Return a trial: the arm to use, and the id under which its outcome is recorded.

        Parameters
        ----------
        among
            The arms that can be used this time, such as the healthy ones; by default all.
        by
            A segment, such as "region=eu": each has a bandit of its own.
        key
            While a trial with this key is under way, others with this key get its arm.
        default, timeout
            The arm to return if the store has not answered after `timeout` seconds, or is away.
            Such asks are not logged; their number is, once the store is back.
        """
        if default is None and timeout is None:
            wanted = Ask(among if among is None else _listed(among), by, key)
            found: Trial = self._run(wanted, durable=False)
        else:
            wanted, limit = self._asking(
                among=among, by=by, key=key, default=default, timeout=timeout
            )
            found = self._fallback.ask(wanted, limit)
        return found.of(self)

    def _asking(
        self, *, among: Any = None, by: Any = None, key: Any = None, default: Any = None,
        timeout: float | None = None,
    ) -> tuple[Ask, float | None]:  # fmt: skip
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        return Ask(_listed(among), by, key, default), limit

    def ask_many(
        self, count: int, *, among: Iterable[Any] | None = None, by: str | None = None
    ) -> list[Trial]:
        """Return so many trials, in one commit; each counts in the choice of the next."""
        wanted = Ask(_listed(among), by)
        number = checks.integer("count", count, least=1, most=MOST_AT_ONCE)
        self._fallback.catch_up()
        found = self._engine.run([wanted] * number, durable=False)
        return [trial.of(self) for trial in found]

    def tell(
        self,
        told: Any = None,
        value: float | None = None,
        *,
        failed: bool = False,
        at_least: float | None = None,
        trial: Told | None = None,
        arm: Any = None,
        by: str | None = None,
        timeout: float | None = None,
    ) -> str:
        """Record the outcome of a trial: a value, that it failed, or that it is at least so much.

        Telling the same again changes nothing and returns "again"; another value is refused. The
        answer is "told", or "late" if the lease was over, or "lost" if a power cut had lost the
        ask: all of these count. With `timeout`, an outcome that the store does not take in time is
        "kept", and written when the store is back.

        Parameters
        ----------
        told
            The trial or its id; or an arm, for an outcome without an ask.
        value
            What is measured.
        failed
            The worst outcome there is.
        at_least
            A time-out, say: the value is at least this, and no more is known.
        trial, arm
            Instead of `told`, where a name is both an arm and the id of a trial.
        by
            The segment of an outcome without an ask.
        timeout
            Seconds to wait for the store.
        """
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        command, kept = self._telling(
            told, value, failed=failed, at_least=at_least, trial=trial, arm=arm, by=by
        )
        if limit is not None or kept:
            return self._fallback.tell([command], limit)
        answer: str = self._run(command, durable=True)
        return answer

    def _telling(
        self, told: Any = None, value: Any = None, *, failed: bool = False, at_least: Any = None,
        trial: Any = None, arm: Any = None, by: Any = None,
    ) -> tuple[Command, bool]:  # fmt: skip
        """Return what to decide, and whether it is of a trial that the store does not know."""
        whose = told if told is not None else trial if trial is not None else arm
        if (told is not None) + (trial is not None) + (arm is not None) != 1:
            raise ParameterError("Tell one trial, or one arm for an outcome without an ask.")
        is_trial = isinstance(whose, Trial)
        name = whose.arm if is_trial else whose
        outcome = outcome_of(name, value, failed=failed, at_least=at_least)
        command: Command
        if (defaulted := is_default(whose)) or arm is not None:
            label = whose.by or None if defaulted else by
            command = TellArm(name, outcome, label, -1 - secrets.randbits(62))
        elif is_trial or trial is not None:
            command = Tell(identity_of(whose, self.name), outcome)
        else:
            command = TellNamed(whose, outcome, by, -1 - secrets.randbits(62))
        if is_trial:
            whose.settle()
        return command, defaulted

    def tell_many(self, outcomes: Iterable[tuple[Told, float | Outcome]]) -> list[str]:
        """Tell the values of several trials, in one commit: all of them, or none."""
        given = [_pair(each) for each in outcomes]
        tells = [
            Tell(identity_of(trial, self.name), valued(str(trial), value)) for trial, value in given
        ]
        for trial, _ in given:
            if isinstance(trial, Trial):
                trial.settle()
        self._fallback.catch_up()
        return self._engine.run(tells, durable=True)

    def record(
        self,
        arms: Iterable[Any],
        values: Iterable[float | Outcome],
        *,
        at: Iterable[Any] | None = None,
        by: str | Iterable[str | None] | None = None,
    ) -> int:
        """Record many outcomes without asks, such as old data, in one commit; return how many.

        Each argument is a list or a column of a DataFrame. `at` is when each outcome was measured,
        which counts if outcomes are forgotten by time. `by` is a segment for all, or one for each.
        """
        arms, values = list(arms), list(values)
        times = None if at is None else seconds(at)
        labels = [by] * len(arms) if by is None or isinstance(by, str) else list(by)
        for name, column in (("values", values), ("times", times), ("segments", labels)):
            if isinstance(column, list) and len(column) != len(arms):
                raise ParameterError(
                    f"Give as many {name} as arms; got {len(column)} and {len(arms)}."
                )
        told = [valued(arm, value) for arm, value in zip(arms, values, strict=True)]
        segments: dict[str | None, list[int]] = {}
        for place, label in enumerate(labels):
            segments.setdefault(label, []).append(place)
        commands = [
            Record(
                [arms[i] for i in own],
                [told[i] for i in own],
                times and [times[i] for i in own],
                name,
            )
            for name, own in segments.items()
        ]
        self._fallback.catch_up()
        self._engine.run(commands, durable=True)
        return len(told)

    def release(self, trial: Told) -> None:
        """Give a trial back that will have no outcome; one that comes after all still counts."""
        if isinstance(trial, Trial):
            trial.settle()
        if not is_default(trial):
            self._run(Release(identity_of(trial, self.name)), durable=False)

    # What people do to an experiment while it runs. Each is an event

    def add_arm(self, name: Any) -> None:
        """Add an arm. Adding one that is there changes nothing; one that is retired comes back."""
        self._run(AddArm(storable_arms([name])[0]), durable=True)

    def retire(self, name: Any) -> None:
        """Ask for an arm no more; what is under way can be told, and nothing is forgotten."""
        self._run(Retire(name), durable=True)

    def pin(self, name: Any) -> None:
        """Give every ask this arm, if it is among the candidates; None: choose again."""
        self._run(Pin(name), durable=True)

    def shares(self, shares: Mapping[Any, float] | None = None, *, least: float = 0.0) -> None:
        """Give arms a share of the asks at random, whatever the policy says.

        ``shares({"small": 0.1})`` keeps 10 % for a control arm, ``shares(least=0.02)`` at least 2 %
        for each arm. They replace those set before; ``shares()`` ends them.
        """
        if not isinstance(shares or {}, Mapping):
            raise ParameterError(f'shares must be such as {{"small": 0.1}}; got {shares!r:.80}.')
        given = {arm: checks.real(f"the share of {arm!r}", share, least=0, most=1)
                 for arm, share in (shares or {}).items()}  # fmt: skip
        floor = checks.real("least", least, least=0, most=1)

        self._run(Share(given, floor), durable=True)

    def correct(
        self,
        trial: Trial | str,
        value: float | None = None,
        *,
        failed: bool = False,
        at_least: float | None = None,
    ) -> None:
        """Correct what was told of a trial. The log keeps both; what is known is recomputed."""
        identity = identity_of(trial, self.name)
        outcome = outcome_of(str(identity), value, failed=failed, at_least=at_least)
        self._run(Correct(identity, outcome), durable=True)

    def note(self, text: str) -> None:
        """Write a note into the log."""
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NOTE:
            raise ParameterError(f"A note must be a text of 1 to {LONGEST_NOTE:,} characters.")
        self._run(Note(text), durable=True)

    @property
    def arms(self) -> tuple[Any, ...]:
        """The arms that are not retired."""
        with self._look() as state:
            return tuple(state.names())

    def _configuration(self, arm: Any) -> Any:
        if arm not in self._configurations:
            raise ParameterError(
                f"The configuration of arm {arm!r} is not known, as a store keeps names only. Open "
                f"the experiment with arms={{{arm!r}: configuration, …}}."
            )
        return self._configurations[arm]

    def __len__(self) -> int:
        with self._look() as state:
            return state.counts["outcomes"]

    def _events(self) -> Columns:
        return self._log.read()

    def close(self) -> None:
        """Leave the experiment, with a snapshot that makes opening it fast."""
        try:
            self._fallback.close()
            with suppress(StoreError):
                self._engine.run([], durable=False)  # a server may have lost what was seen
                self._save()
        finally:
            self._engine.close()
            self._leave()

    def copy(self, to: str | os.PathLike[str] | Storage, until: int | None = None) -> int:
        """Copy the log to another store while it runs; return how many events it has there.

        With `until`, only so many events are copied, such as those of a damaged log that are
        whole. The copy is checked. It can be opened like the original, and goes its own way.
        """
        storage = open_storage(to)
        try:
            return copy_log(self._log, storage, until)
        finally:
            if storage is not to:
                storage.close()

    def reset_clock(self) -> float:
        """Go on by this machine's clock if the log is ahead of it; return by how many seconds.

        Times in a log never go back, so after a clock that was ahead nothing expires until that
        time has come.
        """
        found: float = self._run(Clock(time.time()), durable=True)
        return found

    def _save(self) -> None:
        """Write a snapshot if it is time; it is a cache, so failing is no harm."""
        with suppress(StoreError), self._engine.look() as state:
            self._replay.save(state, self._log)

    def _leave(self) -> None:
        if not self._lent:
            self.storage.close()

    def events(self, since: int = 0) -> Iterator[LogRecord]:
        """Yield the events after the first `since`, each as a record that stands on its own.

        An ask's has all that an off-policy analysis needs: candidates, arm, its probability and how
        that is known, policy, version and key of the random numbers.
        """
        columns = self._log.read()
        yield from records(self.settings, [columns], corrections(columns), since=since)

    def to_frame(self) -> Any:
        """Return a DataFrame with a row for each trial, and for each outcome without an ask.

        Columns: trial (its id), segment, arm, outcome ("told", "failed" or "at least"), value (the
        bound of an "at least"), asked and told (UTC), probability and how. What does not exist is
        missing: the outcome of a trial under way, the id of an outcome without an ask.
        Corrections are made.
        """
        return frame(trials(self.events()))

    def __reduce__(self) -> Any:
        raise TypeError(
            "An Experiment cannot be pickled or copied: open it again by its name and storage."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, command: Command, *, durable: bool) -> Any:
        """Run a command; return its answer when it is committed."""
        if self._fallback.waiting:
            self._fallback.catch_up()
        return self._engine.run((command,), durable=durable)[0]

    def _look(self) -> AbstractContextManager[ExperimentState]:
        return self._engine.look()


def _pair(given: Any) -> tuple[Any, Any]:
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        return given[0], given[1]
    raise ParameterError(f"Tell pairs of a trial and its value; got {given!r:.80}.")


def _listed(among: Iterable[Any] | None) -> tuple[Any, ...] | None:
    if among is None:
        return None
    if not isinstance(among, Iterable):
        raise ParameterError(f"among must be names of arms, such as a list; got {among!r}.")
    return (among,) if isinstance(among, str) else tuple(among)
