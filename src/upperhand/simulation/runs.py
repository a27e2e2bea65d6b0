"""The result of a simulation: pull counts on a grid of rounds, and how they came about."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import Distribution
from ..distributions.registry import from_spec
from ..errors import FileError, ParameterError, UpperhandError
from ..files import replacing, versions
from ..objectives import Objective
from ..objectives.lowest import judged
from ..policies import POLICIES, Policy, policy_class
from .regret import Curve, regret_curve

FORMAT = "upperhand-runs-1"


@dataclass(frozen=True, eq=False)
class Runs:
    """Policies × replications on common reward tables.

    Pull counts are all that is kept: the regret under any objective comes from them afterwards.
    """

    arms: tuple[Distribution, ...]
    policies: dict[str, Policy]
    horizon: int
    replications: int
    seed: int
    rounds: NDArray[np.int64]  # (G,) the recorded rounds; the last is the horizon
    pulls: dict[str, NDArray[np.int64]]  # each (R, G, K)
    versions: dict[str, str] = field(default_factory=versions)
    minimize: bool = False  # whether the arms pay costs

    def __repr__(self) -> str:
        size = f"{self.replications} replications of {self.horizon} rounds, seed {self.seed}"
        return f"Runs of {', '.join(self.policies)} on {len(self.arms)} arms: {size}"

    def regret(self, objective: Objective) -> dict[str, Curve]:
        """Return each policy's regret curve under an objective."""
        if not isinstance(objective, Objective):
            raise ParameterError(f"An objective such as Mean() is wanted; got {objective!r}.")
        gaps = judged(objective, self.minimize).gaps(self.arms)
        return {name: regret_curve(self.rounds, p, gaps) for name, p in self.pulls.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one portable file (.npz: arrays and JSON, nothing that executes)."""
        self._check_rebuildable()
        arrays = {f"pulls_{i}": pulls for i, pulls in enumerate(self.pulls.values())}
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                settings=np.array(json.dumps(self._settings())),
                rounds=self.rounds,
                **arrays,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Runs":
        """Read what `save` wrote."""
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
                return cls._from_settings(json.loads(str(arrays["settings"])), dict(arrays))
        except Exception as error:  # a file that is none of ours may raise anything
            reason = str(getattr(error, "strerror", None) or error).rstrip(".")
            raise FileError(
                f"Cannot load runs from {str(path)!r}: {reason}. It must be a file that Runs.save "
                "wrote, by this version or an older one."
            ) from error

    def _settings(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "arms": [arm.spec() for arm in self.arms],
            "policies": [
                {"key": key, "name": policy.name, "settings": policy.settings}
                for key, policy in self.policies.items()
            ],
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "minimize": self.minimize,
            "versions": self.versions,
        }

    @classmethod
    def _from_settings(cls, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "Runs":
        if settings["format"] != FORMAT:
            raise ValueError(f"its format is {settings['format']!r}, this version reads {FORMAT!r}")
        policies: dict[str, Policy] = {
            entry["key"]: policy_class(entry["name"])(**entry["settings"])
            for entry in settings["policies"]
        }
        runs = cls(
            arms=tuple(from_spec(spec) for spec in settings["arms"]),
            policies=policies,
            horizon=settings["horizon"],
            replications=settings["replications"],
            seed=settings["seed"],
            rounds=arrays["rounds"],
            pulls={key: arrays[f"pulls_{i}"] for i, key in enumerate(policies)},
            versions=settings["versions"],
            minimize=settings.get("minimize", False),  # which older files do not have
        )
        runs._check_consistent()
        return runs

    def _check_rebuildable(self) -> None:
        """Refuse to save what `load` could not rebuild by name: policies and laws of one's own."""
        policies = [p for p in self.policies.values() if POLICIES.get(p.name) is not type(p)]
        laws = [arm for arm in self.arms if not _can_rebuild(arm)]
        strangers = [*policies, *laws]
        if strangers:
            raise ParameterError(
                f"Only the library's own policies and laws can be saved; got {strangers[0]!r}. "
                "Keep these runs in memory, or save their pulls yourself."
            )

    def _check_consistent(self) -> None:
        """Refuse arrays that are not what the settings say."""
        shape = (self.replications, len(self.rounds), len(self.arms))
        arrays = [self.rounds, *self.pulls.values()]
        if not all(array.dtype.kind == "i" for array in arrays) or self.rounds.ndim != 1:
            raise ValueError("its rounds and pulls are not whole numbers")
        if not self.pulls or any(pulls.shape != shape for pulls in self.pulls.values()):
            raise ValueError(f"its pulls are not of shape {shape}")
        if 0 in shape or self.rounds[-1] != self.horizon:
            raise ValueError("its rounds do not end at its horizon")


def _can_rebuild(arm: Distribution) -> bool:
    """Tell whether the law that `load` would make, parts included, is this one."""
    try:
        return from_spec(arm.spec()) == arm
    except UpperhandError:
        return False
