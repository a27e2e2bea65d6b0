"""The folder of a study: a file for each block of each series, whole or not there.

::

    study.json        what is played, with all arms' data, so that `report` needs nothing else
    upperhand.lock    the lock of the run under way, with its process, pace and failures
    blocks/KEY-CODE/FIRST-LAST.npy   what is kept of these replications, of all of them or of none

KEY stands for the settings of a series, and CODE for what it is played by: versions and sources
(`plan.made_by`). A block is a NumPy array, a line that says all this, and a hash of both. So a
block that is damaged, or was moved, counts as missing. Nothing in a block executes.
"""

import hashlib
import io
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConflictError, FileError
from ..files import lasting_folder, replacing
from ..objectives import DIRECTIONS
from ..text import counted
from .plan import Plan, Series, Task, as_json, differing, hashed, maker_of

FORMAT, OLD_FORMAT = "upperhand-study-2", "upperhand-study-1"
STUDY, OLD_PLAN, LOG = "study.json", "plan.json", "upperhand.lock"
KEY = "[0-9a-f]" * 24  # of a series
NAME = re.compile(r"(\d{1,18})-(\d{1,18})(?:\.([0-9a-f]{16}))?\.npy")  # until 0.1.0 with a hash
HASH_SIZE = 64  # hexadecimal digits of SHA-256
RESUMES = "What was played is in the folder; run the study again to resume."
COMMON = ("seed", "minimize", "points")  # to all blocks of a folder

_locks: set[int] = set()  # descriptors, which a forked process must not keep


def _close_locks() -> None:
    for descriptor in _locks:
        os.close(descriptor)
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locks)


class Folder:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def make(self) -> None:
        """Make the folder if need be; refuse one with something else in it."""
        names = {path.name for path in self.path.iterdir()} if self.path.is_dir() else set()
        if self._is_old():
            old = "upperhand 0.1.0 wrote it, in another format: choose another folder."
            raise ConflictError(f"The study in {str(self.path)!r} cannot go on: {old}")
        known = LOG in names or any(self._all_blocks()) or self._read_study()
        if not known and any(".part" not in name for name in names):
            said = f"The folder {str(self.path)!r} is not empty, and no study is in it."
            raise ConflictError(f"{said} Choose another one.")
        lasting_folder(self.path)

    def open_for(self, plan: Plan) -> str:
        """Make the folder the study's, or refuse that of another one; it must be locked.

        Return what was wrong with study.json, which is written again; empty if nothing was.
        """
        for pattern in (".study.*.part*", "blocks/*/.*.part*"):  # incomplete files after a crash
            for part in self.path.glob(pattern):
                with suppress(OSError):
                    part.unlink()
        study, there = plan.spec(), self._read_study()
        if contradiction := self._contradiction(study):
            raise ConflictError(
                f"The blocks in {str(self.path)!r} are of {contradiction}. A study may grow by "
                "policies, instances, horizons and replications; otherwise choose another folder."
            )
        with replacing(self.path / STUDY) as temporary:
            written = {"format": FORMAT, "hash": hashed(study), "study": study}
            temporary.write_text(as_json(written, indent=1) + "\n", encoding="utf-8")
        if not there:
            return "was lost or damaged" if any(self._all_blocks()) else ""
        return "was of another study" if self._contradiction(there) else ""

    def read_plan(self) -> Plan:
        """Return the plan of the run that was last."""
        where = str(self.path)
        if study := self._read_study():
            try:
                return Plan.from_spec(study)
            except (LookupError, TypeError, AttributeError, ValueError) as error:
                how = "Read it by the version of upperhand that wrote it."
                raise FileError(f"Cannot read the study in {where!r}: {error}. {how}") from error
        if self._is_old():
            raise FileError(f"{OLD_PLAN} of the study in {where!r}, of 0.1.0, is lost or damaged.")
        if not any(self._all_blocks()):
            how = "Run one: upperhand study run FILE --out DIR."
            raise FileError(f"There is no study in {where!r}. {how}")
        raise FileError(
            f"{str(self.path / STUDY)!r} is missing, damaged, or of another version. Its blocks "
            f"are kept: upperhand study run FILE --out {quote(where)} writes it again."
        )

    def _read_study(self) -> dict[str, Any]:
        """Return a plan's spec; empty if it is lost or damaged."""
        if self._is_old():
            return self._json(OLD_PLAN)
        found = self._json(STUDY)
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            if found["format"] == FORMAT and found["hash"] == hashed(found["study"]):
                return dict(found["study"])
        return {}

    def _is_old(self) -> bool:
        """Tell whether version 0.1.0 wrote the folder."""
        is_old = self._json(STUDY).get("format") == OLD_FORMAT
        return is_old or any(self.path.glob(f"blocks/{KEY}/about.json"))

    def _json(self, name: str) -> dict[str, Any]:
        """Return what a file says; empty if it is lost or damaged."""
        try:
            return dict(json.loads((self.path / name).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            return {}

    def _contradiction(self, study: Mapping[str, Any]) -> str:
        """Say how all blocks differ from a study; empty if one does not, or there are none."""
        said = ""
        for path in self._all_blocks():
            with suppress(OSError, ValueError, LookupError):  # a damaged block says nothing
                about = _about(path.read_bytes())
                other = [n for n in COMMON if about[n] not in (None, study.get(n))]
                if not other:
                    return ""
                said, mine, theirs = other[0], about[other[0]], study.get(other[0])
                if said == "minimize":
                    said, mine, theirs = "direction", DIRECTIONS[mine], DIRECTIONS[bool(theirs)]
                said = f"{said} {mine!r}, and the file says {theirs!r}"
        return said

    def _all_blocks(self) -> Iterator[Path]:
        """Yield the files of all series that are named as blocks are."""
        paths = self.path.glob(f"blocks/{KEY}*/*.npy")
        return (path for path in paths if NAME.fullmatch(path.name))

    def blocks(
        self,
        series: Series,
        damaged: Callable[[Path], object] = lambda _: None,
        most: int = sys.maxsize,
    ) -> Iterator[tuple[range, NDArray[np.integer]]]:
        """Yield the first replications of a series that are whole, in rising order."""
        paths = [(NAME.fullmatch(path.name), path) for path in self._of(series).glob("*.npy")]
        named = [(int(match[1]), -int(match[2]), path, match[3]) for match, path in paths if match]
        end, hashes = 0, Counter(each[3] for each in named)
        for first, last, path, hash_of_0_1_0 in sorted(named):
            if not end <= first < most:
                continue
            try:
                if hash_of_0_1_0 and hashes[hash_of_0_1_0] > 1:  # one of them was moved or copied
                    raise ValueError(path.name)
                rows = self._read(series, block := range(first, 1 - last), path)
            except ValueError:
                damaged(path)
            else:
                if rows is not None:
                    end = min(block.stop, most)
                    yield range(first, end), rows[: end - first]

    def _read(self, series: Series, block: range, path: Path) -> NDArray[np.integer] | None:
        """Return what was written, or raise `ValueError`; None if the file is gone."""
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:  # the block may be good
            raise FileError(f"Cannot read {str(path)!r}: {error.strerror}.") from error
        if series.code:
            whole = _about(content)["place"] == series.place(block)
        else:
            whole = hash_of(content)[:16].decode() == path.suffixes[-2][1:]
        found: NDArray[np.integer] = np.load(io.BytesIO(content)) if whole else np.empty(0, int)
        if len(found) != len(block):  # of 0.1.0, and somebody renamed it
            raise ValueError(path.name)
        return found

    def write(self, series: Series, block: range, rows: NDArray[np.integer]) -> None:
        """Write a block; when this returns it is on the disk."""
        buffer, place = io.BytesIO(), series.place(block)
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
        about = {"place": place, "made by": maker_of(series.policy), **series.settings}
        body = buffer.getvalue() + f"\n{as_json(about)}\n".encode()
        folder = self._of(series)
        try:
            if not folder.is_dir():
                lasting_folder(folder)
            with replacing(folder / f"{block.start:09}-{block.stop - 1:09}.npy") as temporary:
                temporary.write_bytes(body + hash_of(body))
        except FileError as error:
            raise FileError(f"{error} {RESUMES}") from error

    def made_otherwise(self, tasks: Iterable[Task]) -> str:
        """Say which blocks of other versions or sources are played again; empty if none are."""
        wanted: dict[str, list[tuple[Series, range]]] = {}
        for series, block in ((series, task.block) for task in tasks for series in task.series):
            wanted.setdefault(series.key, []).append((series, block))
        count, others = 0, set[str]()
        for path in self._all_blocks():
            key, _, code = path.parent.name.partition("-")
            first, last = map(int, path.name.split(".")[0].split("-"))
            for series, block in wanted.get(key, ()):
                if code != series.code and first < block.stop and block.start <= last:
                    count += 1
                    with suppress(OSError, ValueError, LookupError):
                        theirs = _about(path.read_bytes())["made by"]
                        others.add(differing(theirs, maker_of(series.policy)))
                    break
        makers = "; ".join(sorted(filter(None, others))) or "another version"
        said = f"{counted(count, 'block')} in {str(self.path)!r}, made by {makers}: numbers may "
        return said + "differ, so they are kept aside there and played again." if count else ""

    def _of(self, series: Series) -> Path:
        code = f"-{series.code}" if series.code else ""
        return self.path / "blocks" / f"{series.key}{code}"

    @contextmanager
    def locked(self, patience: int = 0) -> Iterator[Callable[[Mapping[str, Any]], None]]:
        """Keep other runs out of the folder; yield a function that writes notes for other shells.

        The system releases the lock when the process ends. Another process may be looking at it
        just now: try again for so many tenths of a second.
        """
        try:
            descriptor = os.open(self.path / LOG, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise FileError(
                f"Cannot write to the folder {str(self.path)!r}: {error.strerror}. Choose another "
                "one, or change its permissions."
            ) from error
        _locks.add(descriptor)

        def note(told: Mapping[str, Any]) -> None:
            with suppress(OSError):  # nothing depends on it
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.ftruncate(descriptor, os.write(descriptor, json.dumps(told).encode()))

        try:
            while not _is_free(descriptor):
                if (patience := patience - 1) < 0:
                    raise ConflictError(
                        f"The study in {str(self.path)!r} is being run already, by process "
                        f"{self.noted().get('process')}. Watch it by upperhand study status "
                        f"{quote(str(self.path))}, or wait."
                    )
                time.sleep(0.1)
            note({"process": os.getpid()})
            yield note
        finally:
            _locks.discard(descriptor)
            os.close(descriptor)

    def is_running(self) -> bool:
        """Tell whether some process runs the study now."""
        with suppress(OSError), open(self.path / LOG) as log:
            return not _is_free(log.fileno())
        return False

    def noted(self) -> dict[str, Any]:
        """Return the last note of a run; empty if there is none that can be read."""
        return self._json(LOG)


def _is_free(descriptor: int) -> bool:
    """Lock a file unless another process has; on Windows and disks without locks it is free."""
    with suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _about(content: bytes) -> dict[str, Any]:
    """Return what a block says between its array and its hash; `ValueError` if it is damaged."""
    body = content[:-HASH_SIZE]
    if hash_of(body) != content[-HASH_SIZE:]:
        raise ValueError("not what was written")
    return dict(json.loads(body[:-1].rpartition(b"\n")[2]))


def hash_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
