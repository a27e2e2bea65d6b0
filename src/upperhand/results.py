"""What all results have: a table when they are printed, and a frame and a plot when asked for.

Simulation and live use load no reports, figures or pandas: a result finds them when it is shown.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .errors import FileError, MissingExtraError, ParameterError, UpperhandError
from .files import replacing


@dataclass(frozen=True, repr=False)
class Summary:
    """A table of a result: as text, as HTML in a notebook, and as a frame of its numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    records: tuple[dict[str, Any], ...]  # a row of the frame each
    left: int = 1  # columns that are aligned to the left

    def __repr__(self) -> str:
        found: str = imported("reports.markdown:summary_text")(self)
        return found

    def _repr_html_(self) -> str:
        found: str = imported("reports.markdown:summary_html")(self)
        return found

    def to_frame(self) -> Any:
        """Return the numbers of the table as a DataFrame, without rounding."""
        return frame(self.records)


INSTEAD = {  # what to write for names of other libraries, where a result has ours
    "run(function, n)": "optimize",
    "tell(arm, value), once for each outcome": "fit record update",
    "ask()": "pull predict select",
    "best().arm": "best_arm best_trial",
    "to_frame()": "trials trials_dataframe to_pandas to_dataframe",
}


class Result:
    """A result that shows itself."""

    summary_by: ClassVar[str]  # MODULE:FUNCTION of the package, loaded when it is needed
    plot_by: ClassVar[str]

    def summary(self) -> Summary:
        """Return the table that `print` shows; its `to_frame` has the numbers."""
        found: Summary = imported(self.summary_by)(self)
        return found

    def plot(self, ax: Any = None, **choices: Any) -> Any:
        """Draw into these Matplotlib axes, by default into new ones; return the axes."""
        return imported(self.plot_by)(self, ax, **choices)

    if not TYPE_CHECKING:  # or each name would have a type

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            for line, names in INSTEAD.items():
                if name in names.split() and hasattr(kind, line.partition("(")[0]):
                    told = f"{kind.__name__} has no {name}: write {line}."
                    raise AttributeError(told, obj=None)  # without a guess by Python
            raise AttributeError(f"{kind.__name__!r} has no {name!r}.", name=name, obj=self)

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


def frame(records: Any) -> Any:
    """Return records, or columns, as a DataFrame."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError.needed("A DataFrame", "lab") from error
    return pandas.DataFrame(records if isinstance(records, Mapping) else list(records))


def finite(value: Any) -> Any:
    """Return the value, or None for a number that is infinite or not known."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


Named = Mapping[str, Any]
Classes = Sequence[type]  # of users' own policies
Parts = tuple[dict[str, Any], dict[str, Any]]  # settings for JSON, and arrays by their names


class Saved(Result):
    """A result that can be saved: arrays and JSON in one portable file, nothing that executes."""

    format: ClassVar[str]  # of the file, with its version

    def parts(self) -> Parts:
        """Return everything as settings for JSON and as arrays."""
        raise NotImplementedError

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the result of these parts, or refuse what no run can give."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file that `upperhand.load` reads; it is complete or absent."""
        settings, arrays = self.parts()
        text = json.dumps({"format": self.format, **settings}, default=spec_of)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, settings=np.array(text), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; a file that is damaged or says the impossible is refused."""
        found = load(path)
        if not isinstance(found, cls):
            raise FileError(f"{str(path)!r} holds a {type(found).__name__}, not a {cls.__name__}.")
        return found


def spec_of(part: Any) -> Any:
    """Return what a file keeps of a setting that JSON does not know, such as a calibrator."""
    if hasattr(part, "spec"):
        return part.spec
    wanted = "numbers, truth values, text and lists, under their names in the class (self.c = c)"
    raise ParameterError(f"A file keeps settings that are {wanted}; got {part!r}.")


FORMATS = {  # whose classes read them
    "upperhand-runs-1": "simulation.runs:Runs",
    "upperhand-comparison-1": "comparison.result:Comparison",
    "upperhand-identification-1": "simulation.identify:Identification",
    "upperhand-bandit-1": "live.bandit:Bandit",
    "upperhand-calibration-1": "comparison.calibrate:CalibrationStudy",
}


def load(path: str | os.PathLike[str], *, policies: Classes = ()) -> Any:
    """Return a saved result of simulate, compare, identify or calibrate, or a study's folder.

    `policies` are the classes of your own policies that took part.
    """
    if os.path.isdir(path):
        return imported("studies:Study")(path)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            settings = json.loads(str(arrays["settings"]))
            if settings["format"] not in FORMATS:
                raise ParameterError(
                    f"its format is {settings['format']!r}, and this version reads "
                    f"{', '.join(FORMATS)}"
                )
            return imported(FORMATS[settings["format"]]).from_parts(settings, arrays, policies)
    except FileError:
        raise
    except Exception as error:  # a file that is none of ours may raise anything
        own = isinstance(error, UpperhandError)
        known = str(error).rstrip(".") if own else getattr(error, "strerror", None)
        reason = known or "it is damaged, or no result at all"
        raise FileError(
            f"Cannot load {str(path)!r}: {reason}. It must be a file that the save of a result "
            "wrote, by this version or an older one."
        ) from error


def imported(path: str) -> Any:
    """Return what MODULE:NAME of the package means."""
    module, _, name = path.partition(":")
    return getattr(import_module(f"upperhand.{module}"), name)
