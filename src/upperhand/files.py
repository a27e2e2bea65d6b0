"""Files that are there whole or not at all, and errors that say which and why."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import FileError


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder, made if need be; refuse one that cannot be written to."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise FileError(
            f"Cannot write to the folder {str(folder)!r}: {error.strerror or error}. "
            "Choose another one, or change its permissions."
        ) from error
    return folder


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before the work that it is for."""
    target = Path(path).resolve()
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK) or _is_special(target):
        raise FileError(
            f"Cannot write {str(path)!r}: its folder must be there and writable, and the path no "
            "folder or device itself. Choose another path."
        )


def _is_special(target: Path) -> bool:
    """Tell whether something other than a file is there, which a file must not replace."""
    return os.path.exists(target) and not os.path.isfile(target)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path next to `path`; rename it over `path` if the block succeeds."""
    target = Path(path).resolve()  # a link stays, and what it points to is replaced
    if _is_special(target):
        raise FileError(f"Cannot write {str(path)!r}: No regular file. Choose another path.")
    temporary = target.parent / f".{target.stem}.{os.getpid()}.part{target.suffix}"
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"Cannot write {str(path)!r}: {reason}. Choose another path.") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made
            temporary.unlink()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
