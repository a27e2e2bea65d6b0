"""A small study cut into many blocks, played once."""

import shutil

import pytest

from upperhand.studies import plan, read_plan, run_plan

from .files import written


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS", 200)


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Return the folder of the small study, played by one thread; it stays as it is."""
    folder = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "LEAST_ROUNDS", 200)
        run_plan(read_plan(written(folder)), folder / "out", workers=1, progress=False)
    return folder / "out"


@pytest.fixture
def study(tmp_path):
    """Return the plan of the small study."""
    return read_plan(written(tmp_path))


@pytest.fixture
def out(once, tmp_path):
    """Return a copy of its folder."""
    return shutil.copytree(once, tmp_path / "out")
