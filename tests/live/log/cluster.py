"""A PostgreSQL server of the tests' own: made, killed, started again and removed."""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest


def binaries():
    """Return the folder of the newest server programs, or None."""
    on_path = shutil.which("initdb")
    found = [on_path] if on_path else []
    found += sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=_version)
    return Path(found[-1]).parent if found else None


def _version(path):
    return [int(part) for part in path.split("/") if part.isdigit()]


def ordinary_user():
    """Return whom the server runs as: it refuses root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class Cluster:
    """One server that listens on a socket file only; without its programs the test is skipped."""

    def __init__(self):
        self.bin = binaries()
        if self.bin is None:
            pytest.skip("no PostgreSQL server: install one, e.g. apt-get install postgresql")
        self.user = ordinary_user()
        self.folder = Path(tempfile.mkdtemp(prefix="uh-pg-"))
        if self.user:
            shutil.chown(self.folder, self.user)
        self.data = self.folder / "data"
        self._run("initdb", "-D", self.data, "-U", "tester", "-A", "trust", "-E", "UTF8", "-N")
        self.start()

    @property
    def url(self):
        return f"postgresql://tester@/postgres?host={self.folder}"

    def _run(self, program, *arguments):
        subprocess.run(
            [self.bin / program, *arguments],
            user=self.user,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def start(self):
        """Start the server as a child of ours, so that it is really gone once it was killed."""
        socket = ["-k", self.folder, "-c", "listen_addresses="]
        limits = ["-c", "fsync=on", "-c", "max_connections=150", "-c", "autovacuum=off"]
        for _ in range(5):
            with open(self.folder / "log", "ab") as log:
                self._server = subprocess.Popen(
                    [self.bin / "postgres", "-D", self.data, *socket, *limits],
                    user=self.user,
                    cwd=self.folder,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            while self._server.poll() is None:
                with contextlib.suppress(psycopg.OperationalError):
                    psycopg.connect(self.url).close()
                    return
                time.sleep(0.02)
            said = (self.folder / "log").read_text()  # a killed server's memory may be in use yet
            assert "shared memory" in said, said
            time.sleep(1)
        raise AssertionError(said)

    def kill(self):
        """Kill the server at once, with all its processes: nothing is flushed any more."""
        for pid in (self._server.pid, *_children(self._server.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait()

    def remove(self):
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _children(pid):
    """Return the processes that a process has started; each backend is its own session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found
