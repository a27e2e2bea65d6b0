"""The result of a simulation: pull counts on a grid of rounds, and the regret they mean.

Pull counts are the sufficient statistic: the pseudo-regret under any objective is ``pulls @ gaps``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import checks, objectives
from ..distributions import Distribution
from ..distributions.registry import from_spec
from ..errors import ParameterError, UnknownNameError, UpperhandError
from ..files import versions
from ..objectives import Mean, Objective
from ..policies import Policy
from ..policies.parsing import policy_entry, policy_from
from ..results import Classes, Named, Parts, Saved, finite, frame
from .statistics import regret_band, standard_error


@dataclass(frozen=True, eq=False)
class Curve:
    """Cumulative regret, averaged over replications, with Student's 95 % intervals.

    They hold round by round, not for the whole curve at once (`intervals`).
    """

    rounds: NDArray[np.int64]  # (G,)
    mean: NDArray[np.float64]  # (G,)
    low: NDArray[np.float64]  # (G,) NaN if there is one replication only
    high: NDArray[np.float64]  # (G,)
    final: NDArray[np.float64]  # (R,) the regret of each replication at the last round

    def __repr__(self) -> str:
        final = f"{self.final.mean():.6g} ± {self.se:.2g} (standard error)"
        return f"Curve of {len(self.rounds)} points, regret {final} at round {self.rounds[-1]}"

    @property
    def se(self) -> float:
        """Standard error of the mean final regret."""
        return float(standard_error(self.final))


def regret_curve(
    rounds: NDArray[np.int64], pulls: NDArray[np.int64], gaps: NDArray[np.float64]
) -> Curve:
    """Return the curve of pulls (R, G, K) under gaps (K,)."""
    regret = pulls @ gaps
    mean, most = regret.mean(axis=0), rounds * gaps.max()
    ends = regret_band(len(regret), mean, standard_error(regret), most)
    return Curve(rounds, mean, *ends, regret[:, -1])


class ResultOnArms(Saved):
    """A result of policies on arms: the names of the arms, and what all such files have."""

    arms: tuple[Distribution, ...]
    policies: Mapping[str, Policy]
    names: tuple[str, ...]  # of the arms; empty if they have none

    @property
    def arm_names(self) -> tuple[str, ...]:
        """The arms' names, or else their indices from 0."""
        return self.names or tuple(map(str, range(len(self.arms))))

    def common_parts(self, *others: Any) -> dict[str, Any]:
        """Return the settings that `common_from` reads; no file can hold `others`."""
        if strangers := [*others, *(arm for arm in self.arms if not can_rebuild(arm))]:
            raise ParameterError(
                "Only the library's own distributions and objectives can be saved; got "
                f"{strangers[0]!r}. Keep this result in memory."
            )
        plain = ("replications", "seed", "minimize", "names", "versions")
        return {name: getattr(self, name) for name in plain} | {
            "arms": [arm.spec() for arm in self.arms],
            "policies": [{"key": k, **policy_entry(p)} for k, p in self.policies.items()],
        }

    @staticmethod
    def common_from(settings: Named, policies: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of these settings, or refuse what no run can give."""
        if settings["seed"] is None:
            raise ParameterError("its seed is missing")
        return {
            "arms": tuple(map(from_spec, settings["arms"])),
            "policies": policies,
            "replications": checks.integer("its replications", settings["replications"], least=1),
            "seed": checks.seed(settings["seed"]),
            "versions": dict(settings["versions"]),
            "minimize": checks.flag("its minimize", settings.get("minimize", False)),
            "names": tuple(settings.get("names", ())),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Runs(ResultOnArms):
    """Policies × replications on common rewards.

    Pull counts are all that is kept: the regret under any objective comes from them afterwards.
    """

    format: ClassVar[str] = "upperhand-runs-1"
    summary_by: ClassVar[str] = "reports.summaries:runs_summary"
    plot_by: ClassVar[str] = "figures.results:plot_runs"

    arms: tuple[Distribution, ...]
    policies: dict[str, Policy]
    horizon: int
    replications: int
    seed: int
    rounds: NDArray[np.int64]  # (G,) the recorded rounds; the last is the horizon
    pulls: dict[str, NDArray[np.int64]]  # each (R, G, K)
    versions: dict[str, str] = field(default_factory=versions)
    minimize: bool = False  # whether the arms pay costs
    objective: Objective | None = None  # what an arm is worth, if that was said
    names: tuple[str, ...] = ()  # of the arms; their indices if they have none

    def regret(self, objective: Objective | str | float | None = None) -> dict[str, Curve]:
        """Return each policy's regret curve under an objective, by default `default_objective`."""
        value = self.default_objective if objective is None else objectives.as_objective(objective)
        gaps = objectives.oriented(value, self.minimize).gaps(self.arms)
        return {name: regret_curve(self.rounds, p, gaps) for name, p in self.pulls.items()}

    def __getitem__(self, policy: str) -> Curve:
        """Return one policy's regret curve under `default_objective`."""
        if policy not in self.pulls:
            raise UnknownNameError.among("policy", policy, self.pulls)
        return self.regret()[policy]

    @property
    def default_objective(self) -> Objective:
        """What `simulate` was given, else the quantile that the policies play for, or the mean."""
        if self.objective is not None:
            return self.objective
        aims = [policy.objective for policy in self.policies.values()]
        levels = {tau: aim for aim in aims if (tau := objectives.level_of(aim)) is not None}
        if len(levels) > 1:
            raise ParameterError(
                f"The policies play for the quantiles {', '.join(f'{t:g}' for t in levels)}. Say "
                f'which one counts, such as runs.regret("p{100 * max(levels):g}").'
            )
        return next(iter(levels.values()), None) or Mean()

    def to_frame(self, objective: Objective | str | float | None = None) -> Any:
        """Return the regret curves as a DataFrame: a row for each policy and recorded round.

        Columns: policy, round, regret (the mean over replications), low and high (its 95 %
        interval).
        """
        curves = self.regret(objective)
        return frame(
            {
                "policy": np.repeat(list(curves), len(self.rounds)),
                "round": np.tile(self.rounds, len(curves)),
                "regret": np.concatenate([curve.mean for curve in curves.values()]),
                "low": np.concatenate([curve.low for curve in curves.values()]),
                "high": np.concatenate([curve.high for curve in curves.values()]),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the curves as JSON-able values; what is not defined is left out.

        Values and regrets are under `default_objective` and the mean.
        """
        valued = [
            objectives.oriented(each, self.minimize) for each in (self.default_objective, Mean())
        ]
        named = {each.label: each for each in valued if each.is_defined(self.arms)}
        gaps = {label: each.gaps(self.arms) for label, each in named.items()}
        return {
            "minimize": self.minimize,
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "objectives": [each.label for each in valued],
            **objectives.arms_under(named, self.arms, self.arm_names),
            "policies": [
                {
                    "name": name,
                    "settings": policy.settings,
                    "pulls": self.pulls[name][:, -1].mean(axis=0).tolist(),
                    "regret": {
                        label: _mean_and_error(self.pulls[name][:, -1] @ each)
                        for label, each in gaps.items()
                    },
                }
                for name, policy in self.policies.items()
            ],
            "versions": self.versions,
        }

    def parts(self) -> Parts:
        """Return everything as settings for JSON and as arrays."""
        own = isinstance(self.objective, (*objectives.OBJECTIVES.values(), type(None)))
        settings = self.common_parts(*([] if own else [self.objective])) | {
            "horizon": self.horizon,
            "objective": self.objective and objectives.objective_spec(self.objective),
        }
        pulls = {f"pulls_{i}": counts for i, counts in enumerate(self.pulls.values())}
        return settings, {"rounds": self.rounds, **pulls}

    @classmethod
    def from_parts(cls, settings: Named, arrays: Named, own: Classes = ()) -> Self:
        """Return the runs of these parts, or refuse what no simulation can give."""
        policies = {each["key"]: policy_from(each, own) for each in settings["policies"]}
        objective = settings.get("objective")
        return cls(
            **cls.common_from(settings, policies),
            horizon=checks.integer("its horizon", settings["horizon"], least=1),
            rounds=arrays["rounds"],
            pulls={key: arrays[f"pulls_{i}"] for i, key in enumerate(policies)},
            objective=objective and objectives.objective_from(objective),
        )._checked()

    def _checked(self) -> Self:
        """Return the runs, or refuse what no simulation can give."""
        rounds = self.rounds
        plain = rounds.ndim == 1 and len(rounds) > 0 and rounds.dtype == np.int64
        if not plain or np.any(np.diff(rounds, prepend=0) < 1) or rounds[-1] != self.horizon:
            raise ParameterError("its rounds do not rise from 1 to its horizon")
        named = all(isinstance(key, str) and key.isprintable() for key in self.policies)
        if not (self.arms and self.policies and named):
            raise ParameterError("its arms or policies are missing, or badly named")
        shape = (self.replications, len(rounds), len(self.arms))
        for pulls in self.pulls.values():
            if pulls.shape != shape or pulls.dtype != np.int64:
                raise ParameterError(f"its pulls are not whole numbers of shape {shape}")
            falls = np.diff(pulls, axis=1, prepend=0) < 0
            if falls.any() or (pulls.sum(axis=2) != rounds).any():
                raise ParameterError("its pulls are not those of one arm a round")
        return self


def can_rebuild(arm: Distribution) -> bool:
    """Tell whether the distribution that `load` would make, parts included, is this one."""
    try:
        return from_spec(arm.spec()) == arm
    except UpperhandError:
        return False


def _mean_and_error(regret: NDArray[np.float64]) -> dict[str, float | None]:
    return {"mean": float(regret.mean()), "se": finite(float(standard_error(regret)))}
