"""Who is in colour: a few, and no two in the same."""

import pytest

from upperhand.figures.comparison import comparison_looks
from upperhand.figures.style import MOST, QUIET


def test_of_a_crowd_a_few_are_in_colour(crowd):
    styles = comparison_looks(crowd, "headline")
    coloured = [name for name, style in styles.items() if style != QUIET]

    assert len(styles) == 9
    assert len(coloured) == MOST
    assert {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"} < set(coloured)
    rows = crowd.main("headline")
    rest = [rows[name].regret for name in styles if name not in coloured]
    chosen = set(coloured) - {"ACP-UCB1", "KL-QUCB", "KL-QUCB+"}
    assert max(rows[name].regret for name in chosen) <= min(rest)


@pytest.mark.parametrize("given", ["one", "crowd", "everyone", "wordy"])
def test_no_two_lines_share_a_colour(given, request):
    styles = comparison_looks(request.getfixturevalue(given), "headline").values()
    colours = [style.color for style in styles if style != QUIET]
    assert len(set(colours)) == len(colours)
