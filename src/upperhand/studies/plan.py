"""What a study plays: cells of a grid, in each a few policies on common rewards."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.compiler import PACKAGE, digest_of_sources
from ..distributions import Distribution
from ..distributions.registry import from_spec
from ..errors import ParameterError
from ..files import versions
from ..objectives import Objective, objective_from, objective_spec
from ..policies import BEST_ARM_POLICIES, POLICIES, Policy
from ..simulation import identify, simulate
from ..simulation.simulate import RECORDED_ROUNDS, recorded_rounds
from ..simulation.workers import cut

PLAY: str = "play"  # the kind of cell for `simulate`
SEARCH: str = "search"  # and that for `identify`
ROUNDS_PER_BLOCK = 4_000_000  # of one policy: 0.1 to 1 second, against 3 ms to write a block
LEAST_ROUNDS = 200_000  # of a block, where a cell has as many: files are not too small …
PIECES = 32  # … and of a larger cell so many blocks, at least: all cores find some
EVERY_CELL = 100  # replications from which on a cell has two blocks: for two threads
TOGETHER = 8  # policies of a block that are played together, on rewards that are drawn once
SETTINGS = ("title", "seed", "replications", "minimize", "points", "reference")  # of a plan
NUMBERS = ("upperhand", "numpy", "numba", "scipy")  # versions that numbers depend on
# Besides a policy's own sources: what draws rewards, seeds streams and runs the loop.
SIMULATION = ("simulate", "identify", "rewards", "player")
PLAYED_BY = ("distributions", "_kernels/loop.py", *(f"simulation/{n}.py" for n in SIMULATION))


class Series(NamedTuple):
    """One policy in one cell: all its replications are written under one key."""

    label: str
    policy: Policy
    settings: Mapping[str, Any]  # all that its numbers depend on, except replication and code
    key: str  # of these settings
    code: str  # of what its blocks are made by; empty in a folder of version 0.1.0

    def place(self, block: range) -> list[Any]:
        return [self.key, self.code, block.start, block.stop - 1]


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
    codes: Mapping[str, str] | None = field(default=None, compare=False)  # None: of this process

    @cached_property
    def rounds(self) -> NDArray[np.int64]:
        return recorded_rounds(self.points, self.horizon)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        common = {
            "kind": self.kind,
            "arms": hashed([distribution(arm.spec()) for arm in self.arms]),
            "horizon": self.horizon,
            "seed": self.seed,
            "minimize": self.minimize,
            "points": self.points if self.kind == PLAY else None,
        }
        found = []
        for label, policy in self.policies.items():
            settings = common | described(policy)
            code = self.codes[label] if self.codes else hashed(maker_of(policy))[:8]
            found.append(Series(label, policy, settings, hashed(settings), code))
        return tuple(found)

    def job(self, labels: tuple[str, ...]) -> Any:
        """Return what workers need to play some of the policies."""
        some: dict[str, Any] = {label: self.policies[label] for label in labels}
        rewards = simulate.as_rewards(self.arms, self.minimize)
        if self.kind == SEARCH:
            return identify.Job(rewards, some, self.minimize, self.horizon, self.seed)
        players = simulate.players_of(some, self.minimize)
        return simulate.Job(rewards, players, self.horizon, self.seed, self.rounds)

    def blocks(self, count: int) -> list[range]:
        """Return the blocks of so many replications; who works on them makes no difference."""
        points = len(self.rounds) if self.kind == PLAY else 1
        size = 8 * points * len(self.arms)  # bytes that a policy's replication has on its way
        least = 2 if count >= EVERY_CELL else 1
        pieces = min(PIECES, max(least, count * self.horizon // LEAST_ROUNDS))
        return cut(count, self.horizon, size, pieces=pieces, rounds=ROUNDS_PER_BLOCK)

    def spec(self) -> dict[str, Any]:
        """Return all but the arms as plain data, with what each policy's blocks are made by."""
        objectives = [objective_spec(objective) for objective in self.objectives]
        policies = {s.label: described(s.policy) | {"code": s.code} for s in self.series}
        settings = {name: getattr(self, name) for name in ("kind", "instance", "horizon")}
        return {**settings, "objectives": objectives, "policies": policies}


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

    def spec(self) -> dict[str, Any]:
        """Return the plan as plain data, with all arms' data; `from_spec` reads it."""
        arms = {cell.instance: [arm.spec() for arm in cell.arms] for cell in self.cells}
        settings = {name: getattr(self, name) for name in SETTINGS}
        return {**settings, "arms": arms, "cells": [cell.spec() for cell in self.cells]}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> "Plan":
        """Return the plan that was written; one of version 0.1.0 has no codes."""
        common, cells = (spec["seed"], spec["minimize"], spec["points"]), []
        arms = {name: tuple(map(from_spec, specs)) for name, specs in spec["arms"].items()}
        for each in spec["cells"]:
            policies = {label: _policy(entry) for label, entry in each["policies"].items()}
            codes = {label: entry.get("code", "") for label, entry in each["policies"].items()}
            place = (each["kind"], each["instance"], arms[each["instance"]], each["horizon"])
            valued = map(objective_from, each["objectives"])
            objectives = tuple(o.for_costs() if spec["minimize"] else o for o in valued)
            cells.append(Cell(*place, policies, *common, objectives, codes))
        return cls(cells=tuple(cells), **{name: spec[name] for name in SETTINGS})


def _policy(entry: Mapping[str, Any]) -> Policy:
    known: dict[str, type[Policy]] = {**POLICIES, **BEST_ARM_POLICIES}
    if entry["policy"] not in known:
        raise ParameterError(f"no policy is called {entry['policy']!r}")
    return known[entry["policy"]](**entry["settings"])


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


def as_json(settings: Any, **options: Any) -> str:
    """Return checked settings as JSON, in which a calibrator is its spec."""
    return json.dumps(settings, allow_nan=False, default=lambda part: part.spec, **options)


def hashed(settings: Any) -> str:
    """Return a key of checked settings: equal settings, equal keys, on every machine."""
    return hashlib.sha256(as_json(settings, sort_keys=True).encode()).hexdigest()[:24]


@cache
def made_by(*classes: type) -> dict[str, str]:
    """Return what the numbers of a policy of these classes are made by: versions and sources."""
    found = versions()
    common = [PACKAGE / name for name in PLAYED_BY]
    sources = digest_of_sources(classes, common)[:16]
    return {**{name: found[name] for name in NUMBERS}, "sources": sources}


def maker_of(policy: Policy) -> dict[str, str]:
    kinds: Any = (type(policy), *policy.parts)
    return made_by(*kinds)


def differing(theirs: Mapping[str, str], mine: Mapping[str, str]) -> str:
    """Say what numbers depend on and is not the same; empty if all of it is."""
    other = [f"{n} {theirs.get(n)} (here {mine[n]})" for n in NUMBERS if theirs.get(n) != mine[n]]
    if not other and theirs.get("sources") != mine.get("sources"):
        return "another state of the sources"
    return ", ".join(other)


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


class Task(NamedTuple):
    """A block of some policies of a cell, to be played."""

    cell: Cell
    series: tuple[Series, ...]
    block: range
    tries: int = 0  # that failed

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.series)

    @property
    def steps(self) -> int:
        """Rounds in all; of searches, at most."""
        return len(self.series) * len(self.block) * self.cell.horizon

    def __str__(self) -> str:
        cell, block = self.cell, self.block
        what = f"{', '.join(self.labels)} on {cell.instance}, {cell.objectives[0].label}, "
        return what + f"{cell.horizon:,} rounds, replications {block.start + 1:,}–{block.stop:,}"
