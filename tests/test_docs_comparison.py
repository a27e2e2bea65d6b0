"""The page of comparisons agrees with the code; only our policies on the headline are replayed.

If one of these fails, `make compare` writes the page anew.
"""

import re
from pathlib import Path

import pytest

import upperhand as uh
from upperhand.studies.instances import HARD, INSTANCES, PAPER
from upperhand.studies.line_up import OURS, REFERENCE, line_up
from upperhand.studies.study import LONGER
from upperhand.text import with_error

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
SECTIONS = [
    "The paper's ten settings",
    "Policy × objective",
    "Where each loses",
    "Which calibrator makes the best tail bandit?",
    "The long run",
    "What a step costs",
    "How it was made",
]


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def section(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text):
    """Return the cells of the first table by what stands to the left of them."""
    table = re.search(r"^\|.*?\n\n", text, re.M | re.S).group()
    lines = table.splitlines()[:-1]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {head: rest for head, *rest in cells if not head.startswith("---")}


def test_the_sections_are_those_of_the_code(text):
    assert re.findall(r"^## (.+)$", text, re.M) == SECTIONS


@pytest.mark.parametrize(("title", "instances"), [(SECTIONS[0], PAPER), (SECTIONS[2], HARD)])
def test_every_instance_and_ours(text, title, instances):
    table = rows(section(text, title))

    assert table["policy"] == [instance.name for instance in instances]
    assert set(OURS) < set(table)


def test_every_policy_is_in_the_matrix_and_as_it_is_set_now(text):
    policies = line_up(INSTANCES["headline"], 10_000)
    table = rows(section(text, SECTIONS[1]))
    made = re.sub(r"\\(.)", r"\1", section(text, SECTIONS[-1]))

    assert [name for name in table if name != "policy"] == list(policies)
    for label, policy in policies.items():
        assert f"- **{label}:** {policy!r}" in made


def test_it_was_made_at_full_size_by_the_command_of_the_makefile(text):
    command = "upperhand compare --page docs/comparison.md"

    assert f"\n    {command}\n" in text
    assert f"$(BIN)/{command}\n" in (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert "60 replications of 10,000 rounds" in text
    assert f"30 replications of {LONGER * 10_000:,} rounds" in text


def test_it_tells_no_time_and_no_place(text):
    assert not re.search(r"wall time|\b\d{4}-\d\d-\d\d\b|/(home|work|tmp|Users)/", text)


def test_the_headline_is_what_is_played_now(text):
    """A change of a policy shows here: write the page anew."""
    players = line_up(INSTANCES["headline"], 10_000)
    policies = {label: players[label] for label in (*OURS, REFERENCE)}
    now = uh.compare("headline", policies, timing=False).matrix("headline")
    page = rows(section(text, SECTIONS[1]))
    labels = page["policy"]

    for policy, found in now.items():
        cells = dict(zip(labels, page[policy], strict=True))
        for label, cell in cells.items():
            assert cell.removesuffix(" \\*") == with_error(
                found[label].regret, found[label].regret_se
            )
