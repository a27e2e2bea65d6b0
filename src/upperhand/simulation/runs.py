"""The result of a simulation: pull counts on a grid of rounds, and how they came about."""

import json
import os
from dataclasses import dataclass, field
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.registry import from_spec
from ..errors import ParameterError, UpperhandError
from ..files import replacing, versions
from ..objectives import Objective
from ..objectives.lowest import judged
from ..policies import POLICIES, Policy, policy_class
from .regret import Curve, regret_curve
from .saved import opened, read_pulls, read_rounds, read_settings

FORMAT = "upperhand-runs-1"


@dataclass(frozen=True, eq=False)
class Runs:
    """Policies × replications on common rewards.

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
            raise ParameterError(f"An objective must be given, such as Mean(); got {objective!r}.")
        gaps = judged(objective, self.minimize).gaps(self.arms)
        return {name: regret_curve(self.rounds, p, gaps) for name, p in self.pulls.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one portable file (.npz: arrays and JSON, nothing that executes)."""
        self._check_rebuildable()
        arrays = {
            f"pulls_{i}": np.ascontiguousarray(pulls, np.int64)
            for i, pulls in enumerate(self.pulls.values())
        }
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                settings=np.array(json.dumps(self._settings(), default=lambda part: part.spec)),
                rounds=self.rounds,
                **arrays,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Runs":
        """Read what `save` wrote; a file that is damaged or says the impossible is refused."""
        with opened(path) as archive:
            return cls._rebuilt(archive, read_settings(archive))

    @classmethod
    def _rebuilt(cls, archive: ZipFile, settings: dict[str, Any]) -> "Runs":
        if settings["format"] != FORMAT:
            found = settings["format"]
            raise ParameterError(f"its format is {found!r}, this version reads {FORMAT!r}")
        entries = settings["policies"]
        policies = {e["key"]: policy_class(e["name"])(**e["settings"]) for e in entries}
        arms = tuple(from_spec(spec) for spec in settings["arms"])
        named = all(isinstance(key, str) and key.isprintable() for key in policies)
        if not arms or not policies or len(policies) < len(entries) or not named:
            raise ParameterError("its arms or policies are missing, or badly named")
        if settings["seed"] is None:
            raise ParameterError("its seed is missing")
        horizon = checks.integer("its horizon", settings["horizon"], least=1)
        replications = checks.integer("its replications", settings["replications"], least=1)
        rounds = read_rounds(archive, horizon)
        size = (rounds, replications, len(arms))
        return cls(
            arms,
            policies,
            horizon,
            replications,
            checks.seed(settings["seed"]),
            rounds,
            {key: read_pulls(archive, f"pulls_{i}", *size) for i, key in enumerate(policies)},
            {str(name): str(version) for name, version in settings["versions"].items()},
            checks.flag("its minimize", settings.get("minimize", False)),  # older files have none
        )

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


def _can_rebuild(arm: Distribution) -> bool:
    """Tell whether the law that `load` would make, parts included, is this one."""
    try:
        return from_spec(arm.spec()) == arm
    except UpperhandError:
        return False
