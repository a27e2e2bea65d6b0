"""Pages of comparisons, of one's own and of the study."""

from dataclasses import replace

import upperhand as uh
from tests.studies.samples import small
from upperhand.intervals import CALIBRATORS
from upperhand.pages import comparison_words as words
from upperhand.pages.comparison_page import comparison_page, linked
from upperhand.pages.document import Heading, Image, Table
from upperhand.pages.markdown import to_markdown
from upperhand.pages.study_page import study_page
from upperhand.studies.instances import Instance
from upperhand.studies.study import UNCORRECTED, Study, calibrated

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


def test_the_page_of_the_study(several, one, rival):
    tried = small(policies=calibrated, replications=2)
    study = Study(several, several, one, tried, rival)
    page = study_page(study, "make it")
    images = [block for block in page.blocks if isinstance(block, Image)]
    tables = [block for block in page.blocks if isinstance(block, Table)]

    assert [image.name for image in images] == [
        f"images/comparison-{stem}.png" for stem in ("paper", "objectives", "hard", "long-run")
    ]
    assert all(image.png.startswith(b"\x89PNG") for image in images)
    assert "ns a step" not in {head for table in tables for head in table.header}
    assert to_markdown(page) == to_markdown(study_page(study, "make it"))
    assert f"| river | {rival.version} |" in to_markdown(page)
    for name in (UNCORRECTED, *CALIBRATORS.keys() - {"Rescored"}):
        assert f"| {name} |" in to_markdown(page)


def test_what_is_said_of_calibrators(several):
    """Each sentence hangs on the rows: turned round, it says the opposite."""
    rows = several.main("headline")

    def said(**ratios):
        changed = [
            rows[label]._replace(regret_low=low, regret_high=high, ratio_low=low, ratio_high=high)
            for label, (low, high) in ({"ACP-UCB1": (1, 1)} | ratios).items()
        ]
        one = replace(several, instances=several.instances[:1], rows=tuple(changed))
        return words.calibrators(one, "UCB1")

    text = said(**{"UCB1": (0.5, 0.6), "KL-QUCB": (0.1, 0.2)})
    assert "(η = 0) is better than ACP-UCB1's in 1 of 1 settings" in text
    assert "better than no correction somewhere: KL-QUCB (1 of 1)." in text
    text = said(**{"UCB1": (0.9, 1.1), "KL-QUCB": (1.2, 1.3)})
    assert "in 0 of 1 settings. No calibrator is surely better" in text
    assert text.endswith("Worse than ACP-UCB1's in all: KL-QUCB.")


def test_equal_arms_are_written_once():
    crowd = Instance("crowd", [uh.Normal(0, 1)] * 4 + [uh.Normal(1, 1)])
    text = to_markdown(comparison_page(small(crowd, [uh.UCB1()], replications=2), "x"))
    assert "4 × Normal(loc=0.0, scale=1.0), Normal(loc=1.0, scale=1.0)" in text
