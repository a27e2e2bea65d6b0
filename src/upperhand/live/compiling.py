"""Compiled asks and tells: made beside the live use, once a process and policy.

Compiling takes seconds, and loading what the disk cache has half a second. So it is done by a
thread, and the interpreted functions serve meanwhile: the choices are the same. The thread does not
keep the process alive, and a fork waits for it: a child could not use a compiler that was copied in
the middle of its work.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from threading import Lock, Thread, current_thread
from typing import Any, NamedTuple

import numpy as np

from .._kernels.addresses import Record, kinds_of
from .._kernels.compile import compile_closure, entry_of, layout_of
from .._kernels.steps import live_record, make_ask, make_tell
from ..policies import Policy

AFTER = 2_000  # outcomes after which a bandit asks for it: short runs never load the compiler


class Steps(NamedTuple):
    """The compiled functions of one policy, and what they were compiled for."""

    ask: Callable[[int], int]
    tell: Callable[[int, int, float], bool]
    kinds: tuple[Any, ...]  # of the record


_lock = Lock()
_made: dict[Any, Steps | None] = {}  # None: it is being made, or cannot be
_threads: set[Thread] = set()


def installed() -> bool:
    """Tell whether there is a compiler."""
    return find_spec("numba") is not None


def steps_now(policy: Policy, parameters: Any) -> Steps | None:
    """Return the compiled functions, made here if need be; None if compiling is switched off."""
    key, example = _key(policy, parameters), _example(policy, parameters)
    functions, layout = policy.functions, layout_of(example)
    whose: Any = {"user": type(policy), "parts": policy.parts, "nogil": False}
    ask = compile_closure(make_ask, functions.index, functions.select, layout, **whose)
    learning = (functions.update, functions.full, functions.interval)
    tell = compile_closure(make_tell, *learning, layout, **whose)
    if not hasattr(ask, "signatures"):  # as NUMBA_DISABLE_JIT wants it
        return None
    ask(example.address)  # the first call compiles
    tell(example.address, 0, 0.5)
    _made[key] = Steps(entry_of(ask), entry_of(tell), kinds_of(example.contents))
    return _made[key]


def steps_soon(policy: Policy, parameters: Any) -> Steps | None:
    """Return the compiled functions if they are there; else let a thread make them."""
    key = _key(policy, parameters)
    with _lock:
        if key not in _made:
            _made[key] = None
            thread = Thread(target=_make, args=(policy, parameters), daemon=True)
            _threads.add(thread)
            thread.start()
        return _made[key]


def _make(policy: Policy, parameters: Any) -> None:
    with suppress(Exception):  # a policy that does not compile is played interpreted
        steps_now(policy, parameters)
    _threads.discard(current_thread())


def _key(policy: Policy, parameters: Any) -> Any:
    return type(policy), policy.parts, policy.functions, kinds_of(parameters)


def _example(policy: Policy, parameters: Any) -> Record:
    """Return a record to compile for: of a state that begins."""
    state = policy.functions.start(parameters, 3, 0)
    counts = tuple(np.zeros(3, np.int64) for _ in range(4))
    return live_record(parameters, state, counts, np.random.Generator(np.random.Philox(0)))


def _wait() -> None:
    """Wait for what is being compiled."""
    for thread in _threads - {current_thread()}:
        thread.join()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait)
