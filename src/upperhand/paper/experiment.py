"""What an experiment is, and how large it is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..distributions import Distribution
from ..policies import Policy
from ..policies.base import check_horizon
from ..simulation.runs import Curve, Runs
from ..simulation.simulate import simulate
from ..text import counted
from .claim import Claim, Verdict
from .settings import HORIZON

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")  # what an experiment's run gives: Runs, or several of them


@dataclass(frozen=True)
class Final:
    """A policy's final regret: mean over replications, and the standard error of that mean."""

    setting: str
    metric: str
    policy: str
    mean: float
    se: float

    @classmethod
    def of(cls, setting: str, metric: str, policy: str, curve: Curve) -> Final:
        """Return the last value of a curve."""
        return cls(setting, metric, policy, float(curve.final.mean()), curve.se)


class Size(NamedTuple):
    """How large a run is, and who works on it; the numbers do not depend on the workers."""

    replications: int
    horizon: int = HORIZON
    seed: int = 0
    workers: int | None = None
    progress: bool | None = None


def simulate_at(size: Size, arms: Sequence[Distribution], policies: dict[str, Policy]) -> Runs:
    """Simulate policies on common reward tables, at that size."""
    return simulate(
        arms,
        policies,
        size.horizon,
        size.replications,
        size.seed,
        workers=size.workers,
        progress=size.progress,
    )


@dataclass(frozen=True)
class Experiment(Generic[T]):
    """One figure of the paper."""

    name: str
    number: int
    title: str  # the paper's caption
    drawn: str  # what the figure shows, for a caption
    spread: str  # what shows the intervals: bands or bars
    arms: dict[str, tuple[Distribution, ...]]  # by the name of the instance
    policies: dict[str, Policy]  # by the names that their results have
    replications: int
    run: Callable[[Size], T]
    draw: Callable[[T], Figure]
    table: Callable[[T], dict[str, list[Any]]]
    finals: Callable[[T], list[Final]]
    claims: Callable[[T], list[Claim]]

    @property
    def stem(self) -> str:
        """The files' name without suffix."""
        return f"figure-{self.number}-{self.name}"

    def caption(self, replications: int, horizon: int) -> str:
        """Say what the figure shows; a single replication has no intervals."""
        intervals = f"{self.spread} are 95 % intervals of the mean. " if replications > 1 else ""
        size = f"{counted(replications, 'replication')} of {counted(horizon, 'round')}"
        return f"{self.drawn}. {intervals}{size}."

    def is_below(self, replications: int, horizon: int) -> bool:
        """Whether a run is smaller than the paper's."""
        return replications < self.replications or horizon < HORIZON

    def judge(self, result: T, size: Size) -> list[Claim]:
        """Judge the claims; a run below the paper's size cannot refute what needs simulation."""
        small, open_ = self.is_below(size.replications, size.horizon), Verdict.UNDECIDED
        return [
            replace(c, verdict=open_) if small and c.verdict is Verdict.FAILS and not c.exact else c
            for c in self.claims(result)
        ]

    def check_horizon(self, horizon: int) -> None:
        """Refuse a horizon that is too short for one of the policies."""
        for laws in self.arms.values():
            for policy in self.policies.values():
                check_horizon(policy, len(laws), horizon)
