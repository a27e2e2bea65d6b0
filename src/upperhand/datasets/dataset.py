"""What every dataset has: arms, a table where rows are paired, a frame, and where it is from."""

import inspect
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FitWarning, ParameterError, TableError, UnknownNameError
from ..objectives import Direction, level_name
from ..results import frame

Values = NDArray[np.float64]
Choice = dict[str, Values]  # the outcomes of each arm
ABOUT = tomllib.loads(Path(__file__).with_name("about.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Outcomes of several arms, measured in the real world."""

    name: str
    columns: Mapping[str, NDArray[Any]]  # as they were read; an outcome that is missing is NaN
    choose: Callable[..., Choice]  # the arms, by what `arms` is given
    about: str  # this and what follows are in ``about.toml``
    quantile: float  # what is worth asking for
    direction: Direction
    unit: str
    source: str
    licence: str
    citation: str
    warning: str
    paired: bool = False  # whether row i of every arm was measured on the same occasion

    def arms(self, failure: float | None = None, **which: Any) -> Choice:
        """Return the outcomes of each arm, in the order in which they were measured.

        `which` says what to take, such as ``dest="BWI"``. A missing outcome costs `failure`. By
        default it is infinite, which `replay` takes with a `failure` of its own.
        """
        allowed = list(inspect.signature(self.choose).parameters)
        for name in which:
            if name not in allowed:
                raise UnknownNameError.among("choice", name, ["failure", *allowed])
        minimize = self.direction == "minimize"
        missing = np.inf if minimize else -np.inf
        found = {
            name: np.where(np.isnan(values), missing, values)
            for name, values in self.choose(**which).items()
        }
        if failure is None:
            return found
        return with_failures(found, failure, minimize=minimize, callers=1)

    def table(self, failure: float | None = None, **which: Any) -> Values:
        """Return a row for each occasion, in order of time, and a column for each of `arms`."""
        if not self.paired:
            raise TableError(
                f"The rows of {self.name} are not paired: its arms were measured on different "
                "occasions, so there is no table. Take arms(…) instead."
            )
        return np.column_stack(list(self.arms(failure, **which).values()))

    def to_frame(self) -> Any:
        """Return everything as a DataFrame."""
        return frame(self.columns)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}=…" for name in inspect.signature(self.choose).parameters)
        aim = level_name(self.quantile, minimize=self.direction == "minimize")
        lines = [f"{self.name}: {self.about}", f"  arms      arms({options})"]
        lines.append(f"  quantile  {aim}, {self.direction}d, in {self.unit}")
        told = ("source", "licence", "citation", "warning")
        return "\n".join([*lines, *(f"  {name:9} {getattr(self, name)}" for name in told)])


def with_failures(
    arms: Mapping[str, Values], failure: float, *, minimize: bool, callers: int
) -> Choice:
    """Return the arms with `failure` in place of what is infinite; warn if a success is worse.

    The warning points at the code that called as many functions before this one.
    """
    failure = checks.real("failure", failure)
    known = np.concatenate([values[np.isfinite(values)] for values in arms.values()])
    worst = known.max(initial=-np.inf) if minimize else known.min(initial=np.inf)
    some = any(np.isinf(values).any() for values in arms.values())
    if some and (failure < worst if minimize else failure > worst):
        warnings.warn(
            f"failure={failure:g} is better than the worst outcome, {worst:g}: a failure would "
            "count as a success of that size. Give a worse one, unless that is meant.",
            FitWarning,
            stacklevel=callers + 2,
        )
    return {name: np.where(np.isinf(values), failure, values) for name, values in arms.items()}


def one_of(kind: str, given: Any, known: Sequence[Any]) -> Any:
    """Return what was chosen, or refuse what there is not."""
    if given is None:
        raise ParameterError(
            f"Say which {kind}: arms({kind}={known[0]!r}). There are {', '.join(map(str, known))}."
        )
    for each in known:
        if str(each) == str(given):
            return each
    raise UnknownNameError.among(kind, given, known)


def some_of(kind: str, given: Iterable[Any] | None, known: Sequence[Any]) -> list[Any]:
    """Return what was chosen, by default all, or refuse what there is not."""
    if isinstance(given, str):
        given = [given]
    return list(known) if given is None else [one_of(kind, each, known) for each in given]
