"""The compile cache, in fresh processes: found again if nothing changed, missed after any edit."""

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import upperhand
from upperhand._kernels import compiler
from upperhand._kernels.compiler import (
    KERNEL_FOLDERS,
    KERNELS,
    _compiled,
    compile_closure,
    digest_of_sources,
    fingerprint,
)
from upperhand._kernels.sorted_samples import SortedSamples
from upperhand.calibrators import ACI, ClippedACI
from upperhand.policies import ACPUCB1, KLQUCB, QUCB, UCB1, UCBCP, QuantileTS
from upperhand.simulation.player import play

# Plays one policy and tells its arms, and how often the compile cache was hit and missed. Room is
# given for nothing, so that the state has to grow.
PLAY = """
import json, sys
import numpy as np
from {module} import {policy} as Policy
from upperhand.simulation.player import arms_of
from upperhand.simulation.rewards import GivenRewards
from upperhand.simulation.player import Runner

policy, arms = Policy(), np.empty({n}, np.int64)
table = np.random.default_rng(0).normal([[0.0], [0.1], [0.2]], 1.0, (3, {n}))
state = Policy.functions.start(policy.parameters, 3, 0)
runner = Runner(policy, state, GivenRewards(table), arms_of(arms))
runner.play(np.random.default_rng(0), {n})
loop = runner._loop
stats = getattr(loop, "stats", None)
print(json.dumps({{
    "arms": arms.tolist(),
    "hits": sum(stats.cache_hits.values()) if stats else None,
    "misses": sum(stats.cache_misses.values()) if stats else None,
}}))
"""

GREEDY = '''
"""A policy of one's own, in a file of one's own."""
from typing import NamedTuple
import numpy as np
from upperhand.policies import Functions, Policy, kernel

class Greedy(Policy):
    name = "greedy"

class State(NamedTuple):
    pulls: np.ndarray
    best: np.ndarray

def start(policy, arms, room):
    return State(np.zeros(arms, np.int64), np.full(arms, np.inf))

@kernel
def index(policy, state, arm, t):
    return state.best[arm]

@kernel
def update(policy, state, arm, reward):
    state.pulls[arm] += 1
    state.best[arm] = reward * 1.0

Greedy.functions = Functions(start, index, update)
'''


class Sandbox:
    """A copy of the package with a compile cache of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.package = folder / "upperhand"
        shutil.copytree(
            Path(upperhand.__file__).parent,
            self.package,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        self.first = self.play()

    def play(self, module="upperhand.policies", policy="UCB1", n=300, cache="cache", **env):
        """Play in a fresh process."""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAY.format(module=module, policy=policy, n=n)],
            env={
                **{name: value for name, value in os.environ.items() if "NUMBA" not in name},
                "PYTHONPATH": str(self.folder),
                "PYTHONDONTWRITEBYTECODE": "1",
                "NUMBA_CACHE_DIR": str(self.folder / cache),
                "UPPERHAND_COMPILE": "1",
                **env,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def edit(self, file: str, old: str, new: str):
        path = self.folder / file
        source = path.read_text(encoding="utf-8")
        assert old in source
        path.write_text(source.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


def test_the_next_process_finds_the_loop_and_an_edit_anywhere_misses_it(sandbox):
    first, second = sandbox.first, sandbox.play()
    assert (first["hits"], first["misses"]) == (0, 1)
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["arms"] == first["arms"]

    sandbox.edit("upperhand/policies/ucb1.py", "math.sqrt(2.0 *", "math.sqrt(0.1 *")
    edited = sandbox.play()
    assert (edited["hits"], edited["misses"]) == (0, 1)
    assert edited["arms"] != first["arms"]

    sandbox.edit("upperhand/policies/ucb1.py", "math.sqrt(0.1 *", "math.sqrt(2.0 *")
    restored = sandbox.play()
    assert (restored["hits"], restored["misses"]) == (1, 0)
    assert restored["arms"] == first["arms"]


def test_another_environment_finds_the_loop_too(sandbox, tmp_path):
    """Where the package is makes no difference, nor when it was installed."""
    shutil.copytree(sandbox.package, tmp_path / "upperhand")
    assert sandbox.play(PYTHONPATH=str(tmp_path))["hits"] == 1
    assert sandbox.play(PYTHONPATH=str(tmp_path), NUMBA_OPT="2")["misses"] == 1  # other code


def test_a_kernel_that_a_policy_only_uses_counts_too(sandbox):
    sandbox.edit("upperhand/_kernels/argmax.py", "value > best_value", "value < best_value")
    try:
        edited = sandbox.play()
    finally:
        sandbox.edit("upperhand/_kernels/argmax.py", "value < best_value", "value > best_value")
    assert edited["misses"] == 1
    assert edited["arms"] != sandbox.first["arms"]


def test_a_policy_in_a_file_of_ones_own(sandbox):
    (sandbox.folder / "mine.py").write_text(GREEDY, encoding="utf-8")
    first, second = (sandbox.play("mine", "Greedy") for _ in range(2))
    assert (first["misses"], second["hits"]) == (1, 1)
    assert second["arms"] == first["arms"]

    sandbox.edit("mine.py", "reward * 1.0", "reward * -1.0")
    edited = sandbox.play("mine", "Greedy")
    assert (edited["hits"], edited["misses"]) == (0, 1)
    assert edited["arms"] != first["arms"]


def test_a_class_in_another_file_than_its_kernels_counts_too(sandbox):
    """Numba tells tuples apart by the types of their fields, not by the names: order matters."""
    (sandbox.folder / "rules.py").write_text(GREEDY, encoding="utf-8")
    sandbox.edit("rules.py", "return state.best[arm]", "return policy.first - policy.second * arm")
    heir = (
        "from rules import Greedy\nfrom upperhand.policies import Policy, parameter\n"
        "class Heir(Policy):\n    name = 'heir'\n    functions = Greedy.functions\n"
        "    first: float = parameter('', default=1.0)\n"
        "    second: float = parameter('', default=-1.0)\n"
    )
    (sandbox.folder / "heir.py").write_text(heir, encoding="utf-8")
    before = sandbox.play("heir", "Heir")
    sandbox.edit("heir.py", "first:", "third:")
    sandbox.edit("heir.py", "second:", "first:")
    sandbox.edit("heir.py", "third:", "second:")
    after = sandbox.play("heir", "Heir")
    assert after["misses"] == 1
    assert after["arms"] != before["arms"]


@pytest.mark.parametrize("policy", ["Heir", pytest.param("Greedy", marks=pytest.mark.slow)])
def test_a_policy_that_is_gone_does_not_stop_the_others(sandbox, policy):
    own = GREEDY + "\nfrom upperhand.policies import UCB1\nclass Heir(UCB1):\n    name = 'heir'\n"
    (sandbox.folder / "passing.py").write_text(own, encoding="utf-8")
    sandbox.play("passing", policy)
    (sandbox.folder / "passing.py").unlink()
    assert sandbox.play()["hits"] == 1


def test_an_edited_page_or_figure_compiles_nothing(sandbox):
    for file in ("reports/markdown.py", "figures/regret.py", "simulation/runs.py", "cli/theory.py"):
        path = sandbox.package / file
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert sandbox.play()["hits"] == 1


def test_what_kernels_use_is_in_the_folders_of_the_fingerprint():
    """Kernels, and the constants and functions that they name, come from nowhere else."""
    modules = tuple(f"upperhand.{folder.name}." for folder in KERNEL_FOLDERS)
    bodies = [
        body for marked in KERNELS.values() for body in (marked.body, marked.body_for_first) if body
    ]
    ours = [body for body in bodies if body.__module__.startswith("upperhand.")]
    assert len(ours) > 50
    for body in ours:
        assert body.__module__.startswith(modules), body
        source = ast.parse(Path(body.__code__.co_filename).read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name: statement
            for statement in ast.walk(source)
            if isinstance(statement, ast.ImportFrom) and statement.level == 2
            for alias in statement.names
        }
        for name in set(body.__code__.co_names) & imported.keys():
            module = f"upperhand.{imported[name].module}."
            assert module.startswith(modules), (body, name)


def damage(path, kind):
    content = path.read_bytes()
    middle = len(content) // 2
    noise = np.random.default_rng(0).bytes(len(content))
    path.write_bytes(
        {
            "empty": b"",
            "cut short": content[:middle],
            "cut at the very end": content[:-1],
            "noise": noise,
            "noise inside": content[:middle] + noise[:64] + content[middle + 64 :],
        }[kind]
    )


DAMAGES = ("empty", "cut short", "cut at the very end", "noise", "noise inside")


@pytest.mark.compiled
def test_a_damaged_cache_mends_itself(tmp_path, monkeypatch):
    """Compiled again and overwritten, so the next one finds it again."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def outcome():
        double = _compiled(make_double, SortedSamples, (), ())
        found, stats = double(21), double.stats
        return found, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())

    assert outcome() == (42, 0, 1)
    for kind in DAMAGES:
        (file,) = tmp_path.rglob("*.nbc")
        damage(file, kind)
        assert outcome() == (42, 0, 1), kind
        assert outcome() == (42, 1, 0), kind


@pytest.mark.parametrize("damages", [["empty"], pytest.param(DAMAGES, marks=pytest.mark.slow)])
def test_a_damaged_cache_mends_itself_in_a_fresh_process(sandbox, damages):
    shutil.copytree(sandbox.folder / "cache", sandbox.folder / "damaged", dirs_exist_ok=True)
    for kind in damages:
        for file in (sandbox.folder / "damaged").rglob("*.nbc"):
            damage(file, kind)
        mended = sandbox.play(cache="damaged")
        assert (mended["misses"], mended["arms"]) == (1, sandbox.first["arms"]), kind
    assert sandbox.play(cache="damaged")["hits"] == 1


def no_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: (_ for _ in ()).throw(OSError(30, "")))


def full_disk(monkeypatch, tmp_path):
    full = lambda *_: (_ for _ in ()).throw(OSError(28, "No space left"))  # noqa: E731
    monkeypatch.setattr(Path, "write_bytes", full)


@pytest.mark.compiled
@pytest.mark.parametrize("fault", [no_folder, full_disk])
def test_where_nothing_can_be_written(tmp_path, monkeypatch, fault):
    """A read-only installation and no home, or a full disk: compiled all the same, and not kept."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    fault(monkeypatch, tmp_path)
    assert _compiled(make_double, SortedSamples, (), ())(21) == 42
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_without_the_compiler(sandbox):
    for policy in (UCB1, ACPUCB1):
        found = sandbox.play(policy=policy.__name__, n=1200, NUMBA_DISABLE_JIT="1")
        assert found["arms"] == play(policy(), sandbox_table(1200)).arms.tolist()


def check_bounds(sandbox, policy):
    settings = {"cache": "checked", "NUMBA_BOUNDSCHECK": "1"}
    found = sandbox.play(policy=policy.__name__, n=20_000, **settings)
    assert found["misses"] == 1
    assert found["arms"] == play(policy(), sandbox_table(20_000), 0).arms.tolist()


def test_with_bounds_checked(sandbox):
    """Compiled code does not check indices unless told to: no index is out of bounds."""
    check_bounds(sandbox, UCB1)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [ACPUCB1, QUCB, KLQUCB, UCBCP, QuantileTS])
def test_with_bounds_checked_where_indices_are_many(sandbox, policy):
    check_bounds(sandbox, policy)


def sandbox_table(n):
    """Return the table of PLAY."""
    return np.random.default_rng(0).normal([[0.0], [0.1], [0.2]], 1.0, (3, n))


def test_a_source_is_read_once_a_process(monkeypatch):
    fingerprint(UCB1)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} is read again"))
    fingerprint(ACPUCB1)


def test_the_sources_of_a_class_are_those_that_it_reaches(monkeypatch):
    """An edit of a policy's file is no edit of another's; an edit of what both import is."""
    classes = (UCB1, KLQUCB, ACPUCB1)  # the last reaches packages
    digests = lambda: [digest_of_sources([cls], []) for cls in classes]  # noqa: E731
    before, real = digests(), compiler._source_hash
    cases = {
        "ucb1": [True, False, False], "samples": [True, True, True],
        "marab": [False, False, False], "agaci": [False, False, False],
    }  # fmt: skip
    for name, changed in cases.items():
        edited = lambda file: real(file) + bytes(file.endswith(f"/{name}.py"))  # noqa: B023, E731
        monkeypatch.setattr(compiler, "_source_hash", edited)
        assert [old != new for old, new in zip(before, digests(), strict=True)] == changed


def test_the_fingerprint_is_of_the_user_and_the_sources():
    assert fingerprint(UCB1) == fingerprint(UCB1)
    assert fingerprint(UCB1) != fingerprint(ACPUCB1)
    assert len(fingerprint(UCB1)) == 64


def test_a_closure_is_compiled_once_a_process():
    assert compile_closure(make_nothing, user=int) is compile_closure(make_nothing, user=int)


@pytest.mark.compiled
def test_threads_that_come_together_share_one_closure():
    with ThreadPoolExecutor(8) as threads:
        closures = list(threads.map(lambda _: compile_closure(make_slowly, user=int), range(8)))
    assert len(set(map(id, closures))) == 1


def make_slowly():
    time.sleep(0.05)
    return make_nothing()


def make_double():
    def double(x):
        return 2 * x

    return double


def make_nothing():
    def nothing():
        pass

    return nothing


def make_size():
    def size(parameters, state):
        return len(parameters)

    return size


@pytest.mark.compiled
def test_named_tuples_of_one_shape_are_found_at_once(monkeypatch):
    """Numba looks them up by name: two called `State` sent every call of one the slow way."""
    slow, way = [], Dispatcher._compile_for_args
    noted = lambda *given, **named: slow.append(given) or way(*given, **named)  # noqa: E731
    monkeypatch.setattr(Dispatcher, "_compile_for_args", noted)
    for cls in (ACI, ClippedACI):
        parameters = cls().parameters
        arguments = parameters, cls.functions.start(parameters, 1, 0)
        loop = compile_closure(make_size, user=cls)
        loop(*arguments)
        slow.clear()
        assert loop(*arguments) == len(parameters)
        assert not slow
