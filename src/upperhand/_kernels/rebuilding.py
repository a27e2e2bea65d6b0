"""How compiled code makes a record's tuple again from its address; see `addresses.py`.

A layout is the Numba type of the tuple. Closures know it by name, as a string is what the disk
cache finds again. The name says all that code depends on: each class, its fields and their types.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array, populate_array

from .addresses import Record, record_at

INLINED: Any = {"forceinline": True, "_nrt": False}
_layouts: dict[str, types.Type] = {}
GENERATOR = (
    "state_address", "state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double",
    "bit_generator",
)  # fmt: skip


def named(record: Record) -> str:
    """Return the name of a record's layout, by which compiled code knows it from now on."""
    layout: Any = numba.typeof(record.contents)
    name = _described(layout)
    while _layouts.setdefault(name, layout) != layout:  # a class that was defined anew
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
    """Answer the body for a layout, which is known when compiled; asked first with the string."""
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
    """Writes the code that reads the entries of a table one after the other."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.context, self.builder = context, builder
        self.table = builder.inttoptr(address, ir.IntType(64).as_pointer())
        self.place = 0

    def entry(self) -> Any:
        """Return the next entry."""
        place = ir.Constant(ir.IntType(64), self.place)
        self.place += 1
        return self.builder.load(self.builder.gep(self.table, [place]))

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
            array, data=data, shape=cgutils.pack_array(self.builder, shape),
            strides=cgutils.pack_array(self.builder, strides), itemsize=size, meminfo=None,
        )  # fmt: skip
        return array._getvalue()

    def generator(self, kind: Any) -> Any:
        """Return a generator; what owns its memory is the record."""
        made = cgutils.create_struct_proxy(kind)(self.context, self.builder)
        inner = types.NumPyRandomBitGeneratorType("bit_generator")
        bits = cgutils.create_struct_proxy(inner)(self.context, self.builder)
        for name in GENERATOR:
            setattr(bits, name, self.entry())
        made.bit_generator = bits._getvalue()
        return made._getvalue()
