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
import tempfile
from contextlib import suppress
from pathlib import Path

from ..files import replacing

LIMIT = 250_000_000  # bytes of all entries; a loop takes 80,000 to 600,000
HASH = hashlib.sha256
HASH_SIZE = HASH().digest_size


def folder() -> Path:
    """Return the folder, made if necessary; raise an OSError if there can be none.

    It is in NUMBA_CACHE_DIR if that is set, else where the system keeps caches of users.
    """
    usual = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    given = os.environ.get("NUMBA_CACHE_DIR")
    for base in (given,) if given else (usual, tempfile.gettempdir()):
        with suppress(OSError, RuntimeError):  # not writable, or there is no home
            found = Path(base).expanduser() / f"upperhand-{_user()}"
            found.mkdir(0o700, parents=True, exist_ok=True)
            if found.lstat().st_uid == _user() and not found.is_symlink():
                if found.stat().st_mode & 0o077:
                    found.chmod(0o700)
                return found
    raise FileNotFoundError


def _user() -> int:
    return getattr(os, "getuid", int)()  # Windows says that every file is of user 0


def has(name: str) -> bool:
    """Tell whether there are entries of this name, for any types of arguments and processor."""
    with suppress(OSError):
        return any(folder().glob(f"{name}.*"))
    return False


def read(name: str) -> bytes:
    """Return an entry's content; raise an OSError if it is missing, damaged or another user's."""
    path = folder() / name
    with path.open("rb") as file:
        content = file.read() if os.fstat(file.fileno()).st_uid == _user() else b""
    if HASH(content[:-HASH_SIZE]).digest() != content[-HASH_SIZE:]:
        raise OSError(name)
    with suppress(OSError):  # entries that were not used for long are removed first
        os.utime(path)
    return content[:-HASH_SIZE]


def write(name: str, content: bytes) -> None:
    """Keep an entry, if the disk takes it."""
    with suppress(OSError):
        path = folder() / name
        with replacing(path) as temporary:
            temporary.write_bytes(content + HASH(content).digest())
        total = 0
        entries = ((each.stat(), each) for each in path.parent.iterdir())
        for about, entry in sorted(entries, key=lambda each: -each[0].st_mtime):
            total += about.st_size
            if total > LIMIT:
                entry.unlink()
