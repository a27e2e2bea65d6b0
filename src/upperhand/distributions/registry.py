"""The families by name, and distributions from specs, from text and from other objects."""

import math
import os
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from .. import checks
from ..errors import ParameterError, UnknownNameError
from .base import Distribution
from .derived import Mixture
from .empirical import Empirical
from .families import Bernoulli, Exponential, LogNormal, Normal, Pareto, Uniform
from .scipy_adapter import ScipyDistribution, from_scipy, is_frozen_scipy
from .student import SkewedStudentT, StudentT

FAMILIES: dict[str, type[Distribution]] = {
    cls.family: cls
    for cls in (
        Normal,
        StudentT,
        SkewedStudentT,
        Uniform,
        Exponential,
        LogNormal,
        Pareto,
        Bernoulli,
        Mixture,
        Empirical,
        ScipyDistribution,
    )
}
for _each in FAMILIES.values():
    _each.__init__ = checks.our_keywords(_each.__init__, {})  # type: ignore[method-assign]

ALIASES = {  # other names that a person may type
    "gauss": "normal",
    "gaussian": "normal",
    "student": "t",
    "student-t": "t",
    "skewed-student-t": "skewed-t",
    "exp": "exponential",
    "log-normal": "lognormal",
}
DRAWS = 100_000  # of a function that is an arm
# What follows a family's name in text, if not the names of its parameters.
_FORMS = {Empirical: "FILE[:COLUMN]", ScipyDistribution: "NAME,PARAMETERS"}


def from_spec(spec: Mapping[str, Any]) -> Distribution:
    """Build the distribution that `Distribution.spec` wrote down.

    >>> from_spec({"family": "normal", "loc": 0.1, "scale": 0.05})
    Normal(loc=0.1, scale=0.05)
    """
    if not isinstance(spec, Mapping) or "family" not in spec:
        raise ParameterError(
            "A distribution's spec is a dict such as {'family': 'normal', 'loc': 0, 'scale': 1}; "
            f"got {reprlib.repr(spec)}."
        )
    name = spec["family"]
    if not isinstance(name, str) or name not in FAMILIES:
        raise UnknownNameError.among("distribution", name, FAMILIES)
    cls, settings = FAMILIES[name], {key: spec[key] for key in spec if key != "family"}
    needed = {field.name for field in fields(cls) if field.default is MISSING}
    if not needed <= set(settings) <= set(_parameters(cls)):
        takes, got = ",".join(_parameters(cls)), ",".join(settings)
        raise ParameterError(f"{name} takes {takes}; got {got or 'nothing'}.")
    if cls is Mixture and isinstance(settings["components"], list):
        settings["components"] = [from_spec(part) for part in settings["components"]]
    return cls(**settings)


def named_distributions(arms: Any) -> dict[str, Distribution]:
    """Return arms in any form that users give them, by their names or else their indices.

    A dict and the columns of a DataFrame have names. In an array each column is an arm.

    >>> named_distributions({"eu": [0.3, 0.1], "us": Normal(0, 1)})
    {'eu': Empirical(data=(0.1, 0.3)), 'us': Normal(loc=0.0, scale=1.0)}
    """
    checks.ordered("arms", arms)
    own = getattr(arms, "arms", arms)  # of an `Instance`; of a `Dataset` a method
    arms = own() if own is not arms and callable(own) else own
    if hasattr(arms, "columns"):
        arms = columns_of(arms)
        for name, column in arms.items():
            if np.isnan(np.asarray(column, dtype=np.float64)).any():
                raise ParameterError(
                    f"The column {name!r} has missing values. Leave them out: "
                    "{name: frame[name].dropna() for name in frame}."
                )
    elif isinstance(arms, np.ndarray) and arms.ndim == 2:
        if arms.shape[0] < arms.shape[1]:
            raise ParameterError(
                f"In an array each column is an arm, and this one has {arms.shape[0]} rows and "
                f"{arms.shape[1]} columns. If its rows are the arms, write x.T or list(x); if "
                "its columns are, list(x.T)."
            )
        arms = list(arms.T)
    named = isinstance(arms, Mapping)
    several = isinstance(arms, Iterable) and not isinstance(arms, str)
    pairs = list(arms.items() if named else enumerate(arms if several else [arms]))
    if not pairs:
        raise ParameterError("There must be at least one arm; got none.")
    if several and all(math.isfinite(checks.as_float(arm)) for _, arm in pairs):
        raise ParameterError(
            f"Numbers alone are no arms; got {reprlib.repr(arms)}. For chances of success write "
            "[Bernoulli(p) for p in …]; for the observations of one arm [x], of several [x, y]."
        )
    found = {str(name): as_distribution(arm, f"arms[{name!r}]") for name, arm in pairs}
    if len(found) < len(pairs):
        raise ParameterError(f"Each arm needs its own name; got {[name for name, _ in pairs]}.")
    return found


def as_distribution(arm: object, name: str = "arm") -> Distribution:
    """Return the distribution that an arm stands for.

    A frozen distribution of `scipy.stats` is adapted, text is read by `parse_arm`, and observations
    become an `Empirical`. So do 100,000 draws of a function of a generator, from a fixed seed.
    """
    if isinstance(arm, Distribution):
        return arm
    if is_frozen_scipy(arm):
        return from_scipy(arm)
    if isinstance(arm, str):
        return parse_arm(arm)
    if callable(arm) and not isinstance(arm, type) and not hasattr(arm, "rvs"):
        rng, called = np.random.default_rng(0), getattr(arm, "__name__", "a function")
        draws = checks.reals(name, [arm(rng) for _ in range(DRAWS)])
        return Empirical(draws, called, f"{DRAWS:,} draws")
    if isinstance(arm, Sequence) or (hasattr(arm, "__array__") and np.ndim(arm) == 1):
        observations = checks.numbers(name, arm)
        if np.isinf(observations).any():
            raise ParameterError(
                f"{name} has {np.sum(np.isinf(observations))} infinite values. If these are "
                "missing outcomes, say what one costs: arms(…, failure=900) of a dataset, or "
                "numpy.where(numpy.isinf(x), 900, x)."
            )
        if not observations.size:
            raise ParameterError(f"{name} has no observations. Leave it out, or give it some.")
        if observations.ndim == 1:
            return Empirical(observations)
    raise ParameterError(
        f"{name} must be a distribution, such as Normal(0, 1) or scipy.stats.norm(0, 1), the "
        f"observations of an arm, or a function of a random generator; got {reprlib.repr(arm)}."
    )


def columns_of(frame: Any) -> dict[str, Any]:
    """Return the columns of a DataFrame; refuse a long one, with a row for each observation."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ParameterError(f"Each column is an arm and needs its own name; got {names}.")
    columns = {str(name): frame[name] for name in frame.columns}
    kinds = {name: np.asarray(column).dtype.kind for name, column in columns.items()}
    texts = [name for name, kind in kinds.items() if kind not in "iufb"]
    if texts:
        value = next((name for name in names if name not in texts), "value")
        raise ParameterError(
            f"Each column of a DataFrame is an arm, and the column {texts[0]!r} holds no numbers. "
            "If each row is an observation of one arm, write {arm: rows["
            f"{value!r}] for arm, rows in frame.groupby({texts[0]!r})}}."
        )
    return columns


def parse_arm(text: str, folder: str | os.PathLike[str] = "") -> Distribution:
    """Read a distribution from text: `family:parameters`, the family in any case of letters.

    `family(parameters)` is the same.

    Paths of data files are relative to `folder`, by default to the current folder.

    >>> parse_arm("skewed-t:0,0.16,5,0.6")
    SkewedStudentT(loc=0.0, scale=0.16, df=5.0, skew=0.6)
    """
    bracketed = re.fullmatch(r"\s*([\w-]+)\((.*)\)\s*", text)
    name, _, settings = ":".join(bracketed.groups() if bracketed else [text]).partition(":")
    known = name.strip().lower()
    cls = FAMILIES.get(ALIASES.get(known, known))
    if cls is None:
        if os.path.isfile(_from(folder, text)):
            raise ParameterError(f"{text!r} is a file: write empirical:{text}, or …:COLUMN.")
        writable = [form.partition(":")[0] for form in arm_forms()]
        raise UnknownNameError.among("distribution", known, writable)
    if cls is Mixture:
        raise ParameterError(
            "A mixture cannot be written as family:parameters. Make it in Python, e.g. "
            "Mixture([Normal(0, 1), Normal(3, 1)], [0.9, 0.1]), and simulate there."
        )
    if cls is Empirical:
        return _read_empirical(settings.strip(), folder)
    values = settings.split(",")
    if cls is ScipyDistribution:
        name, *values = values
        return ScipyDistribution(name.strip(), [_number(name, value) for value in values])
    names = _parameters(cls)
    if len(values) != len(names):
        raise ParameterError(f"{cls.family} takes {','.join(names)}; got {settings!r}.")
    return cls(*[_number(cls.family, value) for value in values])


def arm_forms() -> dict[str, str]:
    """Return what `parse_arm` reads, each form with the distribution that it gives.

    >>> arm_forms()["exponential:scale"]
    'The exponential distribution with mean scale > 0: F(x) = 1 − e^{−x/scale} for x ≥ 0.'
    """
    described = {cls: cls.__doc__ for cls in FAMILIES.values()}
    described[Empirical] = Empirical.from_file.__doc__  # which says how to write it
    return {
        f"{cls.family}:{_FORMS.get(cls, ','.join(_parameters(cls)))}": (text or "")
        .partition("\n")[0]
        .replace("`", "")
        for cls, text in described.items()
        if cls is not Mixture
    }


def _read_empirical(text: str, folder: str | os.PathLike[str]) -> Empirical:
    """Read FILE or FILE:COLUMN; a colon may be part of the file's name, as in Windows paths."""
    if not text:
        raise ParameterError("empirical takes a file of numbers, FILE or FILE:COLUMN; got none.")
    colons = [i for i, letter in enumerate(text) if letter == ":"]
    for end in (len(text), *reversed(colons)):
        file = _from(folder, text[:end])
        if os.path.isfile(os.path.expanduser(file)):
            return Empirical.from_file(file, text[end + 1 :] or None)
    return Empirical.from_file(_from(folder, text))  # which says why not


def _from(folder: str | os.PathLike[str], file: str) -> str:
    """Return the path of a file that is relative to a folder, or to the home folder."""
    return file if file.startswith("~") else os.path.join(folder, file)


def _parameters(cls: type[Distribution]) -> list[str]:
    return [field.name for field in fields(cls)]


def _number(name: str, text: str) -> float:
    """Return a number; a whole one stays whole, for the discrete distributions of SciPy."""
    number = checks.number_in(text)
    if number is None:
        raise ParameterError(f"{name} takes numbers separated by commas; {text!r} is not a number.")
    return number
