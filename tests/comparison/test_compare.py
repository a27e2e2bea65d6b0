"""Comparisons: every number again from the pull counts, by plain Python."""

import math
import statistics

import numpy as np
import pytest
from scipy import stats

import upperhand as uh
from upperhand.comparison.compare import default_objectives
from upperhand.comparison.default_policies import plays_for
from upperhand.comparison.instances import INSTANCES, Instance
from upperhand.comparison.result import lower_bound
from upperhand.errors import ParameterError, UnknownNameError
from upperhand.simulation.statistics import mean_interval

from .samples import POLICIES, SMALL, TIED, small

OBJECTIVES = [uh.UpperTail(0.1), uh.Mean(), uh.CVaR(0.1), uh.MeanVariance(1)]


@pytest.fixture(scope="module")
def comparison():
    return small(["headline", TIED])


def mean_and_error(samples):
    return statistics.fmean(samples), statistics.stdev(samples) / math.sqrt(len(samples))


def regrets(runs, label, objective):
    """Return the regret of each replication at each recorded round, arm by arm."""
    values = [objective.value(arm) for arm in runs.arms]
    gaps = [max(values) - value for value in values]
    return [
        [sum(n * gap for n, gap in zip(counts, gaps, strict=True)) for counts in rounds]
        for rounds in runs.pulls[label].tolist()
    ]


def test_every_number_of_every_row(comparison):
    for row in comparison.rows:
        runs = comparison.runs[row.instance]
        objective = next(o for o in comparison.objectives[row.instance] if o.label == row.objective)
        curves = regrets(runs, row.policy, objective)
        final = [curve[-1] for curve in curves]
        held = [curve[-1] for curve in regrets(runs, "ACP-UCB1", objective)]
        differences = [y - x for y, x in zip(final, held, strict=True)]
        ratio = sum(final) / sum(held)
        rest = [y - ratio * x for y, x in zip(final, held, strict=True)]
        x = [math.log(t) for t in runs.rounds.tolist() if t >= 3]  # 300 / 100
        slopes = [statistics.linear_regression(x, curve[-len(x) :]).slope for curve in curves]
        best = [
            j
            for j, arm in enumerate(runs.arms)
            if objective.value(arm) == max(objective.value(each) for each in runs.arms)
        ]
        shares = [sum(counts[-1][j] for j in best) / 300 for counts in runs.pulls[row.policy]]

        assert (row.regret, row.regret_se) == pytest.approx(mean_and_error(final))
        assert row.worst == pytest.approx(max(final))
        apart = row.difference, row.difference_se
        assert apart == pytest.approx(mean_and_error(differences), abs=1e-12)
        assert row.ratio == pytest.approx(ratio)
        error = mean_and_error(rest)[1] / statistics.fmean(held)
        assert row.ratio_se == pytest.approx(error, abs=1e-12)
        assert (row.best_share, row.best_share_se) == pytest.approx(mean_and_error(shares))
        assert (row.slope, row.slope_se) == pytest.approx(mean_and_error(slopes))
        for name, samples in (("regret", final), ("difference", differences), ("slope", slopes)):
            ends = getattr(row, f"{name}_low"), getattr(row, f"{name}_high")
            most = 300 * objective.gaps(runs.arms).max()
            bounds = (0, most) if name == "regret" else (-math.inf, math.inf)
            expected = mean_interval(np.array(samples), *bounds)
            assert ends == pytest.approx(expected, abs=1e-12)
        low, high = mean_interval(np.array(rest)) / np.mean(held)
        ends = max(ratio + low, 0.0), ratio + high
        assert (row.ratio_low, row.ratio_high) == pytest.approx(ends, abs=1e-12)
        assert row.bound == pytest.approx(lower_bound(runs.arms, objective), nan_ok=True)
        assert row.slope_ratio == pytest.approx(row.slope / row.bound, nan_ok=True)


def test_rows_are_instances_by_policies_by_objectives(comparison):
    keys = [row[:3] for row in comparison.rows]

    assert len(set(keys)) == len(keys) == 2 * len(POLICIES) * 4
    assert [instance.name for instance in comparison.instances] == ["headline", "tied"]
    assert comparison.objectives["headline"] == tuple(OBJECTIVES)
    assert comparison.policies == list(POLICIES)


def test_own_objectives_are_marked(comparison):
    own = {(row.policy, row.objective) for row in comparison.rows if row.own}
    tail = "ACP value (p95)"
    assert own == {("ACP-UCB1", tail), ("KL-QUCB", tail), ("UCB1", "mean")}


def test_runs_are_what_simulate_gives(comparison):
    runs = comparison.runs["headline"]
    again = uh.simulate(
        INSTANCES["headline"].arms, POLICIES, 300, 4, seed=3, rounds=runs.rounds.tolist()
    )
    for label in POLICIES:
        assert (again.pulls[label] == runs.pulls[label]).all()


def test_workers_and_other_policies_change_nothing(comparison):
    alone = small(policies={"ACP-UCB1": uh.ACPUCB1(), "UCB1": uh.UCB1()}, workers=1)

    shared = comparison.main("headline")
    assert repr(alone.main("headline")["UCB1"]) == repr(shared["UCB1"])


def test_the_reference_is_acp_ucb1_or_the_first_or_the_one_given():
    one = {"replications": 2, "horizon": 20}

    assert small(**one).reference == "ACP-UCB1"
    assert small(policies=[uh.UCB1(), uh.KLQUCB()], **one).reference == "UCB1"
    given = small(reference="kl-qucb", **one)
    assert given.reference == "KL-QUCB"
    assert given.main("headline")["KL-QUCB"].ratio == 1.0


def test_the_reference_takes_part_everywhere(monkeypatch):
    def chosen(instance, *_, **_options):
        late = {"ACP-UCB1": uh.ACPUCB1()} if instance.name == "headline" else {}
        return late | {"UCB1": uh.UCB1(), "KL-QUCB": uh.KLQUCB()}

    monkeypatch.setattr("upperhand.comparison.compare.default_policies", chosen)
    found = small(["headline", TIED], None, replications=2)
    assert found.reference == "UCB1"
    assert found.main("tied")["UCB1"].ratio == found.main("headline")["UCB1"].ratio == 1

    apart = lambda instance, *_, **_options: {instance.name: uh.UCB1()}  # noqa: E731
    monkeypatch.setattr("upperhand.comparison.compare.default_policies", apart)
    with pytest.raises(ParameterError, match="No policy takes part on all instances"):
        small(["headline", TIED], None)


def test_iterators_serve_every_instance():
    policies, objectives = iter([uh.ACPUCB1(), uh.UCB1()]), iter([uh.Mean()])
    found = small(["headline", TIED], policies, objectives=objectives, replications=2)
    assert len(found.rows) == 4
    assert small(objectives=uh.Mean(), replications=2).objectives["headline"] == (uh.Mean(),)


def test_objectives_of_your_own_come_in_their_order():
    found = small(objectives=[uh.Quantile(0.5), uh.UpperTail(0.2)], replications=2)

    assert [row.objective for row in found.rows] == ["p50"] * 3 + ["ACP value (p90)"] * 3
    assert found.main("headline at p50")["UCB1"].objective == "p50"


def test_only_objectives_that_the_arms_have_are_taken_by_default():
    heavy = Instance("heavy", [uh.StudentT(0, 1, 1), uh.Normal(0, 1)], 0.2)
    wide = Instance("wide", [uh.StudentT(0, 1, 2), uh.Normal(0, 1)])

    assert default_objectives(heavy) == [uh.UpperTail(0.2)]
    assert default_objectives(wide) == [uh.UpperTail(0.1), uh.Mean(), uh.CVaR(0.1)]


def test_policies_may_be_texts_that_play_for_the_first_objective():
    texts = ["kl-qucb", "acp-ucb1:b=0.5"]
    found = small(["headline", "alpha-0.20"], texts, replications=1, horizon=20)
    for name, alpha in (("headline", 0.1), ("alpha-0.20", 0.2)):
        assert found.runs[name].policies == {
            "KL-QUCB": uh.KLQUCB(1 - alpha / 2),
            "ACP-UCB1 b=0.5": uh.ACPUCB1(alpha, b=0.5),
        }
    with pytest.raises(ParameterError, match="each with a name of its own"):
        small(policies=["ucb1", "UCB1"])


def test_your_own_arms_and_level():
    laws = [uh.Normal(0, 1), stats.norm(1, 1)]
    found = small(laws, quantile=0.85, replications=2)

    assert found.instances[0].name == "your arms"
    assert found.instances[0].alpha == 0.3
    assert found.objectives["your arms"][0] == uh.Quantile(0.85)
    named = small({"a": laws[0], "b": laws[1]}, best_of=8, replications=2)
    assert named.objectives["your arms"][0] == uh.BestOf(8)


def test_a_single_replication_and_a_single_round():
    row = small(replications=1, horizon=6).main("headline")["UCB1"]
    unknown = row.regret_se, row.regret_low, row.regret_high, row.ratio_se, row.ratio_low
    assert all(map(math.isnan, unknown))

    short = small([uh.Normal(0, 1)], [uh.UCB1()], replications=2, horizon=1)
    row = short.main("your arms")["UCB1"]
    assert (row.regret, row.best_share) == (0, 1)
    assert math.isnan(row.slope)
    assert math.isnan(row.ratio)  # the reference has no regret


MISTAKES = [
    ({"instances": "nowhere"}, UnknownNameError, "Unknown instance 'nowhere'"),
    ({"policies": []}, ParameterError, "at least one policy"),
    ({"policies": [3]}, ParameterError, "A policy must be given, such as"),
    ({"policies": [uh.UCB1(), uh.UCB1()]}, ParameterError, "a name of its own"),
    ({"objectives": []}, ParameterError, "Objectives must be given, each once; got none"),
    ({"objectives": [uh.Mean(), uh.Mean()]}, ParameterError, "each once; got mean, mean"),
    ({"objectives": [None]}, ParameterError, 'An objective must be given, such as "mean"'),
    ({"reference": "UCB2"}, UnknownNameError, "Did you mean 'UCB1'"),
    ({"horizon": 0}, ParameterError, "horizon must be"),
    ({"instances": "hard", "horizon": 50}, ParameterError, "30 arms 2 times"),
    ({"horizon": 3}, ParameterError, "the horizon must be 6 or more"),
    ({"replications": 0}, ParameterError, "replications must be"),
    ({"quantile": 2}, ParameterError, "quantile must be"),
    ({"quantile": 0.9, "objectives": "p75"}, ParameterError, "objectives and p90 both say what"),
    ({"quantile": 0.9, "best_of": 8}, ParameterError, "quantile=0.9 and best_of=8 both say"),
    ({"alpha": 0.1}, TypeError, r"compare\(\) takes no alpha=: write quantile=0.95"),
    ({"seed": -1}, ParameterError, "seed must be"),
    (
        {"instances": [uh.StudentT(0, 1, 1)], "objectives": [uh.Mean()]},
        ParameterError,
        "has no finite mean",
    ),
]


@pytest.mark.parametrize(("settings", "error", "message"), MISTAKES)
def test_mistakes_are_refused_before_anything_is_played(settings, error, message, monkeypatch):
    monkeypatch.setattr("upperhand.simulation.workers.cut", lambda *_, **__: pytest.fail("played"))
    with pytest.raises(error, match=message):
        uh.compare(**{"instances": "headline", "policies": POLICIES} | SMALL | settings)


def test_instances_that_one_quantile_values_are_played_once():
    found = uh.compare("paper", None, [uh.Quantile(0.75)], horizon=60, replications=2)
    names = [each.name for each in found.instances]

    assert names == [
        "headline at p75",
        *(f"{f} at p75" for f in ("gaussian", "student-t", "skewed-t")),
    ]
    assert found.runs["headline at p75"].policies["KL-QUCB"] == uh.KLQUCB(0.75)
    assert found.main("headline at p75")["KL-QUCB"].own


@pytest.mark.parametrize(
    "objective",
    [uh.LowerTail(0.1), uh.CVaR(0.25), uh.MeanVariance(5), uh.Quantile(0.5), uh.Mean()],
    ids=str,
)
def test_the_first_objective_is_played_for(objective):
    found = uh.compare("headline", None, objective, horizon=60, replications=2)
    (name,) = found.runs
    own = [row.policy for row in found.rows if row.own]

    assert own
    assert own == [p for p, each in found.runs[name].policies.items() if plays_for(each, objective)]
    assert bool(found.left_out[name]) == (objective == uh.Quantile(0.5))
    assert found.to_dict()["instances"][0]["left_out"] == found.left_out[name]


def test_a_lower_endpoint_is_found():
    """KL-QUCB set for the upper one loses 465 here (issue: compare plays for what it judges)."""
    found = uh.compare("headline", ["kl-qucb"], uh.LowerTail(0.1), replications=2)
    assert found.main("headline at p5")["KL-QUCB"].regret < 40


def test_arms_alone_are_about_a_quantile_without_a_name_of_the_paper():
    found = uh.compare([uh.Normal(0, 1), uh.Normal(0, 3)], "ucb1", horizon=20, replications=2)
    assert found.best().objective == "p95"
    paper = uh.compare("headline", "ucb1", horizon=20, replications=2)
    assert paper.best().objective == "ACP value (p95)"
    for same in ("p95", 0.95, uh.Quantile(0.95), uh.UpperTail(0.1)):
        assert paper.best(objective=same) == paper.best()
