"""Plant faults in a copy of the sources, one at a time, and list which of them the tests see.

    python tests/baseline/faults.py --check-texts
    python tests/baseline/faults.py --results /tmp/faults.json

A fault is a short text of `src` that is replaced by another one. The script looks for the text in
all files, with any white space between its words, so files may be moved and merged. A text that is
not found exactly once is reported, with exit code 1: renew it below. For each fault the tests run
in stages, up to the first failure:

- near: test modules that are named after the changed module, and those that import it;
- wide: those named after its room or in the folder of `tests` that mirrors it, and those that use a
  public name of the module from a package above it, such as `uh.UCB1`;
- through: those that import, or use a name of, a module that imports the changed one;
- suite: all others, folder by folder (left out by --no-suite).

A test function that also fails without the fault, as a few do that need the compiler, is left out.
Faults of the kind "compiled", of compilation or seen by tests that play much, run compiled, others
with NUMBA_DISABLE_JIT=1. Slow tests never run.
"""

import argparse
import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache", "paper-out")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow")
FAILURE = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+)", re.MULTILINE)

# For each fault: name | room | kind, the text that is replaced, and what is planted.
FAULTS = r"""
rank-without-slack | _kernels | formula
- level * total * (1.0 - RELATIVE_SLACK) - ABSOLUTE_SLACK
+ level * total
tie-goes-to-the-last-arm | _kernels | formula
- if ahead > 0.0:
+ if ahead >= 0.0:
cursor-not-moved-by-insert | _kernels | formula
- .cursor_rank[arm, c] += 1 if
+ .cursor_rank[arm, c] += 0 if
shortlist-used-after-its-last-round | _kernels | formula
- if pulled or t > int(shortlist.until[level]):
+ if pulled:
stale-compile-cache | _kernels | compiled
- for each in sorted(map(_source_hash, files)):
+ for each in ():
cdf-without-the-atom | distributions | formula
- x, side="right") / self._sorted.size
+ x, side="left") / self._sorted.size
costs-at-the-wrong-end-of-an-atom | distributions | formula
- 1.0 - p + beyond
+ 1.0 - p
sign-in-cvar-of-costs | objectives | formula
- (arm.mean - q + arm.shortfall(q)) / self.alpha
+ (q - arm.mean + arm.shortfall(q)) / self.alpha
ties-too-narrow | objectives | formula
- ROUNDING = 2.0**-48
+ ROUNDING = 2.0**-53
setting-given-twice | parameters | output
- if len(settings) < len(pairs):
+ if len(settings) > len(pairs):
largest-whole-number-ignored | parameters | output
- most = int(self.most) if math.isfinite(self.most) else checks.MOST
+ most = checks.MOST
covering-rank-without-the-next-score | intervals | formula
- k = rank(level, m + 1)
+ k = rank(level, m)
weights-not-spread | intervals | formula
- kept + calibrator.sigma / n
+ kept
wrong-window-in-the-compiled-body | intervals | compiled
- low - lefts[leaning - 1]
+ low - lefts[0]
bonus-too-small | policies | formula
- math.sqrt(2.0 * budget(policy, t) / pulls)
+ math.sqrt(budget(policy, t) / pulls)
upper-rank-off-by-one | policies | formula
- value_at(samples, arm, HIGH, rank(1 - policy.alpha / 2, m))
+ value_at(samples, arm, HIGH, rank(1 - policy.alpha / 2, m - 1))
stale-evidence | policies | formula
- int(state.counted[arm]) != pulls
+ False
wrong-arm-of-a-tie-rejected | policies/best_arm | formula
- (ahead == value and before < arm)
+ (ahead == value and before > arm)
confidence-not-shared-by-the-arms | policies/best_arm | formula
- dkw_radius(pulls, policy.delta / len(state.pulls))
+ dkw_radius(pulls, policy.delta)
seed-reused-in-all-replications | simulation | formula
- _stream(seed, replication, POLICY)
+ _stream(seed, 0, POLICY)
interval-of-the-wrong-level | simulation | formula
- tail = (1 - confidence) / 2
+ tail = 1 - confidence
costs-judged-at-the-level-of-rewards | simulation | formula
- return policy.mirrored() if minimize else policy
+ return policy
share-and-slope-swapped | studies | formula
- *estimate(mine.share, 0, 1), *slope,
+ *slope, *estimate(mine.share, 0, 1),
sign-of-the-paired-difference | studies | formula
- given.regret - against
+ against - given.regret
last-block-dropped | studies/grids | formula
- if not end <= first < most:
+ if not end <= first or 1 - last >= most:
horizon-not-in-the-key | studies/grids | formula
- "horizon": self.horizon, "seed": self.seed, "minimize"
+ "seed": self.seed, "minimize"
remainder-too-small | theory | formula
- 8 * math.pi**2 / 3
+ 8 * math.pi**2 / 6
bound-of-costs-without-the-atom | theory | formula
- arm.sf(np.nextafter(-best, -np.inf))
+ arm.sf(-best)
ends-of-the-band-swapped-in-the-table | figures | output
- curve.rounds, curve.mean, curve.low, curve.high, strict
+ curve.rounds, curve.mean, curve.high, curve.low, strict
markup-not-escaped | pages | output
- \[\]<>|#&~
+ \[\]|#&~
arms-counted-from-1 | pages | output
- enumerate(arms if several else [arms])
+ enumerate(arms if several else [arms], 1)
another-step-size-than-the-paper | paper | formula
- eta=0.01, lam=1.0, level_min=1e-4
+ eta=0.02, lam=1.0, level_min=1e-4
bound-in-another-logarithm | paper | compiled
- log_n = np.log(runs.horizon)
+ log_n = np.log2(runs.horizon)
wrong-default-delta | cli | output
- wrong answer that is allowed.", default=0.05
+ wrong answer that is allowed.", default=0.1
radii-swapped | cli | output
- minimize=minimize, **radii)
+ minimize=minimize, r_y=radii["r_s"], r_s=radii["r_y"])
formula-in-a-cell-of-csv | root | output
- ("=", "+", "-", "@", "\t", "\n")
+ ("=", "+", "-", "\t", "\n")
renamed-before-it-is-on-the-disk | root | output
- _to_disk(temporary)
+ _to_disk(target.parent)
costs-compared-at-the-level-of-rewards | live | formula
- level = 1 - tau if minimize else tau
+ level = tau
share-counted-one-outcome-late | live | formula
- np.flatnonzero(told == arm) + 1 for arm
+ np.flatnonzero(told == arm) + 2 for arm
"""


class Fault(NamedTuple):
    """A text of the sources, with any white space between its words, and what is planted there."""

    name: str
    room: str
    kind: str
    old: str
    new: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(r"\s+".join(map(re.escape, self.old.split())))

    def files(self) -> list[Path]:
        """Return the file of `src` that has the text, relative to the checkout, for each place."""
        texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in names_in("src")}
        return [path for path, text in texts.items() for _ in self.pattern.finditer(text)]


def faults() -> list[Fault]:
    """Return all faults, in the order of the list above."""
    lines = FAULTS.strip().splitlines()
    triples = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    return [Fault._make((*head.split(" | "), old[2:], new[2:])) for head, old, new in triples]


@cache
def names_in(folder: str) -> dict[Path, set[str]]:
    """Return the dotted names that each file of a folder imports, or uses as `package.name`."""
    found = {}
    for file in sorted((ROOT / folder).rglob("*.py")):
        path, names, packages = file.relative_to(ROOT), set[str](), dict[str, str]()
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        for node in nodes:
            if isinstance(node, ast.Import):
                names |= {each.name for each in node.names}
                packages |= {each.asname or each.name: each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                above = path.parts[1 : -node.level] if node.level else ()
                module = ".".join([*above, *filter(None, [node.module])])
                names |= {f"{module}.{each.name}" for each in node.names}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names.add(f"{packages.get(node.value.id)}.{node.attr}")
        found[path] = names
    return found


def from_module(names: set[str], path: Path) -> bool:
    """Tell whether one of the names is the module of a file of `src`, or comes from there."""
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    return any(name == module or name.startswith(f"{module}.") for name in names)


@cache
def public_names(path: Path) -> frozenset[str]:
    """Return what a file defines, under the names by which packages above it may export it."""
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    defined = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    packages = [".".join(path.parts[1:end]) for end in range(2, len(path.parts))]
    return frozenset(f"{package}.{name}" for package in packages for name in defined)


def stages(path: Path, *, suite: bool) -> Iterator[tuple[str, list[Path]]]:
    """Yield the test files that run for a changed file, stage by stage; each file once."""
    tests = {each: n for each, n in names_in("tests").items() if each.name.startswith("test_")}
    users = [each for each, names in names_in("src").items() if from_module(names, path)]
    room = [part.removesuffix(".py").lstrip("_") for part in path.parts[2:]]
    mirrors = (Path("tests", *room[:end]) for end in range(len(room), -1, -1))
    mirror = next(folder for folder in mirrors if (ROOT / folder).is_dir())

    named = {each for each in tests if room[-1] in each.stem}
    near = named | {each for each in tests if from_module(tests[each], path)}
    wide = {each for each in tests if tests[each] & public_names(path)}
    wide |= {e for e in tests if e.parent == mirror != Path("tests") or room[0] in e.stem}
    through = {e for e in tests for user in users if from_module(tests[e], user)}
    through |= {e for e in tests for user in users if tests[e] & public_names(user)}
    yield "near", sorted(named) + sorted(near - named)
    yield "wide", sorted(wide - near)
    yield "through", sorted(through - wide - near)
    rest = tests.keys() - through - wide - near if suite else set()
    for parent in sorted({each.parent for each in rest}):
        yield "suite", sorted(each for each in rest if each.parent == parent)


def run(checkout: Path, kind: str, arguments: list[str], until: float) -> str | None:
    """Run pytest in a copy of the checkout; return the first test function that fails, if any."""
    compiled = {"NUMBA_CACHE_DIR": str(checkout / ".numba")}
    settings = compiled if kind == "compiled" else {"NUMBA_DISABLE_JIT": "1"}
    settings |= {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}", "COLUMNS": "500"}
    command = [sys.executable, "-m", "pytest", *OPTIONS, *arguments]
    where: dict[str, Any] = {"cwd": checkout, "env": os.environ | settings}
    where |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, start_new_session=True, **where)
    try:
        output, _ = process.communicate(timeout=max(until - time.monotonic(), 1.0))
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.returncode in (0, 5):  # 5: no test was selected
        return None
    if failed := FAILURE.search(output):
        return failed[1]
    raise RuntimeError(f"pytest ended with {process.returncode}:\n{output[-3000:]}")


def judge(fault: Fault, left_out: set[str], given: Any) -> dict[str, Any]:
    """Plant a fault in a copy of the checkout and look for a test that fails by it."""
    (path,), begin = fault.files(), time.monotonic()
    source = (ROOT / path).read_text(encoding="utf-8")
    planted = fault.pattern.sub(lambda _: fault.new, source)

    def failing(checkout: Path, text: str, tests: list[str]) -> str | None:
        (checkout / path).write_text(text, encoding="utf-8")
        return run(checkout, fault.kind, tests, begin + given.limit)

    def look(checkout: Path) -> tuple[str, str]:
        for stage, files in stages(path, suite=not given.no_suite):
            tests = [str(each) for each in files]
            while tests and (found := failing(checkout, planted, [*tests, *left_out])):
                if failing(checkout, source, [found]) is None:
                    return stage, found
                left_out.add(f"--deselect={found}")
        return "unseen", ""

    with tempfile.TemporaryDirectory() as folder:
        try:
            stage, test = look(shutil.copytree(ROOT, Path(folder, "copy"), ignore=LEFT_OUT))
        except subprocess.TimeoutExpired:
            stage, test = "undecided", ""
    return {"seen": stage, "by": test, "seconds": round(time.monotonic() - begin)}


def table(results: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = ["# Planted faults", "", "By stage and the first test function that fails.", ""]
    lines += ["| fault | room | kind | seen | by | seconds |", "|---|---|---|---|---|---:|"]
    for name, room, kind, *_ in faults():
        if each := results.get(name):
            cells = (name, room, kind, each["seen"], each["by"], str(each["seconds"]))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description="Plant faults and list which the tests see.")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these faults alone")
    parser.add_argument("--list", action="store_true", help="list the faults and their files")
    parser.add_argument("--check-texts", action="store_true", help="only look for the texts")
    parser.add_argument("--no-suite", action="store_true", help="leave the stage `suite` out")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time; default 1")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds a fault; default 900")
    parser.add_argument("--results", type=Path, help="add to this JSON file, with a table as .md")
    given = parser.parse_args()
    chosen = [fault for fault in faults() if fault.name in given.only or not given.only]
    wrong = [fault for fault in chosen if len(fault.files()) != 1]
    for fault in wrong:
        print(f"{fault.name}: not found ({len(fault.files())} places): renew its text: {fault.old}")
    for fault in chosen if given.list else []:
        print(f"{fault.name:40} {fault.kind:9}", *fault.files())
    if given.list or given.check_texts:
        return 1 if wrong else 0
    results, left_out = {}, set[str]()
    if given.results and given.results.exists():
        results = json.loads(given.results.read_text(encoding="utf-8"))

    def judged(fault: Fault) -> None:
        results[fault.name] = found = judge(fault, left_out, given)
        print(fault.name, found["seen"], found["by"], found["seconds"], flush=True)
        if given.results:
            given.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            given.results.with_suffix(".md").write_text(table(results), encoding="utf-8")

    with ThreadPoolExecutor(given.jobs) as team:
        list(team.map(judged, [fault for fault in chosen if fault not in wrong]))
    print("Left out, as they fail without a fault:", *sorted(left_out), sep="\n")
    return 1 if wrong or any(not each["by"] for each in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
