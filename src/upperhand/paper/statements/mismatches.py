"""Gaussian instances on which mean and tail choose different arms: the paper's, and random ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...theory import two_arms, utility_path
from ..levels import ALPHAS
from .evidence import FIGURE_1, FIGURE_3, Array, Instance

GRID = 201  # utilities κ on [0, a]


@dataclass(frozen=True, eq=False)
class Mismatch:
    """A Gaussian instance whose best arms differ, and a = z_{1−α/2}."""

    instance: Instance
    a: float

    @cached_property
    def targets(self) -> utility_path.Targets:
        """The best arm at either end of the path."""
        return utility_path.targets(*self.instance, self.a)

    @cached_property
    def deltas(self) -> tuple[float, float]:
        """δ_μ = μ_M − μ_A and δ_σ = σ_A − σ_M."""
        (acp, mean), (mu, sigma) = self.targets, self.instance
        return float(mu[mean] - mu[acp]), float(sigma[acp] - sigma[mean])

    @cached_property
    def is_two_arm(self) -> bool:
        """Whether no third arm is ever the best, which the paper assumes."""
        return utility_path.is_two_arm_envelope(*self.instance, self.a)

    def shortfalls(self, kappa: Array) -> Array:
        """Return D_A and D_M from the arms themselves, (2, κ)."""
        return utility_path.shortfalls(*self.instance, kappa)[:, list(self.targets)].T


def at_level(instance: Instance, alpha: float) -> Mismatch:
    """Return the instance at a nominal level."""
    return Mismatch(instance, utility_path.path_end(alpha))


def papers_cases() -> Iterator[Mismatch]:
    """Yield Figure 1's and Figure 3's Gaussian arms at every level."""
    for instance in (FIGURE_1, FIGURE_3):
        for alpha in ALPHAS:
            yield at_level(instance, alpha)


def mismatch(rng: np.random.Generator) -> Mismatch:
    """Draw four arms until the best by mean is not the best by tail."""
    while True:
        arms = Instance(rng.normal(size=4), rng.uniform(0.1, 2, 4))
        case = at_level(arms, rng.uniform(0.01, 0.5))
        if case.targets.acp != case.targets.mean:
            return case


def suprema(case: Mismatch) -> tuple[Array, Array]:
    """Return sup D_A and sup D_M by equation (14), and by the arms on a grid that has both ends."""
    stated = [
        two_arms.worst_acp_shortfall(case.deltas[0]),
        two_arms.worst_mean_shortfall(case.a, *case.deltas),
    ]
    return np.array(stated), case.shortfalls(np.linspace(0, case.a, GRID)).max(axis=1)
