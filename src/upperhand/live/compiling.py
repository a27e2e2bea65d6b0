"""Compiled asks and tells: made beside the live use, once for a state and policy.

Compiling takes seconds, so it must not be in the way: another process does it, and leaves what it
made in the disk cache. A thread waits for it and loads that, in half a second; the interpreted
functions serve meanwhile, with the same choices. The thread does not keep this process alive, and
the other process ends with it. A fork waits while something is loaded: a child cannot use a
compiler that was copied in the middle of its work.
"""

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple

import numpy as np

from .._kernels.compiler import Record, compile_closure, entry_of, kinds_of, layout_of
from .._kernels.loop import live_record, make_ask, make_tell
from ..policies import Policy
from ..policies.base import named_in_errors

AFTER = 10_000  # outcomes after which a bandit asks for it: short runs never load the compiler
CHILD = "from upperhand.live.compiling import main; main()"


class Steps(NamedTuple):
    """The compiled functions of one policy, and what they were compiled for."""

    ask: Callable[[int], int]
    tell: Callable[[int, int, float], bool]
    kinds: tuple[Any, ...]  # of the record


_made: dict[Any, Steps | None] = {}  # None: it is being made, or cannot be
_loading = Lock()  # held while this process uses the compiler for it


@cache
def installed() -> bool:
    """Tell whether there is a compiler."""
    return find_spec("numba") is not None


def steps_now(policy: Policy, parameters: Any) -> Steps | None:
    """Return the compiled functions, made here if need be; None if they cannot be."""
    if policy.interpreted:
        return None
    key, example = _key(policy, parameters), _example(policy, parameters)
    functions, layout = policy.functions, layout_of(example)
    whose: Any = {"user": type(policy), "parts": policy.parts, "nogil": False}
    ask = compile_closure(make_ask, functions.index, functions.select, layout, **whose)
    learning = (functions.update, functions.full, functions.interval)
    tell = compile_closure(make_tell, *learning, layout, **whose)
    if not hasattr(ask, "signatures"):  # as NUMBA_DISABLE_JIT wants it
        return None
    with named_in_errors(policy):
        ask(example.address)  # the first call compiles
        tell(example.address, 0, 0.5)
    _made[key] = Steps(entry_of(ask), entry_of(tell), kinds_of(example.contents))
    return _made[key]


def steps_soon(policy: Policy, parameters: Any) -> Steps | None:
    """Return the compiled functions if they are there; else see to it that they will be."""
    key = _key(policy, parameters)
    if key not in _made and not policy.interpreted:
        _made[key] = None  # two threads that come together do the same twice, which is no harm
        with suppress(RuntimeError):  # a process that ends starts no more threads
            Thread(target=_make, args=(policy, parameters), daemon=True).start()
    return _made.get(key)


def _make(policy: Policy, parameters: Any) -> None:
    """Let another process compile, then load; whatever fails, the interpreted functions serve."""
    with suppress(Exception):
        if _compiled_elsewhere(policy, parameters):
            with _loading:
                steps_now(policy, parameters)


def _compiled_elsewhere(policy: Policy, parameters: Any) -> bool:
    """Compile in a process of its own; tell whether it went well.

    What a script itself defines it could not import, and a program that is no Python it could not
    run.
    """
    classes = (type(policy), *policy.parts)
    plain = Path(sys.executable or "").stem.startswith("python") and not hasattr(sys, "frozen")
    if not plain or any(each.__module__ == "__main__" for each in classes):
        return False
    wanted = pickle.dumps((policy, parameters))
    child = subprocess.Popen(  # noqa: S603 - this very interpreter
        [sys.executable, "-P", "-c", CHILD],  # -P: nothing from the folder that it runs in
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(child.kill)
    try:
        child.communicate(wanted)
    finally:
        child.kill()  # nothing, if it has ended
        atexit.unregister(child.kill)
    return child.returncode == 0


def main() -> None:
    """Compile what the parent process asks for; see `_compiled_elsewhere`."""
    steps_now(*pickle.load(sys.stdin.buffer))  # noqa: S301 - written by the parent


def _key(policy: Policy, parameters: Any) -> Any:
    return type(policy), policy.parts, policy.functions, kinds_of(parameters)


def _example(policy: Policy, parameters: Any) -> Record:
    """Return a record to compile for: of a state that begins."""
    state = policy.functions.start(parameters, 3, 0)
    counts = tuple(np.zeros(3, np.int64) for _ in range(4))
    return live_record(parameters, state, counts, np.random.Generator(np.random.Philox(0)))


def _after_fork() -> None:
    """Forget what was being made: its thread is not in the child."""
    _loading.release()
    for key in [key for key, steps in _made.items() if steps is None]:
        del _made[key]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_loading.acquire, after_in_parent=_loading.release, after_in_child=_after_fork
    )
