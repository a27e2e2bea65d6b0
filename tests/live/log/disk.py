"""A disk that forgets and fails: what processes write and sync below a folder, by LD_PRELOAD.

`traced` runs a module under `write_trace.c`. `Trace` has what it wrote, in order, and writes the
files as a power cut could have left them. Whatever the module writes into the file `marks`, a line
of JSON at a time, is what was acknowledged by then. `Failing` makes its own calls fail.
"""

import ctypes
import errno
import json
import os
import shutil
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("write_trace.c")
SECTOR = 512  # what a disk writes whole
WRITE, TRUNCATE, SYNC, RENAME, UNLINK, CREATE, _, SYNC_FAILED = range(1, 9)
FAULTS = {
    "EIO": (errno.EIO, 1),
    "a disk that is full": (errno.ENOSPC, 10**9),
}


@cache
def library():
    """Compile the library; return its path."""
    if shutil.which("gcc") is None:
        pytest.fail("These tests compile a library: install gcc, e.g. apt-get install gcc.")
    path = Path(os.environ.get("TMPDIR", "/tmp"), f"write_trace-{os.getpid()}.so")  # noqa: S108
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", path, SOURCE, "-ldl", "-lpthread"]
    subprocess.run(command, check=True, capture_output=True)
    return path


def traced(module, folder, *arguments):
    """Run a module on a folder; return the trace of what it did there."""
    first = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    file = folder.with_name(f"{folder.name}.trace")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library()),
        "WRITE_TRACE_DIR": str(folder),
        "WRITE_TRACE_FILE": str(file),
    }
    done = subprocess.run(
        [sys.executable, "-m", module, str(folder), *map(str, arguments)],
        env=environment, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return Trace(first, file, done.stdout)


class Trace:
    """What happened to the files of a folder: ("write", file, offset, data), ("sync", file), …"""

    def __init__(self, first, file, said):
        self.first, self.said, self.record = first, said, []
        data, at = file.read_bytes(), 0
        while at < len(data):
            kind, size, offset, length = struct.unpack_from("<IIqq", data, at)
            at += 24
            name = Path(data[at : at + size].decode()).name
            at += size
            content = data[at : at + length] if kind in (WRITE, RENAME) else b""
            at += len(content)
            if name == "marks" and kind == WRITE:
                self.record.append(("mark", json.loads(content)))
            elif kind in (WRITE, TRUNCATE, SYNC, UNLINK, SYNC_FAILED) and name != "marks":
                self.record.append((kind, name, offset, content))

    def cuts(self):
        """Return the number of moments at which the power can go."""
        return len(self.record) + 1

    def marked(self, cut):
        """Return the last mark before a cut, or None."""
        marks = [entry[1] for entry in self.record[:cut] if entry[0] == "mark"]
        return marks[-1] if marks else None

    def syncs(self, name):
        """Return how often a file was synced."""
        return sum(entry[:2] == (SYNC, name) for entry in self.record)

    def image(self, generator, cut, folder):
        """Write the files as a power cut may leave them: what was not synced, as it happens.

        Each unsynced write is there, is not, or is there in part, whatever became of the others. So
        is one before a sync that failed: the kernel may have dropped it, and no later sync says so.
        """
        files = {name: bytearray(data) for name, data in self.first.items()}
        fates, waiting = {}, {}
        for place, (kind, name, *_) in enumerate(self.record[:cut]):
            if kind in (WRITE, TRUNCATE):
                waiting.setdefault(name, []).append(place)
            elif kind in (SYNC, SYNC_FAILED):
                fates |= dict.fromkeys(waiting.pop(name, []), kind == SYNC)
        fate = generator.choice(["all", "none", "some", "some"])
        for place, (kind, name, *what) in enumerate(self.record[:cut]):
            safe = fates.get(place, False)
            if kind == WRITE:
                _write(files, name, *what, safe, fate, generator)
            elif kind == TRUNCATE and (safe or generator.random() < 0.5):
                file = files.setdefault(name, bytearray())
                file.extend(bytes(max(what[0] - len(file), 0)))
                del file[what[0] :]
            elif kind == UNLINK:
                files.pop(name, None)
        for name, data in files.items():
            if not name.endswith("-shm"):  # in memory only, and made again
                (Path(folder) / name).write_bytes(data)


def _write(files, name, offset, data, safe, fate, generator):
    if not safe:
        if fate == "none" or (fate == "some" and generator.random() < 0.4):
            return
        if fate == "some" and generator.random() < 0.3:  # torn: some sectors only
            for start in range(0, len(data), SECTOR):
                if generator.random() < 0.5:
                    _put(files, name, offset + start, data[start : start + SECTOR])
            return
    _put(files, name, offset, data)


def _put(files, name, offset, data):
    file = files.setdefault(name, bytearray())
    if len(file) < offset:
        file.extend(bytes(offset - len(file)))
    file[offset : offset + len(data)] = data


def mark(folder, what):
    """Say, in a traced process, what is acknowledged by now."""
    with open(Path(folder) / "marks", "ab", buffering=0) as file:
        file.write(json.dumps(what).encode() + b"\n")


class Failing:
    """Calls of this process that fail; only under the library."""

    def __init__(self):
        self._library = ctypes.CDLL(None)
        self._library.write_trace_fail.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_long]

    def fail(self, at, fault):
        """Let the call with number `at`, counted from now, fail."""
        self._library.write_trace_fail(at, *FAULTS[fault])

    def heal(self):
        """Let all calls succeed; return how many there were."""
        calls = self._library.write_trace_calls()
        self._library.write_trace_fail(-1, 0, 0)
        return calls
