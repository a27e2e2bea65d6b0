"""What a comparison says in sentences: every number comes from its rows."""

import re
from dataclasses import replace

import pytest

import upperhand as uh
from tests.studies.samples import small
from upperhand.pages.comparison_words import (
    best_arms,
    best_under,
    growth,
    laws,
    left_out,
    losses,
    range_of_ratios,
)

from ..figures.samples import with_rows


def test_range_of_ratios(several):
    ratios = {name: several.main(name)["KL-QUCB"].ratio for name in several.runs}
    said = range_of_ratios(several, "KL-QUCB")

    assert re.search(rf"from \S+ .* \({min(ratios, key=ratios.get)}\)", said)
    assert said.endswith(f"({max(ratios, key=ratios.get)}).")


def test_best_under(one):
    rows = [by["mean"] for by in one.matrix("headline").values()]
    others = min((row for row in rows if not row.own), key=lambda row: row.regret)

    said = best_under(rows)
    assert said.startswith("UCB1 (")
    assert "is the best of those that play for it" in said
    assert f"{others.policy} (" in said


@pytest.mark.parametrize(
    ("ratio", "low", "high", "fate"),
    [
        (1.15, 1.05, 1.9, "worse"),
        (0.85, 0.2, 0.95, "better"),
        (1.3, 0.95, 1.5, "not surely apart"),
        (0.7, 0.5, 1.01, "not surely apart"),
    ],
)
def test_losses_are_said_by_intervals(one, ratio, low, high, fate):
    rows = with_rows(one, ratio=ratio, ratio_se=0.1, ratio_low=low, ratio_high=high)
    said = losses(rows, "headline")
    assert f"Against ACP-UCB1, {fate}: KL-QUCB {ratio:.2f} ± 0.10, KL-QUCB+ " in said
    assert said.startswith("Least regret: ")


def test_losses_without_ours():
    found = small(policies=[uh.ACPUCB1(), uh.UCB1()], replications=2)
    assert "Against" not in losses(found, "headline")


def test_growth(one):
    rows = one.main("headline")
    near = {name: row._replace(slope_ratio=1.9) for name, row in rows.items()}
    mixed = near | {"UCB1": rows["UCB1"]._replace(slope_ratio=2.1)}

    assert growth(near) == (
        "Within a factor of 2 of the bound's slope: KL-QUCB, KL-QUCB+, ACP-UCB1, UCB1."
    )
    assert growth(mixed).endswith("ACP-UCB1. Not within it: UCB1.")


def test_growth_below_the_bound_is_explained(one):
    rows = {name: row._replace(slope_ratio=0.8) for name, row in one.main("headline").items()}
    assert "no contradiction to KL-QUCB, KL-QUCB+" in growth(rows)


def test_a_policy_for_another_objective_may_win(one):
    rows = [by["mean"] for by in one.matrix("headline").values()]
    own = [row._replace(regret=9e9) if row.own else row for row in rows]
    assert ", beaten by " in best_under(own)
    assert ", ahead of " in best_under(row._replace(regret=0) if row.own else row for row in rows)
    assert best_under(rows[:1]).endswith("has the least regret.")


def test_who_may_be_as_good_as_the_best_is_named(one):
    close = with_rows(one, regret=10.0, regret_low=9.0, regret_high=11.0)
    apart = with_rows(one, regret=10.0, regret_low=10.0, regret_high=10.0)
    best, *others = one.policies
    assert f", not surely apart from {', '.join(others)}." in losses(close, "headline")
    assert losses(close, "headline").startswith(f"Least regret: {best} (")
    assert "not surely apart from" in losses(apart, "headline")  # equal is not apart


@pytest.mark.parametrize(("low", "apart"), [(9.7, False), (10.3, True)])
def test_apart_is_said_by_the_ends_of_intervals(one, low, apart):
    """The best is 10 with an end at 10.8 above; another is 11. 0.8² + 0.7² > 1² > 0.8² + 0.59²."""
    best, other, *_ = one.policies
    worse = with_rows(one, regret=11.0, regret_low=low + 0.11, regret_high=30.0).rows
    first = {"regret": 10.0, "regret_low": 1.0, "regret_high": 10.8}
    rows = tuple(row._replace(**first) if row.policy == best else row for row in worse)

    said = losses(replace(one, rows=rows), "headline")
    assert (f"not surely apart from {other}" in said) is not apart


def test_who_is_left_out_is_said_with_the_reason(one):
    absent = {"a": {"X": "too short", "Y": "too short"}, "b": {"X": "too short", "Z": "no sd"}}
    assert left_out(replace(one, left_out=absent)) == "Left out: X, Y (too short); Z (no sd). "
    assert left_out(one) == ""


def test_laws_of_equal_looks_are_not_merged():
    few, other = uh.Empirical([0, 0, 0, 1]), uh.Empirical([0, 1, 1, 1])
    assert laws([few, few, other]) == "2 × 0 with 75 % / 1 with 25 %, 0 with 25 % / 1 with 75 %"
    many = [uh.Empirical(range(start, start + 100)) for start in (0, 0)]
    assert laws(many) == "2 × Empirical(100 values from 0 to 99)"


def test_best_arms():
    arms = [uh.Normal(0.1, 0.05), uh.Normal(0, 0.15)]
    said = best_arms([uh.UpperTail(0.1), uh.Mean(), uh.CVaR(0.1)], arms)
    assert said == (
        "arm 2 is the best under ACP value (p95); arm 1 is the best under mean and CVaR 10 %"
    )
