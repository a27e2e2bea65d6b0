"""The page of the intervals names every calibrator, and no other."""

import re
from pathlib import Path

from upperhand.calibrators import CALIBRATORS

PAGE = (Path(__file__).parents[1] / "docs" / "intervals.md").read_text(encoding="utf-8")


def test_what_a_stream_counts_is_named():
    for words in ("stream.infinite`", "stream.empty`", "One thread uses a calibrator at a time."):
        assert words in PAGE
    assert "η in the unit of y" in PAGE


def test_every_calibrator_has_a_row():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(listed) == sorted(cls.__name__ for cls in CALIBRATORS.values())
