"""The only file, with `cache.py`, `linking.py` and `rebuilding.py`, that knows Numba.

Kernels are plain Python functions. Marked with `kernel`, they run as they are in live use, and are
compiled into one loop in simulation. What was measured about Numba's cache shapes this file:

- a loop that is a *closure over plain functions* is found again in Numba's disk cache by the next
  process (10–50 ms), whereas compiled functions as arguments, or closures over them, never are;
- Numba notices edits only in the file where the loop itself is written. So each loop is named after
  its policy and a *fingerprint* of the sources that kernels come from: an edited formula misses the
  cache instead of silently running the old one, and an edited page or figure changes nothing;
- the name also keeps the policies' entries in files of their own. In a common one, an entry whose
  classes were renamed or removed since would stop all the others from being read.
"""

import hashlib
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from ..errors import MissingExtraError
from .addresses import Record, kinds_of

# Kernels never allocate, so nothing needs counting: without reference counts on the arrays of the
# state, and with calls inlined, a step of ACP-UCB1 takes a sixth of the time.
NO_COUNTING = {"_nrt": False}

# Where the package's kernels are, with every constant that they use (a test looks).
PACKAGE = Path(__file__).parents[1]
KERNEL_FOLDERS = tuple(PACKAGE / name for name in ("_kernels", "calibrators", "policies"))

F = TypeVar("F", bound=Callable[..., Any])

_bodies: dict[Callable[..., Any], Callable[..., Any]] = {}  # kernel -> the body to compile
_bodies_for: dict[Callable[..., Any], tuple[type, Callable[..., Any]]] = {}  # for a first argument
_rare: set[Callable[..., Any]] = set()  # kernels that are called, not copied into their callers
_branching: set[Callable[..., Any]] = set()  # kernels that are optimised before they are copied
_owned: set[Callable[..., Any]] = set()  # kernels whose body depends on their first argument
_layouts: dict[tuple[Any, ...], str] = {}  # kinds of a record's parts -> the layout's name
_lock = Lock()
_registered: set[Callable[..., Any]] = set()  # kernels that Numba has been told of


def kernel(function: F) -> F:
    """Mark a plain function as callable from compiled code; the function itself is unchanged."""
    _bodies[function] = function
    return function


def rare_kernel(function: F) -> F:
    """Mark a kernel that is seldom called: it is compiled once and not inlined into its callers.

    A call hands over all arrays of a state, which takes a while; copies take long to compile.
    """
    _rare.add(function)
    return kernel(function)


def branching_kernel(function: F) -> F:
    """Mark a kernel whose branches the processor guesses well: compiled code keeps them."""
    _branching.add(function)
    return kernel(function)


def compiled_body_of(
    interpreted: Callable[..., Any], first: type | None = None
) -> Callable[[F], F]:
    """Give a kernel a second body for the compiled world, where the best code differs.

    Slices are fast when interpreted and slow to compile; scalar loops are the reverse. Both bodies
    are tested equal. With `first`, it is the body where the first argument is such a named tuple.
    """

    def mark(body: F) -> F:
        if first is None:
            _bodies[interpreted] = body
        else:
            _bodies_for[interpreted] = (first, body)
        return body

    return mark


def owners_kernel(function: F) -> F:
    """Mark a kernel that calls the function of its own name of its first argument's owner.

    The owner is the class that declared the argument, a calibrator's parameters, say. It is known
    from the argument's type, so compiled code calls the owner's function directly.
    """
    _owned.add(function)
    return kernel(function)


def tell_apart(start: Callable[..., Any]) -> None:
    """Give the class of the states that `start` is annotated to return a name of its own.

    Numba looks an argument's type up by the named tuple's name and its fields' types. Two classes
    `State` that are alike in these it confuses, notices, and finds out anew at every call of the
    later one: right, but 0.1 to 0.4 ms slower a call.
    """
    state = getattr(start, "__annotations__", {}).get("return")
    if isinstance(state, type) and issubclass(state, tuple):
        state.__name__ = f"{state.__module__}.{state.__qualname__}"


def compile_closure(
    make: Callable[..., Callable[..., Any]],
    *functions: Callable[..., Any] | str | bool | None,
    user: type,
    parts: tuple[type, ...] = (),
    nogil: bool = True,
) -> Any:
    """Compile the closure `make(*functions)`, once a process and user.

    The user is the class that the closure is compiled for, such as a policy's, and `parts` are the
    classes of settings that have functions of their own, such as its calibrator's. A function may
    be None if `make` knows what to do without it, and a string (the name of a layout) or a flag
    may stand among them. It releases the GIL, unless told not to: who gives it away for a
    microsecond waits to get it back.
    """
    with _lock:
        return _compiled(make, user, parts, *functions, nogil=nogil)


@cache
def _compiled(
    make: Callable[..., Callable[..., Any]],
    user: type,
    parts: tuple[type, ...],
    *functions: Callable[..., Any] | str | bool | None,
    nogil: bool = True,
) -> Any:
    numba = _numba()
    _register_kernels(numba)
    closure = make(*functions)
    source = fingerprint(user, *functions, *parts)
    closure.__qualname__ += f".{user.__name__[:40]}.{source[:16]}"
    compiled = numba.njit(closure, nogil=nogil, error_model="numpy", **NO_COUNTING)
    # What a script itself defines is pickled anew by each process: it would miss, and leave litter.
    by_script = any(each.__module__ == "__main__" for each in (user, *parts))
    if not by_script and not numba.config.DISABLE_JIT:
        from .cache import MendingCache

        with suppress(RuntimeError):  # no folder can be written to: compiled and not kept
            compiled._cache = MendingCache(closure)
    return compiled


def entry_of(compiled: Any) -> Any:
    """Return what a compiled function of one signature calls in the end: it looks at no types.

    That takes half the time, and whoever calls it must give exactly these types.
    """
    (signature,) = compiled.signatures
    return compiled.overloads[signature].entry_point


def layout_of(record: Record) -> str:
    """Return the name by which compiled code knows the layout of a record: see `addresses.py`."""
    kinds = kinds_of(record.contents)
    if kinds not in _layouts:  # to ask Numba takes a millisecond
        _numba()
        from . import rebuilding

        _layouts[kinds] = rebuilding.named(record)
    return _layouts[kinds]


def fingerprint(user: type, *sources: Callable[..., Any] | type | str | bool | None) -> str:
    """Return a hash of the user's name and of the sources that its kernels can come from.

    These are the package's `KERNEL_FOLDERS`, and, for a policy written elsewhere, the files of its
    class, functions and parts, and all files that hold kernels: it may call any of them.
    """
    own = {_file(thing) for thing in (*sources, *user.__mro__)} - {""}
    package = {str(path) for folder in KERNEL_FOLDERS for path in folder.rglob("*.py")}
    files = package if own <= package else package | own | {_file(f) for f in _bodies.values()}
    digest = hashlib.sha256(f"{user.__module__}.{user.__qualname__}".encode())
    for file in sorted(files):
        digest.update(_source_hash(file))
    return digest.hexdigest()


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


def _register_kernels(numba: Any) -> None:
    """Tell Numba of the kernels marked since the last call."""
    from . import linking

    for function in _bodies:
        if function not in _registered:
            inline = {"forceinline": function not in _rare}
            linked = linking.options(branching=function in _branching)
            options = {**inline, **NO_COUNTING, **linked}
            choose = _by_owner(function) if function in _owned else _by_first(function)
            numba.extending.overload(function, jit_options=options, strict=False)(choose)
            _registered.add(function)


def _by_owner(function: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Return the overload that answers the first argument's own function of that name."""

    def body(first: Any, *_types: Any) -> Callable[..., Any]:
        owned: Callable[..., Any] = getattr(first.instance_class.owner.functions, function.__name__)
        return _bodies[owned]

    return body


def _by_first(function: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Return the overload that answers a kernel's body, or the one for its first argument."""
    plain = _bodies[function]
    kind, special = _bodies_for.get(function, (None, plain))

    def body(*types: Any) -> Callable[..., Any]:
        return special if kind and getattr(types[0], "instance_class", None) is kind else plain

    return body


def _numba() -> Any:
    try:
        import numba
        import numba.extending
    except ImportError as error:
        raise MissingExtraError.needed("Compiled code", "lab") from error
    return numba
