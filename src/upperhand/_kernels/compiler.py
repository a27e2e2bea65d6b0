"""Compile kernels into loops, and hand a loop its state by address.

Kernels are plain Python functions. Marked with `kernel`, they run as they are in live use, and are
compiled into one loop in simulation. All that touches Numba is in `numba_backend.py`, which is
imported when something is compiled. Three facts about Numba's disk cache shape this file:

- The next process finds a loop in the cache (10–50 ms) if the loop is a *closure over plain
  functions*. It never finds compiled functions as arguments, or closures over them.
- Numba notices edits only in the file where the loop itself is written. So each loop is named after
  its policy and a *fingerprint* of the sources that kernels come from: after an edit of a formula,
  the loop is compiled again; an edit of a page or a figure changes nothing.
- The name is also that of the entry on disk (`disk_cache.py`), and follows from what is known
  without Numba. So a job can tell whether it has to wait for the compiler before it loads it.

A call of a compiled function with a state takes 15 to 25 µs, because Numba unboxes each array of
the nested tuple. An integer costs nothing. So a `Record` writes a table of where its parts are, and
compiled code rebuilds the tuple from the address of that table by `record_at`, in a few loads; it
knows the tuple's type by a name, `layout_of(record)` (`make_loop` is an example). The name says all
that code depends on: each class, its fields and their types. Interpreted code needs no name. Arrays
are shared, not copied. When one is replaced, as `grow` does, a new record is made, which takes 20
to 40 µs.
"""

import ast
import ctypes
import hashlib
import inspect
import os
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from ..errors import MissingExtraError
from ..files import versions
from . import disk_cache

# Seconds: compiling a loop takes 1 to 10 by policy and machine. What loading one takes, and Numba.
COMPILING, LOADING, IMPORTING = 5.0, 0.1, 1.2
# Settings of Numba that change neither code nor results; others are part of an entry's name.
NO_MATTER = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}

# Where the package's kernels are, with every constant that they use (checked by a test).
PACKAGE = Path(__file__).parents[1]
KERNEL_FOLDERS = tuple(PACKAGE / name for name in ("_kernels", "calibrators", "policies"))

F = TypeVar("F", bound=Callable[..., Any])
Part = Callable[..., Any] | str | bool | None  # of a closure


@dataclass
class Kernel:
    body: Callable[..., Any]  # the function to compile …
    first: type | None = None  # … unless the first argument is a named tuple of this class: …
    body_for_first: Callable[..., Any] | None = None  # … then this one
    inlined: bool = True  # copied into its callers
    branching: bool = False  # optimised before it is copied
    dispatched: bool = False  # its body is that of the first argument's owner


KERNELS: dict[Callable[..., Any], Kernel] = {}

_layouts: dict[tuple[Any, ...], str] = {}  # kinds of a record's parts -> the layout's name
kinds_of_layout: dict[str, tuple[Any, ...]] = {}  # the reverse
_closures: dict[tuple[Any, ...], Any] = {}  # compiled, or to be compiled at their first call
_lock = Lock()


def kernel(function: F) -> F:
    """Mark a plain function as callable from compiled code; the function itself is unchanged."""
    KERNELS[function] = Kernel(function)
    return function


def _kernels_that(**how: Any) -> Callable[[F], F]:
    """Return a decorator as `kernel`, for kernels that are compiled in another way (`Kernel`)."""

    def mark(function: F) -> F:
        KERNELS[function] = Kernel(function, **how)
        return function

    return mark


# Seldom called, and compiled once: a call hands over all arrays of a state, which takes a while,
# but copies in each caller take long to compile.
rare_kernel = _kernels_that(inlined=False)
# With branches that the processor predicts well: compiled code keeps them.
branching_kernel = _kernels_that(branching=True)
# Calls the function of its own name of its first argument's owner, the class that declared it: a
# calibrator's parameters, say. The type says which, so compiled code calls that function directly.
dispatched_kernel = _kernels_that(dispatched=True)


def compiled_body_of(
    interpreted: Callable[..., Any], first: type | None = None
) -> Callable[[F], F]:
    """Give a kernel a second body for compiled code, where other code is faster.

    Slices are fast when interpreted and slow to compile; scalar loops are the reverse. Tests check
    that both bodies are equal. With `first`, it is the body where the first argument is such a
    named tuple.
    """

    def mark(body: F) -> F:
        if first is None:
            KERNELS[interpreted].body = body
        else:
            KERNELS[interpreted].first, KERNELS[interpreted].body_for_first = first, body
        return body

    return mark


def give_unique_name(start: Callable[..., Any]) -> None:
    """Give the class of the states that `start` is annotated to return a unique name.

    Numba looks an argument's type up by the named tuple's name and its fields' types. It confuses
    two classes `State` that are equal in these, notices, and infers the type again at every call of
    the later one. The result is right, but each call takes 0.1 to 0.4 ms longer.
    """
    state = getattr(start, "__annotations__", {}).get("return")
    if isinstance(state, type) and issubclass(state, tuple):
        state.__name__ = f"{state.__module__}.{state.__qualname__}"


def compile_closure(
    make: Callable[..., Callable[..., Any]],
    *functions: Part,
    user: type,
    parts: tuple[type, ...] = (),
) -> Any:
    """Compile the closure `make(*functions)`, once per process and user.

    The user is the class that the closure is compiled for, such as a policy's, and `parts` are the
    classes of settings that have functions of their own, such as its calibrator's. A function may
    be None if `make` knows what to do without it, and a string (the name of a layout) or a flag
    may stand among them. The compiled closure releases the GIL.
    """
    key = (make, user, parts, functions)
    with _lock:
        if key not in _closures:
            _closures[key] = _compiled(*key)
        return _closures[key]


@cache
def is_installed() -> bool:
    """Tell whether Numba is there, without importing it."""
    with suppress(ImportError):
        return find_spec("numba") is not None
    return False


def compile_seconds(
    make: Callable[..., Any], *functions: Part, user: type, parts: tuple[type, ...] = ()
) -> float:
    """Return about how long it takes until this closure runs compiled; Numba is not imported."""
    if (make, user, parts, functions) in _closures:
        return 0.0
    name = _name(make, user, parts, functions)
    importing = 0.0 if "numba" in sys.modules else IMPORTING
    return importing + (LOADING if name and disk_cache.has(name) else COMPILING)


def compile_wanted() -> bool | None:
    """Return what the environment says of compiling: always, never, or None, where it pays."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    return {"0": False, "1": True}.get(os.environ.get("UPPERHAND_COMPILE", ""))


def _compiled(
    make: Callable[..., Callable[..., Any]],
    user: type,
    parts: tuple[type, ...],
    functions: tuple[Part, ...],
) -> Any:
    backend = _backend()
    backend.register_kernels()
    closure, name = make(*functions), _name(make, user, parts, functions)
    closure.__qualname__ += f".{name}"
    label = str(getattr(user, "name", user.__name__))
    return backend.compiled(closure, label, name)


@cache
def _name(
    make: Callable[..., Any], user: type, parts: tuple[type, ...], functions: tuple[Part, ...]
) -> str:
    """Return the name of a closure's entries on disk, a hash of all that its code depends on.

    It is empty where nothing is kept. Each process pickles again what a script itself defines, so
    it would miss the cache, and sources in a zip file cannot be hashed.
    """
    if any(each.__module__ == "__main__" for each in (user, *parts)) or not PACKAGE.is_dir():
        return ""
    named = [getattr(each, "__qualname__", each) for each in (make, *functions, *parts)]
    about = versions()
    built = [about[name] for name in ("python", "platform", "numpy", "numba")]
    numba = {name for name in os.environ if name.startswith("NUMBA_")} - NO_MATTER
    settings = [(name, os.environ[name]) for name in sorted(numba)]
    source = fingerprint(user, make, *functions, *parts)
    digest = hashlib.sha256(repr((source, named, built, settings)).encode()).hexdigest()
    return f"{user.__name__[:40]}.{digest[:32]}"


def fingerprint(user: type, *sources: Callable[..., Any] | type | str | bool | None) -> str:
    """Return a hash of the user's name and of the sources that its kernels can come from.

    These are the package's `KERNEL_FOLDERS`, and, for a policy written elsewhere, the files of its
    class, functions and parts, and all files that hold kernels: it may call any of them.
    """
    own = {_file(thing) for thing in (*sources, *user.__mro__)} - {""}
    package = {str(path) for folder in KERNEL_FOLDERS for path in folder.rglob("*.py")}
    files = package if own <= package else package | own | {_file(k.body) for k in KERNELS.values()}
    digest = hashlib.sha256(f"{user.__module__}.{user.__qualname__}".encode())
    for each in sorted(map(_source_hash, files)):  # wherever the files are
        digest.update(each)
    return digest.hexdigest()


def digest_of_sources(classes: Iterable[type], common: Iterable[Path]) -> str:
    """Return a hash of what the classes come from, on every version of Python the same.

    These are their files, all that those import from `KERNEL_FOLDERS`, directly or not, and the
    files and folders in common.
    """
    bases = (base for each in classes for base in each.__mro__)
    own = [_file(b) for b in bases if b.__module__.split(".")[0] not in sys.stdlib_module_names]
    files, waiting = set[Path](), [Path(file) for file in own if file]
    while waiting:
        if (file := waiting.pop()) not in files:
            files.add(file)
            waiting += _imported(file)
    for path in common:
        files.update(path.rglob("*.py") if path.is_dir() else [path])
    digest = hashlib.sha256()
    for each in sorted(_source_hash(str(file)) for file in files):
        digest.update(each)
    return digest.hexdigest()


@cache
def _imported(file: Path) -> list[Path]:
    """Return the files of `KERNEL_FOLDERS` that a file imports relatively, except `__init__.py`."""
    found = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            there = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = [there / f"{alias.name}.py" for alias in node.names]
            found += [there.with_suffix(".py"), *names]
    return [f for f in found if f.is_file() and any(d in f.parents for d in KERNEL_FOLDERS)]


def _file(thing: Any) -> str:
    """Return the path of the source that defines a class or function, empty if there is none."""
    try:
        return inspect.getsourcefile(thing) or ""
    except (TypeError, OSError):  # built in, or typed at a prompt
        return ""


@cache
def _source_hash(file: str) -> bytes:
    """Return a file's hash; a kernel typed at a prompt has no file, and Numba keys it by value."""
    path = Path(file)
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()


def _backend() -> Any:
    """Return the module that knows Numba, which is imported here for the first time."""
    try:
        from . import numba_backend
    except ImportError as error:
        raise MissingExtraError.needed("Compiled code", "lab") from error
    return numba_backend


_FLOAT, _BITS = struct.Struct("d"), struct.Struct("q")
_draws: dict[type, tuple[int, ...]] = {}  # the functions of each kind of bit generator
_records: "WeakValueDictionary[int, Record]" = WeakValueDictionary()  # by address


class Record:
    """Where the parts of a tuple are: arrays, numbers, generators, and tuples of these.

    The address is valid as long as the record exists. Numbers are those of when it was made.
    """

    __slots__ = ("__weakref__", "_table", "address", "contents")

    def __init__(self, contents: tuple[Any, ...]) -> None:
        self.contents = contents
        entries: list[int] = []
        _write(contents, entries)
        self._table = np.array(entries, np.int64)
        self.address = _address(self._table)
        _records[self.address] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self.contents,)  # a copy's arrays are elsewhere


def record_at(address: int, layout: str) -> Any:
    """Return the tuple of the record at an address; compiled code must know its layout's name."""
    return _records[address].contents


def layout_of(record: Record) -> str:
    """Return the name by which compiled code knows the layout of a record."""
    kinds = kinds_of(record.contents)
    if kinds not in _layouts:
        name = _described(kinds)
        while name in kinds_of_layout:  # a class that was defined again
            name += "'"
        _layouts[kinds], kinds_of_layout[name] = name, kinds
    return _layouts[kinds]


def _described(kinds: tuple[Any, ...]) -> str:
    """Write a layout; Numba's own names leave out a class's module and its fields."""
    kind, *parts = kinds
    if isinstance(kind, np.dtype):
        return f"{kind.str}[{parts[0]}]"
    name = f"{kind.__module__}.{kind.__qualname__}"
    if not issubclass(kind, tuple):
        return name
    fields = getattr(kind, "_fields", range(len(parts)))
    listed = (f"{field}: {_described(part)}" for field, part in zip(fields, parts, strict=True))
    return f"{name}({', '.join(listed)})"


def kinds_of(part: Any) -> tuple[Any, ...]:
    """Return what a layout depends on, without the compiler: equal kinds, equal layouts."""
    if isinstance(part, np.ndarray):
        return part.dtype, part.ndim
    if isinstance(part, tuple):
        return type(part), *map(kinds_of, part)
    return (type(part),)


def _write(part: Any, entries: list[int]) -> None:
    """Append a part's entries to the table; `numba_backend.py` reads them in the same order."""
    if isinstance(part, np.ndarray):
        if not part.flags.carray:
            raise ValueError("An array that is found by its address must be whole and writable.")
        entries.append(_address(part))
        entries.extend(part.shape)
    elif isinstance(part, tuple):
        for each in part:
            _write(each, entries)
    elif isinstance(part, float):
        entries.extend(_BITS.unpack(_FLOAT.pack(part)))
    elif isinstance(part, np.random.Generator):  # where its state and functions are
        bits, found = part.bit_generator, part.bit_generator.ctypes
        if type(bits) not in _draws:
            pointers = (found.next_uint64, found.next_uint32, found.next_double)
            _draws[type(bits)] = tuple(map(_pointer, pointers))
        state, itself = _pointer(found.state), _pointer(found.bit_generator)
        entries.extend((found.state_address, state, *_draws[type(bits)], itself))
    else:
        entries.append(int(part))


def _address(array: Any) -> int:
    if array.size == 0:  # nothing is read there
        return 0
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # a quarter of the time of .ctypes


def _pointer(given: Any) -> int:
    return ctypes.cast(given, ctypes.c_void_p).value or 0
