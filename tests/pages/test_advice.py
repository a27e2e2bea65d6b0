"""The advice: its numbers are those of the runs, and its policies and instances exist."""

import pytest

from tests.studies.samples import small
from upperhand.pages.advice import ADVICE, advice
from upperhand.pages.document import Table
from upperhand.studies.instances import HARD
from upperhand.studies.line_up import EVERYONE, OURS
from upperhand.studies.study import Study
from upperhand.text import three_digits

HEDGED = {"H-KL-QUCB+", "H-Quantile-IMED"}  # their row is there as soon as they are in the line-up


def table(paper, hard):
    (found,) = (b for b in advice(Study(paper, hard, paper, paper, None)) if isinstance(b, Table))
    return found


def test_policies_and_instances_exist_and_each_of_ours_has_its_case():
    taken = {label for each in ADVICE for label in each.take}

    assert taken - HEDGED <= set(EVERYONE)
    assert set(OURS) <= taken
    assert {name for each in ADVICE for name in each.shown} <= {each.name for each in HARD}


def test_numbers_are_those_of_the_runs(several):
    liars = small(["liar", "lognormal"], replications=2)
    (row,) = table(several, liars).rows[:1]
    ratios = [several.main(name)["KL-QUCB"].ratio for name in several.runs]
    hard = {name: liars.main(name)["KL-QUCB"].ratio for name in liars.runs}

    assert row[1] == "KL-QUCB"
    assert row[3] == f"{three_digits(min(ratios))} to {three_digits(max(ratios))}"
    assert row[4] == ", ".join(f"{name} {three_digits(ratio)}" for name, ratio in hard.items())


def test_worst_runs_are_shares_of_what_there_is_to_lose(several):
    liars = small(["liar", "lognormal"], replications=2)
    (row,) = table(several, liars).rows[:1]
    lost = {}
    for instance in liars.instances:
        gap = liars.objectives[instance.name][0].gaps(instance.arms).max()
        lost[instance.name] = liars.main(instance.name)["KL-QUCB"].worst / (liars.horizon * gap)

    assert max(lost.values()) > 0.1
    shown = {name: f"{100 * share:.0f} %" for name, share in lost.items() if share >= 0.1}
    assert row[5] == ", ".join(f"{name} {share}" for name, share in shown.items())


def test_a_case_whose_policies_do_not_take_part_is_left_out(several, everyone):
    assert [row[1] for row in table(several, several).rows] == ["KL-QUCB"]
    takes = [row[1] for row in table(everyone, everyone).rows]
    assert takes == [
        " or ".join(each.take) for each in ADVICE if set(each.take) <= set(everyone.policies)
    ]


@pytest.mark.parametrize("each", ADVICE, ids=lambda each: each.take[0])
def test_a_reason_is_a_part_of_a_sentence(each):
    assert each.why == each.why.strip(" .")
    assert each.case[0].islower()
