"""Pages of comparisons, of one's own and of the study."""

import upperhand as uh
from tests.studies.samples import small
from upperhand.pages.comparison_page import comparison_page, linked
from upperhand.pages.document import Heading, Image, Table
from upperhand.pages.markdown import to_markdown
from upperhand.pages.study_page import study_page
from upperhand.studies.instances import Instance
from upperhand.studies.study import Study

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


def test_the_page_of_the_study(several, one):
    page = study_page(Study(several, several, one), "make it")
    images = [block for block in page.blocks if isinstance(block, Image)]
    tables = [block for block in page.blocks if isinstance(block, Table)]

    assert [image.name for image in images] == [
        f"images/comparison-{stem}.png" for stem in ("paper", "objectives", "hard", "long-run")
    ]
    assert all(image.png.startswith(b"\x89PNG") for image in images)
    assert "ns a step" not in {head for table in tables for head in table.header}
    assert to_markdown(page) == to_markdown(study_page(Study(several, several, one), "make it"))


def test_equal_arms_are_written_once():
    crowd = Instance("crowd", [uh.Normal(0, 1)] * 4 + [uh.Normal(1, 1)])
    text = to_markdown(comparison_page(small(crowd, [uh.UCB1()], replications=2), "x"))
    assert "4 × Normal(loc=0.0, scale=1.0), Normal(loc=1.0, scale=1.0)" in text
