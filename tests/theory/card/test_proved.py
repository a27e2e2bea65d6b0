"""Our policies on the card: the numbers of `guarantees`, or why there are none."""

import json

import pytest

import upperhand as uh
from upperhand.theory import quantile_policies
from upperhand.theory.card import proved_part, theory_card

HEADLINE = [uh.Normal(0.10, 0.05), uh.Normal(0.00, 0.15), uh.Normal(0.04, 0.08)]


def test_each_policy_at_the_level_of_the_card():
    found = proved_part(HEADLINE, 0.2, 400)["policies"]
    assert [each["policy"] for each in found] == list(quantile_policies.covered(0.9))
    for each, policy in zip(found, quantile_policies.covered(0.9).values(), strict=True):
        assert each["theorem"] == quantile_policies.theorem(policy)
        assert each["regret"] == quantile_policies.regret(policy, HEADLINE, 400)
        assert each["pulls"] == quantile_policies.pulls(policy, HEADLINE, 400).tolist()


def test_bounds_that_any_policy_meets_are_empty():
    """The largest gap in p95 is 0.0751398: 7.5 in 100 rounds, 751 in 10,000."""
    for n, most in ((100, 7.51398), (10_000, 751.398)):
        for each in proved_part(HEADLINE, 0.1, n)["policies"]:
            assert each["empty"] == (each["regret"] > most)
    assert not proved_part(HEADLINE, 0.1, 10_000)["policies"][0]["empty"]
    assert all(each["empty"] for each in proved_part(HEADLINE, 0.1, 100)["policies"])


def test_on_the_card():
    card = theory_card(HEADLINE, uh.ACPUCB1(0.1), 500)
    assert card["proved"]["policies"][0]["pulls"][1] is None  # nothing bounds a best arm's
    assert json.loads(json.dumps(card, allow_nan=False)) == card
    counts = [uh.Bernoulli(0.05), uh.Bernoulli(0.2)]
    fails = theory_card(counts, uh.ACPUCB1(0.1))["proved"]["fails"]
    assert "no bound for arm 1, Bernoulli(p=0.05)" in fails


def test_costs():
    card = theory_card(HEADLINE, uh.ACPUCB1(0.1), 500, minimize=True)
    negated = [uh.Normal(-arm.loc, arm.scale) for arm in HEADLINE]
    first = card["proved"]["policies"][0]
    twin = quantile_policies.regret(uh.KLQUCB(1 - 0.95), negated, 500)
    assert first["regret"] == pytest.approx(twin, rel=1e-6)
