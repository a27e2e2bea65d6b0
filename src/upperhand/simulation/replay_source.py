"""What is replayed: tables and arms whose outcomes are all known, and logs of choices."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..datasets.dataset import Dataset
from ..errors import ParameterError, TableError, UnknownNameError
from ..objectives import Direction
from .workers import MOST_ROUNDS

Values = NDArray[np.float64]
ORDERS = ("time", "shuffle", "resample")
DETERMINISTIC = (
    "This log does not say a chance that each arm had at least in every row. Set shares for an "
    "experiment whose log shall be evaluated, exp.shares(least=0.02); for a frame give propensity= "
    'and p_min=, or propensity="uniform".'
)


class Log(NamedTuple):
    """The rows of a log."""

    arm: NDArray[np.int64]  # (N,) which one it has the next outcome of
    keep: Values  # (N,) the probability that the row is kept


class Source(NamedTuple):
    """What is replayed."""

    arms: dict[str, Values]  # the outcomes of each arm; infinite where they are missing
    order: str
    horizon: int
    log: Log | None = None
    quantile: float | None = None  # what an experiment plays for, or a dataset is about
    direction: Direction = "maximize"


def table_of(given: Any, order: str | None, horizon: float | None) -> Source:
    """Return the arms of a table, a dict or a dataset, and the rounds to play."""
    if isinstance(given, Dataset):
        source = table_of(given.table() if given.paired else given.arms(), order, horizon)
        return source._replace(quantile=given.quantile, direction=given.direction)
    paired, columns = not isinstance(given, Mapping), columns_of(given)
    arms = {name: checks.numbers(f"arm {name!r}", values) for name, values in columns.items()}
    rows = min((len(values) for values in arms.values()), default=0)
    if len(arms) < 2 or rows < 2 or (paired and rows < len(arms)):
        raise TableError(
            "A replay needs two arms and two rows or more, and a table has a row for each round; "
            f"got {len(arms)} arms and {rows} rows. If its rows are the arms, write table.T."
        )
    order = checks.choice("order", order or ("time" if paired else "resample"), ORDERS)
    if order != "resample" and not paired:
        raise ParameterError(
            f'order="{order}" needs rows that pair the arms, and a dict of arms has none. Give a '
            'table, with a column for each arm, or choose order="resample".'
        )
    if horizon is None and not paired:
        raise ParameterError("Say how many rounds to play, such as horizon=1000.")
    horizon = rows if horizon is None else horizon
    rounds = checks.count("horizon", horizon, least=1, most=MOST_ROUNDS)
    if order == "shuffle" and rounds > rows:
        raise ParameterError(
            f'order="shuffle" plays each row once at most, and the table has {rows}; got '
            f"horizon={rounds}."
        )
    return Source(arms, order, rounds)


def columns_of(given: Any) -> Mapping[str, Any]:
    """Return the column of each arm."""
    if isinstance(given, Mapping):
        return {str(name): values for name, values in given.items()}
    if hasattr(given, "columns"):
        kinds = {name: np.asarray(given[name]).dtype.kind for name in given.columns}
        if texts := [name for name, kind in kinds.items() if kind not in "iuf"]:
            raise TableError(f"The column {texts[0]!r} holds no numbers. Leave it out.")
        return {str(name): given[name] for name in given.columns}
    try:
        table = np.asarray(given)
    except ValueError:  # rows of unequal lengths
        table = np.empty(0)
    if table.ndim != 2:
        raise TableError(
            "A table must have rows of equal length, one for each round, with a number for each "
            "arm. Arms of unequal lengths are a dict: {name: outcomes, …}."
        )
    return {str(arm): column for arm, column in enumerate(table.T)}


def experiment_log(experiment: Any) -> Source:
    """Return what an experiment chose by shares, with the outcomes that are known."""
    shares, least, found = dict[str, float](), 0.0, dict[str, list[Any]]()
    for each in experiment.events():
        if each["event"] == "shares":
            shares, least = each["shares"], each["least"]
        elif each["event"] == "asked" and each["how"] == "exact":
            bound = min(shares.get(arm, least) for arm in each["candidates"])
            if bound > 0:
                keep = bound / each["probability"]
                found[each["trial"]] = [tuple(each["candidates"]), each["arm"], keep, None]
        elif "status" in each and each.get("trial") in found:
            last = each.get("corrected", each)
            found[each["trial"]][3] = last["value"] if last["outcome"] == "told" else math.inf
    rows = [row for row in found.values() if row[3] is not None]
    if not rows:
        raise ParameterError(DETERMINISTIC)
    (names, _), *_ = Counter(row[0] for row in rows).most_common(1)
    _, arms, keep, outcomes = zip(*(row for row in rows if row[0] == names), strict=True)
    settings = experiment.settings
    direction: Direction = "minimize" if settings.minimize else "maximize"
    source = log_source(names, np.array(arms), np.array(outcomes), np.array(keep))
    return source._replace(quantile=settings.quantile, direction=direction)


def log_of(
    given: Any, arm: str | None, reward: str | None, propensity: str | None, p_min: float | None
) -> Source:
    """Return the log of an experiment, or of columns with a row for each choice."""
    if arm is None:
        return experiment_log(given)
    wanted = [arm, reward] if propensity in (None, "uniform") else [arm, reward, propensity]
    for name in wanted:
        if name not in given:
            raise UnknownNameError.among("column", name, given)
    arms = np.asarray(given[arm]).astype(str)
    names = tuple(np.unique(arms).tolist())
    chances = np.full(len(arms), 1.0 / len(names))
    if propensity == "uniform":
        p_min = 1.0 / len(names)
    elif propensity is not None:
        chances = checks.numbers(propensity, given[propensity])
    if propensity is None or p_min is None:
        raise ParameterError(DETERMINISTIC)
    if not ((chances > 0) & (chances <= 1)).all():
        raise ParameterError(
            f"Propensities must be > 0 and ≤ 1; got {chances.min()} to {chances.max()}."
        )
    p_min = checks.real("p_min", p_min, above=0, most=float(chances.min()))
    return log_source(names, arms, checks.numbers("reward", given[reward]), p_min / chances)


def log_source(names: Any, arms: Any, outcomes: Values, keep: Values) -> Source:
    """Return the log of these rows."""
    arm = np.array([names.index(each) for each in arms.tolist()])
    columns = {name: outcomes[arm == j] for j, name in enumerate(names)}
    for name, own in columns.items():
        if not len(own):
            raise TableError(f"Arm {name!r} never occurs in the log. Leave it out, or log more.")
    return Source(columns, "log", max(1, int(keep.sum() / len(names))), Log(arm, keep))
