"""The families by name, and the three ways to a law: a spec, a command line, another object."""

import os
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from .. import checks
from ..errors import ParameterError, UnknownNameError
from .base import Distribution
from .derived import Mixture
from .empirical import Empirical
from .families import Bernoulli, Exponential, LogNormal, Normal, Pareto, Uniform
from .scipy_adapter import ScipyLaw, from_scipy, is_frozen_scipy
from .student import SkewedStudentT, StudentT

FAMILIES: dict[str, type[Distribution]] = {
    law.family: law
    for law in (
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
        ScipyLaw,
    )
}

ALIASES = {  # other names that a person may type
    "gauss": "normal",
    "gaussian": "normal",
    "student": "t",
    "student-t": "t",
    "skewed-student-t": "skewed-t",
    "exp": "exponential",
    "log-normal": "lognormal",
}
_FORMS = {
    Empirical: "FILE[:COLUMN]",
    ScipyLaw: "NAME,PARAMETERS",
}  # other than numbers by their names


def from_spec(spec: Mapping[str, Any]) -> Distribution:
    """Build the law that `Distribution.spec` wrote down.

    >>> from_spec({"family": "normal", "loc": 0.1, "scale": 0.05})
    Normal(loc=0.1, scale=0.05)
    """
    if not isinstance(spec, Mapping) or "family" not in spec:
        raise ParameterError(
            f"A law's spec is a dict such as {{'family': 'normal', 'loc': 0, 'scale': 1}}; "
            f"got {reprlib.repr(spec)}."
        )
    law = _family(spec["family"])
    settings = {name: value for name, value in spec.items() if name != "family"}
    if not _required(law) <= set(settings) <= set(_parameters(law)):
        takes, got = ",".join(_parameters(law)), ",".join(settings)
        raise ParameterError(f"{law.family} takes {takes}; got {got or 'nothing'}.")
    if law is Mixture and isinstance(settings["components"], list):
        settings["components"] = [from_spec(part) for part in settings["components"]]
    return law(**settings)


def as_laws(arms: Iterable[Distribution | Any]) -> tuple[Distribution, ...]:
    """Return one or more arms as laws, in their order."""
    checks.ordered("arms", arms)
    several = isinstance(arms, Iterable) and not isinstance(arms, str)
    laws = tuple(as_distribution(arm) for arm in (arms if several else [arms]))
    if not laws:
        raise ParameterError("There must be at least one arm; got none.")
    return laws


def as_distribution(law: object) -> Distribution:
    """Return a Distribution as it is, and a frozen law of `scipy.stats` adapted."""
    if isinstance(law, Distribution):
        return law
    if is_frozen_scipy(law):
        return from_scipy(law)
    raise ParameterError(
        f"A law is a Distribution, such as Normal(0, 1), or a frozen law of scipy.stats; "
        f"got {reprlib.repr(law)}."
    )


def parse_arm(text: str, folder: str | os.PathLike[str] = "") -> Distribution:
    """Read a law from the command line: `family:parameters`, the family in any case of letters.

    Files of data are looked for from `folder` on, by default from where one is.

    >>> parse_arm("skewed-t:0,0.16,5,0.6")
    SkewedStudentT(loc=0.0, scale=0.16, df=5.0, skew=0.6)
    """
    name, _, settings = text.partition(":")
    known = name.strip().lower()
    law = FAMILIES.get(ALIASES.get(known, known))
    if law is None:
        writable = [form.partition(":")[0] for form in arm_forms()]
        raise UnknownNameError.among("distribution", known, writable)
    if law is Mixture:
        raise ParameterError(
            "A mixture cannot be written as family:parameters. Make it in Python, e.g. "
            "Mixture([Normal(0, 1), Normal(3, 1)], [0.9, 0.1]), and simulate there."
        )
    if law is Empirical:
        return _read_empirical(settings.strip(), folder)
    if law is ScipyLaw:
        return _read_scipy(settings)
    return _read_numbers(law, settings)


def arm_forms() -> dict[str, str]:
    """Return what `parse_arm` reads, each form with the law that it gives.

    >>> arm_forms()["exponential:scale"]
    'The exponential law with mean scale > 0: F(x) = 1 − e^{−x/scale} for x ≥ 0.'
    """
    return {
        f"{name}:{_FORMS.get(law, ','.join(_parameters(law)))}": _summary(law)
        for name, law in FAMILIES.items()
        if law is not Mixture
    }


def _summary(law: type[Distribution]) -> str:
    """Return the first line of a law's description; of the one with a file, how to write that."""
    described = Empirical.from_file if law is Empirical else law
    return (described.__doc__ or "").partition("\n")[0].replace("`", "")


def _read_numbers(law: type[Distribution], settings: str) -> Distribution:
    """Read a family whose parameters are all numbers, such as loc,scale."""
    values, names = settings.split(","), _parameters(law)
    if len(values) != len(names):
        raise ParameterError(f"{law.family} takes {','.join(names)}; got {settings!r}.")
    return law(*[_number(law.family, value) for value in values])


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
    """Return the path of a file that is named from a folder on, or from one's home."""
    return file if file.startswith("~") else os.path.join(folder, file)


def _read_scipy(settings: str) -> ScipyLaw:
    """Read a name of `scipy.stats` and its positional parameters."""
    name, *values = settings.split(",")
    return ScipyLaw(name.strip(), [_number(name, value) for value in values])


def _family(name: object) -> type[Distribution]:
    if isinstance(name, str) and name in FAMILIES:
        return FAMILIES[name]
    raise UnknownNameError.among("distribution", name, FAMILIES)


def _parameters(law: type[Distribution]) -> list[str]:
    return [field.name for field in fields(law)]


def _required(law: type[Distribution]) -> set[str]:
    return {field.name for field in fields(law) if field.default is MISSING}


def _number(name: str, text: str) -> float:
    """Return the number written; a whole one stays whole, for the discrete laws of SciPy."""
    number = checks.number_in(text)
    if number is None:
        raise ParameterError(f"{name} takes numbers separated by commas; {text!r} is not a number.")
    return number
