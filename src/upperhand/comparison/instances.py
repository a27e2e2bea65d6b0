"""Instances by name: the arms of the paper's experiments, and others that are hard for policies.

Each is a set of arms with the α by whose endpoint F⁻¹(1−α/2) they are valued. The numbers of the
paper's arms (appendix, "Data generation") stand here and nowhere else.

Instances with names from extreme-1 to extreme-8 are experiments 1 to 8 of D. Baudry, Y. Russac,
E. Kaufmann, "Efficient algorithms for extreme bandits", AISTATS 2022, where one looks for the
largest reward. The numbers are those of the authors' program, which its README calls xp1 to xp8
(github.com/ExtremeBandits/ExtremeBandits_submission). It gives a Pareto arm by the exponent λ and a
constant C of its tail C x^(−λ), and exponential arms by their means.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from .. import checks
from ..distributions import (
    Distribution,
    Empirical,
    Exponential,
    LogNormal,
    Mixture,
    Normal,
    Pareto,
    ScipyDistribution,
    SkewedStudentT,
    StudentT,
)
from ..distributions.registry import named_distributions
from ..errors import ParameterError, UnknownNameError
from ..objectives import BestOf, Objective, UpperTail, same_level
from ..policies.parsing import endpoint_alpha

ALPHA = 0.1  # unless otherwise stated


@dataclass(frozen=True)
class Instance:
    """Arms to play on, the α that they are valued by, and what is special about them.

    >>> from upperhand.distributions import Normal
    >>> Instance("mine", [Normal(0, 1), Normal(0.5, 0.5)], alpha=0.2).alpha
    0.2
    """

    name: str
    arms: Sequence[Distribution]  # kept as a tuple; given in any form that `simulate` takes
    alpha: float = ALPHA
    note: str = ""  # a sentence for tables and pages
    names: tuple[str, ...] = field(default=(), compare=False)  # of the arms; else their indices

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(f"An instance has a name of its own; got {self.name!r}.")
        found = named_distributions(self.arms)
        object.__setattr__(self, "arms", tuple(found.values()))
        object.__setattr__(self, "names", self.names or tuple(found))
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, above=0, below=1))

    @property
    def gaps(self) -> dict[str, float]:
        """How far each arm's value falls short of the best one, by the arm's name."""
        gaps = UpperTail(self.alpha).gaps(self.arms).tolist()
        return dict(zip(self.names, gaps, strict=True))

    @property
    def best_arm(self) -> str:
        """The name of the arm with the highest value."""
        return min(self.gaps, key=lambda arm: self.gaps[arm])


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

PAPER = (
    Instance("headline", GAUSSIAN_ARMS, note="Figure 1: Gaussian arms"),
    *(
        Instance(f"alpha-{alpha:.2f}", GAUSSIAN_ARMS, alpha, f"Figure 2 at α = {alpha:.2f}")
        for alpha in ALPHAS
    ),
    *(
        Instance(name, arms, note=f"Figure 3: {family} arms")
        for name, (family, arms) in zip(
            ("gaussian", "student-t", "skewed-t"), FAMILIES.items(), strict=True
        )
    ),
)


FAR = 0.002  # the α of p99.9


def _counts(*shares: int) -> Empirical:
    """Return a distribution on 0, 1, 2, … with these shares in percent."""
    return Empirical([value for value, share in enumerate(shares) for _ in range(share)])


def _deceptive(share: float, spread: float) -> Mixture:
    """Return a distribution that pays about −1, and about 10 with that chance."""
    return Mixture([Normal(-1.0, spread), Normal(10.0, 1.0)], [1 - share, share])


HARD = (
    # What an arm has shown says little of what it is worth, or not in a known unit.
    Instance(
        "small-gaps",
        (Normal(0.158, 0.05), Normal(0.00, 0.15), Normal(0.1076, 0.08)),
        note="Gaussian arms whose p95s are ten times closer than the headline's",
    ),
    Instance(
        "ties",
        (_counts(61, 35, 4), _counts(80, 14, 6), _counts(30, 67, 3)),
        note="counts 0, 1 and 2: ties in every sample, and p95s that hang on two percent of mass",
    ),
    Instance(
        "exact-tie",
        (_counts(60, 35, 5), _counts(80, 14, 6), _counts(30, 67, 3)),
        ALPHA,
        "the same, but an arm with exactly 95 % up to 1: no sample says on which side it falls",
    ),
    Instance(
        "lognormal",
        (LogNormal(0.0, 1.5), LogNormal(0.5, 1.0), LogNormal(1.0, 0.5)),
        note="log-normal arms: the best p95 belongs to the arm with the lowest median",
    ),
    Instance(
        "liar",
        (Normal(0.0, 1.0), _deceptive(0.06, 0.3)),
        note="the best arm looks the worse one 94 times in a hundred, then pays about 10",
    ),
    Instance(
        "far-liar",
        (Normal(0.0, 1.0), _deceptive(0.0015, 0.5)),
        FAR,
        "the same at p99.9: it pays about 10 once or twice in a thousand pulls",
    ),
    Instance(
        "small-unit",
        tuple(Normal(arm.loc / 100, arm.scale / 100) for arm in GAUSSIAN_ARMS),
        note="the headline's arms in another unit: every reward is divided by 100",
    ),
    # Each arm must be paid for before it can be ruled out.
    Instance(
        "many-arms",
        (*[Normal(0.10, 0.05)] * 15, Normal(0.00, 0.15), *[Normal(0.04, 0.08)] * 14),
        note="30 Gaussian arms: the headline's best one, among 15 and 14 of its other two",
    ),
    Instance(
        "hundreds-of-arms",
        (*[Normal(0.10, 0.05)] * 100, Normal(0.00, 0.15), *[Normal(0.04, 0.08)] * 99),
        note="200 Gaussian arms: the headline's best one, among 100 and 99 of its other two",
    ),
    Instance("far-tail", GAUSSIAN_ARMS, FAR, "the headline's arms, valued by their p99.9"),
    Instance(
        "far-apart",
        (Normal(5.0, 1.0), Normal(10.0, 1.0), Normal(0.0, 1.0)),
        note="Gaussian arms with five standard deviations between them",
    ),
)


EXTREME = "extreme"  # a group of its own
EXTREME_NAMES = tuple(f"{EXTREME}-{number}" for number in range(1, 9))
FIRST, SECOND, FIFTH = (2.1, 2.3, 1.3, 1.1, 1.9), (2.5, 2.8, 4, 3, 1.4, 1.9, 1.4), (5, 1.1, 2)
MORE = 1.1  # times the tail of another arm with the same exponent has the last one of experiment 2
MEANS = (2.1, 2.4, 1.9, 1.3, 1.1, 2.9, 1.5, 2.2, 2.6, 1.4)
SDS = (
    1.64, 2.29, 1.79, 2.67, 1.70, 1.36, 1.90, 2.19, 0.80, 0.12,
    1.65, 1.19, 1.88, 0.89, 3.35, 1.50, 2.22, 3.03, 1.08, 0.48,
)  # fmt: skip
LOG_NORMALS = ((1, 4), (1.5, 3), (2, 2), (3, 1), (3.5, 0.5))
SHAPES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)


def tail(exponent: float, constant: float = 1.0) -> Pareto:
    """Return the Pareto distribution whose tail is constant · x^(−exponent)."""
    return Pareto(constant ** (1 / exponent), exponent)


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


@cache
def extreme_instances() -> tuple[Instance, ...]:
    """Return the published instances on extremes; some of their arms load SciPy."""
    pairs = ", ".join(f"({mu:g}, {sigma:g})" for mu, sigma in LOG_NORMALS)
    by_note: dict[str, Sequence[Distribution]] = {
        f"Pareto arms, exponents {_listed(FIRST)}": [*map(tail, FIRST)],
        f"Pareto arms, exponents {_listed(SECOND)}; the last tail is {MORE:g} times the fifth's": [
            *map(tail, SECOND[:-1]),
            tail(SECOND[-1], MORE),
        ],
        f"exponential arms, means {_listed(MEANS)}": [*map(Exponential, MEANS)],
        f"Gaussian arms of mean 1, standard deviations {_listed(SDS)}": [
            Normal(1, sd) for sd in SDS
        ],
        f"Pareto arms, exponents {_listed(FIFTH)}": [*map(tail, FIFTH)],
        "Pareto arms, exponents 1.5, 3; and one that is 0 with 80 %, or Pareto with exponent 1.1": [
            tail(1.5),
            tail(3),
            Mixture([Empirical([0.0]), tail(1.1)], [0.8, 0.2]),
        ],
        f"log-normal arms, (μ, σ) = {pairs}": [LogNormal(*pair) for pair in LOG_NORMALS],
        f"generalised normal arms, shapes {_listed(SHAPES)}": [
            ScipyDistribution("gennorm", (shape,)) for shape in SHAPES
        ],
    }
    return tuple(
        Instance(name, arms, ALPHA, note)
        for name, (note, arms) in zip(EXTREME_NAMES, by_note.items(), strict=True)
    )


Given = str | Instance | Iterable[str | Instance | Distribution | Any]  # Any: of scipy.stats

YOURS = "your arms"  # the name of an instance that is given as a list of distributions
INSTANCES: dict[str, Instance] = {instance.name: instance for instance in (*PAPER, *HARD)}
GROUPS = {"paper": PAPER, "hard": HARD, "all": (*PAPER, *HARD)}
NAMES = (*GROUPS, EXTREME, *INSTANCES, *EXTREME_NAMES)  # that `named` knows


def named(name: str) -> tuple[Instance, ...]:
    """Return the instance of that name, or those of a group."""
    if name in GROUPS:
        return GROUPS[name]
    if name in (EXTREME, *EXTREME_NAMES):
        return tuple(each for each in extreme_instances() if name in (EXTREME, each.name))
    if name not in INSTANCES:
        raise UnknownNameError.among("instance", name, NAMES)
    return (INSTANCES[name],)


def as_instances(given: Given, value: Objective | None = None) -> list[Instance]:
    """Return names, instances or the arms of one instance as instances, each once.

    With `value`, a quantile or an endpoint, all are valued by it; those that are valued by another
    one are renamed, and arms that are the same then are kept once.
    """
    items = checks.several("instances", given)
    named_arms = isinstance(given, Mapping) or hasattr(given, "columns")
    if named_arms or (items and not any(map(_is_instance, items))):
        arms: Any = given if named_arms or isinstance(given, Iterable) else items
        return [Instance(YOURS, arms, (value and endpoint_alpha(value)) or ALPHA)]
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


def _is_instance(item: object) -> bool:
    """Tell an instance or its name from an arm, whose text has a colon or brackets."""
    return isinstance(item, Instance) or (isinstance(item, str) and not set(item) & set(":("))


def _as_several(item: object) -> Sequence[Instance]:
    if isinstance(item, Instance):
        return [item]
    if isinstance(item, str):
        return named(item)
    raise ParameterError(
        "Instances are names, Instance(…) or one list of arms, not arms among them; got "
        f"{item!r}. Make it Instance('mine', [arm, …])."
    )


def _valued_by(instance: Instance, value: Objective) -> Instance:
    own, tau = UpperTail(instance.alpha), getattr(value, "tau", 0.5)
    if same_level(own.tau, tau):
        return instance
    alpha = endpoint_alpha(value) or instance.alpha  # the median is the end of no interval
    at = value.label if isinstance(value, BestOf) else f"p{100 * tau:.12g}"
    at = f"{alpha:g}" if isinstance(value, UpperTail) else at
    name = f"{instance.name} at {at}"
    return replace(instance, name=name, alpha=alpha, note=f"the arms of {instance.name}")
