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
    tell_arm,
    tell_arms,
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
        among: Iterable[str] | None = None,
        by: str | None = None,
        key: str | None = None,
        default: str | None = None,
        timeout: float | None = None,
    ) -> Trial:
        """Return a trial: the arm to use, and the id by which to tell what came of it.

        Parameters
        ----------
        among
            The arms that can be used this time, such as the healthy ones; by default all.
        by
            A segment, such as "region=eu": each has a bandit of its own.
        key
            Whoever has a trial under way under the same key gets the same arm.
        default, timeout
            The arm to answer if the store has not answered after `timeout` seconds, or is away.
            Such an ask is not logged at the time; how many there were is, once the store is back.
        """
        wanted = Ask(_listed(among), by, key)
        if default is None and timeout is None:
            found: Trial = self._perform(lambda writer: decide_ask(writer, wanted), durable=False)
        else:
            found = self._standby.ask(wanted, default, timeout)
        return found.of(self.name)

    def ask_many(
        self, count: int, *, among: Iterable[str] | None = None, by: str | None = None
    ) -> list[Trial]:
        """Return so many trials, in one commit; each counts in the choice of the next."""
        wanted = Ask(_listed(among), by)
        number = checks.integer("count", count, least=1, most=100_000)
        found: list[Trial] = self._perform(
            lambda writer: [decide_ask(writer, wanted) for _ in range(number)], durable=False
        )
        return [trial.of(self.name) for trial in found]

    def tell(
        self,
        trial: Told | None = None,
        value: float | None = None,
        *,
        failed: bool = False,
        at_least: float | None = None,
        arm: str | None = None,
        by: str | None = None,
        timeout: float | None = None,
    ) -> str:
        """Tell what came of a trial: a value, that it failed, or that it is at least so much.

        Telling the same again changes nothing and returns "again"; another value is refused. The
        answer is "told", or "late" if the lease was over, or "lost" if a power cut had lost the
        ask: all of these count. With `timeout`, an outcome that the store does not take in time is
        "kept", and written when the store is back.

        Parameters
        ----------
        trial
            The trial, or its id.
        value
            What is measured.
        failed
            The worst outcome there is.
        at_least
            A time-out, say: the value is at least this, and no more is known.
        arm, by
            To tell what an arm did without an ask, instead of `trial`.
        timeout
            Seconds to wait for the store.
        """
        if (trial is None) == (arm is None):
            raise ParameterError('Tell a trial, or an arm without an ask: tell(arm="…", value=…).')
        name = trial.arm if isinstance(trial, Trial) else str(trial if arm is None else arm)
        outcome = outcome_of(name, value, failed=failed, at_least=at_least)
        limit = None if timeout is None else checks.real("timeout", timeout, least=0)
        stood_in = isinstance(trial, Trial) and self._standby.stood_in(trial)
        if trial is None:
            operation = tell_arm(name, outcome, by)
        elif stood_in:
            operation = tell_arm(name, outcome, getattr(trial, "by", None) or None)
        else:
            operation = tell_trial(identity_of(trial, self.name), outcome)
        if isinstance(trial, Trial):
            trial.settle()
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
        arms: Sequence[str],
        values: Sequence[float | Outcome],
        *,
        by: str | Sequence[str | None] | None = None,
    ) -> int:
        """Tell many values without asks, such as old data, in one commit; return how many.

        `by` is a segment for all of them, or one for each.
        """
        if len(arms) != len(values):
            raise ParameterError(f"Give as many arms as values; got {len(arms)} and {len(values)}.")
        told = [valued(arm, value) for arm, value in zip(arms, values, strict=True)]
        if by is None or isinstance(by, str):
            self._perform(tell_arms(arms, told, by), durable=True)
        elif len(by) == len(arms):
            self._perform(tell_segments(arms, told, by), durable=True)
        else:
            raise ParameterError(f"Give as many segments as values; got {len(by)}.")
        return len(told)

    def release(self, trial: Told) -> None:
        """Give a trial back that nobody will tell of; an outcome that comes after all counts."""
        if isinstance(trial, Trial):
            trial.settle()
        if not self._standby.stood_in(trial):
            self._perform(give_back(identity_of(trial, self.name)), durable=False)


def _pair(given: Any) -> tuple[Any, Any]:
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        return given[0], given[1]
    raise ParameterError(f"Tell pairs of a trial and its value; got {given!r:.80}.")


def _listed(among: Iterable[str] | None) -> tuple[str, ...] | None:
    if among is None:
        return None
    if not isinstance(among, Iterable):
        raise ParameterError(f"among must be names of arms, such as a list; got {among!r}.")
    return (among,) if isinstance(among, str) else tuple(among)
