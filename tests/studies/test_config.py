"""A study from its file: the grid that it says, and where it is wrong."""

from pathlib import Path

import pytest

import upperhand as uh
from upperhand.comparison.compare import default_objectives
from upperhand.comparison.default_policies import default_policies
from upperhand.comparison.instances import INSTANCES, PAPER
from upperhand.errors import FileError, ParameterError, UnknownNameError, UpperhandError
from upperhand.paper.experiments import EXPERIMENTS
from upperhand.studies import read_plan
from upperhand.studies.plan import PLAY, SEARCH

from .files import TEXT, written


def test_lists_are_a_grid(tmp_path):
    plan = read_plan(written(tmp_path))
    assert [(cell.instance, cell.horizon) for cell in plan.cells] == [
        ("headline", 60), ("headline", 100), ("two", 60), ("two", 100),
    ]  # fmt: skip
    assert plan.cells[0].policies == {
        "Quantile-UCB b=0.5": uh.QuantileUCB(0.1, b=0.5),
        "Quantile-UCB b=1": uh.QuantileUCB(0.1, b=1),
        "UCB1": uh.UCB1(),
    }
    assert plan.cells[0].arms == (uh.Normal(0.1, 0.05), uh.Normal(0, 0.15), uh.Normal(0.04, 0.08))
    assert plan.steps == 12 * 2 * 3 * 160
    assert (plan.title, plan.seed) == ("Which b?", 3)


def test_settings_left_out_take_the_first_objective_and_the_horizon(tmp_path):
    text = TEXT.replace("upper-tail:0.1", "upper-tail:0.3")
    text += '\n[[policies]]\nname = "kl-qucb"\n[[policies]]\nname = "exp-exp"\n'
    text = text.replace("exp-exp", "expexp").replace("[60, 100]", "700")
    (cell, _) = read_plan(written(tmp_path, text)).cells
    assert cell.policies["KL-QUCB"] == uh.KLQUCB(0.85)
    assert cell.policies["ExpExp"].horizon == 700


def test_labels_of_ones_own(tmp_path):
    text = TEXT.replace('name = "ucb1"', 'name = "ucb1"\nlabel = "mean"')
    text = text.replace('name = "quantile-ucb"', 'name = "quantile-ucb"\nlabel = "q"\nalpha = 0.2')
    cell = read_plan(written(tmp_path, text)).cells[0]
    assert list(cell.policies) == ["q b=0.5", "q b=1", "mean"]


def test_mixtures_tables_and_files_next_to_the_study(tmp_path, monkeypatch):
    (tmp_path / "eu.csv").write_text("latency\n1.5\n2.5\n3.5\n")
    arms = """
    mine = [
      {family = "mixture", components = ["normal:0,1", {family = "normal", loc = 3, scale = 1}],
       weights = [0.9, 0.1]},
      "empirical:eu.csv:latency",
    ]"""
    arms = "mine = " + " ".join(arms.split()).removeprefix("mine = ")
    text = TEXT.replace('two = ["bernoulli:0.4", "bernoulli:0.6"]', arms)
    monkeypatch.chdir("/")
    cell = read_plan(written(tmp_path, text)).cells[-1]
    mixture = uh.Mixture([uh.Normal(0, 1), uh.Normal(3, 1)], [0.9, 0.1])
    assert cell.arms == (mixture, uh.Empirical([1.5, 2.5, 3.5]))


def test_the_place_of_data_does_not_change_the_keys(tmp_path):
    keys = set()
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "eu.csv").write_text("1.5\n2.5\n")
        text = TEXT.replace('"bernoulli:0.4"', '"empirical:eu.csv"')
        keys.add(read_plan(written(folder, text)).cells[-1].series[0].key)
    assert len(keys) == 1


def test_searches(tmp_path):
    text = TEXT + '\n[[searches]]\nname = "q-lucb"\ndelta = [0.05, 0.1]\nepsilon = 0.02\n'
    plan = read_plan(written(tmp_path, text + "\n").with_name("study.toml"))
    kinds = [cell.kind for cell in plan.cells]
    assert kinds == [PLAY, PLAY, SEARCH, PLAY, PLAY, SEARCH]
    found = plan.cells[2].policies["QLUCB delta=0.05 epsilon=0.02"]
    assert found == uh.QLUCB(0.95, delta=0.05, epsilon=0.02)


def test_named_instances_and_everyone(tmp_path):
    text = 'instances = "headline"\npolicies = "everyone"\nhorizon = 500\n'
    (cell,) = read_plan(written(tmp_path, text)).cells
    assert dict(cell.policies) == default_policies(INSTANCES["headline"], 500, uh.UpperTail(0.1))
    assert cell.arms == tuple(INSTANCES["headline"].arms)


WRONG = {
    "an unknown key": ("seed = 3", "sead = 3", "Unknown key 'sead'. Did you mean 'seed'"),
    "an unknown setting": ("b = [0.5, 1]", "beta = 1", "policies[0]: Unknown setting of Quantile"),
    "an unknown policy": ('"ucb1"', '"ucb2"', "policies[1].name: Unknown policy 'ucb2'. Did you"),
    "a setting out of range": ("b = [0.5, 1]", "b = [0.5, -1]", "policies[0].b: b must be"),
    "a level out of range": ("b = [0.5, 1]", "alpha = 2", "policies[0].alpha: alpha must"),
    "an arm": ('"normal:0,0.15"', '"normal:0"', "instances.headline[1]: normal takes"),
    "an unknown law": ('"bernoulli:0.4"', '"bernouli:0.4"', "instances.two[0]: Unknown distrib"),
    "a missing file": ('"bernoulli:0.4"', '"empirical:no.csv"', "instances.two[0]: "),
    "an objective": ('"mean"]', '"men"]', "objectives[1]: Unknown objective 'men'. Did you mean"),
    "a horizon of nothing": ("[60, 100]", "[60, 0]", "horizon[1]: horizon must be"),
    "a horizon twice": ("[60, 100]", "[60, 60]", "horizon must be given, each value once"),
    "a short horizon": ("[60, 100]", "1", "on headline: "),
    "an empty grid": ("b = [0.5, 1]", "b = []", "policies[0].b: a list of settings must not"),
    "a policy twice": ("b = [0.5, 1]", "b = [1, 1]", "policies[0]: each policy can take part once"),
    "a name that is missing": ('name = "ucb1"', "", "policies[1]: A policy needs a name"),
    "no arms": ('two = ["bernoulli:0.4", "bernoulli:0.6"]', "two = []", "instances.two must be"),
    "replications": ("replications = 12", 'replications = "many"', "replications: replications"),
    "a title": ('"Which b?"', "3", "title must be a text"),
    "the same policy twice": ("b = [0.5, 1]", 'label = "q"\nb = [1, 1.0]', "is the same policy as"),
    "an objective that arms lack": ('"bernoulli:0.4"', '"t:0,1,1"', "objectives[1]: "),
    "a level": ("seed = 3", "seed = 3\nquantiles = [0.5, 1]", "quantiles[1]: tau must be"),
    "a level twice": ("seed = 3", "seed = 3\nquantiles = [0.5, 0.5]", "quantiles: quantiles must"),
    "a reference": ("seed = 3", 'seed = 3\nreference = "UCB2"', "reference: Unknown policy 'UCB2'"),
    "no TOML": ("seed = 3", "seed 3", "is not a TOML file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_the_file_and_the_key(tmp_path, case):
    old, new, said = WRONG[case]
    path = written(tmp_path, TEXT.replace(old, new))
    with pytest.raises(UpperhandError) as caught:
        read_plan(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_quantile_that_a_policy_cannot_play_for_is_named(tmp_path):
    text = TEXT.replace("seed = 3", "seed = 3\nquantiles = [0.9, 0.5]")
    path = written(tmp_path, text.replace('name = "ucb1"', 'name = "acp-ucb1"'))
    with pytest.raises(UpperhandError, match=r"quantiles\[1\]: policies\[\d\]: .* plays for"):
        read_plan(path)


UCB1, BERNOULLI = 'name = "ucb1"', '"bernoulli:0.4"'
MIXTURE = '{family = "mixture", weights = [0.5, 0.5], components = ["normal:0,1", %s]}'
PLACES = {  # what is wrong, and all that stands between the file and what is said of it
    "an unknown calibrator": (UCB1, 'name = "acp-ucb1"\ncalibrator = "acy"',
                              "policies[1].calibrator: Unknown calibrator 'acy'"),
    "its setting": (UCB1, 'name = "acp-ucb1"\ncalibrator = ["aci", "aci:gam=1"]',
                    "policies[1].calibrator: Unknown setting of aci 'gam'"),
    "its range": (UCB1, 'name = "acp-ucb1"\ncalibrator = "aci:gamma=-1"',
                  "policies[1].calibrator: gamma must"),
    "a setting": (UCB1, 'name = "acp-ucb1"\nb = [1, {a = 1}]', "policies[1].b: b must"),
    "a label": (UCB1, UCB1 + "\nlabel = 3", "policies[1].label: label must"),
    "a parameter": (BERNOULLI, '{family = "bernoulli", p = 2}', "instances.two[0].p: p must"),
    "a table": (BERNOULLI, '{family = "normal", loc = {a = 1}, scale = 1}',
                "instances.two[0].loc: loc must"),
    "a family": (BERNOULLI, '{family = "normall"}', "instances.two[0].family: Unknown distrib"),
    "no family": (BERNOULLI, "{p = 0.4}", "instances.two[0]: An arm is a text such as"),
    "a component": (BERNOULLI, MIXTURE % '"normal:0"', "instances.two[0].components[1]: normal"),
    "its parameter": (BERNOULLI, MIXTURE % '{family = "normal", loc = 0, scale = -1}',
                      "instances.two[0].components[1].scale: scale must"),
    "weights": (BERNOULLI, (MIXTURE % BERNOULLI).replace("0.5, ", "0.6, "),
                "instances.two[0].weights: weights must"),
    "a name with a dot": ('two = ["b', '"a.b" = ["x', 'instances."a.b"[0]: Unknown distribution'),
    "an empty name": ("two =", '"" =', 'instances."": An instance has a name'),
    "a seed": ("seed = 3", 'seed = "a"', "seed: seed must"),
    "a horizon": ("[60, 100]", "[]", "horizon: horizon must"),
    "a title": ('"Which b?"', '""', "title: title must"),
    "a short cap": ("seed = 3", 'cap = 1\nsearches = [{name = "q-lucb"}]', "cap: QLUCB on headl"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLACES)
def test_the_whole_path_of_a_key_is_said(tmp_path, case):
    old, new, said = PLACES[case]
    path = written(tmp_path, TEXT.replace(old, new))
    with pytest.raises(UpperhandError) as caught:
        read_plan(path)
    assert str(caught.value).startswith(f"{path}: {said}")


def test_names_of_instances_are_told_by_their_places(tmp_path):
    text = 'instances = ["headline", "headlin"]\npolicies = "everyone"\n'
    with pytest.raises(UnknownNameError, match=r"toml: instances\[1\]: Unknown instance 'headlin'"):
        read_plan(written(tmp_path, text))


def test_a_search_needs_two_arms(tmp_path):
    text = 'instances = {one = ["normal:0,1"]}\n[[searches]]\nname = "q-lucb"\n'
    with pytest.raises(ParameterError, match="two arms or more"):
        read_plan(written(tmp_path, text))


def test_everyone_needs_a_horizon_and_counts(tmp_path):
    text = 'instances = "headline"\npolicies = "everyone"\nhorizon = {}\n'
    with pytest.raises(ParameterError, match=r"horizon: No policy can pull each"):
        read_plan(written(tmp_path, text.format(1)))
    with pytest.raises(ParameterError, match=r"The grid has 19,000 cells"):
        read_plan(written(tmp_path, text.format(list(range(1, 1001)))))


def test_costs_without_any_default_objective(tmp_path):
    text = (
        'direction = "minimize"\ninstances = {wide = ["lognormal:0,500"]}\n'
        '[[policies]]\nname = "ucb1"\n'
    )
    with pytest.raises(ParameterError, match=r"instances\.wide: The arms have none of the default"):
        read_plan(written(tmp_path, text))


def test_too_many_steps_are_refused(tmp_path):
    path = written(tmp_path, TEXT.replace("replications = 12", "replications = 1_000_000_000_000"))
    with pytest.raises(ParameterError, match=r"The study has 960,000,000,000,000 steps.*--yes"):
        read_plan(path)


def test_a_reference_in_any_case(tmp_path):
    text = TEXT.replace("seed = 3", 'seed = 3\nreference = "ucb1"')
    assert read_plan(written(tmp_path, text)).reference == "UCB1"


def test_errors_keep_their_kinds(tmp_path):
    with pytest.raises(UnknownNameError):
        read_plan(written(tmp_path, TEXT.replace('"ucb1"', '"ucb2"')))
    with pytest.raises(FileError, match="Cannot read the study"):
        read_plan(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match="There must be"):
        read_plan(written(tmp_path, 'instances = "headline"'))


def test_a_huge_grid_is_counted_and_refused(tmp_path):
    values = list(range(1, 1001))
    grid = (
        f"b = {values}\nalpha = {[value / 2000 for value in values]}\nrandom_ties = [true, false]"
    )
    path = written(tmp_path, TEXT.replace("b = [0.5, 1]", grid))
    with pytest.raises(ParameterError, match=r"The grid has 8,000,004 cells.*--yes"):
        read_plan(path)


FOLDER = Path(__file__).parents[2] / "examples" / "studies"


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
        assert cell.policies == default_policies(instance, 10_000, cell.objectives[0])


def test_all_of_them_can_be_read():
    assert {path.name for path in FOLDER.iterdir()} == {
        "everyone.toml", "figure-1.toml", "figure-2.toml", "figure-3.toml", "which_b.toml",
    }  # fmt: skip
    assert len(read_plan(FOLDER / "which_b.toml").cells) == 6
