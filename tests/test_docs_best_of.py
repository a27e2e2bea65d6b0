"""The page on the best of N agrees with the code; one policy on one instance is replayed.

If one of these fails, `make best-of` writes the page anew.
"""

import re
from pathlib import Path

import pytest

from upperhand.studies.extreme_study import DRAWS, QUANTILES, everyone, largest_found
from upperhand.studies.extremes import EXPERIMENTS
from upperhand.studies.line_up import EXTREMES
from upperhand.text import with_error

PAGE = Path(__file__).parents[1] / "docs" / "best-of-n.md"


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def cells(text, first):
    """Return the cells of each row that begins with a word, table by table."""
    found = re.findall(rf"^\| {re.escape(first)} \|(.*)\|$", text, re.M)
    return [[cell.strip() for cell in row.split("|")] for row in found]


def test_everyone_and_every_instance_is_there(text):
    names = [f"{name} {n}" for n in DRAWS for name in QUANTILES] + list(EXTREMES)
    for name in names:
        assert len(cells(text, name)) >= 3, name
    assert cells(text, "policy")[0] == [each.name for each in EXPERIMENTS]


def test_the_policies_are_set_as_they_are_now(text):
    plain = re.sub(r"\\(.)", r"\1", text)
    for label, policy in everyone(EXPERIMENTS[0], 10_000).items():
        assert f"- **{label}:** {policy!r}" in plain


def test_the_command_is_that_of_the_makefile(text):
    command = "upperhand compare --replications 200 --best-of-page docs/best-of-n.md"
    assert f"\n    {command}\n" in text
    assert f"$(BIN)/{command}\n" in (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert "200 replications of 10,000 rounds" in text
    assert "100 replications of 50,000 rounds" in text


def test_it_tells_no_time_and_no_place(text):
    assert not re.search(r"wall time|\b\d{4}-\d\d-\d\d\b|/(home|work|tmp|Users)/", text)


def test_one_instance_is_what_is_played_now(text):
    """A change of a policy shows here: write the page anew."""

    def some(instance, horizon):
        players = everyone(instance, horizon)
        return {
            label: players[label] for label in ("KL-QUCB+ 8", "QoMax-SDA", "ThresholdAscent (n)")
        }

    found = largest_found(EXPERIMENTS[4:5], some, horizon=10_000, replications=200, progress=False)
    for row in found.rows:
        ratios, medians, shares = cells(text, row.policy)[:3]
        assert ratios[4] == with_error(row.ratio, row.ratio_se)
        assert medians[4] == f"{row.medians:.2f}"
        assert shares[4] == f"{100 * row.share:.1f} %"
