"""The studies in examples/: the paper's experiments, and what `compare` plays."""

from pathlib import Path

import pytest

from upperhand.comparison.compare import default_objectives
from upperhand.comparison.default_policies import line_up
from upperhand.comparison.instances import PAPER
from upperhand.paper.experiments import EXPERIMENTS
from upperhand.studies import read_plan

FOLDER = Path(__file__).parents[3] / "examples" / "studies"


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_the_papers_experiments(experiment):
    """Arms, policies, horizon and replications are those of `upperhand paper`; so are numbers."""
    plan = read_plan(FOLDER / f"figure-{experiment.number}.toml")
    assert [cell.arms for cell in plan.cells] == [tuple(arms) for arms in experiment.arms.values()]
    assert plan.replications == experiment.replications
    for cell in plan.cells:
        assert list(cell.policies.values()) == list(experiment.policies.values())
        assert (cell.horizon, cell.seed, cell.points) == (10_000, 0, 200)


def test_what_compare_plays():
    plan = read_plan(FOLDER / "everyone.toml")
    assert [cell.instance for cell in plan.cells] == [each.name for each in PAPER]
    for cell, instance in zip(plan.cells, PAPER, strict=True):
        assert cell.objectives == tuple(default_objectives(instance))
        assert cell.policies == line_up(instance, 10_000, cell.objectives[0])


def test_all_of_them_can_be_read():
    assert {path.name for path in FOLDER.iterdir()} == {
        "everyone.toml", "figure-1.toml", "figure-2.toml", "figure-3.toml", "which_b.toml",
    }  # fmt: skip
    assert len(read_plan(FOLDER / "which_b.toml").cells) == 6
