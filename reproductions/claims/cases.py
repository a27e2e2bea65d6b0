"""The cases that the chapters share: the paper's arms, Gaussian instances, uniform rewards."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from upperhand.comparison.instances import ALPHA as ALPHA
from upperhand.comparison.instances import ALPHAS as ALPHAS
from upperhand.comparison.instances import FAMILIES as FAMILIES
from upperhand.comparison.instances import GAUSSIAN_ARMS as GAUSSIAN_ARMS
from upperhand.distributions import Distribution, Normal, Uniform
from upperhand.objectives import UpperTail
from upperhand.paper.experiments import acp_ucb1
from upperhand.theory import assumption_1, gaussian, theorem_1
from upperhand.theory.assumption_1 import LocalConstants

from .evidence import Array

PAPER_ARMS: tuple[Distribution, ...] = (*GAUSSIAN_ARMS, *(a for f in FAMILIES.values() for a in f))
EXPERIMENTS_POLICY = acp_ucb1(ALPHA)
WINDOW = EXPERIMENTS_POLICY.level_min, EXPERIMENTS_POLICY.level_max  # of levels, in the appendix

# A uniform distribution at α = 1/2: few rewards are enough for the lemmas' numbers.
UNIT = Uniform(0, 1)
LEVEL, LEVELS, RADIUS = 0.5, (0.49, 0.51), 0.2449  # α, the window around it, and r_y = r_s


def uniform_constants() -> LocalConstants:
    """Return f_min = 1 and g_min = 2, which hold for every uniform distribution of width 1."""
    return assumption_1.local_constants([UNIT], LEVEL, LEVELS, r_y=RADIUS, r_s=RADIUS)


def figure_1_constants() -> LocalConstants:
    """Return the appendix's constants of Figure 1's arms, with the smallest radii of Theorem 1."""
    radius = theorem_1.least_radius(UpperTail(ALPHA).gaps(GAUSSIAN_ARMS))
    return assumption_1.gaussian_constants(FIGURE_1.sds, WINDOW, r_y=radius, r_s=radius)


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


@dataclass(frozen=True, eq=False)
class Mismatch:
    """Gaussian arms of which mean and tail choose different ones, and a = z_{1−α/2}."""

    gaussians: Gaussians
    a: float

    @classmethod
    def at(cls, gaussians: Gaussians, alpha: float) -> "Mismatch":
        """Return the arms at a nominal level."""
        return cls(gaussians, gaussian.path_end(alpha))

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

    @property
    def suprema(self) -> Array:
        """Return sup D_A and sup D_M over the path, from the arms themselves."""
        return np.asarray(self.shortfalls(np.linspace(0, self.a, 201)).max(axis=1))

    def shortfalls(self, kappa: Array) -> Array:
        """Return D_A and D_M from the arms themselves, (2, κ)."""
        return gaussian.shortfalls(*self.gaussians, kappa)[:, list(self.targets)].T


def mismatches(rng: np.random.Generator, count: int) -> Iterator[Mismatch]:
    """Yield the paper's Gaussian arms at every level, and random instances of four arms."""
    yield from (Mismatch.at(gaussians, a) for gaussians in (FIGURE_1, FIGURE_3) for a in ALPHAS)
    while count:
        arms = Gaussians(rng.normal(size=4), rng.uniform(0.1, 2, 4))
        case = Mismatch.at(arms, rng.uniform(0.01, 0.5))
        if case.targets.acp != case.targets.mean:
            count -= 1
            yield case
