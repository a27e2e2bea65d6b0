"""What a comparison says in sentences: every number comes from its rows."""

import re

import pytest

import upperhand as uh
from tests.comparison.samples import small
from upperhand.report.comparison_words import best_under, growth, losses, range_of_ratios

from .samples import with_rows


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
    ("ratio", "fate"), [(1.3, "worse"), (0.7, "better"), (1.1, "not surely apart")]
)
def test_losses(one, ratio, fate):
    said = losses(with_rows(one, ratio=ratio, ratio_se=0.1), "headline")
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
