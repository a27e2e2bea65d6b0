"""The only file that imports Numba: how kernels become machine code, and how it is kept on disk.

`compiler.py` imports this file when something is compiled, and its functions are the ones to use.

**Linking.** By default Numba optimises every function, then links it into its callers, which are
optimised again with all that they call: a formula ten calls below the loop goes through that ten
times. Here the code of a kernel is only kept for linking, and optimised once, as part of the loop.
Compiling a policy on samples then takes half the time, and the loop is as fast. The exception is
the look at each arm (`branching_kernel`): LLVM would remove its branches within the loop, and UCB1
would take half as long again. Where Numba is not built as expected, it compiles in its own way.

**The disk cache** must not stop a run that needs no cache, whatever state the disk is in. Each file
ends with a hash of what is before it (unpickling stops earlier and never reads it). A file without
its hash, such as one cut short by a crash, counts as missing: the loop is compiled again and the
file overwritten. What cannot be written is not kept.

**Layouts.** A layout is the Numba type of a record's tuple (`compiler.py` says what records are
for). Closures know it by name, as a string is what the disk cache finds again. The name says all
that code depends on: each class, its fields and their types.
"""

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core import caching, cgutils, codegen, compiler, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array, populate_array

from .compiler import KERNELS, Kernel, Record, record_at

# Kernels never allocate, so nothing needs counting: without reference counts on the arrays of the
# state, and with calls inlined, a step of ACP-UCB1 takes a sixth of the time. No C code calls
# compiled code, and Python calls only the loop: wrappers of kernels take a fifth of the compile
# time.
OPTIONS: Any = {"_nrt": False, "no_cfunc_wrapper": True}
KERNEL_OPTIONS: Any = {**OPTIONS, "no_cpython_wrapper": True}
INLINED: Any = {**KERNEL_OPTIONS, "forceinline": True}

_config: Any = numba.config
_registered: set[Callable[..., Any]] = set()
_layouts: dict[str, types.Type] = {}


def compiled(closure: Callable[..., Any], *, nogil: bool, keep: bool) -> Any:
    """Return a closure compiled, or to be compiled at its first call; `keep` it on disk if so."""
    made = numba.njit(closure, nogil=nogil, error_model="numpy", **OPTIONS)
    if keep and not _config.DISABLE_JIT:
        with suppress(RuntimeError):  # no folder can be written to: compiled and not kept
            made._cache = MendingCache(closure)
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


HASH = hashlib.sha256
HASH_SIZE = HASH().digest_size


class _SealedFiles(caching.IndexDataCacheFile):
    """The index and the data files of one function, each with its hash at the end."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        with super()._open_for_write(filepath) as file:
            yield content
            file.write(content.getvalue() + HASH(content.getvalue()).digest())

    def _load_index(self) -> dict[Any, str]:
        with suppress(Exception):  # a class in it may be gone by now
            if _is_whole(self._index_path):
                return dict(super()._load_index())
        return {}

    def _load_data(self, name: str) -> Any:
        if _is_whole(path := self._data_path(name)):
            return super()._load_data(name)
        raise FileNotFoundError(path)  # a missing file is no error to the caller


class MendingCache(caching.FunctionCache):
    """The cache of one function; what it cannot read or write counts as missing."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp, base = self._impl.locator.get_source_stamp(), self._impl.filename_base
        self._cache_file = _SealedFiles(self._cache_path, base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None if it is missing or cannot be used."""
        with suppress(Exception):  # what another version left behind may raise anything
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, if the disk takes it."""
        with suppress(OSError):
            super().save_overload(sig, data)


def _is_whole(path: str) -> bool:
    """Tell whether a file exists and ends with the hash of what is before it."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return HASH(content[:-HASH_SIZE]).digest() == content[-HASH_SIZE:]


def layout_name(record: Record) -> str:
    """Return the name of a record's layout, by which compiled code knows it from now on."""
    layout: Any = numba.typeof(record.contents)
    name = _described(layout)
    while _layouts.setdefault(name, layout) != layout:  # a class that was defined again
        name += "'"
    return name


def _described(kind: Any) -> str:
    """Write a type; Numba's own names leave out a class's module and its fields."""
    if not issubclass(type(kind), types.BaseTuple):
        return str(kind)
    parts = [_described(each) for each in kind]
    made = getattr(kind, "instance_class", tuple)
    fields = getattr(kind, "fields", range(len(parts)))
    listed = ", ".join(f"{field}: {part}" for field, part in zip(fields, parts, strict=True))
    return f"{made.__module__}.{made.__qualname__}({listed})"


@overload(record_at, jit_options=INLINED, strict=False)
def _record_at(address: Any, layout: Any) -> Any:
    """Return the body for a layout, which is known when compiled; asked first with the string."""
    if not isinstance(layout, types.StringLiteral):
        return None
    rebuilt = _rebuilder(_layouts[layout.literal_value])
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
        """Return the next entry."""
        position = ir.Constant(ir.IntType(64), self.position)
        self.position += 1
        return self.builder.load(self.builder.gep(self.table, [position]))

    def read(self, kind: Any) -> Any:
        """Return the next part, of that type."""
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
