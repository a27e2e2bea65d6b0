"""The page of comparisons agrees with the code; only our policies on the headline are replayed.

If one of these fails, `make compare` writes the page anew.
"""

import re
from pathlib import Path

import pytest

import upperhand as uh
from upperhand.pages.advice import ADVICE as CASES
from upperhand.studies.instances import ENTRY, INSTANCES, PAPER, TRAPS
from upperhand.studies.line_up import EVERYONE, OURS, REFERENCE, line_up
from upperhand.studies.river_rival import AS_DOCUMENTED, PLAYED_ON
from upperhand.studies.river_standing import BEST, WORST
from upperhand.studies.study import LONGER
from upperhand.text import with_error

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
SECTIONS = [
    ADVICE := "Which policy to take",
    SETTINGS := "The paper's ten settings",
    MATRIX := "Policy × objective",
    LOSSES := "Where each loses",
    RIVER := "Next to river",
    "Which calibrator makes the best tail bandit?",
    "The long run",
    "What a step costs",
    MADE := "How it was made",
]


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def section(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def tables(text):
    """Return each table: its cells by what stands to the left of them."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        lines = [line.strip("|\n").split("|") for line in table.splitlines()]
        cells = [[cell.strip() for cell in line] for line in lines]
        found.append({head: rest for head, *rest in cells if not head.startswith("---")})
    return found


def test_the_sections_are_those_of_the_code(text):
    assert re.findall(r"^## (.+)$", text, re.M) == SECTIONS


@pytest.mark.parametrize(
    ("title", "place", "instances"), [(SETTINGS, 0, PAPER), (LOSSES, 0, TRAPS), (LOSSES, 1, ENTRY)]
)
def test_every_instance_and_ours(text, title, place, instances):
    table = tables(section(text, title))[place]

    assert table["policy"] == [instance.name for instance in instances]
    assert set(OURS) < set(table)


def test_the_advice_is_that_of_the_code(text):
    (table,) = tables(section(text, ADVICE))
    cases = {each.case: " or ".join(each.take) for each in CASES if set(each.take) <= set(EVERYONE)}

    assert {case: cells[0] for case, cells in table.items() if case != "if"} == cases


def test_the_front_page_has_the_same_cases():
    (table,) = (
        each
        for each in tables((PAGE.parents[1] / "README.md").read_text(encoding="utf-8"))
        if "if" in each
    )

    assert [case for case in table if case != "if"] == [
        each.case for each in CASES if set(each.take) <= set(EVERYONE)
    ]


def test_river_and_ours_are_on_the_same_instances(text):
    (table,) = tables(section(text, RIVER))

    assert table["policy"] == list(PLAYED_ON)
    assert list(table)[1:] == [*AS_DOCUMENTED, BEST, WORST, *OURS]


def test_every_policy_is_in_the_matrix_and_as_it_is_set_now(text):
    policies = line_up(INSTANCES["headline"], 10_000)
    (table,) = tables(section(text, MATRIX))
    made = re.sub(r"\\(.)", r"\1", section(text, MADE))

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
    (page,) = tables(section(text, MATRIX))
    labels = page["policy"]

    for policy, found in now.items():
        cells = dict(zip(labels, page[policy], strict=True))
        for label, cell in cells.items():
            assert cell.removesuffix(" \\*") == with_error(
                found[label].regret, found[label].regret_se
            )
