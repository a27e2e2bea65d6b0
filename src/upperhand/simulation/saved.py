"""Reading a file of runs, which may be damaged or made to harm: sizes first, then the contents.

Nothing in the file is executed. Each replication's pulls are checked as they are unpacked, so a
small file that unpacks to gigabytes of nothing is refused after its first replication.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import FileError, ParameterError, UpperhandError

MOST_BYTES = 2**28  # of the settings, and of the recorded rounds: far more than any of ours


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[ZipFile]:
    """Open a file of runs; whatever is wrong with it in the block becomes a `FileError`."""
    try:
        with open(path, "rb") as file, ZipFile(file) as archive:
            yield archive
    except Exception as error:  # a file that is none of ours may raise anything
        raise FileError(
            f"Cannot load runs from {str(path)!r}: {_reason(error)}. It must be a file that "
            "Runs.save wrote, by this version or an older one."
        ) from error


def _reason(error: Exception) -> str:
    """Return what to tell of an error: never NumPy's words, which advise to load unsafely."""
    match error:
        case UpperhandError():
            return str(error).rstrip(".")
        case OSError(strerror=str(reason)):
            return reason
        case MemoryError():
            return "it needs more memory than there is"
    return "it is damaged, or something else than runs"


def read_settings(archive: ZipFile) -> dict[str, Any]:
    """Return the settings, which say how everything else must look."""
    with _member(archive, "settings", MOST_BYTES) as (member, shape, dtype, size):
        _demand(shape == () and dtype.kind == "U" and dtype.itemsize == size, "its settings")
        text = str(np.frombuffer(member.read(size), dtype)[0])
    settings = json.loads(text)
    _demand(isinstance(settings, dict) and "format" in settings, "its settings")
    return dict(settings)


def read_rounds(archive: ZipFile, horizon: int) -> NDArray[np.int64]:
    """Return the recorded rounds: rising, the last the horizon."""
    with _member(archive, "rounds", MOST_BYTES) as (member, shape, dtype, size):
        _demand(shape == (size // 8,) and dtype.str[1:] == "i8" and size > 0, "its rounds")
        rounds = np.frombuffer(member.read(size), dtype).astype(np.int64)
    _demand(np.all(np.diff(rounds, prepend=0) > 0), "its rounds", "do not rise from 1 on")
    _demand(rounds[-1] == horizon, "its rounds", "do not end at its horizon")
    return rounds


def read_pulls(
    archive: ZipFile, name: str, rounds: NDArray[np.int64], replications: int, arms: int
) -> NDArray[np.int64]:
    """Return the pull counts of one policy (R, G, K): those of some choice of one arm a round."""
    wanted = (replications, len(rounds), arms)
    with _member(archive, name, 8 * replications * len(rounds) * arms) as (member, shape, dtype, _):
        _demand(
            shape == wanted and dtype.str[1:] == "i8", "its pulls", f"are not of shape {wanted}"
        )
        pulls = np.empty(shape, np.int64)
        for counts in pulls:
            content = member.read(counts.nbytes)
            counts[:] = np.frombuffer(content, dtype).reshape(counts.shape)
            steps = np.diff(counts, axis=0, prepend=0)
            _demand(np.all(steps >= 0), "its pulls", "are negative, or fall from round to round")
            _demand(np.array_equal(counts.sum(axis=1), rounds), "its pulls", "miss some rounds")
    return pulls


@contextmanager
def _member(
    archive: ZipFile, name: str, most: int
) -> Iterator[tuple[IO[bytes], tuple[int, ...], np.dtype[Any], int]]:
    """Open an array, its header read; give its shape, its type and how many bytes follow."""
    _demand(f"{name}.npy" in archive.namelist(), f"its part {name!r}", "is missing")
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as member:
        _demand(npy.read_magic(member) == (1, 0), f"its part {name!r}")
        shape, by_columns, dtype = npy.read_array_header_1_0(member)
        size = info.file_size - member.tell()
        _demand(not by_columns and size <= most, f"its part {name!r}", "is larger than it can be")
        yield member, shape, dtype, size


def _demand(fulfilled: Any, part: str, fault: str = "are not what they must be") -> None:
    if not fulfilled:
        raise ParameterError(f"{part} {fault}")
