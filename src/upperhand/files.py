"""Files that are written completely or not at all, and the versions that they record."""

import errno
import os
import platform
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .errors import FileError

FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # the disk or a quota


def writable_folder(path: str | os.PathLike[str], *, make: bool = True) -> Path:
    """Return the folder, made if necessary; refuse one that cannot be made or written to."""
    folder = Path(path)
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        there = next(each for each in (folder, *folder.parents) if each.exists())
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise FileError(
            f"Cannot write to the folder {str(folder)!r}: {error.strerror or error}. "
            "Choose another one, or change its permissions."
        ) from error
    return folder


def lasting_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder, made if necessary, so that it survives a power cut."""
    folder = Path(path)
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    made = writable_folder(folder)
    for each in missing:
        with suppress(OSError):  # not every system lets a folder be opened
            _to_disk(each.parent)
    return made


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before the work that it will hold."""
    folder = _target(path).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise FileError(
            f"Cannot write {str(path)!r}: its folder must be there and writable. "
            "Choose another path."
        )


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the file that `path` means, behind links; refuse what a file must not replace."""
    target = Path(os.path.realpath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise FileError(
            f"Cannot write {str(path)!r}: a folder or device is there. Choose another path."
        )
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path next to `path`; rename it over `path` if the block succeeds.

    After a crash or a power cut the file is completely the old or the new one, as the content is on
    the disk before the name is. A file that is replaced keeps its permissions.
    """
    target = _target(path)
    temporary = target.parent / f".{target.stem}.{secrets.token_hex(8)}.part{target.suffix}"
    try:
        temporary.touch(exist_ok=False)
        if target.exists():  # at once, so that a private file's content is never public
            temporary.chmod(stat.S_IMODE(target.stat().st_mode) & 0o777 | stat.S_IWUSR)
        yield temporary
        _to_disk(temporary)
        temporary.replace(target)
        with suppress(OSError):  # not every system lets a folder be opened
            _to_disk(target.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        advice = "Make room, or choose" if error.errno in FULL else "Choose"
        raise FileError(f"Cannot write {str(path)!r}: {reason}. {advice} another path.") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made
            temporary.unlink()


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by name into a folder; if one of them cannot be written, write none."""
    for name in files:
        check_writable(folder / name)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)


def _to_disk(path: Path) -> None:
    """Wait until what was written to a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def versions() -> dict[str, str]:
    """Return the versions of everything that the numbers depend on."""
    from . import __version__  # here, as the package's types come from all of its modules

    found = {"upperhand": __version__, "python": platform.python_version()}
    found |= {package: _version(package) for package in ("numpy", "numba", "scipy")}
    return {**found, "platform": f"{sys.platform} {platform.machine()}"}


@cache
def _version(package: str) -> str:
    """Return the installed version; finding it takes milliseconds."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
