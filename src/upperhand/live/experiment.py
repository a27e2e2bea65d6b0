"""A live experiment whose every ask and tell is on the disk before it is answered."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Literal, Self

from .. import checks
from ..errors import ParameterError, StoreError
from ..objectives import Direction
from ..policies.parsing import PolicyLike
from ..results import frame
from .asking import Asking
from .commits import Commits
from .control import Control
from .log import Storage, open_storage
from .log.event import Columns
from .machine import Machine
from .measured import Measured
from .opening import opened
from .records import Record, records, trials
from .replay import Replay, corrections
from .session import Session
from .standby import Standby
from .views import Views


class Experiment(Asking, Control, Measured, Views):
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
            self._session = Session(self._log, self._replay)
            with suppress(StoreError):  # a cache: failing is no harm
                self._replay.save(self._session.machine, self._log)
        except BaseException:
            self._leave()
            raise
        self._commits = Commits(self._session)
        self._standby = Standby(self)

    @property
    def arms(self) -> tuple[Any, ...]:
        """The arms that are not retired."""
        with self._look() as machine:
            return tuple(machine.names())

    def _configuration(self, arm: Any) -> Any:
        if arm not in self._configurations:
            raise ParameterError(
                f"The configuration of arm {arm!r} is not known, as a store keeps names only. Open "
                f"the experiment with arms={{{arm!r}: configuration, …}}."
            )
        return self._configurations[arm]

    def __len__(self) -> int:
        with self._look() as machine:
            return machine.counts["outcomes"]

    def _events(self) -> Columns:
        return self._log.read()

    def close(self) -> None:
        """Leave the experiment, with a snapshot that makes opening it fast."""
        try:
            self._standby.close()
            with self._commits.alone(), suppress(StoreError):  # a cache: failing is no harm
                self._session.run([], durable=False)  # a server may have lost what was seen
                self._replay.save(self._session.caught_up(), self._log)
        finally:
            self._leave()

    def _leave(self) -> None:
        if not self._lent:
            self.storage.close()

    def events(self, since: int = 0) -> Iterator[Record]:
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

    def _perform(self, operation: Any, *, durable: bool, timeout: float | None = None) -> Any:
        if self._standby.waiting:
            self._standby.catch_up(timeout)
        return self._commits.perform(operation, durable=durable, timeout=timeout)

    @contextmanager
    def _look(self) -> Iterator[Machine]:
        with self._commits.alone():
            yield self._session.caught_up()
