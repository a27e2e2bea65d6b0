"""Interrupts on purpose: at the N-th line or bytecode of a call.

CPython looks at signals only at some places: where a function begins, where a loop goes back, and
after each call. Here any line, or any bytecode, of ours may be interrupted, with one exception that
is really none: between the last call inside a `with lock:` and the call that gives the lock back
there are only loads of None, and no look at signals. So a lock of C's is never left locked, while
the `__enter__` and `__exit__` of our own classes are interrupted at each bytecode.
"""

import dis
import linecache
import sys
from functools import cache
from pathlib import Path

import numpy as np

import upperhand as uh

PACKAGES = tuple(str(Path(module.__file__).parent) for module in (uh, np))
OURS = PACKAGES[:1]
LOCKS = (
    "with self._lock:",
    "with self.lock:",
    "with self._disk:",
    "with self._starting:",
    "with storage.lock:",
    "with self._disk, self.lock:",
)


class Interrupt(BaseException):
    """Raised as a signal's handler may."""


def interrupted(call, place, *, opcodes=False):
    """Run the call and raise at its place-th line or bytecode; tell whether it got there."""
    passed, wanted = 0, "opcode" if opcodes else "line"
    packages = OURS if opcodes else PACKAGES

    def trace(frame, event, _):
        nonlocal passed
        if not frame.f_code.co_filename.startswith(packages):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = opcodes, not opcodes
        if event == wanted and not gives_back(frame, opcodes):
            passed += 1
            if passed == place:
                raise Interrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def gives_back(frame, opcodes):
    """Tell whether the frame is about to give back a lock of C's, or, by lines, to take one."""
    if opcodes:
        return frame.f_lasti in ends_of_locks(frame.f_code)
    return on_lock(frame.f_code.co_filename, frame.f_lineno)


def on_lock(file, line):
    """Tell whether a line takes or gives back a lock, or is a `try:`, which does nothing at all.

    A `try:` inside a `with` is a NOP that the `with` does not cover; no signal is looked at there.
    """
    return linecache.getline(file, line).strip() in (*LOCKS, "try:")


@cache
def ends_of_locks(code):
    """Return the bytecodes, from three times None to the call, that end a `with lock:`."""
    found, line = set(), 0
    listed = list(dis.get_instructions(code))
    lines = []
    for instruction in listed:
        line = instruction.starts_line or line
        lines.append(line)
    found.update(each.offset for each in listed if each.opname == "NOP")
    for i, line in enumerate(lines):
        nothing = [
            each.opname == "LOAD_CONST" and each.argval is None for each in listed[i : i + 3]
        ]
        if nothing == [True] * 3 and on_lock(code.co_filename, line):
            call = next(j for j in range(i, len(listed)) if listed[j].opname == "CALL")
            found.update(each.offset for each in listed[i : call + 1])
    return frozenset(found)
