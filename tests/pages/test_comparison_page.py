"""Pages of comparisons."""

import upperhand as uh
from upperhand.comparison.instances import Instance
from upperhand.pages.comparison_page import comparison_page, linked
from upperhand.pages.document import Heading
from upperhand.pages.markdown import to_markdown

from ..comparison.samples import small
from ..figures.samples import POLICIES


def test_one_comparison(one):
    page = comparison_page(one, "upperhand compare", linked("a.png", one))
    text = to_markdown(page)

    assert "![" in text
    assert "(a.png)" in text
    assert "    upperhand compare" in text
    assert "5 replications of 300 rounds, seed 3" in text
    for name in POLICIES:
        assert f"| {name} |" in text
    assert "Normal(loc=0.1, scale=0.05)" in text


def test_several(several):
    page = comparison_page(several, "upperhand compare", linked("a.png", several))
    heads = [block.text for block in page.blocks if isinstance(block, Heading)]

    assert heads == ["In units of ACP-UCB1's regret", "headline", "tied", "How it was made"]
    assert "on each instance" in to_markdown(page)


def test_equal_arms_are_written_once():
    crowd = Instance("crowd", [uh.Normal(0, 1)] * 4 + [uh.Normal(1, 1)])
    text = to_markdown(comparison_page(small(crowd, [uh.UCB1()], replications=2), "x"))
    assert "4 × Normal(loc=0.0, scale=1.0), Normal(loc=1.0, scale=1.0)" in text
