"""A nested tuple of arrays and numbers as one integer, which compiled code takes for nothing.

Passing a state to a compiled function costs 15 to 25 µs: Numba unboxes each array. An integer is
free. So a `Record` writes down where its parts are, and compiled code makes the tuple again from
there, in a few loads (`rebuilding.py`):

    def make_pulls(layout):            # a string: the disk cache finds closures over strings again
        def pulls(address, arm):
            policy, state = record_at(address, layout)
            return state.pulls[arm]
        return pulls

    record = Record((parameters, state))
    pulls = compile_closure(make_pulls, layout_of(record), user=type(policy))
    pulls(record.address, 2)

The same call works interpreted: ``make_pulls("")(record.address, 2)``. Arrays are shared, not
copied. Where one is replaced, as `grow` does, a new record is to be made; that takes 20 to 40 µs.
"""

import ctypes
import struct
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

_FLOAT, _BITS = struct.Struct("d"), struct.Struct("q")
_functions: dict[type, tuple[int, ...]] = {}  # of each kind of bit generator
_records: "WeakValueDictionary[int, Record]" = WeakValueDictionary()  # by address


class Record:
    """Where the parts of a tuple are: arrays, numbers, generators, and tuples of these.

    The address is good as long as the record is there. Numbers are those of when it was made.
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


def kinds_of(part: Any) -> tuple[Any, ...]:
    """Return what a layout depends on, without the compiler: equal kinds, equal layouts."""
    if isinstance(part, np.ndarray):
        return part.dtype, part.ndim
    if isinstance(part, tuple):
        return type(part), *map(kinds_of, part)
    return (type(part),)


def record_at(address: int, layout: str) -> Any:
    """Return the tuple of the record at an address; compiled code must know its layout's name."""
    return _records[address].contents


def _write(part: Any, entries: list[int]) -> None:
    """Append a part's entries to the table; `rebuilding.py` reads them in the same order."""
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
    elif isinstance(part, np.random.Generator):
        _write_generator(part, entries)
    else:
        entries.append(int(part))


def _address(array: Any) -> int:
    if array.size == 0:  # nothing is read there
        return 0
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # a quarter of the time of .ctypes


def _write_generator(generator: np.random.Generator, entries: list[int]) -> None:
    """Append where a generator's state and functions are, by NumPy's interface for ctypes."""
    bits = generator.bit_generator
    found = bits.ctypes
    if type(bits) not in _functions:
        pointers = (found.next_uint64, found.next_uint32, found.next_double)
        _functions[type(bits)] = tuple(map(_pointer, pointers))
    state, itself = _pointer(found.state), _pointer(found.bit_generator)
    entries.extend((found.state_address, state, *_functions[type(bits)], itself))


def _pointer(given: Any) -> int:
    return ctypes.cast(given, ctypes.c_void_p).value or 0
