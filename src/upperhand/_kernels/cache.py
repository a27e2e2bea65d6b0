"""Numba's disk cache, made so that no state of the disk stops a run that needs no cache.

Each file ends with a hash of what is before it (unpickling stops earlier and never reads it). A
file without its hash, such as one cut short by a crash, counts as missing: the loop is compiled
anew and the file overwritten. What cannot be written is not kept.
"""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core import caching

HASH = hashlib.sha256
SIZE = HASH().digest_size


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
    """The cache of one function, which counts what it cannot read or write as not there."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp, base = self._impl.locator.get_source_stamp(), self._impl.filename_base
        self._cache_file = _SealedFiles(self._cache_path, base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None if it is not there or cannot be used."""
        with suppress(Exception):  # what another version left behind may raise anything
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, if the disk takes it."""
        with suppress(OSError):
            super().save_overload(sig, data)


def _is_whole(path: str) -> bool:
    """Tell whether a file is there and ends with the hash of what is before it."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return HASH(content[:-SIZE]).digest() == content[-SIZE:]
