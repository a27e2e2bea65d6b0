"""The only file that imports Numba: how kernels become machine code, and how it is kept on disk.

`compiler.py` imports this file when something is compiled, and its functions are the ones to use.

**Linking.** By default Numba optimises every function, then links it into its callers, which are
optimised again with all that they call: a formula ten calls below the loop goes through that ten
times. Here the code of a kernel is only kept for linking, and optimised once, as part of the loop.
Compiling a policy on samples then takes half the time, and the loop is as fast. The exception is
the look at each arm (`branching_kernel`): LLVM would remove its branches within the loop, and UCB1
would take half as long again. Where Numba is not built as expected, it compiles in its own way.

**The disk cache** keeps what was compiled in one file for each signature (`disk_cache.py`).

**Layouts.** A layout is the Numba type of a record's tuple (`compiler.py` says what records are
for). Closures know it by name, as a string is what the disk cache finds again.
"""

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import caching, cgutils, codegen, compiler, types
from numba.core.serialize import dumps
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array, populate_array

from ..logs import logger
from . import disk_cache
from .compiler import COMPILING, KERNELS, Kernel, kinds_of_layout, record_at

# Kernels never allocate, so nothing needs counting: without reference counts on the arrays of the
# state, and with calls inlined, a step of ACP-UCB1 takes a sixth of the time. No C code calls
# compiled code, and Python calls only the loop: wrappers of kernels take a fifth of the compile
# time.
OPTIONS: Any = {"_nrt": False, "no_cfunc_wrapper": True}
KERNEL_OPTIONS: Any = {**OPTIONS, "no_cpython_wrapper": True}
INLINED: Any = {**KERNEL_OPTIONS, "forceinline": True}

_config: Any = numba.config
_registered: set[Callable[..., Any]] = set()
_announced: set[str] = set()  # the labels of what was said to be compiled


def compiled(closure: Callable[..., Any], label: str, name: str) -> Any:
    """Return a closure compiled, or to be compiled at its first call, and kept if it has a name."""
    made = numba.njit(closure, nogil=True, error_model="numpy", **OPTIONS)
    if not _config.DISABLE_JIT:
        made._cache = DiskCache(closure, label, name)
    return made


def register_kernels() -> None:
    """Tell Numba about the kernels marked since the last call."""
    for function, marked in KERNELS.items():
        if function not in _registered:
            linked = linking_options(branching=marked.branching)
            options: Any = {**KERNEL_OPTIONS, "forceinline": marked.inlined, **linked}
            choose = _choice_of_body(function, marked)
            overload(function, jit_options=options, strict=False)(choose)
            _registered.add(function)


def _choice_of_body(function: Callable[..., Any], marked: Kernel) -> Callable[..., Any]:
    """Return the overload that finds the body for given types of arguments."""

    def body(*given: Any) -> Callable[..., Any]:
        first = getattr(given[0], "instance_class", None) if given else None
        if marked.dispatched:
            return KERNELS[getattr(first.owner.functions, function.__name__)].body  # type: ignore[union-attr]
        special = marked.body_for_first
        return special if special and first is marked.first else marked.body

    return body


# What the classes below replace or call, and must exist for that.
EXPECTED = (
    "_ensure_finalized",
    "_finalize_dynamic_globals",
    "_finalize_final_module",
    "_optimize_final_module",
    "_verify_declare_only_symbols",
    "get_pointer_to_function",
)


def linking_options(*, branching: bool = False) -> dict[str, Any]:
    """Return the options that link a kernel only, or none if this Numba is built differently."""
    known = all(hasattr(codegen.JITCodeLibrary, name) for name in EXPECTED)
    return {"pipeline_class": BranchingCompiler if branching else LinkingCompiler} if known else {}


class LinkedOnly(codegen.JITCodeLibrary):
    """The code of one kernel, as it is written; it has no address and cannot be called."""

    @property
    def codegen(self) -> Any:
        """Return the code generator, which is asked to note the function's environment."""
        return _NoEnvironment(self._codegen)

    def get_pointer_to_function(self, _name: str) -> int:
        """Return 0: there is no such function."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Leave it to the caller's library."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class LinkedWhenOptimised(LinkedOnly):
    """The code of one kernel, optimised by itself before it is copied."""

    def _optimize_final_module(self) -> None:
        codegen.JITCodeLibrary._optimize_final_module(self)


class _NoEnvironment:
    """A code generator that does not write a function's environment to where no function is."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self.generator, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: environments serve functions that Python calls."""


class LinkingCompiler(compiler.Compiler):
    """Numba's compiler, with a library of that kind."""

    library = LinkedOnly

    def define_pipelines(self) -> Any:
        """Return Numba's own passes, after giving the function its library."""
        state = self.state
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()


class BranchingCompiler(LinkingCompiler):
    """The same, for kernels that keep their branches."""

    library = LinkedWhenOptimised


class DiskCache(caching.NullCache):
    """What was compiled of one closure; what cannot be read or written counts as missing."""

    def __init__(self, closure: Callable[..., Any], label: str, name: str) -> None:
        self._py_func, self.label, self.name = closure, label, name

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature; None if it is compiled now, and say so."""
        with suppress(Exception):  # what is missing, or of a class that is gone, may raise anything
            target_context.refresh()
            content = disk_cache.read(self._file(sig, target_context.codegen()))
            types_of_arguments, result = pickle.loads(content)  # noqa: S301 - the user's own
            if types_of_arguments == sig:
                return compiler.CompileResult._rebuild(target_context, *result)
        if self.label not in _announced:
            _announced.add(self.label)
            once = "once, " if self.name else ""
            logger().info("Compiling %s (%sabout %.0f s) …", self.label, once, COMPILING)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature."""
        if self.name and not data.library.has_dynamic_globals:
            content = dumps((sig, data._reduce()))
            disk_cache.write(self._file(sig, data.codegen), content)

    def _file(self, sig: Any, codegen: Any) -> str:
        """Return the entry's file: of these types, this processor, and what the closure is over."""
        key = caching.Cache._index_key(cast("caching.Cache", self), sig, codegen)
        return f"{self.name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


def _type_of(kinds: tuple[Any, ...]) -> Any:
    """Return Numba's type of a record's part (`compiler.kinds_of`)."""
    kind, *parts = kinds
    if isinstance(kind, np.dtype):
        return types.Array(numba.from_dtype(kind), parts[0], "C")
    if issubclass(kind, tuple):
        return types.BaseTuple.from_types(tuple(map(_type_of, parts)), kind)
    return numba.typeof(kind(np.random.PCG64()) if kind is np.random.Generator else kind())


@overload(record_at, jit_options=INLINED, strict=False)
def _record_at(address: Any, layout: Any) -> Any:
    """Return the body for a layout, which is known when compiled; asked first with the string."""
    if not isinstance(layout, types.StringLiteral):
        return None
    rebuilt = _rebuilder(_type_of(kinds_of_layout[layout.literal_value]))
    return lambda address, layout: rebuilt(address)  # noqa: ARG005


def _rebuilder(kind: Any) -> Any:
    """Return what compiled code calls to make a tuple of that type."""

    @intrinsic
    def rebuilt(typing: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _Reader(context, builder, arguments[0]).read(kind)

        return kind(address), code

    return rebuilt


class _Reader:
    """Writes the code that reads the entries of a record's table one after the other."""

    GENERATOR = (
        "state_address",
        "state",
        "fnptr_next_uint64",
        "fnptr_next_uint32",
        "fnptr_next_double",
        "bit_generator",
    )

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.context, self.builder = context, builder
        self.table = builder.inttoptr(address, ir.IntType(64).as_pointer())
        self.position = 0

    def entry(self) -> Any:
        position = ir.Constant(ir.IntType(64), self.position)
        self.position += 1
        return self.builder.load(self.builder.gep(self.table, [position]))

    def read(self, kind: Any) -> Any:
        if issubclass(type(kind), types.BaseTuple):
            parts = [self.read(each) for each in kind]
            return self.context.make_tuple(self.builder, kind, parts)
        if isinstance(kind, types.Array):
            return self.array(kind)
        if isinstance(kind, types.NumPyRandomGeneratorType):
            return self.generator(kind)
        value = self.context.get_value_type(kind)
        if isinstance(kind, types.Float):
            return self.builder.bitcast(self.entry(), value)
        return self.builder.trunc(self.entry(), value)  # a bool, or nothing to do

    def array(self, kind: Any) -> Any:
        """Return an array that compiled code neither owns nor counts."""
        array = make_array(kind)(self.context, self.builder)
        data = self.builder.inttoptr(self.entry(), array.data.type)
        shape = [self.entry() for _ in range(kind.ndim)]
        size = self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype))
        strides = [ir.Constant(ir.IntType(64), size)]
        for extent in shape[:0:-1]:  # rows follow each other
            strides.insert(0, self.builder.mul(strides[0], extent))
        populate_array(
            array,
            data=data,
            shape=cgutils.pack_array(self.builder, shape),
            strides=cgutils.pack_array(self.builder, strides),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    def generator(self, kind: Any) -> Any:
        """Return a generator, whose memory belongs to the record."""
        made = cgutils.create_struct_proxy(kind)(self.context, self.builder)
        inner = types.NumPyRandomBitGeneratorType("bit_generator")
        bits = cgutils.create_struct_proxy(inner)(self.context, self.builder)
        for name in self.GENERATOR:
            setattr(bits, name, self.entry())
        made.bit_generator = bits._getvalue()
        return made._getvalue()
