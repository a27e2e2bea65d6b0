"""A disk that forgets and fails: writes and syncs of SQLite, recorded, cut short, or refused.

`Disk` is a VFS of apsw. What goes through it is recorded; `Disk.image` writes the files as a power
cut could have left them; `Disk.fail` makes the N-th write or sync fail.

    disk = Disk(folder)                      # a folder with closed databases
    storage = SqliteStorage(path, vfs=disk.name)
    ...; disk.mark(7)                        # after what is now acknowledged
    disk.image(generator, cut, elsewhere)    # files as of the cut, unsynced writes at random
"""

import itertools
from pathlib import Path

import apsw

SECTOR = 512  # what a disk writes whole
_numbers = itertools.count()


class Disk(apsw.VFS):
    """Files by SQLite's own VFS, and a record of what happened to them."""

    def __init__(self, folder):
        self.name = f"disk-{next(_numbers)}"
        self.folder = Path(folder)
        self.first = {
            path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()
        }
        self.record = []  # ("write", file, offset, data), ("cut", file, size), ("sync", file), …
        self.calls = 0
        self._fail = None
        super().__init__(self.name, "")

    def xOpen(self, name, flags):  # noqa: N802
        return _File(self, name, flags)

    def xDelete(self, filename, syncdir):  # noqa: N802
        super().xDelete(filename, syncdir)
        self.record.append(("delete", Path(filename).name))

    def mark(self, what):
        """Note what the caller was told by now."""
        self.record.append(("mark", what))

    def fail(self, at, code=apsw.SQLITE_IOERR_WRITE, *, times=1, partly=False):
        """Let the call with number `at`, counted from now, fail, and `times` - 1 after it."""
        self.calls = 0
        self._fail = (at, at + times, code, partly)

    def heal(self):
        """Let all calls succeed."""
        self._fail = None

    def refuse(self, write=None):
        """Raise if this call shall fail."""
        self.calls += 1
        if self._fail is None or not self._fail[0] <= self.calls < self._fail[1]:
            return
        _, _, code, partly = self._fail
        if partly and write is not None:
            write()
        raise apsw.exception_for(code)

    def cuts(self):
        """Return the number of moments at which the power can go."""
        return len(self.record) + 1

    def marked(self, cut):
        """Return the last mark before a cut, or None."""
        marks = [entry[1] for entry in self.record[:cut] if entry[0] == "mark"]
        return marks[-1] if marks else None

    def image(self, generator, cut, folder):
        """Write the files as a power cut may leave them: what was not synced, as it happens.

        Each unsynced write is there, is not, or is there in part, whatever became of the others.
        """
        files = {name: bytearray(data) for name, data in self.first.items()}
        synced = {}
        for place, entry in enumerate(self.record[:cut]):
            if entry[0] == "sync":
                synced[entry[1]] = place
        fate = generator.choice(["all", "none", "some", "some"])
        for place, (kind, *what) in enumerate(self.record[:cut]):
            safe = place < synced.get(what[0], -1)
            if kind == "write":
                _write(files, what, safe, fate, generator)
            elif kind == "cut" and (safe or generator.random() < 0.5):
                del files.setdefault(what[0], bytearray())[what[1] :]
            elif kind == "delete":
                files.pop(what[0], None)
        for name, data in files.items():
            if not name.endswith("-shm"):  # in memory only, and made anew
                (Path(folder) / name).write_bytes(data)


def _write(files, what, safe, fate, generator):
    name, offset, data = what
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


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags):
        self.disk = disk
        text = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.kept = Path(text).name if text else None  # None: a temporary file
        super().__init__("", name, flags)

    def xWrite(self, data, offset):  # noqa: N802
        half = len(data) // 2
        self.disk.refuse(lambda: super(_File, self).xWrite(data[:half], offset))
        super().xWrite(data, offset)
        if self.kept:
            self.disk.record.append(("write", self.kept, offset, bytes(data)))

    def xSync(self, flags):  # noqa: N802
        self.disk.refuse()
        super().xSync(flags)
        if self.kept:
            self.disk.record.append(("sync", self.kept))

    def xTruncate(self, size):  # noqa: N802
        self.disk.refuse()
        super().xTruncate(size)
        if self.kept:
            self.disk.record.append(("cut", self.kept, size))
