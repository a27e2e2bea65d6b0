"""Bounds on the card."""

import math

import pytest

import upperhand as uh
from upperhand.theory.card import bounds_part, theory_card

HEADLINE = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]


def test_the_papers_arms():
    """Lai and Robbins by hand: 2·.0225/.1 + 2·.0064/.06 per ln n; the quantile's from its kl."""
    part = bounds_part(HEADLINE, 0.1, 10_000)
    tail, gaussian, known, unknown = part["lower"]

    assert tail["pulls"] == pytest.approx([209.98, 0, 264.54], abs=0.01)
    assert tail["regret"] == pytest.approx(33.419, abs=1e-3)
    assert gaussian["regret"] == pytest.approx(9.649, abs=1e-3)  # for means and sds unknown
    assert known["regret_per_log"] == pytest.approx(0.45 + 0.0128 / 0.06)
    assert unknown["regret"] > known["regret"] == pytest.approx(6.1095, abs=1e-4)
    assert [each["objective"] for each in part["lower"]] == ["tail"] * 2 + ["mean"] * 2


def test_upper_bounds_by_hand():
    """Auer et al.: gaps .1 and .06, sds .15 and .08, ln n = 9.21034."""
    upper = bounds_part(HEADLINE, 0.1, 10_000)["upper"]
    assert upper["UCB1"] == pytest.approx(
        8 * 9.21034037 * (10 + 1 / 0.06) + (1 + math.pi**2 / 3) * 0.16
    )
    growing = 256 * 0.0225 / 0.1 + 0.8 + 256 * 0.0064 / 0.06 + 0.48
    assert upper["UCB1-NORMAL"] == pytest.approx(growing * 9.21034037 + (1 + math.pi**2 / 2) * 0.16)


@pytest.mark.parametrize(
    ("arms", "names", "laws"),
    [
        ([uh.Normal(0, 0.5), uh.Normal(1, 0.5)], ["UCB1", "UCB1-NORMAL"], 4),
        ([uh.Normal(0, 0.51), uh.Normal(1, 0.5)], ["UCB1-NORMAL"], 4),
        ([uh.Bernoulli(0.3), uh.Bernoulli(0.4)], ["UCB1"], 2),
        ([uh.Uniform(2, 3), uh.Uniform(0, 1)], ["UCB1"], 1),
        ([uh.Uniform(2, 3.1), uh.Uniform(0, 1)], [], 1),
        ([uh.Normal(0, 0.5), uh.Uniform(0, 1)], ["UCB1"], 1),
        ([uh.StudentT(0, 1, 1), uh.StudentT(1, 1, 1)], [], 1),
    ],
)
def test_a_bound_is_shown_where_it_covers_the_arms(arms, names, laws):
    part = bounds_part(arms, 0.1, 1000)
    assert list(part["upper"]) == names
    assert len(part["lower"]) == laws


def test_an_infinite_bound_is_none_on_the_card():
    """All mass of the first arm between its p95 and 5 is missing."""
    gap = uh.Mixture([uh.Uniform(0, 1), uh.Uniform(9, 10)], [0.95, 0.05])
    arms = [gap, uh.Uniform(4, 5)]
    assert bounds_part(arms, 0.1, 1000)["lower"][0]["regret"] == math.inf
    assert theory_card(arms, uh.ACPUCB1(0.1))["bounds"]["lower"][0]["regret"] is None


def test_bounds_that_any_policy_meets_are_empty():
    """By hand: n · max Δ is 0.1 n in mean and 0.0751 n in the tail; bounds grow like ln n."""
    for n in (10, 1000, 10_000, 10**6):
        part = bounds_part(HEADLINE, 0.1, n)
        assert part["empty"] == [name for name, bound in part["upper"].items() if bound > 0.1 * n]
        assert part["lower"][0]["empty"] == (3.6285 * math.log(n) > 0.0751398 * n)
    assert bounds_part(HEADLINE, 0.1, 10_000)["empty"] == ["UCB1"]
    assert bounds_part(HEADLINE, 0.1, 10)["lower"][0]["empty"]
    assert not bounds_part(HEADLINE, 0.1, 1000)["lower"][0]["empty"]
