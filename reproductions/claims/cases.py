"""The cases that the chapters share: the paper's arms, Gaussian instances, and a uniform law.

What is compared with a Gaussian formula comes from Python's standard library: a mistake in our own
quantiles or densities would otherwise stand on both sides, and cancel.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from upperhand.distributions import Distribution, Normal, Uniform
from upperhand.objectives import UpperTail
from upperhand.paper.families import FAMILIES
from upperhand.paper.levels import ALPHAS
from upperhand.paper.settings import ALPHA, GAUSSIAN_ARMS, acp_ucb1
from upperhand.theory import assumption_1, gaussian, theorem_1
from upperhand.theory.assumption_1 import LocalConstants

from .evidence import Array

PAPER_ARMS: tuple[Distribution, ...] = (
    *GAUSSIAN_ARMS,
    *(arm for family in FAMILIES.values() for arm in family),
)
EXPERIMENTS_POLICY = acp_ucb1(ALPHA)
WINDOW = EXPERIMENTS_POLICY.level_min, EXPERIMENTS_POLICY.level_max  # of levels, in the appendix

# A uniform law at α = 1/2, for which few rewards are enough for the lemmas' numbers.
UNIT = Uniform(0, 1)
LEVEL, LEVELS, RADIUS = 0.5, (0.49, 0.51), 0.2449  # α, the window around it, and r_y = r_s

STANDARD = NormalDist()
SOURCE = "by Python's standard library, which shares no code with ours"


def uniform_constants() -> LocalConstants:
    """Return f_min = 1 and g_min = 2, which hold for every uniform law of width 1."""
    return assumption_1.local_constants([UNIT], LEVEL, LEVELS, r_y=RADIUS, r_s=RADIUS)


def same_law(arm: Normal) -> NormalDist:
    """Return the law of an arm by the second source."""
    return NormalDist(arm.loc, arm.scale)


def upper_ends(law: NormalDist, levels: ArrayLike) -> Array:
    """Return F⁻¹(1 − β/2) at each level β: z_β for the standard law."""
    return np.array([law.inv_cdf(1 - level / 2) for level in np.ravel(levels)])


def lower_ends(law: NormalDist, levels: ArrayLike) -> Array:
    """Return F⁻¹(β/2) at each level β."""
    return np.array([law.inv_cdf(level / 2) for level in np.ravel(levels)])


def densities(law: NormalDist, points: Array) -> Array:
    """Return f at each point."""
    return np.array([law.pdf(point) for point in points])


class Gaussians(NamedTuple):
    """Means and standard deviations of Gaussian arms."""

    means: Array  # (K,)
    sds: Array  # (K,)

    @classmethod
    def of(cls, arms: tuple[Distribution, ...]) -> "Gaussians":
        """Return those of given arms."""
        return cls(np.array([arm.mean for arm in arms]), np.array([arm.sd for arm in arms]))

    @property
    def arms(self) -> tuple[Normal, ...]:
        """The arms themselves."""
        return tuple(map(Normal, self.means.tolist(), self.sds.tolist()))


FIGURE_1 = Gaussians.of(GAUSSIAN_ARMS)
FIGURE_3 = Gaussians.of(FAMILIES["Gaussian"])


def figure_1_constants() -> LocalConstants:
    """Return the appendix's constants of Figure 1's arms, with the least radii of Theorem 1."""
    radius = theorem_1.least_radius(UpperTail(ALPHA).gaps(GAUSSIAN_ARMS))
    return assumption_1.gaussian_constants(FIGURE_1.sds, WINDOW, r_y=radius, r_s=radius)


@dataclass(frozen=True, eq=False)
class Mismatch:
    """Gaussian arms of which mean and tail choose different ones, and a = z_{1−α/2}."""

    gaussians: Gaussians
    a: float

    @cached_property
    def targets(self) -> gaussian.Targets:
        """The best arm at either end of the path."""
        return gaussian.targets(*self.gaussians, self.a)

    @cached_property
    def deltas(self) -> tuple[float, float]:
        """δ_μ = μ_M − μ_A and δ_σ = σ_A − σ_M."""
        (acp, mean), (mu, sigma) = self.targets, self.gaussians
        return float(mu[mean] - mu[acp]), float(sigma[acp] - sigma[mean])

    @cached_property
    def is_two_arm(self) -> bool:
        """Whether no third arm is ever the best, which the paper assumes."""
        return gaussian.is_two_arm_envelope(*self.gaussians, self.a)

    def shortfalls(self, kappa: Array) -> Array:
        """Return D_A and D_M from the arms themselves, (2, κ)."""
        return gaussian.shortfalls(*self.gaussians, kappa)[:, list(self.targets)].T


def at_level(gaussians: Gaussians, alpha: float) -> Mismatch:
    """Return the arms at a nominal level."""
    return Mismatch(gaussians, gaussian.path_end(alpha))


def papers_cases() -> Iterator[Mismatch]:
    """Yield Figure 1's and Figure 3's Gaussian arms at every level."""
    yield from (at_level(gaussians, a) for gaussians in (FIGURE_1, FIGURE_3) for a in ALPHAS)


def mismatch(rng: np.random.Generator) -> Mismatch:
    """Draw four arms until the best by mean is not the best by tail."""
    while True:
        arms = Gaussians(rng.normal(size=4), rng.uniform(0.1, 2, 4))
        case = at_level(arms, rng.uniform(0.01, 0.5))
        if case.targets.acp != case.targets.mean:
            return case
