"""What a study plays: cells of a grid, in each a few policies on common rewards."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..objectives import Objective
from ..policies import Policy
from ..simulation import identify, simulate
from ..simulation.simulate import RECORDED_ROUNDS, recorded_rounds
from ..simulation.workers import cut

PLAY, SEARCH = "play", "search"  # the two kinds of cells: `simulate` and `identify`
ROUNDS_PER_BLOCK = 4_000_000  # of one policy: 0.1 to 1 second, against 3 ms to write a block
LEAST_ROUNDS = 200_000  # of a block, where a cell has as many: files are not too small …
PIECES = 32  # … and of a larger cell so many blocks, at least: all cores find some
TOGETHER = 8  # policies of a block that are played together, on rewards that are drawn once


@dataclass(frozen=True)
class Series:
    """One policy in one cell: all its replications are written under one key."""

    label: str
    policy: Policy
    key: str  # of everything that its numbers depend on, but for the replication


@dataclass(frozen=True)
class Cell:
    """Some policies on one instance at one horizon; of searches it is their cap."""

    kind: str
    instance: str
    arms: tuple[Distribution, ...]
    horizon: int
    policies: Mapping[str, Policy]
    seed: int
    minimize: bool
    points: int  # recorded rounds of a curve
    objectives: tuple[Objective, ...]  # by which it is evaluated: not part of what is played

    @cached_property
    def rounds(self) -> NDArray[np.int64]:
        """The rounds at which pulls are recorded."""
        return recorded_rounds(self.points, self.horizon)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """The policies, each with its key."""
        common = {
            "kind": self.kind,
            "arms": hashed([distribution(arm.spec()) for arm in self.arms]),
            "horizon": self.horizon,
            "seed": self.seed,
            "minimize": self.minimize,
            "points": self.points if self.kind == PLAY else None,
        }
        return tuple(
            Series(label, policy, hashed(common | described(policy)))
            for label, policy in self.policies.items()
        )

    def job(self, labels: tuple[str, ...]) -> Any:
        """Return what workers need to play some of the policies."""
        some: dict[str, Any] = {label: self.policies[label] for label in labels}
        if self.kind == SEARCH:
            return identify.Job.of(self.arms, some, self.minimize, self.horizon, self.seed)
        common = (self.horizon, self.seed, self.rounds)
        return simulate.Job.of(self.arms, some, self.minimize, *common)

    def blocks(self, count: int) -> list[range]:
        """Return the blocks of so many replications; who works on them makes no difference."""
        pieces = min(PIECES, max(1, count * self.horizon // LEAST_ROUNDS))
        return cut(count, self.horizon, pieces=pieces, rounds=ROUNDS_PER_BLOCK)


@dataclass(frozen=True)
class Plan:
    """A study: what is played, how often, and how it is evaluated."""

    title: str
    seed: int
    replications: int
    cells: tuple[Cell, ...]
    minimize: bool = False
    points: int = RECORDED_ROUNDS
    reference: str | None = None  # the label of the policy that the others are compared with

    @property
    def steps(self) -> int:
        """Rounds in all; of searches, at most."""
        return sum(self.replications * cell.horizon * len(cell.policies) for cell in self.cells)

    def each(self) -> Iterator[tuple[Cell, Series]]:
        """Yield every policy of every cell."""
        for cell in self.cells:
            for series in cell.series:
                yield cell, series


def described(policy: Policy) -> dict[str, Any]:
    """Return a policy as plain data.

    What is None is left out, so that a study goes on when policies get a setting more.
    """
    given = {name: value for name, value in policy.settings.items() if value is not None}
    return {"policy": policy.name, "settings": given}


def distribution(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a distribution's spec without what is only for people, such as a file's name."""
    kept = {name: value for name, value in spec.items() if name not in ("name", "note")}
    if "components" in kept:
        kept["components"] = [distribution(part) for part in kept["components"]]
    return kept if spec["family"] in ("empirical", "mixture") else spec


def hashed(settings: Any) -> str:
    """Return a key of checked settings: equal settings, equal keys, on every machine."""
    text = json.dumps(settings, sort_keys=True, allow_nan=False, default=lambda part: part.spec)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def play_block(kind: str, job: Any, block: range, stop: Any = None) -> dict[str, Any]:
    """Play a block; return for each policy an array with a row for each replication.

    Of plays it is the pull counts (G, K), in half the bytes where they fit; of searches their end,
    as `identify.play_block` says.
    """
    if kind == SEARCH:
        return identify.play_block(job, block, stop)
    narrow = np.uint32 if job.horizon < 2**32 else np.int64
    played = simulate.play_block(job, block, stop)
    return {label: pulls.astype(narrow) for label, pulls in played.items()}
