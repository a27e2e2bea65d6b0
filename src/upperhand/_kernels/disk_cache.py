"""The user's folder of compiled loops, which all virtual environments share.

An entry's name is a hash of everything that its code depends on, so each environment finds it, and
code that changed has another name. Reading an entry can run code, as it is a pickle. So the folder
and the entries must belong to this user, and no other user may open the folder.

The cache must not stop a run that needs no cache, whatever state the disk is in. An entry ends with
a hash of what is before it. One without its hash, such as one cut short by a crash, counts as
missing: the loop is compiled again and the entry overwritten. What cannot be written is not kept.
"""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from ..files import replacing

LIMIT = 250_000_000  # bytes of all entries; a loop takes 80,000 to 600,000
HASH = hashlib.sha256
HASH_SIZE = HASH().digest_size


def folder() -> Path | None:
    """Return the folder, made if necessary; None if there can be none.

    It is in NUMBA_CACHE_DIR if that is set, else where the system keeps caches of users.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    usual = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    given = os.environ.get("NUMBA_CACHE_DIR")
    for base in (given,) if given else (usual, tempfile.gettempdir()):
        with suppress(OSError, RuntimeError):  # not writable, or there is no home
            found = Path(base).expanduser() / f"upperhand-{user}"
            found.mkdir(0o700, parents=True, exist_ok=True)
            if _is_own(about := found.lstat()) and stat.S_ISDIR(about.st_mode):
                found.chmod(0o700)
                return found
    return None


def _is_own(about: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or about.st_uid == os.getuid()


def has(name: str) -> bool:
    """Tell whether there are entries of this name, for any types of arguments and processor."""
    found = folder()
    return found is not None and any(found.glob(f"{name}.*"))


def read(name: str) -> bytes:
    """Return an entry's content; raise an OSError if it is missing, damaged or another user's."""
    found = folder()
    if found is None:
        raise FileNotFoundError(name)
    with (found / name).open("rb") as file:
        if not _is_own(os.fstat(file.fileno())):
            raise PermissionError(name)
        content = file.read()
    if HASH(content[:-HASH_SIZE]).digest() != content[-HASH_SIZE:]:
        raise OSError(name)
    with suppress(OSError):
        os.utime(found / name)  # entries that were not used for long are removed first
    return content[:-HASH_SIZE]


def write(name: str, content: bytes) -> None:
    """Keep an entry, if the disk takes it."""
    with suppress(OSError):
        if (found := folder()) is not None:
            with replacing(found / name) as temporary:
                temporary.write_bytes(content + HASH(content).digest())
            _remove_old(found)


def _remove_old(found: Path) -> None:
    """Remove the entries that were not used for longest, until the others are within the limit."""
    entries = [(each.stat(), each) for each in found.iterdir()]
    total = 0
    for about, entry in sorted(entries, key=lambda each: -each[0].st_mtime):
        total += about.st_size
        if total > LIMIT:
            entry.unlink(missing_ok=True)
