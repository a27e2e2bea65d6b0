"""What is replayed: tables and arms whose outcomes are all known, and logs of choices."""

import math
import reprlib
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..datasets.dataset import Dataset, Values
from ..distributions.registry import columns_of
from ..errors import ParameterError, TableError, UnknownNameError
from ..objectives import Direction
from ..text import counted
from .workers import MOST_ROUNDS

ORDERS = ("time", "shuffle", "resample")
DETERMINISTIC = (
    "The choices of this log are deterministic, or it does not say how likely each arm was at "
    "least. Set shares for an experiment whose log is to be evaluated, exp.shares(least=0.02); for "
    'a frame give propensity= and p_min=, or propensity="uniform".'
)


class Log(NamedTuple):
    """The rows of a log, (N,)."""

    arm: NDArray[np.int64]
    outcome: Values
    keep: Values  # the probability that the row is kept


class Source(NamedTuple):
    """What is replayed. An outcome that is missing is infinite."""

    arms: dict[str, Values]
    order: str
    horizon: int
    log: Log | None = None
    quantile: float | None = None  # what an experiment plays for, or a dataset is about
    direction: Direction = "maximize"


def table_of(
    given: Any, order: str | None, horizon: float | None, paired: bool | None = None
) -> Source:
    """Return the arms of a table, a dict or a dataset, and the rounds to play."""
    if isinstance(given, Dataset):
        source = table_of(given.arms(), order, horizon, given.paired)
        return source._replace(quantile=given.quantile, direction=given.direction)
    columns = given if isinstance(given, Mapping) else named_columns(given)
    paired = columns is not given if paired is None else paired
    arms = {str(name): outcomes_of(f"arm {name!r}", each) for name, each in columns.items()}
    rows = min(map(len, arms.values()), default=0)
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


def outcomes_of(name: str, values: Any) -> Values:
    """Return numbers, ±inf where one is missing; NaN is refused."""
    found = checks.numbers(name, values, unknown=True)
    if found.ndim != 1:
        raise TableError(f"{name} must be a list of numbers; got {reprlib.repr(values)}.")
    if count := int(np.isnan(found).sum()):
        told = "Write a missing outcome as inf, such as table.fillna(inf), and its cost as failure="
        raise TableError(f"{name} has {counted(count, 'value')} that are NaN. {told}.")
    return found


def named_columns(given: Any) -> dict[str, Any]:
    """Return the columns of a table by their names, or else their indices."""
    if hasattr(given, "columns"):
        return columns_of(given)
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


def log_of(
    given: Any, arm: str | None, reward: str | None, propensity: str | None, p_min: float | None
) -> Source:
    """Return the log of an experiment, or of columns with a row for each choice."""
    if (arm, reward, propensity, p_min) == (None,) * 4:
        return experiment_log(given)
    if arm is None or reward is None or not hasattr(given, "__contains__"):
        raise ParameterError(
            "A log is an experiment alone, or a table together with the names of its columns: "
            "arm=…, reward=…, propensity=…."
        )
    uniform = propensity == "uniform"
    for name in (arm, reward, arm if uniform or propensity is None else propensity):
        if name not in given:
            raise UnknownNameError.among("column", name, given)
    arms = np.asarray(given[arm]).astype(str)
    names = tuple(np.unique(arms).tolist())
    if len(names) < 2:
        raise TableError(f"A log needs two arms or more; got {len(names)}.")
    if uniform:
        keep = np.ones(len(arms))
    elif propensity is None or p_min is None:
        raise ParameterError(DETERMINISTIC)
    else:
        chances = checks.reals(propensity, given[propensity], above=0, most=1)
        most = min(chances.min(), (1.0 - chances.max()) / (len(names) - 1))  # of every arm's
        if most == 0.0:
            raise ParameterError(DETERMINISTIC)
        keep = checks.real("p_min", p_min, above=0, most=float(most) * (1 + 1e-9)) / chances
    outcomes = outcomes_of("reward", given[reward])
    if not len(arms) == len(outcomes) == len(keep):
        raise TableError("The columns of a log must have equal lengths.")
    return log_source(names, arms, outcomes, keep)


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
                found[each["trial"]] = [tuple(each["candidates"]), each["arm"], None, keep]
        elif "status" in each and each.get("trial") in found:
            last = each.get("corrected", each)
            found[each["trial"]][2] = last["value"] if last["outcome"] == "told" else math.inf
    rows = [row for row in found.values() if row[2] is not None]
    if not rows:
        raise ParameterError(DETERMINISTIC)
    (names, _), *_ = Counter(row[0] for row in rows).most_common(1)
    columns = zip(*(row[1:] for row in rows if row[0] == names), strict=True)
    settings = experiment.settings
    direction: Direction = "minimize" if settings.minimize else "maximize"
    source = log_source(names, *map(np.array, columns))
    return source._replace(quantile=settings.quantile, direction=direction)


def log_source(names: Any, arms: Any, outcomes: Values, keep: Values) -> Source:
    """Return the log of these rows."""
    columns = {name: outcomes[arms == name] for name in names}
    for name, own in columns.items():
        if not len(own):
            raise TableError(f"Arm {name!r} never occurs in the log. Leave it out, or log more.")
    log = Log(np.array([names.index(each) for each in arms.tolist()]), outcomes, keep)
    return Source(columns, "log", max(len(names), int(keep.sum() / len(names))), log)
