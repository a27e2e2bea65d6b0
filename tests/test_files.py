"""Files are there whole or not at all, and errors say which and why."""

import os
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from upperhand import files
from upperhand.errors import FileError
from upperhand.files import check_writable, replacing, writable_folder


def write_text(path, text):
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


class TestReplacing:
    def test_the_file_appears_when_the_block_is_done(self, tmp_path):
        target = tmp_path / "page.html"
        with replacing(target) as temporary:
            temporary.write_text("new")
            assert not target.exists()
            assert temporary.parent == tmp_path
            assert temporary.suffix == ".html"
        assert target.read_text() == "new"
        assert list(tmp_path.iterdir()) == [target]

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_error_leaves_the_old_file_and_no_other(self, tmp_path, error):
        target = tmp_path / "page.html"
        target.write_text("old")
        with pytest.raises(error), replacing(target) as temporary:  # noqa: PT012
            temporary.write_text("half")
            raise error
        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]

    def test_an_error_of_the_system_is_a_file_error(self, tmp_path):
        message = "Cannot write .*page.html.*: No space left on device. Make room, or choose"
        with pytest.raises(FileError, match=message), replacing(tmp_path / "page.html"):
            raise OSError(28, "No space left on device")
        message = "Cannot write .*page.html.*: Input/output error. Choose another path"
        with pytest.raises(FileError, match=message), replacing(tmp_path / "page.html"):
            raise OSError(5, "Input/output error")

    def test_several_names_with_one_stem_do_not_meet(self, tmp_path):
        with replacing(tmp_path / "a.svg") as one, replacing(tmp_path / "a.txt") as two:
            one.write_text("1")
            two.write_text("2")
        assert (tmp_path / "a.svg").read_text() + (tmp_path / "a.txt").read_text() == "12"

    def test_threads_that_replace_one_file_do_not_meet(self, tmp_path):
        target, together = tmp_path / "page.html", Barrier(8)

        def write(number):
            with replacing(target) as temporary, temporary.open("w") as file:
                together.wait()
                for _ in range(1000):
                    file.write(f"{number}\n")
            return str(temporary)

        with ThreadPoolExecutor(8) as threads:
            assert len(set(threads.map(write, range(8)))) == 8
        assert len(set(target.read_text().splitlines())) == 1
        assert list(tmp_path.iterdir()) == [target]

    def test_content_is_on_the_disk_before_the_name(self, tmp_path, monkeypatch):
        steps, sync, rename = [], os.fsync, Path.replace

        def fsync(descriptor):
            place = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            content = place.read_text() if place.is_file() else place.name
            steps.append(("fsync", content))
            sync(descriptor)

        def replace(path, target):
            steps.append(("rename", target.name))
            return rename(path, target)

        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(Path, "replace", replace)
        write_text(tmp_path / "a.txt", "new")
        assert steps == [("fsync", "new"), ("rename", "a.txt"), ("fsync", tmp_path.name)]

    def test_a_new_file_has_the_permissions_of_the_umask(self, tmp_path):
        before = os.umask(0o027)
        try:
            write_text(tmp_path / "a.txt", "text")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640

    @pytest.mark.parametrize(("old", "new"), [(0o600, 0o600), (0o666, 0o666), (0o4444, 0o644)])
    def test_a_replaced_file_keeps_its_permissions(self, tmp_path, old, new):
        """Its owner can write it, and it does not run as its owner."""
        target = tmp_path / "a.txt"
        target.write_text("old")
        target.chmod(old)
        with replacing(target) as temporary:
            assert stat.S_IMODE(temporary.stat().st_mode) == new
            temporary.write_text("new")
        assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("new", new)


class TestWriteText:
    def test_utf_8_whatever_the_locale(self, tmp_path):
        write_text(tmp_path / "a.txt", "α − λψ\n")
        assert (tmp_path / "a.txt").read_bytes() == "α − λψ\n".encode()

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("nowhere/a.txt", "No such file or directory"),
            ("file/a.txt", "Not a directory"),
            ("folder", "a folder or device is there"),
            ("n" * 300, "File name too long"),
        ],
    )
    def test_paths_that_cannot_be_written(self, tmp_path, name, reason):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("")
        with pytest.raises(FileError, match=f"Cannot write .*: {reason}. Choose another path"):
            write_text(tmp_path / name, "text")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]

    def test_no_name_at_all(self):
        with pytest.raises(FileError, match="Cannot write"):
            write_text("", "text")


class TestFolders:
    def test_a_folder_is_made_with_those_above_it(self, tmp_path):
        assert writable_folder(str(tmp_path / "a" / "b")) == tmp_path / "a" / "b"
        assert (tmp_path / "a" / "b").is_dir()
        assert list((tmp_path / "a" / "b").iterdir()) == []

    def test_a_folder_that_is_there(self, tmp_path):
        assert writable_folder(tmp_path) == tmp_path

    def test_a_file_in_the_way(self, tmp_path):
        (tmp_path / "file").write_text("")
        for name in ("file", "file/below"):
            with pytest.raises(FileError, match="Cannot write to the folder"):
                writable_folder(tmp_path / name)

    def test_a_folder_that_may_not_be_written(self, tmp_path, monkeypatch):
        def refuse(**_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)  # root may write anywhere
        with pytest.raises(FileError, match="Permission denied"):
            writable_folder(tmp_path)


class TestCheckWritable:
    def test_a_file_that_could_be_written(self, tmp_path):
        check_writable(tmp_path / "new.npz")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["nowhere/a.npz", "file/a.npz", "folder"])
    def test_one_that_could_not(self, tmp_path, name):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("")
        with pytest.raises(FileError, match=r"Cannot write .*Choose another path"):
            check_writable(tmp_path / name)


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_device_is_not_replaced():
    for refuse in (check_writable, lambda path: write_text(path, "text")):
        with pytest.raises(FileError, match="Cannot write '/dev/null'"):
            refuse("/dev/null")


def test_links_in_a_circle(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(FileError, match="Cannot write"):
        write_text(tmp_path / "loop" / "a.txt", "text")


def test_a_lasting_folder_is_on_the_disk_with_all_its_parents(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(files, "_to_disk", flushed.append)
    assert files.lasting_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert flushed == [tmp_path / "a", tmp_path]
    files.lasting_folder(tmp_path / "a" / "b")
    assert len(flushed) == 2
