"""The result of a simulation: pull counts on a grid of rounds, and how they came about."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .distributions import Distribution
from .distributions.registry import from_spec
from .errors import FileError
from .files import replacing
from .objectives import Objective
from .policies import Policy, policy_class
from .provenance import versions
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

    def regret(self, objective: Objective) -> dict[str, Curve]:
        """Return each policy's regret curve under an objective."""
        gaps = objective.gaps(self.arms)
        return {name: regret_curve(self.rounds, p, gaps) for name, p in self.pulls.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one portable file (.npz: arrays and JSON, nothing that executes)."""
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
            reason = getattr(error, "strerror", None) or error
            raise FileError(
                f"Cannot load runs from {str(path)!r}: {reason}. It must be a file that "
                "Runs.save wrote."
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
        return cls(
            arms=tuple(from_spec(spec) for spec in settings["arms"]),
            policies=policies,
            horizon=settings["horizon"],
            replications=settings["replications"],
            seed=settings["seed"],
            rounds=arrays["rounds"],
            pulls={key: arrays[f"pulls_{i}"] for i, key in enumerate(policies)},
            versions=settings["versions"],
        )
