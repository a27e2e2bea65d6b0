"""The price of entry on the page: its numbers follow from the theorem and the runs."""

import pytest

import upperhand as uh
from tests.studies.samples import small
from upperhand.pages.document import Paragraph, Table
from upperhand.pages.entry_section import price_of_entry

POLICIES = ["ACP-UCB1", "KL-QUCB"]


@pytest.fixture(scope="module")
def far():
    players = [uh.ACPUCB1(), uh.KLQUCB()]
    return small("far-apart", players, horizon=10_000, replications=2)


def tables(comparison):
    return [b for b in price_of_entry(comparison, POLICIES) if isinstance(b, Table)]


def test_what_safety_costs(far):
    """Gaps of 5 and 10: each pull of both costs 15; ACP-UCB1 pulls them twice, 30."""
    costs, _ = tables(far)

    assert far.main("far-apart")["ACP-UCB1"].regret == pytest.approx(30)
    assert costs.rows == (
        ("30 %", "24", "360", "12"),
        ("10 %", "45", "675", "22.5"),
        ("5 %", "59", "885", "29.5"),
    )


def test_what_each_can_lose(far):
    _, losses = tables(far)
    pulls = far.runs["far-apart"].pulls["KL-QUCB"][:, -1]

    assert (pulls[:, [0, 2]] == 180).all()
    assert losses.rows == (("ACP-UCB1", "2", "90.2 %"), ("KL-QUCB", "180", "< 0.01 %"))


def test_the_most_pulls_of_a_replication_count(far):
    """One replication that is less sure is the one that is told of."""
    runs = far.runs["far-apart"]
    runs.pulls["lazy"] = runs.pulls["KL-QUCB"].copy()
    runs.pulls["lazy"][0, -1, :] = 3, 9990, 7  # arm 1 is pulled 3 and 180 times, arm 3 less often
    runs.pulls["lazy"][1, -1, :] = 180, 9800, 20
    (row,) = next(t for t in price_of_entry(far, ["lazy"])[-1:]).rows
    del runs.pulls["lazy"]

    assert row == ("lazy", "20", f"{100 * 0.95**20 * 0.998:.1f} %")


def test_known_to_be_gaussian(far):
    """K = 0.805 and 1.333: (5/0.805 + 10/1.333) ln 10⁴ = 126, 4.2 times 30."""
    said = [b.text for b in price_of_entry(far, POLICIES) if isinstance(b, Paragraph)]
    assert "is 13.7 ln n, 126 at this n: 4.21 times ACP-UCB1's" in said[1]


def test_only_where_far_apart_was_played(several):
    assert price_of_entry(several, POLICIES) == []
