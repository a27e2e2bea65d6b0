"""What the library computes, written once and compared later: ``python -m tests.baseline.digests``.

``--write`` records digests.npz next to this file, ``--check`` compares today's numbers with it to
1e-12, and ``--only WORD`` restricts either to the sections whose name contains the word. With
``--interpreted`` the choices of policies are only checked without Numba, which is fast. Choices,
texts and whole numbers are hashed, so they must be equal. All that is not public is found by
`internal`, the only function to adapt when modules move.
"""

import argparse
import contextlib
import csv
import dataclasses
import functools
import hashlib
import importlib
import importlib.metadata
import io
import itertools
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import upperhand as uh
from upperhand.objectives import DIRECTIONS

from . import cases

FILE = Path(__file__).with_name("digests.npz")
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
os.environ.setdefault("UPPERHAND_COMPILE", "1")  # short runs too
TOLERANCE = 1e-12
# Keys of JSON that hold prose, times, versions or paths, and columns of CSV with times.
LEFT_OUT = {"about", "allowed", "note", "notes", "versions", "version", "step_ns", "reason", "why"}

Results = Iterator[tuple[str, Any]]


@functools.cache
def internal(name: str, package: str = "upperhand") -> Any:
    """Return a function of the library by its name, wherever it is."""
    root = importlib.import_module(package)
    if callable(found := getattr(root, name, None)):
        return found
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        if module.name.startswith(("upperhand.live", "upperhand.cli")) or "._" in module.name:
            continue
        found = getattr(importlib.import_module(module.name), name, None)
        if getattr(found, "__module__", None) == module.name:
            return found
    raise LookupError(f"{name} is nowhere below {package}.")


def theorem(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call a function of theory."""
    return internal(name, "upperhand.theory")(*args, **kwargs)


def attempt(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the function's value, or the name of the error that it raises."""
    try:
        return function(*args, **kwargs)
    except (uh.UpperhandError, LookupError) as error:
        return f"raises {type(error).__name__}"


def hashed(content: bytes) -> float:
    return float(int.from_bytes(hashlib.sha256(content).digest()[:6], "big"))


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a result with their places; a text or an array of integers is hashed."""
    if isinstance(value, dict):
        yield f"{path}.keys", hashed(repr([k for k in value if k not in LEFT_OUT]).encode())
        for key, each in value.items():
            if key not in LEFT_OUT:
                yield from numbers(each, f"{path}.{key}")
    elif isinstance(value, uh.Policy | uh.Calibrator):
        yield from numbers(value.settings, path)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from numbers([getattr(value, f.name) for f in dataclasses.fields(value)], path)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "bui":
        shape = repr(value.shape).encode()
        yield path, hashed(shape + np.ascontiguousarray(value, np.int64).tobytes())
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        for i, each in enumerate(value):
            yield from numbers(each, f"{path}[{i}]")
    elif isinstance(value, str) or value is None:
        yield path, hashed(repr(value).encode())
    else:
        yield path, float(value)


def cells(text: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV file, a dictionary each, with numbers where there are any."""
    number = re.compile(r"[+-]?([0-9.]+(e[+-]?[0-9]+)?|inf|nan)")
    rows = csv.DictReader(io.StringIO(text))
    return [{k: float(v) if number.fullmatch(v) else v for k, v in row.items()} for row in rows]


def table(kind: str, arms: int, n: int) -> np.ndarray:
    """Return rewards (arms, n) of a kind, or a stretch of each kind after the other."""
    rng = np.random.default_rng([arms, n])
    rewards = rng.normal(np.linspace(0.0, 0.3, arms)[:, None], 1.0, (arms, n))
    kinds = {
        "continuous": rewards,
        "ties": np.round(rewards, 1),
        "heavy": np.clip(rng.standard_t(1, (arms, n)), -1e12, 1e12),
        "constant": np.full((arms, n), 0.5),
        "bernoulli": (rewards > 0.2).astype(float),
    }
    if kind != "mixed":
        return kinds[kind]
    return np.hstack([each[:, : n // 5] for each in kinds.values()])


def played(policy: uh.Policy, kind: str, arms: int, n: int) -> float:
    # The arms pay what they pay in their own order: the hash sees every choice.
    return hashed(uh.play(policy, table(kind, arms, n), 5).arms.astype(np.int64).tobytes())


def choices() -> Results:
    """Hash the choices of every policy: the same keys and values compiled and interpreted."""
    for name, policy in cases.PLAYERS.items():
        kinds = ("continuous", "ties", "heavy", "constant", "bernoulli")
        for kind in ("continuous", "ties") if name in cases.CALIBRATED else kinds:
            yield f"{name}/{kind}/300", played(policy, kind, 4, 300)
        yield f"{name}/mixed/1500", played(policy, "mixed", 3, 1500)
        if name in cases.POLICIES and (INTERPRETED or name in cases.WITH_RANDOM_TIES):
            shuffled = policy.replace(random_ties=True)
            yield f"{name}/random ties", played(shuffled, "bernoulli", 4, 300)
    for name in cases.LISTED + (cases.ALSO_LISTED if INTERPRETED else ()):
        for kind in ("continuous", "ties", "bernoulli"):
            yield f"{name}/{kind}/80 arms", played(cases.POLICIES[name], kind, 80, 700)


def plays() -> Results:
    """Hash pulls of every policy in `simulate` and `identify`, on rewards and on costs."""
    arms = [uh.Normal(0.2, 0.1), uh.Normal(0.3, 0.3), uh.Exponential(0.3), uh.Uniform(0, 0.7)]
    unit = [uh.Bernoulli(0.3), uh.Bernoulli(0.5), uh.Bernoulli(0.45)]
    for (name, policy), costs in itertools.product(cases.PLAYERS.items(), (False, True)):
        found = unit if name in ("Thompson beta", "KL-UCB bernoulli") else arms
        runs = attempt(
            uh.simulate, found, policy, 300, 2, 3, direction=DIRECTIONS[costs], rounds=30, workers=1
        )
        pulls = list(runs.pulls.values()) if isinstance(runs, uh.Runs) else runs
        yield f"simulate {name}/{costs=}", pulls
    for (name, policy), costs in itertools.product(cases.SEARCHES.items(), (False, True)):
        apart = [uh.Normal(2.5 * (-j if costs else j), 1) for j in range(4)]
        size = {"cap": 3000, "replications": 2, "seed": 3, "workers": 1}
        found = uh.identify(apart, policy, direction=DIRECTIONS[costs], **size)
        yield f"identify {name}/{costs=}", list(found.answers.values())
    if INTERPRETED:  # live, and by itself, so without Numba
        for (name, policy), costs in itertools.product(cases.POLICIES.items(), (False, True)):
            yield f"live {name}/{costs=}", attempt(live, policy, costs)


def live(policy: uh.Policy, costs: bool) -> list[Any]:
    bandit = uh.Bandit(["0", "1", "2"], policy, 7, direction=DIRECTIONS[costs])
    rewards = table("ties", 3, 200)
    asked = []
    for t in range(200):
        asked.append(bandit.ask())
        bandit.tell(asked[-1], float(rewards[int(asked[-1]), t]))
    return asked


def simulate() -> Results:
    """Pulls, regrets and saved runs for sizes, workers and grids of rounds."""
    arms = [uh.Normal(0.1, 0.05), uh.Normal(0.0, 0.15), uh.StudentT(0.04, 0.08, 5)]
    policies = {"a": uh.ACPUCB1(), "b": uh.UCB1(), "c": uh.KLQUCB(0.95), "d": uh.QuantileIMED(0.95)}
    objectives = [uh.UpperTail(0.1), uh.Mean(), uh.CVaR(0.1), uh.MeanVariance(1), uh.BestOf(8)]
    grids = {"200": 200, "listed": [1, 10, 999, 1500]}
    for workers, costs, (label, rounds) in itertools.product((1, 2), (False, True), grids.items()):
        size = {"rounds": rounds, "workers": workers}
        runs = uh.simulate(arms, policies, 2000, 12, 4, direction=DIRECTIONS[costs], **size)
        yield f"pulls/{workers=}/{costs=}/{label}", runs.pulls
        if workers == 1 and label == "listed":
            with tempfile.TemporaryDirectory() as folder:
                runs.save(Path(folder) / "runs.npz")
                read = uh.Runs.load(Path(folder) / "runs.npz")
            yield f"saved/{costs=}", [read.pulls, read.rounds, read.minimize, read.seed]
            for objective in objectives:
                yield f"regret/{costs=}/{objective!r}", read.regret(objective)


def identify() -> Results:
    arms = [uh.Normal(0, 1), uh.LogNormal(0, 0.5), uh.Exponential(2), uh.Pareto(1, 3)]
    fixed = [
        uh.QLUCB(0.6),
        uh.QPAC(0.6, epsilon=0.1),
        uh.QuantileEvidence(0.6),
        uh.QSAR(0.6, budget=600),
    ]
    for workers, costs in itertools.product((1, 2), (False, True)):
        size = {"cap": 4000, "replications": 10, "seed": 1, "workers": workers}
        found = uh.identify(arms, fixed, epsilon=0.05, direction=DIRECTIONS[costs], **size)
        yield f"{workers=}/{costs=}", [found.answers, found.to_dict()]


def compare() -> Results:
    few = {"a": uh.ACPUCB1(), "u": uh.UCB1(), "k": uh.KLQUCB(0.95, plus=True)}
    size = {"horizon": 1000, "replications": 6, "workers": 1}
    yield "headline, all policies", uh.compare(**size | {"horizon": 500}).to_dict()
    yield "paper", uh.compare("paper", few, **size).to_dict()
    yield "hard", uh.compare("hard", few, **size, quantile=0.9).to_dict()
    judges = [uh.Mean(), uh.CVaR(0.1), uh.Quantile(0.9)]
    costs = uh.compare("headline", few, judges, direction="minimize", reference="u", **size)
    yield "costs", costs.to_dict()


def study() -> Results:
    """Run a study from a file, on rewards and on costs; read its tables."""
    for costs in ("", 'direction = "minimize"'):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "s.toml").write_text(cases.STUDY.format(costs=costs))
            out = folder / "out"
            command("study", "run", str(folder / "s.toml"), "--out", str(out), "--quiet")
            command("study", "report", str(out))
            for each in ("results.csv", "searches.csv"):
                rows = cells((out / each).read_text(encoding="utf-8"))
                for name in [name for name in rows[0] if name.startswith("setting_")]:
                    for row in rows:  # recorded before there were such columns
                        del row[name]
                yield f"{each} {costs}", rows


def command(*words: str) -> str:
    """Return what a command of the library prints."""
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="upperhand")
    typed, sys.argv = sys.argv, ["upperhand", *words]
    printed, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(printed):
            entry.load()()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = typed
    if code:
        raise RuntimeError(f"upperhand {' '.join(words)} ends with {code}.")
    return printed.getvalue()


def cli() -> Results:
    """What commands print as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "series.csv"
        series = np.random.default_rng(2).normal(size=(300, 2)).cumsum(axis=0)
        rows = "\n".join(f"{y!r},{f!r},{f + 1.5!r}" for y, f in series.tolist())
        file.write_text(f"y,f,u\n{rows}\n", encoding="utf-8")
        for call in cases.CALLS.strip().splitlines():
            words = call
            for short, long in cases.WORDS.items():
                words = words.replace(short, long)
            words = words.replace("FILE", str(file)).split()
            yield call, json.loads(command(*words))


def figures() -> Results:
    """The data that commands write next to figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = ["--horizon", "600", "--workers", "1", "--replications"]
        printed = command("paper", "--out", name, *size, "2")
        for file in sorted(folder.glob("*.csv")):
            yield f"paper {file.name}", cells(file.read_text(encoding="utf-8"))
        files = ["--csv", str(folder / "c.csv"), "--plot", str(folder / "c.png")]
        policies = ["--policy", "acp-ucb1", "--policy", "ucb1", "--policy", "quantile-imed"]
        command("compare", *policies, *size, "4", *files)
        yield "compare", cells((folder / "c.csv").read_text(encoding="utf-8"))
        (verdicts,) = (line for line in printed.splitlines() if "claims of the paper" in line)
        yield "paper verdicts", [int(number) for number in re.findall(r"\d+", verdicts)]


def theory() -> Results:
    calls = [each.split() for line in cases.THEORY.strip().splitlines() for each in line.split("|")]
    for i in range(24):
        given = cases.drawn(i)
        local = [given[each] for each in ("f_min", "g_min", "r_y", "r_s")]
        given["constants"] = theorem("LocalConstants", local[0], 2.0, *local[1:])
        for name, *arguments in calls:
            args = [given[each] for each in arguments if each[0] != "*"]
            kwargs = {each[1:]: given[each[1:]] for each in arguments if each[0] == "*"}
            yield f"{name} {' '.join(arguments[:1])}/{i}", attempt(theorem, name, *args, **kwargs)


def distributions() -> Results:
    levels = np.array([0, 1e-9, 0.01, 0.1, 0.3, 0.5, 0.77, 0.95, 0.999, 1 - 1e-12, 1])
    ends = [uh.UpperTail(0.1), uh.LowerTail(0.3), uh.Quantile(0.7), uh.BestOf(8)]
    means = [uh.Mean(), uh.CVaR(0.05), uh.CVaR(0.5), uh.MeanVariance(2), uh.Utility(1.5)]
    for i in range(20):
        rng = np.random.default_rng([5, i])
        found = cases.laws(rng)
        for name, law in found.items():
            points = law.quantile(levels[1:-1]) + np.array([0.0, 0.013, -0.4] * 3)
            values = [law.mean, law.sd, law.quantile(levels), law.cdf(points), law.sf(points)]
            density = attempt(law.pdf, points)
            yield f"{name}/{i}", [*values, density, law.shortfall(points)]
            sample = law.sample(40, np.random.default_rng(i))
            yield f"{name}/{i}/sample", [sample.mean(), sample[-1], np.abs(sample).max()]
            for objective in ends + means:
                both = [objective.value(law), objective.cost(law)]
                yield f"objective {objective!r}/{name}/{i}", both
        for objective in ends + means:
            yield f"gaps {objective!r}/{i}", attempt(objective.gaps, list(found.values()))


def calibrators() -> Results:
    """Intervals of each calibrator, of studies of them, and of confidence sequences."""
    for kind in ("continuous", "ties", "heavy"):
        y, errors, wide = table(kind, 3, 260)
        for name, made in cases.CALIBRATORS.items():
            calibrator = made.replace()
            ends = []
            for value, error, width in zip(y, errors, np.abs(wide), strict=True):
                forecast = (0.3 * error, 0.3 * error + width) if kind == "ties" else 0.3 * error
                ends.append(calibrator.predict(forecast))
                calibrator.update(value, forecast=forecast)
            found = [ends[::13], np.mean(np.isfinite(ends)), calibrator.coverage, calibrator.width]
            yield f"{name}/{kind}", found
        study = uh.calibrate(y.cumsum(), forecast=y.cumsum() - y, alpha=0.15)
        yield f"study/{kind}", [study.to_dict(), list(study.summary().rows)]
        for tau, method in itertools.product((0.5, 0.9), ("beta-binomial", "stitched", "dkw")):
            sequence, ends = uh.QuantileSequence(tau, 0.1, method, t_opt=50), []
            for value in np.hstack([y, errors]):
                sequence.update(value)
                ends.append([*sequence.interval(), sequence.estimate()])
            yield f"sequence {method}/{tau}/{kind}", ends[::20]


def statistics() -> Results:
    """Intervals of means and of shares over replications."""
    mean_interval, share_interval = internal("mean_interval"), internal("share_interval")
    for i in range(20):
        rng = np.random.default_rng([9, i])
        samples = rng.exponential(size=(int(rng.integers(1, 60)), 4)) ** rng.uniform(0.3, 2)
        yield f"mean/{i}", [mean_interval(samples), mean_interval(samples, 0.5, 1.5)]
        count = int(rng.integers(0, i + 2))
        yield f"share/{i}", [share_interval(count, i + 1), share_interval(count, i + 1, 0.8)]


BOTH = ("choices", "plays")  # also run interpreted, in another process: the same values
QUICK = (theory, distributions, calibrators, statistics)
SLOW = (simulate, identify, compare, study, cli, figures, choices, plays)
SECTIONS = {section.__name__: section for section in QUICK + SLOW}
Digests = dict[str, list[tuple[str, float]]]


def digests_of(section: str) -> Digests:
    found: Digests = {}
    for key, value in SECTIONS[section]():
        assert key not in found, key
        found[key] = list(numbers(value))
    return {f"{section}: {key}": each for key, each in found.items()}


def interpreted(section: str) -> Digests:
    """Return a section's digests from a process without Numba."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    words = [sys.executable, "-m", "tests.baseline.digests", "--print", section]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def write(path: Path, digests: Digests) -> None:
    keys = sorted(digests)
    np.savez_compressed(
        path,
        keys=np.frombuffer("\n".join(keys).encode(), np.uint8),
        lengths=np.array([len(digests[key]) for key in keys]),
        values=np.array([value for key in keys for _, value in digests[key]]),
    )


def read(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        keys = file["keys"].tobytes().decode().split("\n")
        parts = np.split(file["values"], np.cumsum(file["lengths"])[:-1])
    return dict(zip(keys, parts, strict=True))


def difference(expected: np.ndarray, found: list[tuple[str, float]]) -> str | None:
    """Return what differs first, if anything does."""
    if len(expected) != len(found):
        return f"{len(expected)} numbers before, {len(found)} now"
    values = np.array([value for _, value in found])
    near = np.isclose(values, expected, rtol=TOLERANCE, atol=0.0, equal_nan=True)
    wrong = np.flatnonzero(~near)
    if not len(wrong):
        return None
    place, before, now = found[wrong[0]][0], expected[wrong[0]], values[wrong[0]]
    return f"{place or 'value'}: {before!r} before, {now!r} now; {len(wrong)} differ"


def check(expected: dict[str, np.ndarray], found: Digests, world: str) -> int:
    """Print each key that differs, and those that are new; return how many there are."""
    wrong = {key: difference(expected[key], v) for key, v in found.items() if key in expected}
    wrong |= dict.fromkeys(found.keys() - expected.keys(), "is new")
    wrong = {key: what for key, what in wrong.items() if what}
    for key, what in sorted(wrong.items()):
        print(f"{key} ({world}): {what}")
    return len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    modes = parser.add_mutually_exclusive_group(required=True)
    modes.add_argument("--write", action="store_true")
    modes.add_argument("--check", action="store_true")
    modes.add_argument("--print", metavar="SECTION", help="for the process without Numba")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--interpreted", action="store_true", help="do not compile the choices")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.print:
        print(json.dumps(digests_of(options.print)))
        return 0
    expected = read(FILE) if FILE.exists() else {}
    chosen = [name for name in SECTIONS if options.only in name]
    kept = {k: [("", v) for v in e] for k, e in expected.items() if k.split(": ")[0] not in chosen}
    differing = 0
    for section in chosen:
        start = time.perf_counter()
        try:
            plain = interpreted(section) if section in BOTH else {}
            compiled = {} if plain and options.interpreted else digests_of(section)
        except Exception as error:  # the other sections may still say something
            print(f"{section}: fails with {type(error).__name__}: {error}", flush=True)
            differing += 1
            continue
        took = time.perf_counter() - start
        print(f"{section}: {len(compiled | plain)} keys, {took:.0f} s", flush=True)
        if options.write:
            both = {k: np.array([x for _, x in plain[k]]) for k in compiled.keys() & plain.keys()}
            differing += check(both, {k: compiled[k] for k in both}, "compiled, interpreted before")
            kept |= plain | compiled
        else:
            before = {k: v for k, v in expected.items() if k.startswith(f"{section}: ")}
            differing += check(before, compiled, "compiled")
            differing += check(before, plain, "interpreted")
            for key in sorted(before.keys() - compiled.keys() - plain.keys()):
                print(f"{key}: is missing")
                differing += 1
    if options.write:
        write(FILE, kept)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
