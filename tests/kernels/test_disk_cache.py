"""The folder of compiled loops belongs to one user, and what cannot be trusted is missing."""

import os

import pytest

from upperhand._kernels import disk_cache
from upperhand._kernels.disk_cache import folder, has, read, write


@pytest.fixture(autouse=True)
def base(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_what_was_written_is_read():
    write("UCB1.1a.2b.nbc", b"code")
    assert read("UCB1.1a.2b.nbc") == b"code"
    assert has("UCB1.1a")
    assert not has("UCB1.1")
    with pytest.raises(FileNotFoundError):
        read("UCB1.other")


def test_without_a_setting_it_is_where_caches_of_users_are(base, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / "caches"))
    assert folder().parent == base / "caches"
    (base / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / "file"))  # no folder can be made there
    monkeypatch.setattr("tempfile.tempdir", str(base / "temporary"))
    assert folder().parent == base / "temporary"


@pytest.mark.skipif(os.name == "nt", reason="owners and modes")
class TestOwner:
    def test_nobody_else_may_open_the_folder(self):
        found = folder()
        assert found.stat().st_mode & 0o777 == 0o700
        found.chmod(0o777)
        assert folder().stat().st_mode & 0o777 == 0o700

    def test_another_user_s_folder_is_not_used(self, monkeypatch):
        write("name.nbc", b"code")
        monkeypatch.setattr(os, "getuid", lambda: 4321)
        with pytest.raises(FileNotFoundError):
            folder()
        assert not has("name")

    def test_a_link_is_not_followed(self, base):
        (base / "elsewhere").mkdir()
        (base / f"upperhand-{os.getuid()}").symlink_to(base / "elsewhere")
        with pytest.raises(FileNotFoundError):
            folder()

    def test_another_user_s_file_is_not_read(self, monkeypatch):
        write("name.nbc", b"code")
        true = os.fstat(0)
        monkeypatch.setattr(os, "fstat", lambda _: os.stat_result([*true[:4], 4321, *true[5:]]))
        with pytest.raises(OSError, match="name"):
            read("name.nbc")


def test_entries_that_were_not_used_for_longest_are_removed(monkeypatch):
    size = 100 + disk_cache.HASH_SIZE
    monkeypatch.setattr(disk_cache, "LIMIT", 3 * size)
    for at, name in enumerate("abc"):
        write(name, bytes(100))
        os.utime(folder() / name, (at, at))
    read("a")
    write("d", bytes(100))
    assert sorted(each.name for each in folder().iterdir()) == ["a", "c", "d"]
