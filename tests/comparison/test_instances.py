"""Instances by name: the paper's are the paper's, and the hard ones are what they claim."""

import math

import pytest
from scipy import stats

import upperhand as uh
from upperhand.comparison.instances import (
    FAMILIES,
    GAUSSIAN_ARMS,
    GROUPS,
    HARD,
    INSTANCES,
    NAMES,
    PAPER,
    Instance,
    as_instances,
    extreme_instances,
    named,
    tail,
)
from upperhand.errors import ParameterError, UnknownNameError
from upperhand.theory.lower_bounds import quantile_pulls

LAWS = [uh.Normal(0, 1), uh.Normal(1, 1)]


def test_the_papers_ten_settings():
    assert len(PAPER) == 10
    assert [(each.name, each.alpha) for each in PAPER[:7]] == [
        ("headline", 0.1),
        ("alpha-0.30", 0.30),
        ("alpha-0.25", 0.25),
        ("alpha-0.20", 0.20),
        ("alpha-0.15", 0.15),
        ("alpha-0.10", 0.10),
        ("alpha-0.05", 0.05),
    ]
    assert {each.arms for each in PAPER[:7]} == {GAUSSIAN_ARMS}
    assert [each.arms for each in PAPER[7:]] == list(FAMILIES.values())
    assert {each.alpha for each in PAPER[7:]} == {0.1}


def test_groups_hold_everything():
    assert GROUPS["all"] == (*PAPER, *HARD) == tuple(INSTANCES.values())
    assert all(instance.note for instance in INSTANCES.values())


def test_small_gaps_are_a_tenth_of_the_headlines():
    objective = uh.UpperTail(0.1)
    for small, large in zip(
        objective.gaps(INSTANCES["small-gaps"].arms), objective.gaps(GAUSSIAN_ARMS), strict=True
    ):
        assert small == pytest.approx(large / 10, rel=0.01)


def test_many_arms_have_one_best():
    gaps = uh.UpperTail(0.1).gaps(INSTANCES["many-arms"].arms)
    assert (len(gaps), (gaps == 0).sum()) == (30, 1)


def test_ties_hang_on_two_percent():
    arms = INSTANCES["ties"].arms

    assert [arm.quantile(0.95) for arm in arms] == [1, 2, 1]
    assert [round(arm.cdf(1), 9) for arm in arms] == [0.96, 0.94, 0.97]
    assert uh.Mean().best(arms) != uh.UpperTail(0.1).best(arms)


def test_the_far_tail_asks_for_about_as_many_rewards_as_there_are_rounds():
    far = INSTANCES["far-tail"]
    pulls = quantile_pulls(far.arms, 1 - far.alpha / 2) * math.log(10_000)

    assert far.arms == GAUSSIAN_ARMS
    assert all(pulls[[0, 2]] > 9_000)


def test_arms_far_apart_are_told_apart_at_a_glance_but_not_by_ranks():
    arms = INSTANCES["far-apart"].arms
    least = 1 / -math.log(0.95)  # pulls per ln n, however poor the rewards

    assert min(uh.UpperTail(0.1).gaps(arms)[[0, 2]]) == pytest.approx(5)
    assert quantile_pulls(arms, 0.95)[[0, 2]] == pytest.approx([least, least], rel=0.01)


def test_the_best_log_normal_arm_has_the_lowest_median():
    arms = INSTANCES["lognormal"].arms

    assert [arm.quantile(0.5) for arm in arms] == pytest.approx([1, math.exp(0.5), math.e])
    assert uh.UpperTail(0.1).best(arms) == 0


@pytest.mark.parametrize(("name", "share"), [("liar", 0.06), ("far-liar", 0.0015)])
def test_deceptive_arms_are_the_best_and_look_the_worse(name, share):
    honest, deceptive = INSTANCES[name].arms

    assert uh.UpperTail(INSTANCES[name].alpha).gaps([honest, deceptive])[1] == 0
    assert deceptive.mean == pytest.approx(10 * share - (1 - share))
    assert deceptive.mean < honest.mean
    assert deceptive.sf(5) == pytest.approx(share, rel=1e-4)
    assert all(deceptive.quantile(p) < honest.quantile(p) for p in (0.5, 0.9))


def test_another_unit_changes_no_choice_of_ours_and_ruins_that_of_acp_ucb1():
    policies = [uh.KLQUCB(), uh.QuantileTS(), uh.QuantileIMED(), uh.ACPUCB1()]
    size = {"horizon": 300, "replications": 2, "seed": 1, "progress": False}
    large, small = (
        uh.simulate(INSTANCES[name].arms, policies, **size).pulls
        for name in ("headline", "small-unit")
    )

    for ours in ("KL-QUCB", "Quantile-TS", "Quantile-IMED"):
        assert (large[ours] == small[ours]).all()
    assert abs(small["ACP-UCB1"][:, -1] - 300 / 3).max() < 5  # all arms in turn
    assert abs(large["ACP-UCB1"][:, -1] - 300 / 3).max() > 30


def test_hundreds_of_arms_cannot_all_be_ruled_out():
    arms = INSTANCES["hundreds-of-arms"].arms
    gaps = uh.UpperTail(0.1).gaps(arms)

    assert (len(gaps), (gaps == 0).sum()) == (200, 1)
    assert quantile_pulls(arms, 0.95).sum() * math.log(10_000) > 10_000


def test_names_and_groups_come_in_the_order_given_and_once():
    found = [instance.name for instance in as_instances(["ties", "paper", "headline"])]
    assert found == ["ties", *(instance.name for instance in PAPER)]
    with pytest.raises(UnknownNameError, match="Did you mean 'headline'"):
        named("headlin")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("headline", ["headline"]),
        (["headline", "ties"], ["headline", "ties"]),
        (Instance("mine", LAWS), ["mine"]),
        ([Instance("mine", LAWS), "ties"], ["mine", "ties"]),
        (LAWS, ["your arms"]),
        ([stats.norm(0, 1), stats.norm(1, 1)], ["your arms"]),
        ("hard", [instance.name for instance in HARD]),
    ],
)
def test_what_can_be_given(given, names):
    assert [instance.name for instance in as_instances(given)] == names


def test_another_alpha_is_in_the_name():
    changed, other = as_instances(["headline", "alpha-0.10", "far-apart"], uh.UpperTail(0.2))

    assert (changed.name, changed.alpha) == ("headline at 0.2", 0.2)
    assert changed.arms == GAUSSIAN_ARMS
    assert other.note == "the arms of far-apart"
    assert as_instances("alpha-0.20", uh.UpperTail(0.2)) == [INSTANCES["alpha-0.20"]]
    assert as_instances(LAWS, uh.UpperTail(0.3))[0].alpha == 0.3


@pytest.mark.parametrize(
    ("value", "name", "alpha"),
    [
        (uh.Quantile(0.95), "headline", 0.1),
        (uh.Quantile(0.75), "headline at p75", 0.5),
        (uh.LowerTail(0.1), "headline at p5", 0.1),
        (uh.Quantile(0.5), "headline at p50", 0.1),  # of no central interval: α stays
    ],
)
def test_the_papers_settings_valued_by_one_quantile(value, name, alpha):
    """The seven on the same arms become one; names say what it is."""
    first, *families = as_instances("paper", value)

    assert (first.name, first.alpha) == (name, alpha)
    assert [each.arms for each in (first, *families)] == [GAUSSIAN_ARMS, *FAMILIES.values()]
    assert as_instances(LAWS, value)[0].alpha == alpha


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "at least one instance"),
        ([Instance("a", LAWS), Instance("a", LAWS[:1])], "name of its own; got a, a"),
        (None, "got None"),
        (3, r"got \[3\]"),
        (["headline", uh.Normal(0, 1)], r"one list of arms, not arms among them; got Normal"),
        ([uh.Normal(0, 1), 3], "3"),
    ],
)
def test_what_cannot(given, message):
    with pytest.raises(ParameterError, match=message):
        as_instances(given)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": " "}, "has a name"),
        ({"name": 3}, "has a name"),
        ({"arms": []}, "at least one arm"),
        ({"alpha": 0}, "alpha must be"),
        ({"alpha": 1}, "alpha must be"),
    ],
)
def test_an_instance_is_checked(settings, message):
    with pytest.raises(ParameterError, match=message):
        Instance(**{"name": "mine", "arms": LAWS} | settings)


def test_extremes_are_a_group_of_their_own():
    assert named("extreme") == extreme_instances()
    assert [each.name for each in as_instances("extreme")] == [f"extreme-{i}" for i in range(1, 9)]
    assert named("extreme-6") == (extreme_instances()[5],)
    assert not {each.name for each in extreme_instances()} & set(INSTANCES)
    assert not set(extreme_instances()) & set(GROUPS["all"])
    for wrong in ("extreme-9", "extrem", "extremes"):
        with pytest.raises(UnknownNameError, match="extreme-8"):
            named(wrong)


def test_all_names_are_known():
    assert [each.name for each in extreme_instances()] == [
        name for name in NAMES if "extreme-" in name
    ]
    assert all(named(name) for name in NAMES)
    assert len(set(NAMES)) == len(NAMES)


def test_the_extreme_arms_are_as_many_as_published():
    assert [len(each.arms) for each in extreme_instances()] == [5, 7, 10, 20, 3, 3, 5, 8]
    assert all(each.note for each in extreme_instances())


def test_some_extreme_arms_in_numbers():
    """From the authors' list of settings: tails C x^−λ, exponential arms by their means."""
    first, second, third, fourth, _, sixth, seventh, eighth = (
        each.arms for each in extreme_instances()
    )

    assert [arm.shape for arm in first] == [2.1, 2.3, 1.3, 1.1, 1.9]
    assert second[-1].sf(10.0) == pytest.approx(1.1 * second[4].sf(10.0))
    assert [arm.mean for arm in third][5] == 2.9
    assert {arm.mean for arm in fourth} == {1}
    assert (max(arm.sd for arm in fourth), min(arm.sd for arm in fourth)) == (3.35, 0.12)
    assert sixth[2].cdf(0) == pytest.approx(0.8)
    assert sixth[2].sf(50) == pytest.approx(0.2 * 50**-1.1)
    assert (seventh[0].mu, seventh[0].sigma) == (1, 4)
    assert [arm.args[0] for arm in eighth] == pytest.approx([0.2 * i for i in range(1, 9)])


def test_a_tail_is_a_constant_times_a_power():
    assert tail(1.4, 1.1).sf(7) == pytest.approx(1.1 * 7**-1.4)
