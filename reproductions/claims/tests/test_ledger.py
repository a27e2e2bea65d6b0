"""The ledger: numbered through, what does not hold first, the same every time."""

import pytest

from reproductions.claims.conditions import Judged
from reproductions.claims.evidence import Effort
from reproductions.claims.ledger import (
    ABOUT_OURS,
    OURS,
    Chapter,
    claims_table,
    experiment_chapter,
    ledger_document,
    numbered,
    theory_chapters,
)
from upperhand.pages.document import Bullets, Entry, Heading, Notice, Paragraph, Table
from upperhand.pages.html import to_html
from upperhand.pages.markdown import to_markdown
from upperhand.paper.claim import Claim, Verdict, count_verdicts
from upperhand.paper.registry import EXPERIMENTS

HOLDS, NOTE, UNDECIDED, FAILS = Verdict
PAPERS = {name: e.replications for name, e in EXPERIMENTS.items()}
CONDITIONS = Judged(PAPERS, 10_000, 0, 2000)


def claim(word, verdict, where="Lemma 1", *, ours=False):
    return Claim(f"The {word}.", f"Look at the {word}.", {word: "1.5"}, verdict, where, ours)


CHAPTERS = [
    Chapter("Section 3", (claim("ant", HOLDS), claim("bee", FAILS, "equation (7)"))),
    Chapter("Section 4", (claim("cat", NOTE, "section 4.1"),)),
    Chapter("Section 5", (claim("dog", HOLDS, ""), claim("eel", FAILS))),
]
CLAIMS = numbered(CHAPTERS)
MIXED = numbered(
    [
        *CHAPTERS[:1],
        Chapter(
            "Theory and figures",
            (
                claim("fox", FAILS, "section 5", ours=True),
                claim("gnu", HOLDS, "", ours=True),
                claim("hen", NOTE, ours=True),
            ),
        ),
    ]
)


def document(claims=CLAIMS, conditions=CONDITIONS):
    return ledger_document(claims, conditions)


def below(title, blocks):
    """Return what stands between a heading and the next one."""
    start = blocks.index(Heading(title)) + 1
    end = next(i for i in range(start, len(blocks)) if isinstance(blocks[i], Heading))
    return list(blocks[start:end])


def test_numbers_run_through_all_chapters():
    assert [c.number for c in CLAIMS] == [1, 2, 3, 4, 5]
    assert [c.chapter[-1] for c in CLAIMS] == list("33455")
    assert [c.claim.statement[4:7] for c in CLAIMS] == ["ant", "bee", "cat", "dog", "eel"]
    assert numbered([]) == []


def test_theory_is_judged_in_its_order_with_the_effort(monkeypatch):
    def judge(effort):
        return [claim(f"seed {effort.seed}", HOLDS), claim(f"{effort.trials} trials", NOTE)]

    monkeypatch.setattr("reproductions.claims.ledger.THEORY", (("B", judge), ("A", judge)))
    chapters = theory_chapters(Effort(seed=4, trials=9))

    assert [chapter.title for chapter in chapters] == ["B", "A"]
    assert [c.statement for c in chapters[0].claims] == ["The seed 4.", "The 9 trials."]


def test_figures_have_chapters_of_their_own():
    titles = [experiment_chapter(e, [])[0] for e in EXPERIMENTS.values()]
    assert titles == [f"Section 5: numerical experiments, Figure {n}" for n in (1, 2, 3)]


def test_what_does_not_hold_comes_first():
    blocks = document().blocks
    headings = [block.text for block in blocks if isinstance(block, Heading)]

    assert headings == [
        "What does not hold",
        "What holds with a note",
        OURS,
        "All claims",
        "Section 3",
        "Section 4",
        "Section 5",
        "How it was made",
    ]
    assert below(headings[0], blocks) == [
        Bullets((("2. Equation (7):", "The bee."), ("5. Lemma 1:", "The eel.")))
    ]
    assert below(headings[1], blocks) == [Bullets((("3. Section 4.1:", "The cat."),))]
    counts = "5 claims of the paper: holds 2, holds with a note 1, does not hold 2."
    assert Paragraph(counts) in blocks[:3]


def test_what_is_ours_is_listed_apart_with_its_verdicts():
    blocks = document(MIXED).blocks

    assert below("What does not hold", blocks) == [Bullets((("2. Equation (7):", "The bee."),))]
    assert below("What holds with a note", blocks) == [Paragraph("None.")]
    assert below(OURS, blocks) == [
        Paragraph(ABOUT_OURS),
        Bullets(
            (
                ("3. Does not hold. Ours, on section 5:", "The fox."),
                ("4. Holds. Ours:", "The gnu."),
                ("5. Holds with a note. Ours, on Lemma 1:", "The hen."),
            )
        ),
    ]


@pytest.mark.parametrize("verdict", Verdict)
def test_a_claim_of_ours_is_never_listed_as_the_papers(verdict):
    blocks = document(numbered([Chapter("A", (claim("fox", verdict, ours=True),))])).blocks
    assert below("What does not hold", blocks) == [Paragraph("None.")]
    assert below("What holds with a note", blocks) == [Paragraph("None.")]


def test_what_is_ours_is_marked_in_table_and_entry():
    assert claims_table(MIXED).rows[2] == ("3", "Ours, on section 5", "does not hold", "The fox.")
    entry = below("Theory and figures", document(MIXED).blocks)[0]
    assert (entry.mark, entry.title) == ("3. Does not hold", "Ours, on section 5: The fox.")


def test_what_is_ours_is_counted_apart():
    papers, ours = [c.claim for c in MIXED if not c.claim.ours], [c.claim for c in MIXED[2:]]
    said = "2 claims of the paper: holds 1, holds with a note 0, does not hold 1."

    assert count_verdicts(papers) == said
    assert count_verdicts([*ours, *papers]) == (
        f"{said} 3 of ours about its experiments, which the paper does not claim: holds 1, "
        "holds with a note 1, does not hold 1."
    )


def test_what_is_not_decided_is_counted_listed_and_marked_apart():
    claims = numbered([*CHAPTERS, Chapter("Small", (claim("owl", UNDECIDED),))])
    blocks = document(claims).blocks

    assert below("What this run does not decide", blocks) == [
        Bullets((("6. Lemma 1:", "The owl."),))
    ]
    assert [e.tone for e in below("Small", blocks)] == ["doubtful"]
    assert count_verdicts([c.claim for c in claims]) == (
        "6 claims of the paper: holds 2, holds with a note 1, not decided by this run 1, does not "
        "hold 2."
    )


def test_a_paper_without_fault():
    blocks = document(numbered(CHAPTERS[:1])[:1]).blocks
    assert below("What does not hold", blocks) == [Paragraph("None.")]
    assert below("What holds with a note", blocks) == [Paragraph("None.")]
    assert below(OURS, blocks)[1:] == [Paragraph("None.")]


def test_the_table_has_a_line_for_each_claim():
    table = claims_table(CLAIMS)

    assert table.header == ("no.", "where", "verdict", "statement")
    assert table.rows[1] == ("2", "Equation (7)", "does not hold", "The bee.")
    assert table.rows[3] == ("4", "", "holds", "The dog.")
    assert len(table.rows) == 5
    assert below("All claims", document().blocks) == [table]


def test_each_claim_has_an_entry_in_its_chapter():
    blocks = document().blocks

    assert below("Section 3", blocks)[1] == Entry(
        "2. Does not hold",
        "bad",
        "Equation (7): The bee.",
        (("bee", "1.5"),),
        "Check: Look at the bee.",
    )
    assert [e.mark for e in below("Section 5", blocks)] == ["4. Holds", "5. Does not hold"]
    assert below("Section 5", blocks)[0].title == "The dog."  # no place was given


def test_it_says_how_it_was_made():
    blocks = document(conditions=Judged(PAPERS, 500, 7, 30)).blocks
    text = to_markdown(document(conditions=Judged(PAPERS, 500, 7, 30)))

    assert "    python -m reproductions.claims --horizon 500 --seed 7 --trials 30\n" in text
    assert [block.text for block in blocks if isinstance(block, Notice)] == [
        "Not the paper's size: 500 rounds instead of 10,000; 30 trials instead of 2,000. Rounds "
        "and replications concern the chapters of section 5 only, which are about this run. It is "
        "smaller than the paper's: what fails in it is “not decided by this run”. Trials are those "
        "of the checks by simulation in the other chapters. These checks have little power at this "
        "size: “holds” may say little."
    ]
    assert not any(isinstance(block, Notice) for block in document().blocks)
    assert isinstance(blocks[-1], Table)
    names = [row[0] for row in blocks[-1].rows]
    assert names == ["seed", "horizon", "replications", "trials"]  # no version, no machine


@pytest.mark.parametrize("render", [to_markdown, to_html])
def test_both_forms_say_all(render):
    text = render(document()).replace("\\", "")
    for word in ("2. Does not hold.", "Equation (7): The bee.", "Look at the cat."):
        assert word in text


def test_the_ledger_tells_its_command_and_no_time():
    assert Judged(PAPERS, 10_000, 0, 2000).command == "python -m reproductions.claims --seed 0"

    small = Judged(dict.fromkeys(PAPERS, 5), 500, 7, 30)
    command = "python -m reproductions.claims --replications 5 --horizon 500 --seed 7 --trials 30"
    assert small.command == command
    assert small.departures[0] == "500 rounds instead of 10,000"
    assert small.provenance["trials"] == "30"
    assert small.provenance.keys() == {"seed", "horizon", "replications", "trials"}


@pytest.mark.parametrize(
    ("replications", "horizon", "trials", "said"),
    [
        (None, 10_000, 1, "1 trial instead of 2,000. Trials are those of the checks by simulation "
         "in the other chapters. These checks have little power at this size"),
        (None, 10_000, 4000, "4,000 trials instead of 2,000. Trials are those of the checks by "
         "simulation in the other chapters."),
        (None, 20_000, 2000, "20,000 rounds instead of 10,000. Rounds and replications concern the "
         "chapters of section 5 only, which are about this run."),
        (1, 10_000, 2000, "1 replication instead of 60 (metrics); 1 replication instead of 30"),
    ],
)  # fmt: skip
def test_the_ledger_says_what_each_size_concerns(replications, horizon, trials, said):
    counts = {name: replications or count for name, count in PAPERS.items()}
    notice = Judged(counts, horizon, 0, trials).notice

    assert notice.startswith(f"Not the paper's size: {said}")
    assert ("little power" in notice) is (trials < 2000)
    assert ("not decided by this run" in notice) is (replications == 1)
