"""The card as a whole: values and gaps, and parts that do not apply."""

import json

import numpy as np
import pytest
import scipy.stats

import upperhand as uh
from upperhand.errors import ParameterError
from upperhand.theory.card import theory_card

HEADLINE = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]


@pytest.fixture(scope="module")
def card():
    return theory_card(HEADLINE, uh.ACPUCB1(0.1))


def test_values_and_gaps(card):
    assert [arm["gaps"]["mean"] for arm in card["arms"]] == pytest.approx([0, 0.1, 0.06])
    assert [arm["values"]["tail"] for arm in card["arms"]] == pytest.approx(
        [0.182243, 0.246728, 0.171588], abs=1e-6
    )
    assert card["best"] == {"tail": [1], "mean": [0]}
    assert card["transfer"] == pytest.approx({"acp_arm_in_mean": 0.1, "mean_arm_in_acp": 0.0644854})
    for arm in card["arms"]:
        assert arm["q_low"] + arm["q_high"] == pytest.approx(2 * arm["spec"]["loc"])


def test_it_is_plain_data(card):
    assert json.loads(json.dumps(card, allow_nan=False)) == card


def test_alpha_is_the_policys(card):
    other = theory_card(HEADLINE, uh.ACPUCB1(0.3))
    assert other["alpha"] == 0.3
    assert other["objectives"]["tail"] == "ACP value (p85)"
    assert other["transfer"]["mean_arm_in_acp"] == pytest.approx(0.0036433, abs=1e-7)


@pytest.mark.parametrize(
    ("arms", "path", "theorem"),
    [
        ([uh.StudentT(0, 1, 3), uh.Normal(0, 1)], "arm 1 is StudentT", None),
        ([uh.Normal(0, 1), uh.Normal(0, 1)], "arms 1 and 2 tie", "one best arm"),
        ([uh.Bernoulli(0.3), uh.Normal(5, 1)], "arm 1 is Bernoulli", "arm 1, Bernoulli"),
        ([uh.Normal(0, 1), uh.Normal(9, 1)], None, "(b) fails for arm 1"),
    ],
    ids=["student", "tie", "atoms", "wide gap"],
)
def test_a_part_that_does_not_apply_says_why(arms, path, theorem):
    card = theory_card(arms, uh.ACPUCB1(0.1))
    for part, reason in (("path", path), ("theorem", theorem)):
        assert reason is None or reason in card[part]["fails"]
        assert (reason is None) == ("fails" not in card[part])


def test_an_arm_without_a_mean():
    card = theory_card([uh.StudentT(0, 1, 1), uh.Normal(0, 1)], uh.ACPUCB1(0.1))
    assert card["best"] == {"tail": [0]}
    assert card["transfer"] is None
    assert card["arms"][0]["sd"] is None
    assert set(card["arms"][0]["values"]) == {"tail"}
    json.dumps(card, allow_nan=False)


def test_one_arm_is_no_instance():
    with pytest.raises(ParameterError, match="two arms or more; got 1"):
        theory_card(HEADLINE[:1], uh.ACPUCB1(0.1))


@pytest.mark.parametrize("horizon", [1, 0, 2.5])
def test_a_horizon_of_at_least_two(horizon):
    with pytest.raises(ParameterError, match="horizon must be a whole number, 2 or more"):
        theory_card(HEADLINE, uh.ACPUCB1(0.1), horizon)


def test_arms_that_share_a_value():
    card = theory_card([uh.Normal(0, 1), uh.Normal(0, 2), uh.Normal(-9, 2)], uh.ACPUCB1(0.1))
    assert card["best"] == {"tail": [1], "mean": [0, 1]}
    assert card["transfer"] == {"acp_arm_in_mean": 0, "mean_arm_in_acp": 0}
    assert "mean-optimal arm must be unique" in card["path"]["fails"]


def test_a_policy_that_the_theorem_is_not_about():
    with pytest.raises(ParameterError, match=r"Theorem 1 is about ACP-UCB1; got UCB1"):
        theory_card(HEADLINE, uh.UCB1())


def test_frozen_laws_of_scipy_are_welcome():
    frozen = [scipy.stats.norm(0.1, 0.05), scipy.stats.norm(0, 0.15)]
    card = theory_card(frozen, uh.ACPUCB1(0.1))
    assert card["arms"][0]["values"]["tail"] == pytest.approx(0.182243, abs=1e-6)
    with pytest.raises(ParameterError, match="A law is a Distribution, such as Normal"):
        theory_card(["normal", "normal"], uh.ACPUCB1(0.1))


def near_ties(count):
    """Return pairs of Gaussian arms a few ulps apart at 0, at 1 and at 1e12, in mean and in sd."""
    rng = np.random.default_rng(8)
    for _ in range(count):
        loc, sd = rng.choice([0.0, 1.0, 1e12]), rng.choice([1e-3, 0.1, 1.0])
        ulps = rng.integers(-40, 41, 2) * rng.integers(0, 2, 2)
        arms = [uh.Normal(loc, sd)]
        arms.append(uh.Normal(loc + ulps[0] * np.spacing(loc + sd), sd + ulps[1] * np.spacing(sd)))
        yield arms, uh.ACPUCB1(float(rng.choice([0.05, 0.1, 0.5])))


def test_a_card_says_one_thing_of_a_tie():
    """Gaps, best arms, path, theorem and lower bounds: tied in one is tied in all."""
    seen = set()
    for arms, policy in near_ties(60):
        card = theory_card(arms, policy)
        gaps = {key: [arm["gaps"][key] for arm in card["arms"]] for key in ("tail", "mean")}
        assert card["best"] == {key: [j for j in (0, 1) if g[j] == 0] for key, g in gaps.items()}
        ties = {key: len(best) > 1 for key, best in card["best"].items()}
        seen.add(tuple(ties.values()))
        assert ("must be unique" in card["path"].get("fails", "")) == any(ties.values())
        assert ("needs one best arm" in card["theorem"].get("fails", "")) == ties["tail"]
        for bound in card["bounds"]["lower"]:
            infinite = bound["regret"] is None
            assert infinite or (bound["regret"] == 0) == ties[bound["objective"]]
        if not any(ties.values()):
            path, (acp,), (mean,) = card["path"], card["best"]["tail"], card["best"]["mean"]
            assert [path["envelope"][i]["arm"] for i in (0, -1)] == [mean, acp]
            assert (path["mismatch"] is None) == (acp == mean)
            assert path["worst"]["D_M"] == gaps["tail"][mean]
            assert path["worst"]["D_A"] == gaps["mean"][acp]
    assert len(seen) == 4


def test_equal_means_are_no_loss():
    arms = [uh.Exponential(0.3), scipy.stats.gamma(3, 0, 0.1)]
    card = theory_card(arms, uh.ACPUCB1(0.1))
    assert card["best"] == {"tail": [0], "mean": [0, 1]}
    assert card["transfer"] == {"acp_arm_in_mean": 0, "mean_arm_in_acp": 0}


def test_a_level_without_an_endpoint():
    policy = uh.ACPUCB1(1e-17, level_min=1e-18)
    with pytest.raises(ParameterError, match=r"has no finite ACP value"):
        theory_card(HEADLINE, policy)


def test_theorem_1_of_costs_knows_shapes_and_gaps_alone():
    """Each arm is moved so that the upper ends stand in the mirrored order."""
    costs = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]
    ends = [arm.quantile(0.95) for arm in costs]
    moved = [uh.Normal(arm.loc - 2 * end, arm.scale) for arm, end in zip(costs, ends, strict=True)]
    card = uh.theory_card(costs, uh.ACPUCB1(), minimize=True)
    twin = uh.theory_card(moved, uh.ACPUCB1())

    assert card["best"]["tail"] == [2]  # p95s 0.182, 0.247, 0.172
    assert card["best"]["mean"] == [1]
    assert [arm["values"]["tail"] for arm in card["arms"]] == ends
    for key in ("constants", "needs"):
        for source, numbers in card["theorem"][key].items():
            other = twin["theorem"][key][source]
            for name in numbers.keys() - {"pulls"}:
                assert numbers[name] == pytest.approx(other[name], rel=1e-6)
    assert card["no_adaptation"] == pytest.approx(twin["no_adaptation"], rel=1e-6)
    assert card["path"]["fails"] == "It is about rewards, and these arms pay costs."
    assert card["minimize"] is True
    assert card["bounds"]["upper"].keys() == twin["bounds"]["upper"].keys()


def test_the_lower_tail_is_refused():
    with pytest.raises(
        ParameterError, match="about the upper end of the interval; got tail='lower'"
    ):
        theory_card(HEADLINE, uh.ACPUCB1(tail="lower"))
