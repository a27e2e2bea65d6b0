"""Checks of arguments: one for each kind, with messages of one form.

Each check returns the value as the plain Python type that kernels take (an ``alpha=1`` that stayed
an ``int`` would make Numba compile everything again).
"""

import functools
import inspect
import math
import operator
import reprlib
from collections.abc import Callable, Iterable, Mapping, Reversible, Sequence, Set
from typing import Any, ParamSpec, SupportsFloat, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import ParameterError

Real = SupportsFloat | SupportsIndex
P = ParamSpec("P")
R = TypeVar("R")

EXACT = 2**53  # whole numbers up to this are floats without rounding
MOST = 2**62  # whole numbers beyond this do not fit the kernels' integers
LARGEST_REWARD = 1e150  # squares of such rewards are doubles, and so is the sum of 10⁷ of them
FAILED = 1e300  # the outcome of a failed trial: beyond all rewards; differences stay doubles
A_REWARD = f"a finite number from −{LARGEST_REWARD:g} to {LARGEST_REWARD:g}"


def real(
    name: str,
    value: Real,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
) -> float:
    """Return a finite float with above < value < below and least ≤ value ≤ most."""
    number = as_float(value)
    if math.isfinite(number) and above < number < below and least <= number <= most:
        return number
    raise ParameterError(
        f"{name} must be a finite number{_in_bounds(above, below, least, most)}; got {value!r}."
    )


def reals(
    name: str,
    values: object,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
) -> NDArray[np.float64]:
    """Return a float64 array of finite numbers within bounds, as `real` does for one of them."""
    array = numbers(name, values)
    inside = np.isfinite(array) & (above < array) & (array < below)
    inside &= (least <= array) & (array <= most)
    if not inside.all():
        bounds_text = _in_bounds(above, below, least, most)
        got = first_of(name, array, ~inside)
        wanted = "finite numbers" if array.ndim else "a finite number"
        raise ParameterError(f"{name} must be {wanted}{bounds_text}; got {got}.")
    return array


def numbers(name: str, values: object, *, unknown: bool = False) -> NDArray[np.float64]:
    """Return a float64 array of real numbers, ±inf included, and NaN if some may be unknown."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal lengths
        array = np.asarray(None)
    wanted = f"{name} must be a number or an array of numbers"
    if np.ma.is_masked(values):
        hidden = int(np.sum(np.ma.getmaskarray(np.ma.asarray(values))))
        raise ParameterError(
            f"{wanted}; got {hidden} masked values. Leave them out: {name}.compressed()."
        )
    if array.dtype == object:  # fractions, decimals, whole numbers beyond 64 bits
        floats = np.array([as_float(each) for each in array.flat]).reshape(array.shape)
        array = array if np.isnan(floats).any() else floats
    if array.dtype.kind not in "iuf":
        raise ParameterError(f"{wanted}; got {reprlib.repr(values)}.")
    if not unknown and (nan := np.isnan(array)).any():
        raise ParameterError(f"{wanted}; got {first_of(name, array, nan)}.")
    return array.astype(np.float64)


def first_of(name: str, values: NDArray[Any], marked: NDArray[np.bool_]) -> str:
    """Return the first marked value and its place in words, e.g. 'nan as data[3]'."""
    place = tuple(np.argwhere(marked)[0])
    where = f" as {name}[{', '.join(map(str, place))}]" if place else ""
    return f"{values[place]}{where}"


def integer(name: str, value: SupportsIndex, *, least: int, most: int = MOST) -> int:
    """Return an int from `least` to `most`; a float such as 3.0 is refused, not rounded."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is not None and not isinstance(value, bool) and least <= number <= most:
        return number
    limit = f", and at most {most}" if number is not None and number > most else ""
    raise ParameterError(f"{name} must be a whole number, {least} or more{limit}; got {value!r}.")


def count(name: str, value: SupportsIndex | float, *, least: int, most: int = MOST) -> int:
    """Return an int from `least` to `most`; 1e4 is one too, as people write large numbers so."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= EXACT
    return integer(name, int(value) if whole else value, least=least, most=most)  # type: ignore[arg-type]


# What to write for keywords that people know from other libraries, or from version 0.1.
OURS = {
    "n_jobs": "workers=2",
    "random_state": "seed=0",
    "rng": "seed=0",
    "n_rounds": "horizon=1000",
    "T": "horizon=1000",
    "n_runs": "replications=100",
    "n_replications": "replications=100",
    "verbose": "progress=True",
    "minimize": 'direction="minimize"',
    "y_pred": "forecast=f",
    "tau": "quantile=0.95",
    "quantile": "policy=ACPUCB1(tau=0.95)",  # of the theory of this policy, which minimizes too
    "direction": "minimize=True",
    "alpha": "quantile=0.95, which is 1 − alpha/2 for alpha=0.1",
}


def our_keywords(
    function: Callable[P, R], ours: Mapping[str, str] = OURS, order: Sequence[str] = ()
) -> Callable[P, R]:
    """Make a function refuse keywords of other libraries, and say what to write instead."""
    known = inspect.signature(function).parameters
    taken = {name: known[name] for name in ["self", *order, *known] if name in known}
    called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    listed = ", ".join(taken).removeprefix("self, ")
    placed = [name for name, each in taken.items() if each.kind is not each.KEYWORD_ONLY]

    @functools.wraps(function)
    def checked(*args: P.args, **given: P.kwargs) -> R:
        for name in given:
            if name not in taken:
                own = ours.get(name, "")
                line = f"write {own}" if own.partition("=")[0] in taken else f"it takes {listed}"
                raise TypeError(f"{called}() takes no {name}=: {line}.")
        if len(args) > len(placed) < len(taken):
            names = list(taken)[len(placed) : len(args)]
            line = ", ".join([*placed, *(f"{each}={each[0]}" for each in names)])
            line = f"{called}({line.removeprefix('self, ')})"
            raise TypeError(f"{called}() takes {', '.join(names)} by name: write {line}.")
        return function(*args, **given)

    return checked


def seed(value: int | None) -> int:
    """Return the seed, or fresh entropy if there is none, as a number that can be written down."""
    if value is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0:
        return int(value)
    raise ParameterError(f"seed must be a whole number, 0 or more, or None; got {value!r}.")


def ordered(name: str, given: object) -> None:
    """Refuse a set, whose order may change from run to run: ties are broken by the order."""
    if isinstance(given, Set) and not isinstance(given, Reversible):
        raise ParameterError(
            f"{name} must have an order; got a {type(given).__name__}, which has none. Give a list."
        )


def several(name: str, given: Any) -> list[Any]:
    """Return one thing or several as a list; refuse what has no order."""
    ordered(name, given)
    alone = isinstance(given, str | type) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed strings."""
    if isinstance(value, str) and value in allowed:
        return value
    raise ParameterError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")


def flag(name: str, value: object) -> bool:
    """Return a bool; 0, 1 and strings are refused."""
    if isinstance(value, bool):
        return value
    raise ParameterError(f"{name} must be True or False; got {value!r}.")


def is_reward(values: Any) -> Any:
    """Tell whether a number, or each of an array, may be a reward."""
    return abs(values) <= LARGEST_REWARD


def number_in(text: str) -> int | float | None:
    """Return the number that a text is, a whole one as an int (also 1e4, but not 2.0), or None."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    whole = number.is_integer() and abs(number) <= EXACT and "e" in text.lower()
    return int(number) if whole else number


def as_float(value: object) -> float:
    """Return `value` as a float, or NaN if it is text, a bool, complex or no number."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f")  # NumPy would take the real part
    if isinstance(value, (str, bytes, bool)) or kind not in "iuf":
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def bounds(above: float, below: float, least: float, most: float) -> str:
    """Return the finite bounds in words, e.g. '> 0 and ≤ 1'."""
    pairs = ((">", above), ("≥", least), ("<", below), ("≤", most))
    return " and ".join(f"{sign} {bound:g}" for sign, bound in pairs if math.isfinite(bound))


def _in_bounds(above: float, below: float, least: float, most: float) -> str:
    return f" {bounds(above, below, least, most)}".rstrip()
