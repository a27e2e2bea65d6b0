"""The folder of a study: a file for each block of each series, whole or not there.

::

    study.json             title, seed and versions: what may not change as the study grows
    blocks/KEY/about.json  what the series is, for people
    blocks/KEY/FIRST-LAST.HASH.npy   what is kept of these replications, of all of them or of none

    plan.json              what is played: `status` and `report` need nothing else

A block's name ends with a hash of its content, so damage is seen, and the block is played again.
Blocks are plain arrays, with nothing in them that executes.
"""

import hashlib
import io
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions.registry import from_spec
from ..errors import ConflictError, FileError, ParameterError, UpperhandError
from ..files import lasting_folder, replacing, versions
from ..objectives import objective_from, objective_spec
from ..policies import BEST_ARM_POLICIES, POLICIES, Policy
from .plan import Cell, Plan, Series, described

FORMAT = "upperhand-study-1"
NAME = re.compile(r"(\d+)-(\d+)\.([0-9a-f]{16})\.npy")
ABOUT = "about.json"  # what a series is
PLAN_NAME = "plan.json"
RESUMES = "What was played is in the folder; run the study again to resume."
NUMBERS = ("upperhand", "numpy", "numba", "scipy")  # what numbers depend on
COMMON = ("title", "seed", "minimize", "points")  # to all blocks of a folder
PLAN_SETTINGS = ("title", "seed", "replications", "minimize", "points", "reference")


class Block(NamedTuple):
    """Replications that are on disk."""

    replications: range
    path: Path


class DamagedBlockError(Exception):
    """A block's content is not what was written."""


class Folder:
    """Where a study's blocks are."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def settings(self) -> Path:
        """The file that says whose folder it is."""
        return self.path / "study.json"

    def make(self) -> None:
        """Make the folder if need be; refuse one with something else in it."""
        if self.path.is_dir() and not self.settings.exists():
            parts = (".lock", *(path.name for path in self.path.glob(".*.part*")))
            if any(path.name not in parts for path in self.path.iterdir()):
                raise ConflictError(
                    f"The folder {str(self.path)!r} is not empty, and no study is in it. Choose "
                    "another one."
                )
        lasting_folder(self.path)

    def open_for(self, plan: Plan) -> None:
        """Make the folder the study's, or refuse that of another one; it must be locked."""
        self._sweep()
        mine = {"format": FORMAT, "versions": versions()}
        mine |= {name: getattr(plan, name) for name in COMMON}
        if self.settings.exists():
            _refuse_others(self.path, self.read_settings(), mine)
            return
        with replacing(self.settings) as temporary:
            temporary.write_text(json.dumps(mine, indent=2) + "\n", encoding="utf-8")

    def read_settings(self) -> dict[str, Any]:
        """Return the title, seed and versions of the folder's study."""
        try:
            found = json.loads(self.settings.read_text(encoding="utf-8"))
            if found["format"] == FORMAT and isinstance(found["versions"], dict):
                return dict(found)
        except OSError as error:
            raise FileError(
                f"There is no study in {str(self.path)!r}: {error.strerror}. Run one: upperhand "
                "study run FILE --out DIR."
            ) from error
        except (ValueError, KeyError, TypeError):
            pass
        raise FileError(
            f"{str(self.settings)!r} is damaged, or of another version. Choose another folder."
        )

    def blocks(self, series: Series) -> list[Block]:
        """Return a series' blocks, by their first replications; none overlaps another."""
        found = []
        for path in self._of(series).glob("*.npy"):
            if match := NAME.fullmatch(path.name):
                found.append(Block(range(int(match[1]), int(match[2]) + 1), path))
        found.sort(key=lambda block: (block.replications.start, -block.replications.stop))
        apart, end = [], 0
        for block in found:
            if block.replications.start >= end:
                apart.append(block)
                end = block.replications.stop
        return apart

    def read(self, block: Block) -> NDArray[np.integer]:
        """Return what was written, or raise `DamagedBlockError`."""
        try:
            content = block.path.read_bytes()
        except FileNotFoundError as error:
            raise DamagedBlockError(str(error)) from error
        except OSError as error:  # the block may be good
            raise FileError(f"Cannot read {str(block.path)!r}: {error.strerror}.") from error
        if hash_of(content) != block.path.suffixes[-2][1:]:
            raise DamagedBlockError(block.path.name)
        found: NDArray[np.integer] = np.load(io.BytesIO(content), allow_pickle=False)
        if len(found) != len(block.replications):  # somebody renamed it
            raise DamagedBlockError(block.path.name)
        return found

    def write(self, cell: Cell, series: Series, block: range, rows: NDArray[np.integer]) -> None:
        """Write a block; when this returns it is on the disk."""
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
        content, folder = buffer.getvalue(), self._of(series)
        name = f"{block.start:09}-{block.stop - 1:09}.{hash_of(content)}.npy"
        try:
            if not (folder / ABOUT).exists():  # the folder may be there, of a disk that was full
                self._describe(cell, series)
            with replacing(folder / name) as temporary:
                temporary.write_bytes(content)
        except FileError as error:
            raise FileError(f"{error} {RESUMES}") from error

    def discard(self, block: Block) -> None:
        """Put a damaged block aside, so that it is played again."""
        with suppress(OSError):
            block.path.rename(block.path.with_suffix(".damaged"))

    def _sweep(self) -> None:
        """Remove the halves of files that a crash left; nobody else writes such files now."""
        for pattern in (".study.*.part*", ".plan.*.part*", "blocks/*/.*.part*"):
            for part in self.path.glob(pattern):
                with suppress(OSError):
                    part.unlink()

    def _of(self, series: Series) -> Path:
        return self.path / "blocks" / series.key

    def _describe(self, cell: Cell, series: Series) -> None:
        folder = lasting_folder(self._of(series))
        about = {
            "label": series.label,
            **described(series.policy),
            "kind": cell.kind,
            "instance": cell.instance,
            "arms": [repr(arm) for arm in cell.arms],
            "horizon": cell.horizon,
        }
        with replacing(folder / ABOUT) as temporary:
            text = json.dumps(about, indent=2, default=lambda part: part.spec, ensure_ascii=False)
            temporary.write_text(text + "\n", encoding="utf-8")

    @contextmanager
    def locked(self, patience: int = 0) -> Iterator[None]:
        """Keep other runs out of the folder; the system lets go of it when the process ends.

        Another one may be looking at the lock just now: try again so many tenths of a second.
        """
        try:
            import fcntl
        except ImportError:  # on Windows, where nobody is kept out
            yield
            return
        with self._lock_file() as file:
            for left in range(patience, -1, -1):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if left == 0:
                        raise ConflictError(
                            f"The study in {str(self.path)!r} is being run already. Watch it by "
                            f"upperhand study status {self.path}, or wait."
                        ) from error
                    time.sleep(0.1)
                except OSError:  # a disk without locks: nobody is kept out
                    break
            yield

    def _lock_file(self) -> IO[str]:
        try:
            return open(self.path / ".lock", "w")
        except OSError as error:
            raise FileError(
                f"Cannot write to the folder {str(self.path)!r}: {error.strerror}. Choose another "
                "one, or change its permissions."
            ) from error

    def is_running(self) -> bool:
        """Tell whether some process runs the study now."""
        try:
            with self.locked():
                return False
        except ConflictError:
            return True
        except FileError:  # a folder that one may read alone
            return False


def hash_of(content: bytes) -> str:
    """Return what a block's name ends with."""
    return hashlib.sha256(content).hexdigest()[:16]


def _refuse_others(path: Path, there: dict[str, Any], mine: dict[str, Any]) -> None:
    """Refuse a folder of another study, or of another version of the library."""
    for name in COMMON:
        if there.get(name) != mine[name]:
            raise ConflictError(
                f"The folder {str(path)!r} holds another study: its {name} is "
                f"{there.get(name)!r}, and the file says {mine[name]!r}. A study may grow by "
                "policies, instances, horizons and replications; for anything else choose another "
                "folder."
            )
    other = [
        f"{name} {there['versions'].get(name)} (here {mine['versions'][name]})"
        for name in NUMBERS
        if there["versions"].get(name) != mine["versions"][name]
    ]
    if other:
        raise ConflictError(
            f"The blocks in {str(path)!r} were made by {', '.join(other)}: numbers may differ. "
            "Choose another folder, or install these versions."
        )


def write_plan(plan: Plan, folder: Folder) -> None:
    """Write the plan of the folder's blocks; a larger one may replace it later."""
    arms = {cell.instance: [arm.spec() for arm in cell.arms] for cell in plan.cells}
    content = {
        **{name: getattr(plan, name) for name in PLAN_SETTINGS},
        "arms": arms,
        "cells": [
            {
                "kind": cell.kind,
                "instance": cell.instance,
                "horizon": cell.horizon,
                "objectives": [objective_spec(objective) for objective in cell.objectives],
                "policies": {label: described(each) for label, each in cell.policies.items()},
            }
            for cell in plan.cells
        ],
    }
    text = json.dumps(content, indent=1, default=lambda part: part.spec, allow_nan=False)
    with replacing(folder.path / PLAN_NAME) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_written(folder: Folder) -> Plan:
    """Return the plan of a folder."""
    folder.read_settings()  # refuses what is no study
    path = folder.path / PLAN_NAME
    try:
        return _plan(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UpperhandError) as error:
        raise FileError(
            f"Cannot read {str(path)!r}: {error}. Run the study again, and it is written again."
        ) from error


def _plan(read: dict[str, Any]) -> Plan:
    arms = {name: tuple(map(from_spec, specs)) for name, specs in read["arms"].items()}
    common = (read["seed"], read["minimize"], read["points"])
    cells = tuple(
        Cell(
            each["kind"],
            each["instance"],
            arms[each["instance"]],
            each["horizon"],
            {label: _policy(entry) for label, entry in each["policies"].items()},
            *common,
            tuple(map(objective_from, each["objectives"])),
        )
        for each in read["cells"]
    )
    return Plan(cells=cells, **{name: read[name] for name in PLAN_SETTINGS})


def _policy(entry: dict[str, Any]) -> Policy:
    known: dict[str, type[Policy]] = {**POLICIES, **BEST_ARM_POLICIES}
    if entry["policy"] not in known:
        raise ParameterError(f"no policy is called {entry['policy']!r}")
    return known[entry["policy"]](**entry["settings"])
