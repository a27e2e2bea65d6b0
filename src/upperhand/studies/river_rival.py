"""river's UCB on the same rewards: what one would take for a quantile without this library.

`river.bandit.UCB` plays the arm with the largest r + δ √(2 ln t / N), where r is what its reward
object says of the arm's N rewards. With `river.stats.Quantile(τ)` that is the estimate of the P²
algorithm (R. Jain, I. Chlamtac, CACM 28:1076–1085, 1985), which keeps five markers instead of the
rewards. After six rewards it is their middle one, whatever τ is, and moves from there by a place at
a time.

δ has the unit of the rewards and no default; at 1 it is what river's documentation calls UCB1. The
same page recommends a scaler, by which δ has the unit of the standard deviation of all rewards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError
from ..simulation.seeds import policy_stream
from ..simulation.tables import Table, draw_table
from ..simulation.workers import Workers
from .instances import INSTANCES, Instance

if TYPE_CHECKING:
    from threading import Event

PLAYED_ON = ("headline", "small-unit", "student-t", "lognormal", "liar")
BURN_IN = 20  # first pulls of each arm: of so many rewards, about one is above the p95
LONGER = 100
TRIED = (  # δ in units of the largest standard deviation of the arms, and a burn-in
    *((1.0, BURN_IN), (2.0, BURN_IN), (4.0, BURN_IN), (8.0, BURN_IN)),
    *((0.5, LONGER), (1.0, LONGER)),  # with a larger δ, arms are pulled more often than that anyway
)


class RiverSetting(NamedTuple):
    """A setting of river's UCB."""

    delta: float  # in the unit of the rewards, or of their standard deviation if they are scaled
    burn_in: int = BURN_IN
    scaled: bool = False


AS_DOCUMENTED = {
    "river UCB, δ = 1": RiverSetting(1.0),
    "river UCB, δ = 1, scaled": RiverSetting(1.0, scaled=True),
}
SETTINGS = len(AS_DOCUMENTED) + len(TRIED)  # on each instance


class RiverRuns(NamedTuple):
    """The final pulls of river's UCB on each instance, in each setting."""

    pulls: Mapping[str, Mapping[RiverSetting, NDArray[np.int64]]]  # each (R, K)
    version: str


def load_river() -> Any:
    """Return river, or say what to install: also for asking before the work."""
    try:
        import river
    except ImportError as error:
        raise MissingExtraError(
            "The page of comparisons plays river's UCB too, and river is not installed: "
            "pip install river."
        ) from error
    return river


def settings_for(instance: Instance) -> tuple[RiverSetting, ...]:
    """Return the settings that are played: those of river's documentation, and tuned ones."""
    sd = max(arm.sd for arm in instance.arms)
    tuned = [RiverSetting(times * sd, burn_in) for times, burn_in in TRIED]
    return (*AS_DOCUMENTED.values(), *tuned)


def play_river(
    names: Sequence[str] = PLAYED_ON,
    *,
    horizon: int,
    replications: int,
    seed: int,
    progress: bool | None = None,
) -> RiverRuns:
    """Play river's UCB on these instances, on the reward tables that `simulate` draws."""
    version = str(load_river().__version__)
    team = Workers.checked(replications, 1, None, progress)  # more would wait for each other
    pulls = {}
    for name in names:
        instance = INSTANCES[name]
        pulls[name] = _run(_Job(instance, settings_for(instance), horizon, seed), team)
    return RiverRuns(pulls, version)


class _Job(NamedTuple):
    """What every replication has in common."""

    instance: Instance
    settings: tuple[RiverSetting, ...]
    horizon: int
    seed: int


def _run(job: _Job, team: Workers) -> dict[RiverSetting, NDArray[np.int64]]:
    shape = (team.replications, len(job.instance.arms))
    pulls = {setting: np.empty(shape, np.int64) for setting in job.settings}

    def keep(block: range, played: list[list[list[int]]]) -> None:
        for setting, counts in zip(job.settings, played, strict=True):
            pulls[setting][block.start : block.stop] = counts

    team.run("Playing river", _play_block, job, len(job.settings) * job.horizon, keep)
    return pulls


def _play_block(job: _Job, block: range, stop: Event | None) -> list[list[list[int]]]:
    """Play a block of replications; return the pulls of each setting, (len(block), K)."""
    tables = {i: draw_table(job.instance.arms, job.horizon, job.seed, i) for i in block}
    tau = 1 - job.instance.alpha / 2
    return [
        [
            play_table(setting, tau, table, int(policy_stream(job.seed, i).integers(2**32)))
            for i, table in tables.items()
            if stop is None or not stop.is_set()
        ]
        for setting in job.settings
    ]


def play_table(setting: RiverSetting, tau: float, table: Table, seed: int) -> list[int]:
    """Play river's UCB on one table; return how often it pulled each arm."""
    from river import bandit, preprocessing, stats

    scaler: Any = preprocessing.TargetStandardScaler  # around no model: river's own example
    policy: Any = bandit.UCB(
        delta=setting.delta,
        reward_obj=stats.Quantile(tau),
        reward_scaler=scaler(None) if setting.scaled else None,
        burn_in=setting.burn_in,
        seed=seed,
    )
    arms, rewards = list(range(len(table))), table.tolist()
    pulls = [0] * len(table)
    for _ in range(table.shape[1]):
        arm = policy.pull(arms)
        policy.update(arm, rewards[arm][pulls[arm]])
        pulls[arm] += 1
    return pulls
