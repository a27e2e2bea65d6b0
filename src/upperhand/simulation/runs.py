"""The result of a simulation: pull counts on a grid of rounds, and how they came about.

Reading a file of runs, which may be damaged or made to harm: sizes first, then the contents.

Nothing in the file is executed. Each replication's pulls are checked as they are unpacked, so a
small file that unpacks to gigabytes of nothing is refused after its first replication.

Pull counts × objective → regret curves.

Pull counts are the sufficient statistic: the pseudo-regret under any objective is ``pulls @ gaps``.

What a simulation says, in plain numbers: who is best under which objective, at what regret.
"""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, Literal
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .. import checks
from ..distributions import Distribution
from ..distributions.numerics import t_quantile
from ..distributions.registry import from_spec
from ..errors import FileError, ParameterError, UpperhandError
from ..files import replacing, versions
from ..objectives import LowerTail, Mean, Objective, UpperTail, best_of, oriented
from ..policies import POLICIES, Policy, policy_class
from ..policies.parsing import settings_for
from .statistics import mean_interval, standard_error

MOST_BYTES = 2**28  # of the settings, and of the recorded rounds: far more than any of ours


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[ZipFile]:
    """Open a file of runs; whatever is wrong with it in the block becomes a `FileError`."""
    try:
        with open(path, "rb") as file, ZipFile(file) as archive:
            yield archive
    except Exception as error:  # a file that is none of ours may raise anything
        raise FileError(
            f"Cannot load runs from {str(path)!r}: {_reason(error)}. It must be a file that "
            "Runs.save wrote, by this version or an older one."
        ) from error


def _reason(error: Exception) -> str:
    """Return what to tell of an error: never NumPy's words, which advise to load unsafely."""
    match error:
        case UpperhandError():
            return str(error).rstrip(".")
        case OSError(strerror=str(reason)):
            return reason
        case MemoryError():
            return "it needs more memory than there is"
    return "it is damaged, or something else than runs"


def read_settings(archive: ZipFile) -> dict[str, Any]:
    """Return the settings, which say how everything else must look."""
    with _member(archive, "settings", MOST_BYTES) as (member, shape, dtype, size):
        _demand(shape == () and dtype.kind == "U" and dtype.itemsize == size, "its settings")
        text = str(np.frombuffer(member.read(size), dtype)[0])
    settings = json.loads(text)
    _demand(isinstance(settings, dict) and "format" in settings, "its settings")
    return dict(settings)


def read_rounds(archive: ZipFile, horizon: int) -> NDArray[np.int64]:
    """Return the recorded rounds: rising, the last the horizon."""
    with _member(archive, "rounds", MOST_BYTES) as (member, shape, dtype, size):
        _demand(shape == (size // 8,) and dtype.str[1:] == "i8" and size > 0, "its rounds")
        rounds = np.frombuffer(member.read(size), dtype).astype(np.int64)
    _demand(np.all(np.diff(rounds, prepend=0) > 0), "its rounds", "do not rise from 1 on")
    _demand(rounds[-1] == horizon, "its rounds", "do not end at its horizon")
    return rounds


def read_pulls(
    archive: ZipFile, name: str, rounds: NDArray[np.int64], replications: int, arms: int
) -> NDArray[np.int64]:
    """Return the pull counts of one policy (R, G, K): those of some choice of one arm a round."""
    wanted = (replications, len(rounds), arms)
    with _member(archive, name, 8 * replications * len(rounds) * arms) as (member, shape, dtype, _):
        _demand(
            shape == wanted and dtype.str[1:] == "i8", "its pulls", f"are not of shape {wanted}"
        )
        pulls = np.empty(shape, np.int64)
        for counts in pulls:
            content = member.read(counts.nbytes)
            counts[:] = np.frombuffer(content, dtype).reshape(counts.shape)
            steps = np.diff(counts, axis=0, prepend=0)
            _demand(np.all(steps >= 0), "its pulls", "are negative, or fall from round to round")
            _demand(np.array_equal(counts.sum(axis=1), rounds), "its pulls", "miss some rounds")
    return pulls


@contextmanager
def _member(
    archive: ZipFile, name: str, most: int
) -> Iterator[tuple[IO[bytes], tuple[int, ...], np.dtype[Any], int]]:
    """Open an array, its header read; give its shape, its type and how many bytes follow."""
    _demand(f"{name}.npy" in archive.namelist(), f"its part {name!r}", "is missing")
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as member:
        _demand(npy.read_magic(member) == (1, 0), f"its part {name!r}")
        shape, by_columns, dtype = npy.read_array_header_1_0(member)
        size = info.file_size - member.tell()
        _demand(not by_columns and size <= most, f"its part {name!r}", "is larger than it can be")
        yield member, shape, dtype, size


def _demand(fulfilled: Any, part: str, fault: str = "are not what they must be") -> None:
    if not fulfilled:
        raise ParameterError(f"{part} {fault}")


@dataclass(frozen=True, eq=False)
class Curve:
    """Cumulative regret, averaged over replications, with 95 % intervals of that average.

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
    ends = mean_interval(regret, 0.0, rounds * gaps.max())
    return Curve(rounds, regret.mean(axis=0), *ends, regret[:, -1])


def half_width(samples: NDArray[np.float64], confidence: float = 0.95) -> NDArray[np.float64]:
    """Return the half-width of Student's confidence interval for the mean over the first axis.

    It covers if the mean is about normal; for skewed samples use `mean_interval`.
    """
    level = np.asarray(0.5 + confidence / 2)
    return np.asarray(t_quantile(level, max(len(samples) - 1, 1)) * standard_error(samples))


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
        gaps = oriented(objective, self.minimize).gaps(self.arms)
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


Tail = Literal["upper", "lower"]


def tail_objective(alpha: float, tail: Tail) -> UpperTail | LowerTail:
    """Return the endpoint that a policy with this α and tail chases."""
    return UpperTail(alpha) if tail == "upper" else LowerTail(alpha)


def summarise(runs: Runs, value: Objective) -> dict[str, Any]:
    """Return arms, best arms and policies as JSON-able values, under the tail and the mean.

    The tail is a quantile or an endpoint; α is that of the interval it is an end of, or None.
    """
    told = settings_for(value, 0.1, runs.horizon)
    objectives: dict[str, Objective] = {"tail": value, "mean": Mean()}
    judges = {key: oriented(o, runs.minimize) for key, o in objectives.items()}
    defined = {key: judge for key, judge in judges.items() if judge.is_defined(runs.arms)}
    curves = {key: runs.regret(objectives[key]) for key in defined}
    return {
        "alpha": told["alpha"],
        "tail": told["tail"],
        "minimize": runs.minimize,
        "horizon": runs.horizon,
        "replications": runs.replications,
        "seed": runs.seed,
        "objectives": {key: objective.label for key, objective in objectives.items()},
        "arms": [_arm(arm, objectives) for arm in runs.arms],
        "best": {key: o.best(runs.arms) for key, o in defined.items()},
        "all_best": {key: best_of(o.gaps(runs.arms)) for key, o in defined.items()},
        "policies": [_policy(runs, name, curves) for name in runs.policies],
        "versions": runs.versions,
    }


def _arm(arm: Distribution, objectives: dict[str, Objective]) -> dict[str, Any]:
    values = {key: objective.value(arm) for key, objective in objectives.items()}
    finite = {key: value if math.isfinite(value) else None for key, value in values.items()}
    return {"law": repr(arm), "spec": arm.spec(), **finite}


def _policy(runs: Runs, name: str, curves: dict[str, dict[str, Curve]]) -> dict[str, Any]:
    final = runs.pulls[name][:, -1]  # (R, K)
    return {
        "name": name,
        "settings": runs.policies[name].settings,
        "pulls": final.mean(axis=0).tolist(),
        "regret": {key: _regret(named[name]) for key, named in curves.items()},
    }


def _regret(curve: Curve) -> dict[str, Any]:
    se = curve.se
    return {"mean": float(curve.final.mean()), "se": se if math.isfinite(se) else None}
