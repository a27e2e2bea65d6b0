"""Asks and tells of an experiment."""

from collections.abc import Iterable, Sequence
from typing import Any

from .. import checks
from ..errors import ParameterError
from .decisions import Ask, decide_ask
from .outcomes import Outcome
from .standby import Standby
from .telling import (
    give_back,
    identity_of,
    outcome_of,
    seconds,
    tell_arm,
    tell_arms,
    tell_named,
    tell_segments,
    tell_trial,
    valued,
)
from .trial import Trial

Told = Trial | str


class Asking:
    """What workers call."""

    name: str
    _standby: Standby

    def _perform(self, operation: Any, *, durable: bool, timeout: float | None = None) -> Any:
        raise NotImplementedError

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
        wanted = Ask(_listed(among), by, key)
        if default is None and timeout is None:
            found: Trial = self._perform(lambda writer: decide_ask(writer, wanted), durable=False)
        else:
            found = self._standby.ask(wanted, default, timeout)
        return found.of(self)

    def ask_many(
        self, count: int, *, among: Iterable[Any] | None = None, by: str | None = None
    ) -> list[Trial]:
        """Return so many trials, in one commit; each counts in the choice of the next."""
        wanted = Ask(_listed(among), by)
        number = checks.integer("count", count, least=1, most=100_000)
        found: list[Trial] = self._perform(
            lambda writer: [decide_ask(writer, wanted) for _ in range(number)], durable=False
        )
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
        given = [each for each in (told, trial, arm) if each is not None]
        if len(given) != 1:
            raise ParameterError("Tell one trial, or one arm for an outcome without an ask.")
        whose: Any = given[0]
        name = whose.arm if isinstance(whose, Trial) else whose
        outcome = outcome_of(name, value, failed=failed, at_least=at_least)
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        stood_in = self._standby.stood_in(whose)
        if stood_in or arm is not None:
            operation = tell_arm(name, outcome, whose.by or None if stood_in else by)
        elif isinstance(whose, Trial) or trial is not None:
            operation = tell_trial(identity_of(whose, self.name), outcome)
        else:
            operation = tell_named(whose, outcome, by)
        if isinstance(whose, Trial):
            whose.settle()
        if limit is not None or stood_in:
            return self._standby.tell(operation, limit)
        answer: str = self._perform(operation, durable=True)
        return answer

    def tell_many(self, outcomes: Iterable[tuple[Told, float | Outcome]]) -> list[str]:
        """Tell the values of several trials, in one commit: all of them, or none."""
        given = [_pair(each) for each in outcomes]
        tells = [
            tell_trial(identity_of(trial, self.name), valued(str(trial), value))
            for trial, value in given
        ]
        for trial, _ in given:
            if isinstance(trial, Trial):
                trial.settle()
        found: list[str] = self._perform(lambda w: [tell(w) for tell in tells], durable=True)
        return found

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
        labels = by if by is None or isinstance(by, str) else list(by)
        for name, column in (("values", values), ("times", times), ("segments", labels)):
            if isinstance(column, list) and len(column) != len(arms):
                raise ParameterError(
                    f"Give as many {name} as arms; got {len(column)} and {len(arms)}."
                )
        told = [valued(arm, value) for arm, value in zip(arms, values, strict=True)]
        tell = tell_segments if isinstance(labels, list) else tell_arms
        self._perform(tell(arms, told, times, labels), durable=True)  # type: ignore[arg-type]
        return len(told)

    def release(self, trial: Told) -> None:
        """Give a trial back that will have no outcome; one that comes after all still counts."""
        if isinstance(trial, Trial):
            trial.settle()
        if not self._standby.stood_in(trial):
            self._perform(give_back(identity_of(trial, self.name)), durable=False)


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
