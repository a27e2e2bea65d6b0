"""Instances by name: the arms of the paper's experiments, and some that are hard for everyone.

Each is a set of arms with the α by whose endpoint F⁻¹(1−α/2) they are valued. The numbers of the
paper's arms stand here and nowhere else: appendix, "Data generation".
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import checks
from ..distributions import Distribution, Empirical, Normal, SkewedStudentT, StudentT
from ..distributions.registry import as_laws
from ..errors import ParameterError, UnknownNameError
from ..objectives import BestOf, Objective, UpperTail
from ..policies.spec import endpoint_alpha

ALPHA = 0.1  # unless otherwise stated
ALPHAS = (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)  # the levels of Figure 2

# The Gaussian objective-mismatch instance: N(0.10, 0.05²), N(0.00, 0.15²), N(0.04, 0.08²).
GAUSSIAN_ARMS = (Normal(0.10, 0.05), Normal(0.00, 0.15), Normal(0.04, 0.08))

LOCATIONS, SCALES = (0.08, 0.00, 0.03), (0.05, 0.16, 0.08)  # the same in every family
T_DF = (3, 3, 5)
SKEWED_DF, SKEWS = (5, 5, 5), (-0.2, 0.6, 0.3)
FAMILIES: dict[str, tuple[Distribution, ...]] = {  # of Figure 3
    "Gaussian": tuple(map(Normal, LOCATIONS, SCALES)),
    "Student-t": tuple(map(StudentT, LOCATIONS, SCALES, T_DF)),
    "Skewed Student-t": tuple(map(SkewedStudentT, LOCATIONS, SCALES, SKEWED_DF, SKEWS)),
}


@dataclass(frozen=True)
class Instance:
    """Arms to play on, the α that they are valued by, and what is special about them.

    >>> Instance("mine", [Normal(0, 1), Normal(0.5, 0.5)], alpha=0.2).alpha
    0.2
    """

    name: str
    arms: Sequence[Distribution]  # kept as a tuple; frozen laws of scipy.stats will do too
    alpha: float = ALPHA
    note: str = ""  # a sentence for tables and pages

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(f"An instance has a name of its own; got {self.name!r}.")
        object.__setattr__(self, "arms", as_laws(self.arms))
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, above=0, below=1))


Given = str | Instance | Iterable[str | Instance | Distribution | Any]  # Any: laws of scipy.stats


def _counts(*shares: int) -> Empirical:
    """Return a law on 0, 1, 2, … with these shares in percent."""
    return Empirical([value for value, share in enumerate(shares) for _ in range(share)])


PAPER = (
    Instance("headline", GAUSSIAN_ARMS, ALPHA, "Figure 1: Gaussian arms"),
    *(
        Instance(f"alpha-{alpha:.2f}", GAUSSIAN_ARMS, alpha, f"Figure 2 at α = {alpha:.2f}")
        for alpha in ALPHAS
    ),
    *(
        Instance(name, FAMILIES[family], ALPHA, f"Figure 3: {family} arms")
        for name, family in (
            ("gaussian", "Gaussian"),
            ("student-t", "Student-t"),
            ("skewed-t", "Skewed Student-t"),
        )
    ),
)

HARD = (
    Instance(
        "small-gaps",
        (Normal(0.158, 0.05), Normal(0.00, 0.15), Normal(0.1076, 0.08)),
        ALPHA,
        "Gaussian arms whose p95s are ten times closer than the headline's",
    ),
    Instance(
        "many-arms",
        (*[Normal(0.10, 0.05)] * 15, Normal(0.00, 0.15), *[Normal(0.04, 0.08)] * 14),
        ALPHA,
        "30 Gaussian arms: the headline's best one, among 15 and 14 of its other two",
    ),
    Instance(
        "ties",
        (_counts(61, 35, 4), _counts(80, 14, 6), _counts(30, 67, 3)),
        ALPHA,
        "counts 0, 1 and 2: ties in every sample, and p95s that hang on two percent of mass",
    ),
    Instance(
        "exact-tie",
        (_counts(60, 35, 5), _counts(80, 14, 6), _counts(30, 67, 3)),
        ALPHA,
        "the same, but an arm with exactly 95 % up to 1: no sample says on which side it falls",
    ),
    Instance("far-tail", GAUSSIAN_ARMS, 0.002, "the headline's arms, valued by their p99.9"),
    Instance(
        "far-apart",
        (Normal(5.0, 1.0), Normal(10.0, 1.0), Normal(0.0, 1.0)),
        ALPHA,
        "Gaussian arms with five standard deviations between them",
    ),
)

YOURS = "your arms"  # the name of an instance that is given as a list of laws
INSTANCES: dict[str, Instance] = {instance.name: instance for instance in (*PAPER, *HARD)}
GROUPS = {"paper": PAPER, "hard": HARD, "all": (*PAPER, *HARD)}
EXTREME = "extreme"  # a group of its own: `extremes.EXPERIMENTS`, from extreme-1 to extreme-8


def named(name: str) -> tuple[Instance, ...]:
    """Return the instance of that name, or those of a group."""
    if name in GROUPS:
        return GROUPS[name]
    if name.startswith(EXTREME):
        from .extremes import EXPERIMENTS  # which loads SciPy

        if found := tuple(each for each in EXPERIMENTS if name in (EXTREME, each.name)):
            return found
    if name not in INSTANCES:
        raise UnknownNameError.among("instance", name, [*GROUPS, EXTREME, *INSTANCES])
    return (INSTANCES[name],)


def as_instances(given: Given, value: Objective | None = None) -> list[Instance]:
    """Return names, instances or the laws of one instance as instances, each once.

    With `value`, a quantile or an endpoint, all are valued by it; those that are valued by another
    one are renamed, and arms that are the same then are kept once.
    """
    checks.ordered("instances", given)
    several = isinstance(given, Iterable) and not isinstance(given, str)
    items: list[Any] = list(given) if several else [given]  # type: ignore[arg-type]
    if items and not any(isinstance(item, str | Instance) for item in items):
        return [Instance(YOURS, items, (value and endpoint_alpha(value)) or ALPHA)]
    found = [instance for item in items for instance in _as_several(item)]
    if value is not None:
        by_arms: dict[Sequence[Distribution], Instance] = {}
        for instance in found:
            by_arms.setdefault(instance.arms, _valued_by(instance, value))
        found = list(by_arms.values())
    by_name = {instance.name: instance for instance in found}
    if not found or any(by_name[instance.name] != instance for instance in found):
        names = ", ".join(instance.name for instance in found)
        raise ParameterError(
            "There must be at least one instance, each with a name of its own; got "
            f"{names or 'none'}."
        )
    return list(by_name.values())


def _as_several(item: object) -> Sequence[Instance]:
    if isinstance(item, Instance):
        return [item]
    if isinstance(item, str):
        return named(item)
    raise ParameterError(
        "Instances are names, Instance(…) or one list of laws, not laws among them; got "
        f"{item!r}. Make it Instance('mine', [law, …])."
    )


def _valued_by(instance: Instance, value: Objective) -> Instance:
    own, tau = UpperTail(instance.alpha), getattr(value, "tau", 0.5)
    if math.isclose(own.tau, tau, rel_tol=0, abs_tol=1e-12):
        return instance
    alpha = endpoint_alpha(value) or instance.alpha  # the median is the end of no interval
    at = value.label if isinstance(value, BestOf) else f"p{100 * tau:.12g}"
    at = f"{alpha:g}" if isinstance(value, UpperTail) else at
    name = f"{instance.name} at {at}"
    return replace(instance, name=name, alpha=alpha, note=f"the arms of {instance.name}")
