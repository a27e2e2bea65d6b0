"""R3: the N-th write or sync fails, for each N. What failed is not acknowledged, the rest stays."""

import pytest

from tests.live.log.disk import FAULTS, traced


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_at_every_call(tmp_path, fault, step):
    folder = tmp_path / "disk"
    folder.mkdir()
    assert int(traced("tests.live.log.on_disk", folder, "errors", fault, step).said) > 5
