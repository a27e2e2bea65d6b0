"""What the page says of river: every number comes from the runs."""

import numpy as np
import pytest

from upperhand.pages.document import Bullets, Table
from upperhand.pages.river_section import river_section
from upperhand.studies.river_rival import AS_DOCUMENTED
from upperhand.studies.river_standing import BEST, WORST, river_standing
from upperhand.studies.statistics import paired_ratio
from upperhand.text import with_error


def blocks(river, comparison):
    found = river_section(river, [comparison])
    (table,) = (block for block in found if isinstance(block, Table))
    (bullets,) = (block for block in found if isinstance(block, Bullets))
    return table, bullets.items


def test_the_table_has_paired_ratios(rival, one):
    table, _ = blocks(rival, one)
    regrets = river_standing(rival, one, "headline").regrets

    assert table.header == ("policy", "headline")
    assert [row[0] for row in table.rows] == [*AS_DOCUMENTED, BEST, WORST, "KL-QUCB", "KL-QUCB+"]
    for label, cell in table.rows:
        ratio = paired_ratio(regrets[label], regrets["ACP-UCB1"])
        assert cell == with_error(ratio.value, ratio.se)


@pytest.mark.parametrize(
    ("bad_pulls", "said"),
    [
        (0, "More regret: KL-QUCB, KL-QUCB+."),
        (300, "Less regret: KL-QUCB, KL-QUCB+."),
    ],
)
def test_who_is_better_is_said_by_intervals(rival, one, bad_pulls, said):
    """Turned round, the sentence says the opposite."""
    same = np.tile([bad_pulls, 300 - bad_pulls, 0], (5, 1))
    changed = dict.fromkeys(rival.pulls["headline"], same)
    _, ((head, rest),) = blocks(rival._replace(pulls={"headline": changed}), one)

    assert head == "headline,"
    assert rest.endswith(said)
    assert "best in hindsight with δ = 1, burn-in 20: regret" in rest


def test_the_scaler_is_named_if_it_is_the_best(rival, one):
    scaled = AS_DOCUMENTED["river UCB, δ = 1, scaled"]
    changed = {s: np.tile([9, 291, 0], (5, 1)) for s in rival.pulls["headline"]}
    changed[scaled] = np.tile([0, 300, 0], (5, 1))
    _, ((_, rest),) = blocks(rival._replace(pulls={"headline": changed}), one)

    assert "with δ = 1, burn-in 20 and the scaler: regret 0, 0 in its worst replication" in rest
