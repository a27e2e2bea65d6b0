"""What came of a trial, checked before anything is decided."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..errors import ParameterError, RewardError, UnknownNameError
from .log.event import Kind
from .trial import Trial, TrialId, parse_id


class Outcome(NamedTuple):
    """What came of a trial: its kind, and its value or bound."""

    kind: Kind
    value: float = 0.0


def reward(arm: str, given: Any) -> float:
    """Return what is told as a float, or refuse it before anything is learned."""
    value = given if type(given) is float else checks.as_float(given)
    if checks.is_reward(value):
        return value + 0.0  # −0.0 becomes 0.0
    raise RewardError(
        f"A reward must be {checks.A_REWARD}; got {given!r} for arm {arm!r}. Nothing was "
        "learned: tell such a number, or leave this one out."
    )


def outcome_of(name: str, value: Any, *, failed: bool, at_least: Any) -> Outcome:
    """Return the outcome that is told, exactly one of three."""
    known = checks.flag("failed", failed) + (value is not None) + (at_least is not None)
    if known != 1:
        got = "several" if known else f"none for {name!r}"
        raise ParameterError(f"Tell one of: a value, failed=True, at_least=…; got {got}.")
    if failed:
        return Outcome(Kind.FAILED)
    if at_least is not None:
        return Outcome(Kind.AT_LEAST, reward(name, at_least))
    return valued(name, value)


def valued(name: str, value: Any) -> Outcome:
    """Return the outcome that is a value; what is an outcome already stays one."""
    if isinstance(value, Outcome):
        return value._replace(value=reward(name, value.value))
    return Outcome(Kind.TOLD, reward(name, value))


def identity_of(trial: Trial | str, experiment: str) -> TrialId:
    """Return the id of a trial, or the one that a text is; refuse one of another experiment."""
    if isinstance(trial, Trial) and trial.experiment not in ("", experiment):
        raise UnknownNameError(
            f"Trial {trial.id!r} is of the experiment {trial.experiment!r}, and not of "
            f"{experiment!r}. Tell it there."
        )
    if isinstance(trial, Trial):
        return trial.identity or parse_id(trial.id)
    return parse_id(trial)


def seconds(at: Iterable[Any]) -> list[float]:
    """Return times of the past as seconds since 1970; a date without a zone is in UTC."""
    found = [_seconds(each) for each in at]
    if not all(0 < each <= time.time() for each in found):
        raise ParameterError("at must be times of the past, as dates or seconds since 1970.")
    return found


def _seconds(when: Any) -> float:
    if isinstance(when, np.datetime64):
        return float(when.astype("datetime64[us]").astype(float)) / 1e6  # NaN, if it is missing
    if isinstance(when, datetime) and when == when:  # unlike the NaT of pandas
        return when.replace(tzinfo=when.tzinfo or UTC).timestamp()
    return checks.as_float(when)
