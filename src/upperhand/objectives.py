"""Objectives: what an arm is worth, and the gaps between arms.

An objective turns an arm's distribution into a number; larger is better. Its gaps turn pull counts
into pseudo-regret. If arms pay costs, `oriented` returns an objective for which the cheapest arm is
best.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from .distributions import Distribution

Direction = Literal["maximize", "minimize"]  # "minimize": the arms pay costs
DIRECTIONS: tuple[Direction, Direction] = ("maximize", "minimize")  # by whether they pay costs
# 16 ulps: values of one distribution written in two ways, as t and SciPy's t, differ by up to 11.
GAP_ROUNDING = 2.0**-48
MOST_DRAWS = 10**12  # with more, the level is too near 1 for a double to hold its digits
MOST_NAMED = 10**5  # N that a level is named by: farther out, round levels come near by chance
SAME_LEVEL = 1e-12  # levels this near are equal
LEVEL_ROUNDING = 2.0**-50  # 1 − 2^(−1/N), computed so, differs by no more from the level of N costs


def gaps_of(values: NDArray[np.float64], terms: ArrayLike = 0.0) -> NDArray[np.float64]:
    """Return how far each arm's value falls short of the best one, 0 for a tie.

    The arms are along the last axis; `terms` are locations, or others that a value is the sum of.

    Two values tie if they differ by no more than computing them may round. A value is often a sum
    such as loc + scale·q or μ + κσ, so its error is some ulps of the larger term, not of the sum.
    The rule compares two arms alone: a third one at −1e13 makes no tie. It is as small as it can
    be: N(1e12, 0.001²) and N(1e12 + 0.01, 0.001²) are ten standard deviations apart and must
    differ. All gaps and best arms of the library follow this rule.
    """
    sizes = np.maximum(np.abs(values), np.abs(terms))
    best = values.argmax(axis=-1, keepdims=True)
    gaps = np.take_along_axis(values, best, axis=-1) - values
    apart = gaps > GAP_ROUNDING * np.maximum(sizes, np.take_along_axis(sizes, best, axis=-1))
    return np.where(apart, gaps, 0.0)


def best_arms(gaps: NDArray[np.float64]) -> list[int]:
    """Return every arm that no other beats."""
    return np.flatnonzero(gaps == 0).tolist()


class Objective(ABC):
    """A value for every distribution; larger is better."""

    sign: ClassVar[float] = 1.0  # −1 for costs: tables show them with their own sign

    @property
    @abstractmethod
    def label(self) -> str:
        """A few words for tables and figures."""

    @abstractmethod
    def value(self, arm: "Distribution") -> float:
        """Return what the arm is worth."""

    def cost(self, arm: "Distribution") -> float:
        """Return what an arm that pays costs is charged with, less being better: the same number.

        Objectives of the bad side alone override it: the bad costs are the high ones.
        """
        return self.value(arm)

    def for_costs(self) -> "Objective":
        """Return what this objective is for costs: by default itself.

        One that uses the other end of the distribution then overrides it, as the best of N does, so
        that its `tau` is the level that policies need.
        """
        return self

    def values(self, arms: Sequence["Distribution"]) -> NDArray[np.float64]:
        """Return what each arm is worth, (K,); refuse an arm that has no such value."""
        values = np.array(list(map(self.value, arms)))
        if not np.isfinite(values).all():
            arm = arms[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise ParameterError(
                f"{arm!r} has no finite {self.label}. Choose another objective or another arm."
            )
        return values

    def is_defined(self, arms: Sequence["Distribution"]) -> bool:
        """Whether every arm has a finite value: a Student-t with df ≤ 1, say, has no mean."""
        return all(math.isfinite(self.value(arm)) for arm in arms)

    def gaps(self, arms: Sequence["Distribution"]) -> NDArray[np.float64]:
        """Return how far each arm falls short of the best one, (K,); rounding is no gap."""
        return gaps_of(self.values(arms), [arm.magnitude for arm in arms])

    def best(self, arms: Sequence["Distribution"]) -> int:
        """Return the best arm, the lowest one if several are."""
        return int(np.argmin(self.gaps(arms)))


def arms_under(
    objectives: Mapping[str, Objective], arms: Sequence["Distribution"], names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return arms with their values as tables show them, and the best ones, as JSON-able values."""
    named = objectives.items()
    found: list[dict[str, Any]] = [{"name": name} for name in names] or [{} for _ in arms]
    for about, arm in zip(found, arms, strict=True):
        values = {name: each.sign * each.value(arm) + 0.0 for name, each in named}
        about |= {"law": repr(arm), "spec": arm.spec(), "values": values}
    return {"arms": found, "best": {name: best_arms(each.gaps(arms)) for name, each in named}}


@dataclass(frozen=True)
class _Numbered(Objective):
    """An objective whose settings are finite numbers, within the bounds that they declare."""

    def __post_init__(self) -> None:
        for each in fields(self):
            number = checks.real(each.name, getattr(self, each.name), **each.metadata)
            object.__setattr__(self, each.name, number)


class _OfQuantile(Objective):
    """An objective that is the quantile at a level `tau`."""

    @property
    @abstractmethod
    def tau(self) -> float: ...

    def value(self, arm: "Distribution") -> float:
        return arm.quantile(self.tau)


SHARE = {"above": 0.0, "below": 1.0}  # the bounds of a level that is neither end


@dataclass(frozen=True)
class _Endpoint(_OfQuantile, _Numbered):
    """An end of the central interval that leaves out α/2 on either side."""

    alpha: float = field(metadata=SHARE)


@dataclass(frozen=True)
class UpperTail(_Endpoint):
    """The paper's value u* = F⁻¹(1−α/2): the upper endpoint of the central interval.

    >>> import upperhand as uh
    >>> round(uh.UpperTail(0.1).value(uh.Normal(0.10, 0.05)), 3)
    0.182
    """

    @property
    def tau(self) -> float:
        return 1 - self.alpha / 2

    @property
    def label(self) -> str:
        return f"ACP value (p{100 * self.tau:.12g})"


@dataclass(frozen=True)
class LowerTail(_Endpoint):
    """The lower endpoint F⁻¹(α/2) of the central interval: how good an arm's bad days are."""

    @property
    def tau(self) -> float:
        return self.alpha / 2

    @property
    def label(self) -> str:
        return f"lower endpoint (p{100 * self.tau:.12g})"


@dataclass(frozen=True)
class Quantile(_Numbered):
    """The τ-quantile F⁻¹(τ)."""

    tau: float = field(metadata=SHARE)

    @property
    def label(self) -> str:
        return f"p{100 * self.tau:.12g}"

    def value(self, arm: "Distribution") -> float:
        return arm.quantile(self.tau)


@dataclass(frozen=True)
class BestOf(_OfQuantile):
    """The median of the best of N rewards, which is the quantile at 2^(−1/N) of a single one.

    The maximum of N independent rewards has the cdf Fᴺ, so its median inf{x : F(x)ᴺ ≥ 1/2} is
    F⁻¹(2^(−1/N)), with or without atoms. At N = 1 it is the median. Of costs the best of N is the
    minimum, with the cdf 1 − (1 − F)ᴺ and the median F⁻¹(1 − 2^(−1/N)), at the other end.

    >>> import upperhand as uh
    >>> best, arm = uh.BestOf(8), uh.Uniform(0, 1)
    >>> round(best.value(arm), 6), round(best.cost(arm), 6)
    (0.917004, 0.082996)
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, least=1, most=MOST_DRAWS))

    @property
    def tau(self) -> float:
        return math.exp2(-1.0 / self.n)

    @property
    def label(self) -> str:
        return f"best of {self.n:,}"

    def cost(self, arm: "Distribution") -> float:
        return self.for_costs().value(arm)

    def for_costs(self) -> "BestOf":
        """Return the objective whose `tau` is the level of costs."""
        return _LowestOf(self.n)


@dataclass(frozen=True, repr=False)
class _LowestOf(BestOf):
    """The median of the lowest of N costs."""

    def __repr__(self) -> str:
        return f"{BestOf(self.n)!r}.for_costs()"

    @property
    def label(self) -> str:
        return f"lowest of {self.n:,}"

    @property
    def tau(self) -> float:
        """The level of the quantile of costs, with all digits also where it is small."""
        return -math.expm1(-math.log(2.0) / self.n)


def best_of_at(tau: float, *, minimize: bool = False) -> BestOf | None:
    """Return the best of N > 1 rewards, or costs, that has this level; None if there is none.

    The best of one is the median, which has a name of its own.

    >>> best_of_at(2 ** (-1 / 8)), best_of_at(1 - 2 ** (-1 / 8), minimize=True), best_of_at(0.95)
    (BestOf(n=8), BestOf(n=8).for_costs(), None)
    """
    inside = 1.0 - tau if minimize else tau
    if not 0.5 < inside < 1.0:
        return None
    n = round(-math.log(2.0) / math.log(inside))
    if not 1 < n <= MOST_NAMED:
        return None
    found = BestOf(n).for_costs() if minimize else BestOf(n)
    return found if abs(found.tau - tau) <= LEVEL_ROUNDING else None


def level_of_negated(tau: float) -> float:
    """Return 1 − τ, the level of negated costs; refuse a τ that is too small for doubles."""
    if 1.0 - tau < 1.0:
        return 1.0 - tau
    raise ParameterError(f"Of costs, tau must be 1e-16 or more; got {tau!r}. Choose a larger tau.")


def level_name(tau: float, *, minimize: bool = False) -> str:
    """Return a few words for the level of a quantile of rewards, or of costs.

    >>> level_name(0.95), level_name(2 ** (-1 / 8)), level_name(2 ** (-1 / 512))
    ('p95', 'p91.7 (best of 8)', 'p99.86 (best of 512)')
    """
    found = best_of_at(tau, minimize=minimize)
    if found is None:
        return Quantile(tau).label
    percent = 100.0 * min(tau, 1.0 - tau)
    digits = 1 + max(0, math.ceil(-math.log10(percent)))
    return f"p{100 * tau:.{digits}f} ({found.label})"


@dataclass(frozen=True)
class Mean(Objective):
    """The classical value μ."""

    @property
    def label(self) -> str:
        return "mean"

    def value(self, arm: "Distribution") -> float:
        return arm.mean


@dataclass(frozen=True)
class Utility(_Numbered):
    """The utility v(κ) = μ + κσ: for Gaussian arms, the path from mean to tail (section 4.3.1)."""

    kappa: float

    @property
    def label(self) -> str:
        return f"mean + {self.kappa:g} sd"

    def value(self, arm: "Distribution") -> float:
        return arm.mean + self.kappa * arm.sd


@dataclass(frozen=True)
class MeanVariance(_Numbered):
    """The mean-variance ρμ − σ²: ρ is how much spread a higher mean may cost.

    A. Sani, A. Lazaric, R. Munos, "Risk-aversion in multi-armed bandits", NeurIPS 2012, minimise
    its negative σ² − ρμ, with ρ ≥ 0: at ρ = 0 only the variance counts, and as ρ grows the mean
    alone decides.

    >>> import upperhand as uh
    >>> uh.MeanVariance(1).value(uh.Normal(0.5, 0.5))
    0.25
    """

    rho: float

    @property
    def label(self) -> str:
        return f"mean-variance (ρ={self.rho:g})"

    def value(self, arm: "Distribution") -> float:
        return self.rho * arm.mean - arm.sd * arm.sd

    def cost(self, arm: "Distribution") -> float:
        """Return ρμ + σ²: spread is bad for costs too."""
        return self.rho * arm.mean + arm.sd * arm.sd


@dataclass(frozen=True)
class CVaR(_Numbered):
    """The conditional value at risk: the mean of the worst share α of the rewards, 0 < α ≤ 1.

    It is (1/α) ∫₀^α F⁻¹(p) dp. R. T. Rockafellar, S. Uryasev, "Optimization of conditional
    value-at-risk", Journal of Risk 2(3):21–41, 2000, write it, for rewards, as the largest over x
    of x − E[(x − Y)₊]/α. The α-quantile attains it, with or without atoms, and a small error in the
    quantile hardly changes it. At α = 1 it is the mean.

    >>> import upperhand as uh
    >>> round(uh.CVaR(0.5).value(uh.Uniform(0, 1)), 12)
    0.25
    """

    alpha: float = field(metadata={"above": 0.0, "most": 1.0})

    @property
    def label(self) -> str:
        return f"CVaR {100 * self.alpha:.12g} %"

    def value(self, arm: "Distribution") -> float:
        """Return q − E[(q − Y)₊]/α with q = F⁻¹(α), or the mean for α = 1, where q may be +∞."""
        if self.alpha == 1:
            return arm.mean
        q = arm.quantile(self.alpha)
        return q - arm.shortfall(q) / self.alpha

    def cost(self, arm: "Distribution") -> float:
        """Return the mean of the highest share α of the costs, q + E[(Y − q)₊]/α at 1 − α."""
        if self.alpha == 1:
            return arm.mean
        q = arm.quantile(1 - self.alpha)
        return q + (arm.mean - q + arm.shortfall(q)) / self.alpha


@dataclass(frozen=True)
class Minimized(Objective):
    """The negative of what an arm costs under an objective, so that the lowest cost is best.

    >>> import upperhand as uh
    >>> arms = [uh.Uniform(0, 30), uh.Uniform(10, 20)]
    >>> Minimized(uh.UpperTail(0.1)).best(arms), Minimized(uh.UpperTail(0.1)).value(arms[1])
    (1, -19.5)
    """

    sign = -1.0
    objective: Objective

    @property
    def label(self) -> str:
        return self.objective.label

    def value(self, arm: "Distribution") -> float:
        return -self.objective.cost(arm)


def level_of(objective: Objective | None) -> float | None:
    """Return the level of the quantile that an objective is, or None."""
    return getattr(objective, "tau", None)


def same_level(one: float | None, other: float | None) -> bool:
    """Tell whether two levels are there and equal, up to rounding."""
    return one is not None and other is not None and abs(one - other) <= SAME_LEVEL


def oriented(objective: Objective, minimize: bool) -> Objective:
    """Return the objective that compares arms: itself, or for costs its minimized form."""
    if not checks.flag("minimize", minimize):
        return objective
    return Minimized(objective.for_costs())


OBJECTIVES: dict[str, type[Objective]] = {
    "upper-tail": UpperTail,
    "lower-tail": LowerTail,
    "quantile": Quantile,
    "best-of": BestOf,
    "mean": Mean,
    "utility": Utility,
    "cvar": CVaR,
    "mean-variance": MeanVariance,
}


def parse_objective(text: str) -> Objective:
    """Read an objective from text: its name, in any case, and its number if it has one.

    >>> parse_objective("cvar:0.1")
    CVaR(alpha=0.1)
    """
    given, colon, setting = text.partition(":")
    name = "-".join(given.lower().split())
    if name not in OBJECTIVES:
        raise UnknownNameError.among("objective", name, OBJECTIVES)
    cls = OBJECTIVES[name]
    if not _parameters(cls):
        if colon:
            raise ParameterError(f"{name} takes no number; got {text!r}. Write {name}.")
        return cls()
    number = checks.number_in(setting.strip())
    if number is None:
        raise ParameterError(f"{name} takes one number: {_form(name)}; got {text!r}.")
    return cls(*[number])


def as_objective(given: Any) -> Objective:
    """Return an objective from itself, a level such as 0.95, or text such as "p95" or "cvar:0.1".

    >>> as_objective("p99.9"), as_objective(0.5), as_objective("mean")
    (Quantile(tau=0.999), Quantile(tau=0.5), Mean())
    """
    if isinstance(given, Objective):
        return given
    if isinstance(given, str):
        percent = re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)", given.strip().lower())
        return Quantile(float(f"{percent[1]}e-2")) if percent else parse_objective(given)
    if math.isfinite(checks.as_float(given)):
        return Quantile(given)
    raise ParameterError(
        f'An objective must be given, such as "mean", "p95", 0.95 or CVaR(0.1); got {given!r}.'
    )


def wanted(
    quantile: float | None, best_of: int | None = None, objective: Any = None
) -> Objective | None:
    """Return the one objective that is given as a quantile, as the best of N or by itself."""
    given = {"quantile": quantile, "best_of": best_of, "objective": objective}
    said = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    if len(said) > 1:
        raise ParameterError(f"{' and '.join(said)} both say what an arm is worth. Give one.")
    if quantile is not None:
        return Quantile(checks.real("quantile", quantile, above=0, below=1))
    if best_of is not None:
        return BestOf(checks.integer("best_of", best_of, least=1, most=MOST_DRAWS))
    return None if objective is None else as_objective(objective)


def is_of_costs(direction: Direction) -> bool:
    """Tell whether the lowest value is best: with the direction "minimize"."""
    return checks.choice("direction", direction, DIRECTIONS) == "minimize"


def objective_spec(objective: Objective) -> dict[str, Any]:
    """Return an objective as plain data for JSON; `objective_from` makes an equal one from it.

    >>> objective_from(objective_spec(CVaR(0.1)))
    CVaR(alpha=0.1)
    """
    name = next(name for name, each in OBJECTIVES.items() if isinstance(objective, each))
    settings = {key: getattr(objective, key) for key in _parameters(OBJECTIVES[name])}
    return {"objective": name} | settings


def objective_from(spec: Mapping[str, Any]) -> Objective:
    """Return the objective that `objective_spec` wrote down."""
    settings = {key: value for key, value in spec.items() if key != "objective"}
    return OBJECTIVES[spec["objective"]](**settings)


def objective_forms() -> dict[str, str]:
    """Return what `parse_objective` reads, each form with what an arm is then worth.

    >>> objective_forms()["mean"]
    'The classical value μ.'
    """
    return {_form(name): (cls.__doc__ or "").partition("\n")[0] for name, cls in OBJECTIVES.items()}


def _form(name: str) -> str:
    return ":".join([name, *(parameter.upper() for parameter in _parameters(OBJECTIVES[name]))])


def _parameters(cls: type[Objective]) -> list[str]:
    return [field.name for field in fields(cls)]  # type: ignore[arg-type]
